"""Running sub-graphs: the rounds of a loop, the one branch of several.

A `Runner` has copies of a sub-graph's nodes whose parameters are leaves. A run points the leaves at memory, runs the
plan's steps and leaves the outputs' memory to be taken; nothing settles, so that the same nodes run again.

    carries  ->  |         |  ->  carries of the next round      memory changes hands, nothing is copied
    index    ->  |  steps  |  ->  ys, one slice a round
    xs[t]    ->  |         |  ->  what a tape keeps of round t
    tape[t]  ->  |         |
    captures ->  |         |

What is carried and read again after the new value is there is not overwritten: the new one gets memory that the round
before has left. Nor is what a *tape* keeps of each round for the derivative: it holds the memory.
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cimport cython
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.control.residuals cimport Tape, owner_of, point_at, read_tape, wrapped
from lazyarr._core.control.scan_body cimport find_scan_body
from lazyarr._core.control.scan_buffers cimport MANY_ROUNDS, Call
from lazyarr._core.control.scan_parallel cimport may_run
from lazyarr._core.control.subgraph cimport Subgraph, nodes_below, substitute
from lazyarr._core.host.allocator cimport Buffer, new_buffer, part_of
from lazyarr._core.host.workspace cimport set_workspace_start, workspace_start
from lazyarr._core.ir.builder cimport cast_node
from lazyarr._core.ir.const_guards cimport fast_math
from lazyarr._core.ir.fingerprint cimport CONSUMABLE, Walk, nans_are_watched, release_walk, surroundings
from lazyarr._core.ir.fp_errors cimport report_status
from lazyarr._core.ir.ndarrays cimport as_ndarray, writeable_array
from lazyarr._core.ir.node cimport (
    EMPTY, FILLS, FINISHES, HANDS_OVER, LEAF, MAX_DIMS, OPAQUE, RESULT, SCALAR, UPDATE, VIEW, Node, forget_pending,
    has_value, new_node, set_c_strides)
from lazyarr._core.ir.placeholder cimport stand_in
from lazyarr._core.ir.slice_pushdown cimport walk_with_slices
from lazyarr._core.runtime.evaluation cimport run_steps
from lazyarr._core.runtime.plan_cache cimport find_plan
from lazyarr._core.runtime.progress cimport is_watched, report_round
from lazyarr._core.runtime.reference cimport uses_reference

import numpy as np

cnp.import_array()

cdef enum:
    ROUNDS_IN_A_ROW = 64    # before other threads of Python may have a turn


@cython.final
cdef class Runner:
    """Nodes of a sub-graph that can be run again and again."""

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
            # what is given on as it is must not be overwritten
            if not self.watches_nans and leaf.index < self.w.count and self.w.nodes[leaf.index] == <PyObject*>leaf \
                    and leaf not in self.outputs:
                surroundings(&self.w)[leaf.index] = CONSUMABLE
        for i in range(self.w.count):
            self.w.status[i] = 0
        self.plan = find_plan(&self.w)
        return 0

    cdef bint fits(self) noexcept:
        """Whether its plan, if it has one, was made for the present settings."""
        return self.plan is None or self.changes_bits == fast_math() and self.watches_nans == nans_are_watched()

    cdef int run(self) except -1:
        cdef npy_intp free_from = workspace_start()
        if self.plan is None:
            self.prepare()
        raised = run_steps(&self.w, self.plan)
        set_workspace_start(free_from)  # the next round may have this one's scratch
        if raised is not None:
            report_status(raised)
        return 0

    cdef void clear(self) noexcept:
        """Forget what the nodes held, but for the leaves."""
        cdef Node node
        cdef int i
        for i in range(self.w.count):
            node = <Node>self.w.nodes[i]
            if not has_value(node):
                node.data = NULL
                node.owner = None

    cdef void release(self) noexcept:
        """Forget what the leaves held, too."""
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
        """Copy views of these leaves to C order once, where kernels would read them through views in each round."""
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


cdef Runner runner_of(Subgraph graph, Runner spare, int ncarry, int nplain):
    """A runner whose first outputs lie in C order from the start of their memory.

    That is `spare`, if there is one, the graph has not been asked to keep more since, and its plan is one for the
    present settings. The caller takes the spare one away meanwhile: a signal handler may run the same graph.
    """
    cdef Runner runner
    cdef Node node, plain
    cdef int k
    if spare is not None and len(spare.outputs) == len(graph.outputs) and spare.fits():
        return spare
    runner = Runner.__new__(Runner)
    runner.leaves = [stand_in(<Node>node, LEAF) for node in graph.params]
    runner.ncarry = ncarry
    runner.dense = []
    # nodes that run again are never evaluated in place: they would become leaves and drop what the plan reads
    runner.outputs = substitute(
        graph.outputs, {id(node): (node, leaf) for node, leaf in zip(graph.params, runner.leaves)}, shares=False)
    for k in range(nplain):
        node = runner.outputs[k]
        if node.typenum >= 0 and (node.kind == VIEW or not node.contiguous or node.offset != 0
                                  or node.span != node.size * node.itemsize):
            plain = new_node(LEAF, node.ndim, node.shape, node.dtype, node.typenum)
            set_c_strides(plain)
            node = cast_node(node, node.typenum, plain)
            forget_pending(node)
            runner.outputs[k] = node
    return runner


# ---- loops ---------------------------------------------------------------------------------------------


cdef class Loop:
    """A loop as a function of ndarrays: what starts it, what is walked along, tapes, and what its body captures.

    Its body takes `ncarry` values that are carried, the index if it has one, slices of `nxs` arrays that are walked
    along, columns of tapes, and captures; it gives what is carried, slices of `nys` results, and what tapes keep. There
    are `length` rounds; if that is -1, as many as the `test` of what is carried and its own captures says, or as the
    first tape has. The index, if there is one, begins at `start`. With `reverse` the last round comes first. `tapes`
    are pairs of how many columns a tape has and which of them the body takes; `groups` are of each tape it gives the
    body's outputs by column, -1 for none.
    """
    def __init__(self, Subgraph body, int ncarry, int nxs, int nys, *, Subgraph test=None, Py_ssize_t length=-1,
                 start=None, tapes=(), bint reverse=False, groups=()):
        self.body, self.ncarry, self.nxs, self.nys = body, ncarry, nxs, nys
        self.test, self.length, self.start, self.tapes, self.reverse = test, length, start, tuple(tapes), reverse
        self.groups = list(groups)

    def keep(self, list nodes):
        """Keep nodes of the body in one more residual list; return which result of the call that is."""
        self.groups.append(tuple(self.body.keep(nodes)))
        return self.ncarry + self.nys + len(self.groups) - 1

    def __call__(self, *arrays):
        """Run it; gives what is carried at the end, the results, and the tapes."""
        cdef Runner body = runner_of(self.body, self.run_body, self.ncarry, self.ncarry + self.nys)
        cdef Runner test = None if self.test is None else runner_of(self.test, self.run_test, 0, 1)
        self.run_body = self.run_test = None
        try:
            return self._run(body, test, arrays)
        finally:
            body.release()
            if test is not None:
                test.release()
            self.run_body, self.run_test = body, test

    cdef list _run(self, Runner body, Runner test, tuple arrays):
        cdef int nc = self.ncarry, at = nc + self.nxs + len(self.tapes), k
        cdef int first_x = nc + (self.start is not None), first_column = first_x + self.nxs, first_capture, leaf
        cdef Py_ssize_t n = self.length, done = 0, t
        cdef list tapes = [array.item() for array in arrays[nc + self.nxs:at]], stacks = [], ys = [], kept, aims
        cdef Tape tape
        cdef cnp.ndarray index = None
        if n < 0 and test is None:
            n = (<Tape?>tapes[0]).rounds
        for k in range(nc):
            body.bind(k, arrays[k])
        leaf = first_column
        for k in range(len(self.tapes)):
            leaf += len(self.tapes[k][1])
        first_capture = leaf
        while leaf < len(body.leaves):
            body.bind(leaf, arrays[at])
            leaf += 1
            at += 1
        if test is not None:
            for leaf in range(nc, len(test.leaves)):
                test.bind(leaf, arrays[at])
                at += 1
        if self.start is not None:
            index = np.empty((), np.int64)
            body.bind(nc, index)
        for k in range(self.nys):
            stacks.append(_stack(n, body.outputs[nc + k]))
            ys.append(writeable_array(<Node>stacks[k]))
        kept = [Tape(len(group), max(n, 0)) for group in self.groups]
        if body.plan is None:  # before results have memory, and look like leaves
            if n >= MANY_ROUNDS:
                body.make_dense(body.leaves[first_capture:])
            body.prepare()
            body.on_rows = find_scan_body(&body.w, body.plan, body.leaves[:first_capture], body.outputs, nc, self.nys)
            if test is not None and body.on_rows is not None:
                if test.plan is None:
                    test.prepare()
                if not body.on_rows.set_condition(&test.w, test.plan, test.leaves[:nc], test.outputs[0]):
                    body.on_rows = None
        body.bind_dense()
        if n >= MANY_ROUNDS and self._may_run_on_rows(body, n):
            done = self._run_on_rows(body, &n, 0, arrays, tapes, stacks, kept)
        aims = [_first_version(body, <Node>node) for node in body.outputs[nc:nc + self.nys]]
        while done != n:
            if test is not None:
                if done == MANY_ROUNDS and self._may_run_on_rows(body, 2 * MANY_ROUNDS):
                    done = self._run_on_rows(body, &n, done, arrays, tapes, stacks, kept)
                    test.clear()
                    continue
                if not self._goes_on(body, test):
                    break
            PyErr_CheckSignals()
            if done % ROUNDS_IN_A_ROW == ROUNDS_IN_A_ROW - 1:
                with nogil:    # small steps keep it, and other threads wait
                    pass
            if is_watched():
                report_round(self, done, n)
            t = n - 1 - done if self.reverse else done
            if index is not None:
                (<cnp.int64_t*>cnp.PyArray_DATA(index))[0] = <cnp.int64_t>self.start + t
            for k in range(self.nxs):
                _point_at_slice(body.leaves[first_x + k], arrays[nc + k], t)
            leaf = first_column
            for k in range(len(tapes)):
                for column in self.tapes[k][1]:
                    read_tape(tapes[k], t, column, body.leaves[leaf])
                    leaf += 1
            for k in range(self.nys):
                _aim(aims[k], stacks[k], t)
            body.run()
            for k in range(len(kept)):
                tape = kept[k]
                tape.write(t, body.outputs, self.groups[k])
            for k in range(self.nys):
                _put_slice(ys[k], t, body.outputs[nc + k])
            _hand_on(body, nc)
            done += 1
        return [as_ndarray(body.leaves[k]) for k in range(nc)] + ys + [wrapped(tape) for tape in kept]

    cdef bint _may_run_on_rows(self, Runner body, Py_ssize_t rounds) except -1:
        return body.on_rows is not None and may_run(body.on_rows, rounds) and not is_watched() and not uses_reference()

    cdef Py_ssize_t _run_on_rows(self, Runner body, Py_ssize_t* n, Py_ssize_t done, tuple arrays, list tapes,
                                 list stacks, list kept) except -1:
        """Run rounds on a team that takes rows through all of them; returns how many have run in all.

        Where a test ends the loop, it returns the number of rounds until then.
        """
        cdef Call call = Call.__new__(Call)
        call.body, call.length, call.first, call.reverse = body.on_rows, n[0], done, self.reverse
        call.start, call.walked = self.start, list(arrays[self.ncarry:self.ncarry + self.nxs])
        call.tapes, call.columns = tapes, self.tapes
        call.stacks, call.kept, call.groups = stacks, kept, self.groups
        try:
            done = call.run()
        finally:
            body.clear()
        if call.ended:
            n[0] = done
        return done

    cdef bint _goes_on(self, Runner body, Runner test) except -1:
        cdef Node leaf, answer = test.outputs[0]
        cdef bint goes_on
        cdef int k
        for k in range(self.ncarry):
            leaf = test.leaves[k]
            leaf.data = (<Node>body.leaves[k]).data  # without the owner: the body may overwrite it
        test.run()
        goes_on = answer.data[0] != 0
        test.clear()
        return goes_on


cdef int _hand_on(Runner body, int nc) except -1:
    """Carry values from a round into the next: memory changes hands."""
    cdef list owners = []
    cdef char* few[16]
    cdef char** data = few
    cdef Node node, leaf
    cdef int k
    if nc > 16:
        data = <char**>malloc(nc * sizeof(char*))
        if data is NULL:
            raise MemoryError()
    for k in range(nc):
        node = body.outputs[k]
        owners.append(owner_of(node))
        data[k] = node.data
    body.clear()
    for k in range(nc):
        leaf = body.leaves[k]
        leaf.data = data[k]
        leaf.owner = owners[k]
    if nc > 16:
        free(data)
    return 0


cdef Node _first_version(Runner body, Node node):
    """The empty storage that a result is written to part by part, or the result itself."""
    cdef Node before = node
    while before.kind == UPDATE:
        before = <Node>before.inputs[0]
        if before.uses != 1 or before in body.outputs:
            return node
    return before if before.kind == EMPTY else node


cdef Node _stack(Py_ssize_t n, Node one):
    """Memory for n slices."""
    cdef npy_intp shape[MAX_DIMS + 1]
    cdef Node node
    if one.ndim == MAX_DIMS:
        raise ValueError(f"a loop cannot stack arrays of {MAX_DIMS} dimensions")
    shape[0] = n
    memcpy(shape + 1, one.shape, one.ndim * sizeof(npy_intp))
    node = new_node(LEAF, one.ndim + 1, shape, one.dtype, one.typenum)
    set_c_strides(node)
    node.owner = new_buffer(node.span)
    node.data = (<Buffer>node.owner).data
    return node


cdef int _point_at_slice(Node leaf, cnp.ndarray array, Py_ssize_t t) except -1:
    leaf.owner = array
    leaf.data = <char*>cnp.PyArray_DATA(array) + t * cnp.PyArray_STRIDE(array, 0)
    return 0


cdef int _aim(Node node, Node stack, Py_ssize_t t) except -1:
    """Give a result its slice as memory, before it is computed; one of a call's several comes with memory."""
    cdef Buffer slice
    if node.kind != RESULT and not has_value(node):
        slice = part_of(<Buffer>stack.owner, t * node.span, node.span, True)
        node.owner, node.data = slice, slice.data
    return 0


cdef int _put_slice(cnp.ndarray array, Py_ssize_t t, Node node) except -1:
    """Copy a result to its slice, unless it was computed there: what is carried on is not to be changed then."""
    cdef char* slice = <char*>cnp.PyArray_DATA(array) + t * node.span
    if node.data != slice:
        memcpy(slice, node.data, node.span)
    elif node.kind != SCALAR:
        node.owner = array
    return 0
