"""Status words: status flags of an evaluation's kernels, read once at its end.

Launches are asynchronous. The flags of each kernel get their own words; their owners are recorded at the launch, since
nodes drop their operands when evaluated. Flags that may raise are read at once: later steps must not run then.
"""
from libc.stdint cimport uint32_t

cimport cython

from lazyarr._core.ir.fp_errors cimport may_raise, report_status, reported_flags
from lazyarr._core.ir.node cimport Node

import time

cdef enum:
    LAUNCHES = 256      # launches of one word per block

cdef double STEP = 2e-5, LONGEST = 1e-3     # polling interval in seconds, and by how much it grows


@cython.final
cdef class StatusWords:
    """The status words of an evaluation, in zeroed blocks of the driver, which get reused if still zero."""

    def __cinit__(self, driver):
        self.driver, self.blocks, self.notes = driver, [], []
        self.unit = driver.status_unit
        self.room = LAUNCHES * self.unit

    cdef int reserve(self, int count) except -2:
        """Return the first of `count` words for a launch, -1 for none."""
        cdef int first = self.count
        if count == 0:
            return -1
        if first % self.room + count > self.room:
            first += self.room - first % self.room
        if first // self.room == len(self.blocks):
            self.blocks.append(self.new_block())
        self.count = first + (count + self.unit - 1) // self.unit * self.unit
        return first

    cdef object new_block(self):
        cdef bytearray zeros
        try:
            return self.driver.clear_status.pop()
        except IndexError:
            zeros = bytearray(4 * self.room)
            block = self.driver.workspace(len(zeros))
            self.driver.write(block, 0, <size_t><char*>zeros, len(zeros))
            return block

    cdef tuple place(self, int word):
        """Return the driver's block and byte offset of a word; None for no word."""
        return None if word < 0 else (self.blocks[word // self.room], 4 * (word % self.room))

    cdef int note(self, int word, int number, Node node, str name) except -1:
        """Record which node a launch's group of four bits belongs to."""
        self.notes.append((word + number // 8, 4 * (number % 8), node, name))
        return 0

    cdef int flags(self, int word, int count) except -1:
        """Wait for all launches; return whether any words of one launch are set."""
        cdef bytearray words = self.read()
        return any(words[4 * word:4 * (word + count)])

    cdef Py_ssize_t mark(self) noexcept:
        return len(self.notes)

    cdef int forget(self, Py_ssize_t mark) except -1:
        """Drop records since `mark`, because the host recomputes."""
        del self.notes[mark:]
        return 0

    cdef list take_urgent(self, Py_ssize_t mark):
        """Like `take` if any of the flags may raise; else return None."""
        for _, _, node, _ in self.notes[mark:]:
            if may_raise((<Node>node).err):
                return self.take(mark)
        return None

    cdef list take(self, Py_ssize_t mark):
        """Wait for all launches; return the flags recorded since `mark` as (serial, flags, name, node), or None."""
        cdef list notes = self.notes[mark:]
        cdef bytearray words
        cdef dict found = {}        # by node: an operation may be several instructions
        cdef uint32_t* raw
        cdef Node node
        cdef int flags
        if not notes:
            return None
        words = self.read()
        self.forget(mark)
        raw = <uint32_t*><char*>words
        for word, shift, node, name in notes:
            flags = raw[<int>word] >> <int>shift & 15 & reported_flags(node.err)
            if flags:
                flags |= found.get(id(node), (0, 0))[1]
                found[id(node)] = node.serial, flags, name, node
        return list(found.values()) or None

    cdef list take_all(self):
        """Like `take` for all records; return clear blocks to the driver."""
        cdef list raised
        self.driver.submit()
        raised = self.take(0)
        if self.clear == self.count:
            for block in reversed(self.blocks):     # the next evaluation takes them in the same order
                self.driver.clear_status.append(block)
            self.blocks = []
            self.count = self.clear = 0
        return raised

    cdef bytearray read(self):
        """Wait for all launches, and copy the words."""
        cdef bytearray words = bytearray(4 * self.count)
        cdef uint32_t* raw = <uint32_t*><char*>words
        cdef int k, first, count = self.count
        self.wait()
        for k, block in enumerate(self.blocks):
            first = k * self.room
            self.driver.read(block, 0, <size_t>(raw + first), 4 * min(self.room, count - first))
        self.clear = count
        for k in range(count):
            if raw[k]:
                self.clear = -1
        return words

    cdef int wait(self) except -1:
        """Wait for all launches; signal handlers run meanwhile, so that Ctrl-C works."""
        cdef double pause = 0
        while not self.driver.has_ended():
            time.sleep(pause)
            pause = min(pause + STEP, LONGEST)
        return 0


cdef list _unread = []      # words of evaluations ended by an exception, and flags returned by steps


cdef int leave_unread(StatusWords words) except -1:
    """Let the next evaluation on a device report the flags of one that ends with an exception."""
    if words.notes or words.found:
        _unread.append(words)
    return 0


cdef int report_unread() except -1:
    """Report the flags left by `leave_unread`; the caller does not hold the evaluation lock."""
    cdef StatusWords words
    while _unread:
        words = _unread.pop(0)
        try:
            raised = words.take_all()
        except RuntimeError:    # the device is lost
            raise
        except BaseException:
            _unread.insert(0, words)
            raise
        report_status((words.found or []) + (raised or []))
    return 0


cdef void forget_unread() noexcept:
    """Drop the words of the parent process in a forked child, which cannot read them."""
    _unread.clear()
