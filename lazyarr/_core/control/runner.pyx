"""Runners: repeated execution of a sub-graph.

A `Runner` has copies of a sub-graph's nodes with leaves for parameters. A run points the leaves at memory, runs the
plan's steps and leaves the outputs' memory to its caller. All nodes stay pending, so they can run again.
"""
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cimport cython
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.control.residuals cimport point_at
from lazyarr._core.control.subgraph cimport Subgraph, nodes_below, substitute
from lazyarr._core.host.device_table cimport drivers
from lazyarr._core.host.workspace cimport set_workspace_start, workspace_start
from lazyarr._core.ir.builder cimport cast_node
from lazyarr._core.ir.const_guards cimport fast_math
from lazyarr._core.ir.fingerprint cimport CONSUMABLE, Walk, nans_are_watched, release_walk, node_flags
from lazyarr._core.ir.fp_errors cimport report_status
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport (
    FILLS, FINISHES, HANDS_OVER, LEAF, OPAQUE, REMOTE, VIEW, Node, forget_pending, has_value, new_node, set_c_strides)
from lazyarr._core.ir.placeholder cimport node_like
from lazyarr._core.ir.provenance cimport put_on
from lazyarr._core.ir.slice_pushdown cimport walk_with_slices
from lazyarr._core.runtime.evaluation cimport run_steps
from lazyarr._core.runtime.plan_cache cimport find_plan
from lazyarr._core.runtime.status_words cimport StatusWords

import numpy as np

cnp.import_array()


@cython.final
cdef class Runner:
    """Nodes of a sub-graph that can run repeatedly."""

    def __cinit__(self):
        memset(&self.w, 0, sizeof(Walk))

    def __dealloc__(self):
        release_walk(&self.w)

    cdef int prepare(self) except -1:
        cdef Node leaf
        cdef PyObject** roots
        cdef int i, count = 0
        roots = <PyObject**>malloc((len(self.outputs) + 1) * sizeof(PyObject*))
        if roots is NULL:
            raise MemoryError()
        for node in self.outputs:
            if not has_value(<Node>node):
                roots[count] = <PyObject*>node
                count += 1
        try:
            walk_with_slices(&self.w, roots, count)
        finally:
            free(roots)
        self.w.is_template = True
        self.changes_bits, self.watches_nans = fast_math(), nans_are_watched()
        for i in range(self.ncarry):
            leaf = self.leaves[i]
            # values passed on unchanged must not be overwritten
            if not self.watches_nans and leaf.index < self.w.count and self.w.nodes[leaf.index] == <PyObject*>leaf \
                    and leaf not in self.outputs:
                node_flags(&self.w)[leaf.index] = CONSUMABLE
        for i in range(self.w.count):
            self.w.status[i] = 0
        self.plan = find_plan(&self.w)
        return 0

    cdef bint fits(self) noexcept:
        """Return whether its plan, if any, was made for the present settings."""
        return self.plan is None or self.changes_bits == fast_math() and self.watches_nans == nans_are_watched()

    cdef int run(self) except -1:
        cdef npy_intp free_from = workspace_start()
        if self.plan is None:
            self.prepare()
        raised = run_steps(&self.w, self.plan, self.words)
        set_workspace_start(free_from)  # the next round may reuse this one's workspace
        if raised is not None:
            report_status(raised)
        return 0

    cdef int report_found(self) except -1:
        """Report status flags of device kernels since the last report."""
        cdef list raised = None if self.words is None else self.words.take_all()
        if raised is not None:
            report_status(raised)
        return 0

    cdef void clear(self) noexcept:
        """Release the memory of all nodes but the leaves."""
        cdef Node node
        cdef int i
        for i in range(self.w.count):
            node = <Node>self.w.nodes[i]
            if not has_value(node):
                node.data = NULL
                node.owner = None

    cdef void release(self) noexcept:
        """Also release the memory of the leaves."""
        cdef Node leaf
        self.clear()
        for leaf in self.leaves + [twin for _, twin in self.dense]:
            leaf.data = NULL
            leaf.owner = None

    cdef int bind(self, int k, object array) except -1:
        cdef Node leaf = self.leaves[k]
        leaf.data = <char*>cnp.PyArray_DATA(<cnp.ndarray>array) - leaf.offset
        leaf.owner = array
        return 0

    cdef int make_dense(self, list fixed) except -1:
        """Copy views of these leaves to C order once if kernels would read them as views in each round."""
        cdef dict twins = {}
        cdef Node node, view, whole, twin
        cdef int k
        for node in nodes_below(self.outputs, {}):
            if node.kind != OPAQUE or node.attr not in (FILLS, HANDS_OVER, FINISHES):
                continue
            for k in range(node.ninputs):
                view = <Node>node.inputs[k]
                if view.kind != VIEW or view.contiguous or id(view) in twins:
                    continue
                whole = <Node>view.inputs[0]
                if view.size * view.itemsize == whole.span and whole in fixed:
                    twin = new_node(LEAF, view.ndim, view.shape, view.dtype, view.typenum)
                    set_c_strides(twin)
                    twins[id(view)] = view, twin
        if twins:
            self.outputs = substitute(self.outputs, twins)
        self.dense = list(twins.values())
        return 0

    cdef int bind_dense(self) except -1:
        cdef Node view, twin
        for view, twin in self.dense:
            point_at(twin, np.ascontiguousarray(as_ndarray(view)))
        return 0


cdef Runner runner_of(Subgraph graph, Runner spare, int ncarry, int nplain, int device=0, StatusWords words=None):
    """Return a runner whose first outputs are in C order from the start of their memory, on the host or a device.

    It is `spare` if that exists, has the graph's current outputs, and its plan fits the present settings. The caller
    takes the spare one out of its slot meanwhile: a signal handler may run the same graph. Status flags of device
    kernels go to `words`, or its own.
    """
    cdef Runner runner
    if spare is not None and spare.device == device and len(spare.outputs) == len(graph.outputs) and spare.fits():
        runner = spare
    else:
        runner = _new_runner(graph, ncarry, nplain, device)
    runner.words = StatusWords(drivers[device]) if device and words is None else words
    return runner


cdef Runner _new_runner(Subgraph graph, int ncarry, int nplain, int device):
    cdef Runner runner = Runner.__new__(Runner)
    cdef Node node, plain
    cdef int k
    runner.leaves = [node_like(<Node>node, REMOTE if device else LEAF) for node in graph.params]
    for node in runner.leaves:
        put_on(node, device)
    runner.ncarry, runner.device = ncarry, device
    runner.dense = []
    # nodes that run again must not become leaves, which drop what the plan reads
    runner.outputs = substitute(
        graph.outputs, {id(node): (node, leaf) for node, leaf in zip(graph.params, runner.leaves)}, shares=False,
        device=device)
    for k in range(nplain):
        node = runner.outputs[k]
        if node.typenum >= 0 and (node.kind == VIEW or not node.contiguous or node.offset != 0
                                  or node.span != node.size * node.itemsize):
            plain = new_node(LEAF, node.ndim, node.shape, node.dtype, node.typenum)
            set_c_strides(plain)
            node = cast_node(node, node.typenum, plain)
            forget_pending(node)
            runner.outputs[k] = node
    for node in runner.leaves:
        node.devices = 0    # not counted as device memory
    return runner
