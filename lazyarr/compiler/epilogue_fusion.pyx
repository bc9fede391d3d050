"""Kernels and the programs behind them, their only readers, as steps that run both."""
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr._core.ir.node cimport FINISHES, LEAF
from lazyarr._core.ir.step cimport Step
from lazyarr.compiler.fusion cimport base, hands_over, reads_storage_of


cdef list join(Graph graph, list steps):
    """Kernels that may hand parts of their result over, with the programs behind them, as steps that run both."""
    cdef list out = []
    cdef Step kernel, step
    for step in steps:
        if out and runs_behind(graph, out[len(out) - 1], step):
            kernel = out.pop()
            donors = tuple([(store, donor) for store, donor in step.donors
                            if donor == kernel.node or graph.nodes[<int>donor].kind == LEAF])
            frees = tuple(sorted({*kernel.frees, *step.frees}))
            step = step.replace(kind="epilogue", node=kernel.node, frees=frees, donors=donors, in_place=())
        out.append(step)
    return out


cdef bint runs_behind(Graph graph, Step kernel, Step step) except -1:
    """Whether a step is a program that can run on parts of the result of the kernel before it.

    It reads each element of the result once, in place, and is its only consumer. It overwrites nothing but the
    result, so that both can run again after a failure; behind a kernel that does not fail, leaves that the kernel does
    not read. What the kernel frees lives until the program ends, so it must not need more memory than the result has.
    """
    cdef int result, i, times = 0
    if kernel.kind != "opaque" or step.kind != "tile":
        return False
    result = kernel.node
    if not hands_over(graph, result) or result not in step.frees:
        return False
    if step.program.folds or step.program.updates or graph.nodes[step.program.space].shape != graph.nodes[result].shape:
        return False
    for i in step.program.loads:
        if base(graph, i) == result:
            if i != result:
                return False
            times += 1
    if times != 1:
        return False
    for _, i in step.donors:
        if graph.nodes[i].kind != LEAF:
            continue
        if graph.nodes[result].attr != FINISHES or reads_storage_of(graph, result, i):
            return False
    return not kernel.frees or len(step.donors) == len(step.program.stores)
