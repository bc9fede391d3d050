"""Loop execution: a sub-graph that runs repeatedly.

    carries  ->  |         |  ->  carries of the next round      memory changes hands, nothing is copied
    index    ->  |  steps  |  ->  ys, one slice per round
    xs[t]    ->  |         |  ->  residuals of round t, kept by a tape
    tape[t]  ->  |         |
    captures ->  |         |

A carried value that is read after its new value was computed is not overwritten: the new one gets memory freed by the
previous round. Residuals, which a *tape* keeps for the derivative, are not overwritten either: the tape owns the
memory.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.control.leaf_memory cimport (
    bind_value, copy_in_memory, number_of, own_memory, owner_of, put_in_place, value_in_memory)
from lazyarr._core.control.residuals cimport Tape, read_tape, wrapped
from lazyarr._core.control.runner cimport Runner, runner_of
from lazyarr._core.control.scan_body cimport find_scan_body
from lazyarr._core.control.scan_buffers cimport MANY_ROUNDS, Call
from lazyarr._core.control.scan_parallel cimport may_run
from lazyarr._core.control.subgraph cimport Subgraph
from lazyarr._core.host.allocator cimport Buffer, new_buffer, part_of
from lazyarr._core.host.device_memory cimport DeviceMemory, new_memory
from lazyarr._core.host.device_table cimport drivers
from lazyarr._core.ir.ndarrays cimport as_ndarray, writeable_array
from lazyarr._core.ir.node cimport (
    EMPTY, LEAF, MAX_DIMS, RESULT, SCALAR, UPDATE, Node, has_value, new_node, set_c_strides)
from lazyarr._core.ir.device_function cimport DeviceFunction
from lazyarr._core.runtime.progress cimport is_watched, report_round
from lazyarr._core.runtime.reference cimport uses_reference
from lazyarr._core.runtime.status_words cimport leave_unread

import numpy as np

cnp.import_array()

cdef enum:
    ROUNDS_IN_A_ROW = 64    # rounds before other Python threads get a turn
    INDICES = 1024          # indices copied to a device at a time


# ---- loops ---------------------------------------------------------------------------------------------


cdef class Loop(DeviceFunction):
    """A loop as a function of ndarrays: initial carries, arrays to scan, tapes, and captures of its body.

    The body takes `ncarry` carried values, the index if it has one, slices of `nxs` arrays, columns of tapes, and
    captures. It returns the new carries, slices of `nys` results, and residuals. There are `length` rounds; if that is
    -1, as many as the condition `test` (of the carries and its own captures) decides, or as the first tape has. The
    index, if any, begins at `start`. With `reverse` the last round comes first. `tapes` are pairs of the number of
    columns and the columns that the body takes; `groups` has for each resulting tape the body's output indices by
    column, -1 for none.
    """
    def __init__(self, Subgraph body, int ncarry, int nxs, int nys, *, Subgraph test=None, Py_ssize_t length=-1,
                 start=None, tapes=(), bint reverse=False, groups=()):
        self.body, self.ncarry, self.nxs, self.nys = body, ncarry, nxs, nys
        self.test, self.length, self.start, self.tapes, self.reverse = test, length, start, tuple(tapes), reverse
        self.groups = list(groups)

    def keep(self, list nodes):
        """Keep nodes of the body in one more residual list; return the index of that result."""
        self.groups.append(tuple(self.body.keep(nodes)))
        return self.ncarry + self.nys + len(self.groups) - 1

    def __call__(self, *arrays):
        """Run the loop; return the final carries, the results, and the tapes."""
        return self._run_on(0, arrays)

    cdef list _run_on(self, int device, object operands):
        """Run on the host or a device, with own runners: a signal handler may run the same loop."""
        cdef Runner body = runner_of(self.body, self.run_body, self.ncarry, self.ncarry + self.nys, device)
        cdef Runner test = None if self.test is None else runner_of(self.test, self.run_test, 0, 1, device)
        self.run_body = self.run_test = None
        try:
            return self._run_there(body, test, operands) if device else self._run(body, test, operands)
        except BaseException:
            for runner in (body, test):
                if runner is not None and (<Runner>runner).words is not None:
                    leave_unread((<Runner>runner).words)
            raise
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
        if body.plan is None:  # before results are allocated and look like leaves
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
            self._begin_round(done, n)
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
                _assign_slice(aims[k], stacks[k], t)
            body.run()
            for k in range(len(kept)):
                tape = kept[k]
                tape.write(t, body.outputs, self.groups[k])
            for k in range(self.nys):
                _put_slice(ys[k], t, body.outputs[nc + k])
            _carry_over(body, nc)
            done += 1
        return [as_ndarray(body.leaves[k]) for k in range(nc)] + ys + [wrapped(tape) for tape in kept]

    cdef int _begin_round(self, Py_ssize_t done, Py_ssize_t n) except -1:
        PyErr_CheckSignals()
        if done % ROUNDS_IN_A_ROW == ROUNDS_IN_A_ROW - 1:
            with nogil:    # small steps keep the GIL, and other threads wait
                pass
        if is_watched():
            report_round(self, done, n)
        return 0

    def run_on_device(self, int device, list operands, words):
        return self._run_on(device, operands)

    cdef list _run_there(self, Runner body, Runner test, list operands):
        """Run on a device: each round launches kernels, and the host reads the condition."""
        cdef int nc = self.ncarry, at = nc + self.nxs + len(self.tapes), k, leaf
        cdef int first_x = nc + (self.start is not None), device = body.device
        cdef Py_ssize_t n = self.length, done = 0, t
        cdef list tapes = [as_ndarray(<Node>node).item() for node in operands[nc + self.nxs:at]], stacks, kept
        cdef DeviceMemory indices = None
        cdef Node node
        if n < 0 and test is None:
            n = (<Tape?>tapes[0]).rounds
        for k in range(nc):
            bind_value(body.leaves[k], operands[k])
        for leaf in range(first_x + self.nxs + sum([len(columns) for _, columns in self.tapes]), len(body.leaves)):
            bind_value(body.leaves[leaf], operands[at])
            at += 1
        if test is not None:
            for leaf in range(nc, len(test.leaves)):
                bind_value(test.leaves[leaf], operands[at])
                at += 1
        stacks = [new_memory(device, n * (<Node>body.outputs[nc + k]).span) for k in range(self.nys)]
        kept = [Tape(len(group), max(n, 0)) for group in self.groups]
        while done != n and (test is None or self._goes_on_there(body, test)):
            self._begin_round(done, n)
            t = n - 1 - done if self.reverse else done
            if self.start is not None:
                if done % INDICES == 0:
                    indices = _indices_from(device, self.start + t, -1 if self.reverse else 1)
                node = body.leaves[nc]
                node.owner, node.data = indices, indices.data + done % INDICES * sizeof(cnp.int64_t)
            for k in range(self.nxs):
                node = body.leaves[first_x + k]
                bind_value(node, operands[nc + k])
                node.data += t * (<Node>operands[nc + k]).strides[0]
            leaf = first_x + self.nxs
            for k in range(len(tapes)):
                for column in self.tapes[k][1]:
                    read_tape(tapes[k], t, column, body.leaves[leaf])
                    leaf += 1
            body.run()
            for k in range(len(kept)):
                (<Tape>kept[k]).write(t, body.outputs, self.groups[k])
            for k in range(self.nys):
                _copy_to_slice(stacks[k], t, body.outputs[nc + k])
            _carry_over(body, nc)
            for k in range(nc):
                put_in_place(body.leaves[k])
            done += 1
            if done % ROUNDS_IN_A_ROW == 0:
                body.report_found()
        body.report_found()
        return [own_memory(device, <Node>body.leaves[k]) for k in range(nc)] + stacks + [wrapped(tape) for tape in kept]

    cdef bint _goes_on_there(self, Runner body, Runner test) except -1:
        cdef Node answer = test.outputs[0], leaf
        cdef bint goes_on
        cdef int k
        for k in range(self.ncarry):
            leaf = test.leaves[k]
            leaf.owner, leaf.data = (<Node>body.leaves[k]).owner, (<Node>body.leaves[k]).data
        test.run()
        goes_on = number_of(answer)
        test.report_found()
        test.clear()
        for leaf in test.leaves[:self.ncarry]:
            leaf.owner = None   # the body may overwrite it
        return goes_on

    cdef bint _may_run_on_rows(self, Runner body, Py_ssize_t rounds) except -1:
        return body.on_rows is not None and may_run(body.on_rows, rounds) and not is_watched() and not uses_reference()

    cdef Py_ssize_t _run_on_rows(self, Runner body, Py_ssize_t* n, Py_ssize_t done, tuple arrays, list tapes,
                                 list stacks, list kept) except -1:
        """Run rounds on a team whose threads take rows through all of them; return the number of rounds so far.

        If the condition ends the loop, that is the final number.
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
            leaf.data = (<Node>body.leaves[k]).data  # without owner: the body may overwrite it
        test.run()
        goes_on = answer.data[0] != 0
        test.clear()
        return goes_on


