"""Buffer assignment for parallel scans (scan_parallel.pyx).

    needed within a round     one address in all rounds
    carried                   two alternating addresses: a round reads one and writes the other; more if a value is
                              passed on among the carries
    collected                 its slice of the result
    kept by tapes             a slice of memory that tapes share

Nothing is copied from round to round.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcpy

cimport cython
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.control.residuals cimport Tape, read_tape
from lazyarr._core.control.scan_body cimport CARRIED, COLLECTED, KEPT, MOST_ROUNDS, WITHIN, RowBody
from lazyarr._core.control.scan_parallel cimport run_rounds
from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.host.threads cimport most_threads
from lazyarr._core.host.workspace cimport set_workspace_start, workspace_start
from lazyarr._core.ir.fp_errors cimport report_status
from lazyarr._core.ir.node cimport Node
from lazyarr._core.tile.row_blocks cimport whole_lines

import numpy as np

cnp.import_array()


@cython.final
cdef class Call:
    """A call of a loop as a parallel scan, and its memory."""

    cdef Py_ssize_t run(self) except -1:
        """Run the rounds and leave the final carries in the leaves; return the total number of rounds."""
        cdef Py_ssize_t done = self.first, count = MANY_ROUNDS
        cdef npy_intp free_from = workspace_start(), ran
        cdef bint fits
        self._begin()
        while done != self.length and not self.ended:
            count = min(self.length - done if self.length >= 0 else 2 * count, <Py_ssize_t>MOST_ROUNDS)
            self._place_results(done, count)
            self._place_leaves(done, count)
            PyErr_CheckSignals()
            raised = run_rounds(self.body, count, &ran, &fits)
            set_workspace_start(free_from)  # later rounds may reuse the workspace of these
            if not fits:
                break
            if raised is not None:
                report_status(raised)
            self.ended = ran < count
            if ran:
                self._keep(done, ran)
                self._carry_on(ran)
            done += ran
        self._end()
        return done

    cdef int _begin(self) except -1:
        """Allocate values with one or two addresses."""
        cdef RowBody body = self.body
        cdef int k, home
        cdef list within = []
        body.take_table()
        self.own = [None] * len(body.kinds)
        self.before = [(<Node>leaf).owner for leaf in body.leaves[:body.ncarry]]
        self.held = []
        for home in range(<int>len(body.leaves), <int>len(body.kinds)):
            if body.kinds[home] == WITHIN:
                within.append(home)
            elif body.kinds[home] == CARRIED:
                self.own[home] = new_buffer(<int>body.turns[home] * whole_lines((<Node>body.nodes[home]).span))
            elif body.kinds[home] != KEPT:
                self.own[home] = (<Node>self.stacks[body.kinds[home] - COLLECTED]).owner
        self.frame = _new_frame(body, within)
        for k in range(body.ncarry):
            body.places(k)[0] = (<Node>body.leaves[k]).data
        if body.test is not None:  # its inputs are carried
            body.test.take_table()
            self.test_frame = _new_frame(body.test, list(range(body.ncarry, len(body.test.nodes))))
        return 0

    cdef int _place_results(self, Py_ssize_t first, Py_ssize_t count) except -1:
        """Set the addresses of carried, collected and kept results in these rounds."""
        cdef RowBody body = self.body
        cdef char** places
        cdef char* data
        cdef npy_intp pitch
        cdef Py_ssize_t t, turns
        cdef int home
        cdef Node node
        for home in range(<int>len(body.leaves), <int>len(body.kinds)):
            if body.kinds[home] == WITHIN:
                continue
            node = body.nodes[home]
            pitch = whole_lines(node.span)
            if body.kinds[home] == KEPT:
                self.own[home] = new_buffer(count * pitch)
            data = (<Buffer>self.own[home]).data
            places = body.places(home)
            if body.kinds[home] >= COLLECTED:
                for t in range(count):
                    places[t] = data + self._slice(first + t) * node.span
            else:
                turns = <int>body.turns[home]
                for t in range(count):
                    places[t] = data + ((first + t) % turns if body.kinds[home] == CARRIED else t) * pitch
        return 0

    cdef Py_ssize_t _slice(self, Py_ssize_t number) noexcept:
        """Return the slice index of a round."""
        return self.length - 1 - number if self.reverse else number

    cdef int _place_leaves(self, Py_ssize_t first, Py_ssize_t count) except -1:
        """Set the addresses of inputs in these rounds."""
        cdef RowBody body = self.body
        cdef char** places
        cdef cnp.ndarray array
        cdef Node leaf
        cdef Py_ssize_t t
        cdef int k, at = body.ncarry
        for t in range(1, count + 1):
            for k in range(body.ncarry):
                body.places(k)[t] = body.places(body.of_output[k])[t - 1]
        if body.test is not None:
            for k in range(body.ncarry):
                memcpy(body.test.places(k), body.places(k), count * sizeof(char*))
        if self.start is not None:
            array = np.arange(first, first + count)
            if self.reverse:
                array = self.length - 1 - array
            array = np.add(array, self.start, dtype=np.int64)
            self.held.append(array)
            for t in range(count):
                body.places(at)[t] = <char*>cnp.PyArray_DATA(array) + t * sizeof(cnp.int64_t)
            at += 1
        for array in self.walked:
            for t in range(count):
                body.places(at)[t] = <char*>cnp.PyArray_DATA(array) + self._slice(first + t) * cnp.PyArray_STRIDE(
                    array, 0)
            at += 1
        for k in range(len(self.tapes)):
            for column in self.columns[k][1]:
                leaf, places = body.leaves[at], body.places(at)
                for t in range(count):
                    read_tape(self.tapes[k], self._slice(first + t), column, leaf)
                    self.held.append(leaf.owner)
                    places[t] = leaf.data
                at += 1
        return 0

    cdef int _keep(self, Py_ssize_t first, Py_ssize_t count) except -1:
        """Write to the tapes."""
        cdef Tape tape
        cdef Node node
        cdef Py_ssize_t t
        cdef int column, home
        for tape, group in zip(self.kept, self.groups):
            tape.grow(first + count)
            for column, which in enumerate(group):
                if which < 0:
                    continue
                node, home = self.body.outputs[which], self.body.of_output[which]
                for t in range(count):
                    if home < 0:
                        tape.put(self._slice(first + t), column, node, node.data)
                    else:
                        tape.put(self._slice(first + t), column, self._owner(home, t), self.body.places(home)[t])
        return 0

    cdef object _owner(self, int home, Py_ssize_t t):
        """Return the owner of a home's memory in one of these rounds."""
        cdef RowBody body = self.body
        while home < body.ncarry:
            if t == 0 or body.of_output[home] == home:
                return self.before[home]
            home = body.of_output[home]
            t -= 1
        return self.own[home]

    cdef int _carry_on(self, Py_ssize_t count) except -1:
        """Pass carries from the last of these rounds to the next."""
        cdef int k
        self.before, self.held = [self._owner(k, count) for k in range(self.body.ncarry)], []
        for k in range(self.body.ncarry):
            self.body.places(k)[0] = self.body.places(k)[count]
        return 0

    cdef int _end(self) except -1:
        """Leave the final carries in the leaves, copied if their memory spans many rounds."""
        cdef RowBody body = self.body
        cdef Buffer memory
        cdef Node leaf
        cdef char* data
        cdef int k, home
        for k in range(body.ncarry):
            leaf, data, owner = body.leaves[k], body.places(k)[0], self.before[k]
            home = body.origin(k, False)
            if home >= 0 and body.kinds[home] != CARRIED and owner is self.own[home]:
                memory = owner = new_buffer(leaf.span)
                memcpy(memory.data, data, leaf.span)
                data = memory.data
            leaf.data, leaf.owner = data, owner
        return 0


cdef Buffer _new_frame(RowBody body, list within):
    """Allocate values with the same address in all rounds."""
    cdef npy_intp total = 0
    cdef Py_ssize_t t
    cdef int home
    cdef Buffer frame
    for home in within:
        total += _bytes(body, home)
    frame = new_buffer(total)
    total = 0
    for home in within:
        for t in range(MOST_ROUNDS):
            body.places(home)[t] = frame.data + total
        total += _bytes(body, home)
    return frame


cdef npy_intp _bytes(RowBody body, int home) noexcept:
    """Return the bytes per round of a value."""
    return whole_lines((<Node>body.nodes[home]).span) * (most_threads() if body.is_number(home) else 1)
