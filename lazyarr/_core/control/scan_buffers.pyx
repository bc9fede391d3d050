"""Buffer assignment for parallel scans (scan_parallel.pyx).

    needed within a round     at one place, the same in each round
    carried                   at two places, alternately: a round reads one and writes the other; at more if it is
                              handed on among what is carried
    collected                 in its slice of the result
    kept by tapes             in a slice of memory that tapes share

Nothing is copied from round to round.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cimport cython
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.control.residuals cimport Tape, read_tape
from lazyarr._core.control.scan_body cimport MOST_ROUNDS, RowBody, find_row_body
from lazyarr._core.control.scan_parallel cimport run_rounds
from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.host.threads cimport most_threads
from lazyarr._core.host.workspace cimport set_workspace_start, workspace_start
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.fp_errors cimport report_status
from lazyarr._core.ir.node cimport LEAF, SCALAR, UPDATE, VIEW, Node
from lazyarr._core.runtime.plan_cache cimport steps_of

import numpy as np

cnp.import_array()

cdef enum Kind:
    WITHIN      # a round
    CARRIED
    COLLECTED   # and behind it, one kind for each result
cdef enum:
    KEPT = -1


# ---- what a loop's values are --------------------------------------------------------------------------


cdef Homes find_homes(Walk* w, object plan, list leaves, list outputs, int ncarry, int nys):
    """The homes of a body's values, None if its rounds do not run on rows, judged by operations.

    `leaves` are those whose memory changes: what is carried, the index if there is one, slices, columns of tapes.
    """
    cdef Homes homes
    cdef Node first
    cdef int k
    if ncarry == 0 or w.count == 0:
        return None
    first = <Node>outputs[0]
    steps, aliases = steps_of(plan)
    homes = Homes.__new__(Homes)
    homes.body = find_row_body(w, steps, aliases, leaves, ncarry, first.shape[0] if first.ndim else 0)
    if homes.body is None:
        return None
    homes.leaves, homes.outputs, homes.ncarry, homes.nys = leaves, outputs, ncarry, nys
    homes.of_output = [_home_of(homes, node) for node in outputs]
    homes.kinds, homes.turns = [WITHIN] * len(homes.body.nodes), [2] * len(homes.body.nodes)
    for k in range(len(outputs)):
        if not _find_kind(homes, k):
            return None
    return homes


cdef bint ask(Homes homes, Walk* w, object plan, list leaves, Node answer) except -1:
    """Attach the loop condition, a test of what is carried; False if it does not run as rounds do."""
    cdef int home
    steps, aliases = steps_of(plan)
    test = find_row_body(w, steps, aliases, leaves, homes.ncarry, 0)
    if test is None or answer.kind == VIEW or answer.kind == SCALAR or answer.offset:
        return False
    home = leaves.index(answer) if answer in leaves else test.home(answer)
    if home < 0:
        return False
    homes.body.ask(test, home)
    return True


cdef int _home_of(Homes homes, Node node) except -2:
    if node.kind == LEAF:
        return homes.leaves.index(node) if node in homes.leaves else -1
    return -1 if node.kind == SCALAR else homes.body.home(node)


cdef bint _find_kind(Homes homes, int k) except -1:
    """Note what an output is; False if it is none of the above."""
    cdef Node node = homes.outputs[k]
    cdef int home = homes.of_output[k], nc = homes.ncarry, ny = homes.nys
    if node.kind == SCALAR:
        return k >= nc + ny
    if home < 0 or node.kind == VIEW or node.offset or _is_overwritten(homes.body.w, node):
        return False
    if homes.body.is_number(home):
        homes.body.apart = False
    if home < len(homes.leaves):
        if home >= nc and k < nc:
            return False
        if nc <= k < nc + ny:
            homes.of_output[k] = homes.body.copy(home)
            homes.kinds.append(COLLECTED + k - nc)
            homes.turns.append(0)
            homes.body.apart = homes.body.apart and not node.span % homes.body.rows
            return True
        if home >= nc:
            return False
        home = _origin(homes, home, k < nc)
        if home < 0:
            return True
    if k < nc:
        homes.kinds[home] = homes.kinds[home] or CARRIED
    elif k < nc + ny:
        if homes.kinds[home] >= COLLECTED:
            return False
        homes.kinds[home] = COLLECTED + k - nc
    elif homes.kinds[home] < COLLECTED:
        homes.kinds[home] = KEPT
    return True


cdef int _origin(Homes homes, int home, bint turns) except -2:
    """The place where a leaf's value was computed some rounds ago, -1 if it was there from the start.

    With `turns`, note that it is needed for so long.
    """
    cdef int steps = 0, nc = homes.ncarry
    while 0 <= home < nc:
        home = homes.of_output[home]
        steps += 1
        if steps > nc:
            return -1
    if home < len(homes.leaves):
        return -1
    if turns:
        homes.turns[home] = max(<int>homes.turns[home], 2 + steps)
    return home


cdef bint _is_overwritten(Walk* w, Node node) noexcept:
    cdef Node other
    cdef int i
    for i in range(w.count):
        other = <Node>w.nodes[i]
        if other.kind == UPDATE and <Node>other.inputs[0] is node:
            return True
    return False


cdef class Homes:
    """Roles of a loop body's values in a round."""