cdef int _carry_over(Runner body, int nc) except -1:
    """Carry values into the next round: memory changes hands."""
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
    """Return the uninitialised storage that a result is written to piece by piece, or the result itself."""
    cdef Node before = node
    while before.kind == UPDATE:
        before = <Node>before.inputs[0]
        if before.uses != 1 or before in body.outputs:
            return node
    return before if before.kind == EMPTY else node


cdef Node _stack(Py_ssize_t n, Node one):
    """Allocate n slices."""
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


cdef int _assign_slice(Node node, Node stack, Py_ssize_t t) except -1:
    """Let a result be computed in its slice; results of multi-result calls have memory of their own."""
    cdef Buffer slice
    if node.kind != RESULT and not has_value(node):
        slice = part_of(<Buffer>stack.owner, t * node.span, node.span, True)
        node.owner, node.data = slice, slice.data
    return 0


cdef int _put_slice(cnp.ndarray array, Py_ssize_t t, Node node) except -1:
    """Copy a result to its slice unless it was computed there: carries must stay unchanged."""
    cdef char* slice = <char*>cnp.PyArray_DATA(array) + t * node.span
    if node.data != slice:
        memcpy(slice, node.data, node.span)
    elif node.kind != SCALAR:
        node.owner = array
    return 0


cdef int _copy_to_slice(DeviceMemory stack, Py_ssize_t t, Node node) except -1:
    """Copy a result on a device to its slice there."""
    cdef char* data = node.data
    cdef DeviceMemory memory = value_in_memory(stack.device, owner_of(node), &data, node.span)
    drivers[stack.device].copy(stack.handle, memory.handle, node.span, t * node.span, data - memory.data)
    return 0


cdef DeviceMemory _indices_from(int device, Py_ssize_t first, Py_ssize_t step):
    """Return the next round indices on a device."""
    return copy_in_memory(device, first + step * np.arange(INDICES, dtype=np.int64))
