"""Dry runs: the operations, steps and memory of an evaluation, without running it."""
from cpython.sequence cimport PySequence_Fast_ITEMS
from libc.string cimport memset

from lazyarr._core.frontend.handle cimport node_of, storage_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.host.device_table cimport device_name
from lazyarr._core.ir.failures cimport Failure
from lazyarr._core.ir.fingerprint cimport ESCAPES, Walk, release_walk, node_flags
from lazyarr._core.ir.fp_errors cimport origin
from lazyarr._core.ir.node cimport (
    EMPTY, EXPAND, LEAF, MAP, OPAQUE, REDUCE, REMOTE, REPEAT, RESULT, SCALAR, UPDATE, VIEW, Node, has_value)
from lazyarr._core.ir.placeholder cimport is_traced
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.ir.slice_pushdown cimport walk_with_slices
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.backend_choice cimport called_name
from lazyarr._core.runtime.evaluation_lock cimport enter, leave
from lazyarr._core.runtime.executor cimport expected_work
from lazyarr._core.runtime.placement cimport schedule_of
from lazyarr._core.runtime.plan_cache cimport Plan, describe, find_plan, memory_of_values

from bisect import insort

from lazyarr._core.introspect.foresight import Foreseen, Foresight
from lazyarr._core.ir.graph_ir import Graph

cdef dict _NAMES = {LEAF: "array", SCALAR: "constant", VIEW: "view", RESULT: "result", EMPTY: "empty"}


cdef str operation(Node node):
    """Return the name of a node for reports; None for nodes that compute nothing (views, results, inputs)."""
    if MAP <= node.kind <= EXPAND:
        return <object>node.loop.name
    if node.kind == REDUCE:
        return <object>node.loop.name + (".reduce" if node.loop.ufunc is not NULL else "")
    if node.kind in (OPAQUE, REPEAT):
        return called_name(node)
    return "setitem" if node.kind == UPDATE else None


def below(LazyArray x):
    """Return the names of the operations that evaluating x would run, and the count and bytes of its inputs.

    Returns
    -------
    names : list of str
    arrays, nbytes : int
    """
    cdef Node node = x.node if x.mask is not None else node_of(x)  # selections stay unresolved
    cdef list names = [], todo = [node]
    cdef set seen = {id(node)}
    cdef int i, arrays = 0
    cdef object nbytes = 0
    while todo:
        node = todo.pop()
        name = operation(node)
        if name is not None and not has_value(node):
            names.append(name)
        elif node.kind == LEAF or node.kind == REMOTE:
            arrays += 1
            nbytes += node.span
        for i in range(node.ninputs):
            following = <object>node.inputs[i]
            if id(following) not in seen:
                seen.add(id(following))
                todo.append(following)
    return (names, arrays, nbytes) if names else ([], 0, 0)


def glance(LazyArray x, int most, int few):
    """Describe an array from a limited number of its nodes, without evaluating, copying or waiting for anything.

    Returns
    -------
    state : str
        "evaluated"; "failed", where values cannot be had; "traced", of an argument of a traced function and what is
        computed of it; or "waiting".
    device : str
    operations : int
        How many are pending, among the nodes visited.
    is_all : bool
        Whether these are all.
    newest : list of str
        The names of the few that were made last, in the order in which they were made.
    failure : BaseException or None
    """
    cdef LazyArray base = x if x.root is None else x.root
    cdef Node node = base.node
    cdef list newest = [], todo = [node]
    cdef set seen = {id(node)}
    cdef int i, operations = 0, walked = 0
    cdef str state = "waiting", device = device_name(node.device)
    if x.mask is None and base.mask is None and has_value(node):
        return "evaluated", device, 0, True, newest, None
    if node.failure is not None:
        return "failed", device, 0, True, newest, (<Failure>node.failure).error
    while walked < len(todo) and walked < most:  # breadth first
        node = todo[walked]
        walked += 1
        if has_value(node):
            continue
        if is_traced(node):
            state = "traced"
            continue
        name = operation(node)
        if name is not None:
            operations += 1
            if len(newest) < few or newest and node.serial > newest[0][0]:
                insort(newest, (node.serial, name))
                del newest[:-few]
        i = 0
        while i < node.ninputs:  # another thread may have evaluated it
            following = <object>node.inputs[i]
            i += 1
            if id(following) not in seen:
                seen.add(id(following))
                todo.append(following)
    return state, device, operations, walked == len(todo), [name for _, name in newest], None


def foresee(list arrays):
    """Return the plan and steps that `evaluate` would run for arrays."""
    cdef Walk w
    cdef LazyArray x
    cdef Node node
    cdef Plan plan
    cdef int i, k
    cdef list nodes = [], roots = []
    memset(&w, 0, sizeof(Walk))
    enter()
    try:
        for x in arrays:
            x = storage_of(x)
            if not has_value(x.node):
                roots.append(x.node)
        if not roots:
            return Foresight([], Graph(), Plan(), [], {})
        walk_with_slices(&w, PySequence_Fast_ITEMS(roots), <int>len(roots))
        plan = find_plan(&w)
        unstored, places = memory_of_values(&w, plan)
        for i in range(w.count):
            node = <Node>w.nodes[i]
            kind = node.kind if node.data is NULL or node.kind == SCALAR else <int>LEAF
            nodes.append(Foreseen(
                kind, _NAMES.get(kind) or operation(node), shape_tuple(node), node.dtype, node.span,
                tuple([(<Node>node.inputs[k]).index for k in range(node.ninputs)]) if node.data is NULL else (),
                bool(node_flags(&w)[i] & ESCAPES), origin(node), i not in unstored))
        return Foresight(nodes, describe(&w), plan, _expected_ns(&w, plan.steps), places)
    finally:
        leave()
        release_walk(&w)


def foresee_schedule(list arrays):
    """Return the schedule of an evaluation on several devices; empty if everything is on the host.

    Returns
    -------
    list of (str, str, tuple of str, int, tuple of int)
        "part" or "copy"; where; the operations of what it computes; bytes; the positions of those it waits for.
    """
    cdef LazyArray x
    cdef Node node
    cdef list nodes = [(x if x.root is None else x.root).node for x in arrays], rows = []
    nodes = [node for node in nodes if not has_value(node)]
    if not any([node.devices for node in nodes]):
        return []
    for origin, device, values, after in schedule_of(nodes):
        where = device_name(device) if origin is None else f"{device_name(origin)} -> {device_name(device)}"
        names = tuple([operation(node) or "view" for node in values]) if origin is None else ()
        nbytes = sum([node.span for node in values])
        rows.append(("part" if origin is None else "copy", where, names, nbytes, tuple(after)))
    return rows


cdef list _expected_ns(Walk* w, list steps):
    """Return the estimated time of each step on one thread, None if unknown.

    For calls, the function's method `cost` takes the first operand's dtype, the shape of the result, and the shapes of
    the operands.
    """
    cdef Step step
    cdef Node node
    cdef int k
    cdef list found = []
    for step in steps:
        expected = 0.0 if step.program is None else expected_work(w, step.program)
        if step.program is None or step.behind_kernel:
            node = <Node>w.nodes[step.node]
            cost = None if step.kind == "empty" else getattr(node.payload[1], "cost", None)
            operands = [shape_tuple(<Node>node.inputs[k]) for k in range(node.ninputs)]
            estimate = None if cost is None else cost((<Node>node.inputs[0]).dtype, shape_tuple(node), *operands)
            expected = None if estimate is None else expected + estimate
        found.append(expected)
    return found