# ---- one call ------------------------------------------------------------------------------------------


@cython.final
cdef class Call:
    """A call of a loop whose rounds run on rows, and the memory they take."""

    def __dealloc__(self):
        free(self.last)

    cdef Py_ssize_t run(self) except -1:
        """Run the rounds, leaving in the leaves what is carried at the end; returns how many have run in all."""
        cdef Py_ssize_t done = self.first, count = MANY_ROUNDS
        cdef npy_intp free_from = workspace_start(), ran
        cdef bint fits
        self._begin()
        while done != self.length and not self.ended:
            count = min(self.length - done if self.length >= 0 else 2 * count, <Py_ssize_t>MOST_ROUNDS)
            self._place_results(done, count)
            self._place_leaves(done, count)
            PyErr_CheckSignals()
            raised = run_rounds(self.homes.body, count, &ran, &fits)
            set_workspace_start(free_from)  # the next rounds may have these ones' scratch
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
        """Take memory for what lies at one place or at two."""
        cdef Homes homes = self.homes
        cdef RowBody body = homes.body
        cdef int k, home
        cdef list within = []
        body.take_table()
        self.last = <char**>malloc(homes.ncarry * sizeof(char*))
        if self.last is NULL:
            raise MemoryError()
        self.own = [None] * len(homes.kinds)
        self.before = [(<Node>leaf).owner for leaf in homes.leaves[:homes.ncarry]]
        self.held = []
        for home in range(<int>len(homes.leaves), <int>len(homes.kinds)):
            if homes.kinds[home] == WITHIN:
                within.append(home)
            elif homes.kinds[home] == CARRIED:
                self.own[home] = new_buffer(<int>homes.turns[home] * _lines(body.nodes[home]))
            elif homes.kinds[home] != KEPT:
                self.own[home] = (<Node>self.stacks[homes.kinds[home] - COLLECTED]).owner
        self.frame = _new_frame(body, within)
        for k in range(homes.ncarry):
            body.places(k)[0] = (<Node>homes.leaves[k]).data
        if body.test is not None:  # what it reads is carried
            body.test.take_table()
            self.test_frame = _new_frame(body.test, list(range(homes.ncarry, len(body.test.nodes))))
        return 0

    cdef int _place_results(self, Py_ssize_t first, Py_ssize_t count) except -1:
        """Say where results that are carried, collected or kept lie in these rounds."""
        cdef Homes homes = self.homes
        cdef char** places
        cdef char* data
        cdef npy_intp pitch
        cdef Py_ssize_t t, turns
        cdef int home
        cdef Node node
        for home in range(<int>len(homes.leaves), <int>len(homes.kinds)):
            if homes.kinds[home] == WITHIN:
                continue
            node = homes.body.nodes[home]
            pitch = _lines(node)
            if homes.kinds[home] == KEPT:
                self.own[home] = new_buffer(count * pitch)
            data = (<Buffer>self.own[home]).data
            places = homes.body.places(home)
            if homes.kinds[home] >= COLLECTED:
                for t in range(count):
                    places[t] = data + self._slice(first + t) * node.span
            else:
                turns = <int>homes.turns[home]
                for t in range(count):
                    places[t] = data + ((first + t) % turns if homes.kinds[home] == CARRIED else t) * pitch
        return 0

    cdef Py_ssize_t _slice(self, Py_ssize_t number) noexcept:
        """Which slice a round is about."""
        return self.length - 1 - number if self.reverse else number

    cdef int _place_leaves(self, Py_ssize_t first, Py_ssize_t count) except -1:
        """Say where what is read lies in these rounds."""
        cdef Homes homes = self.homes
        cdef RowBody body = homes.body
        cdef char** places
        cdef cnp.ndarray array
        cdef Node leaf
        cdef Py_ssize_t t
        cdef int k, at = homes.ncarry
        for t in range(1, count):
            for k in range(homes.ncarry):
                body.places(k)[t] = body.places(homes.of_output[k])[t - 1]
        if body.test is not None:
            for k in range(homes.ncarry):
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
                leaf, places = homes.leaves[at], body.places(at)
                for t in range(count):
                    read_tape(self.tapes[k], self._slice(first + t), column, leaf)
                    self.held.append(leaf.owner)
                    places[t] = leaf.data
                at += 1
        return 0

    cdef int _keep(self, Py_ssize_t first, Py_ssize_t count) except -1:
        """Write to the tapes."""
        cdef int k, column
        for k in range(len(self.kept)):
            (<Tape>self.kept[k]).grow(first + count)
            for column, which in enumerate(self.groups[k]):
                if which >= 0:
                    self._keep_column(self.kept[k], column, which, first, count)
        return 0

    cdef int _keep_column(self, Tape tape, int column, int which, Py_ssize_t first, Py_ssize_t count) except -1:
        cdef Homes homes = self.homes
        cdef Node node = homes.outputs[which]
        cdef int home = homes.of_output[which]
        cdef Py_ssize_t t
        for t in range(count):
            if home < 0:
                tape.put(self._slice(first + t), column, node, node.data)
            else:
                tape.put(self._slice(first + t), column, self._owner(home, t), homes.body.places(home)[t])
        return 0

    cdef object _owner(self, int home, Py_ssize_t t):
        """The owner of a home's memory in one of these rounds."""
        cdef Homes homes = self.homes
        while home < homes.ncarry:
            if t == 0 or homes.of_output[home] == home:
                return self.before[home]
            home = homes.of_output[home]
            t -= 1
        return self.own[home]

    cdef int _carry_on(self, Py_ssize_t count) except -1:
        """Carry values out of the last of these rounds into the next."""
        cdef Homes homes = self.homes
        cdef list owners = []
        cdef int k
        for k in range(homes.ncarry):
            owners.append(self._owner(homes.of_output[k], count - 1))
            self.last[k] = homes.body.places(homes.of_output[k])[count - 1]
        for k in range(homes.ncarry):
            homes.body.places(k)[0] = self.last[k]
        self.before, self.held = owners, []
        return 0

    cdef int _end(self) except -1:
        """Leave in the leaves what is carried; that of many rounds' memory is copied out."""
        cdef Homes homes = self.homes
        cdef Buffer memory
        cdef Node leaf
        cdef char* data
        cdef int k, home
        for k in range(homes.ncarry):
            leaf, data, owner = homes.leaves[k], homes.body.places(k)[0], self.before[k]
            home = _origin(homes, k, False)
            if home >= 0 and homes.kinds[home] != CARRIED and owner is self.own[home]:
                memory = owner = new_buffer(leaf.span)
                memcpy(memory.data, data, leaf.span)
                data = memory.data
            leaf.data, leaf.owner = data, owner
        return 0


cdef Buffer _new_frame(RowBody body, list within):
    """Memory for values that lie at the same place in each round."""
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
    """Bytes of a value in a round."""
    return _lines(body.nodes[home]) * (most_threads() if body.is_number(home) else 1)


cdef npy_intp _lines(Node node) noexcept:
    """Bytes of whole cache lines that a value takes."""
    return (node.span + 63) & ~<npy_intp>63
