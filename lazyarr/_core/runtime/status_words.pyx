"""Status words: what the kernels of an evaluation have found, read once at its end.

A launch is queued, and the host goes on. The status flags that its kernel finds get words of their own; whose they are
is noted at the launch, as nodes forget how they are computed when they get their values. Flags that may raise are read
at once: what follows must not run then.
"""
from libc.stdint cimport uint32_t

cimport cython

from lazyarr._core.ir.fp_errors cimport may_raise, report_status, told
from lazyarr._core.ir.node cimport Node

import time

cdef enum:
    LAUNCHES = 256      # of one word, which a block is for

cdef double STEP = 2e-5, LONGEST = 1e-3     # seconds between two looks at the device, and by how much they grow


@cython.final
cdef class StatusWords:
    """The status words of an evaluation, in blocks that come from the driver clear, and go back if they still are."""

    def __cinit__(self, driver):
        self.driver, self.blocks, self.notes = driver, [], []
        self.unit = driver.status_unit
        self.room = LAUNCHES * self.unit

    cdef int reserve(self, int count) except -2:
        """The first of a number of words for a launch, -1 for none."""
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
        """Where a word lies: the driver's block, and bytes from its beginning; None for no word."""
        return None if word < 0 else (self.blocks[word // self.room], 4 * (word % self.room))

    cdef int note(self, int word, int number, Node node, str name) except -1:
        """Note that a number of a launch, which has four bits from its first word on, stands for a node's flags."""
        self.notes.append((word + number // 8, 4 * (number % 8), node, name))
        return 0

    cdef int flags(self, int word, int count) except -1:
        """Wait for all that was launched; whether there is anything in words of one launch."""
        cdef bytearray words = self.read()
        return any(words[4 * word:4 * (word + count)])

    cdef Py_ssize_t mark(self) noexcept:
        return len(self.notes)

    cdef int forget(self, Py_ssize_t mark) except -1:
        """Forget what was noted since: the host computes it again."""
        del self.notes[mark:]
        return 0

    cdef list take_urgent(self, Py_ssize_t mark):
        """What `take` does if some of the flags may raise; None else."""
        for _, _, node, _ in self.notes[mark:]:
            if may_raise((<Node>node).err):
                return self.take(mark)
        return None

    cdef list take(self, Py_ssize_t mark):
        """Wait for all that was launched, and return the flags noted since as (serial, flags, name, node), or None."""
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
            flags = raw[<int>word] >> <int>shift & 15 & told(node.err)
            if flags:
                flags |= found.get(id(node), (0, 0))[1]
                found[id(node)] = node.serial, flags, name, node
        return list(found.values()) or None

    cdef list settle(self):
        """What `take` does of all; the driver gets the blocks back in which nothing was found."""
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
        """Wait for all that was launched, and copy the words."""
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
        """Wait for all that was launched; handlers of signals run meanwhile, so that Ctrl-C ends the wait."""
        cdef double pause = 0
        while not self.driver.has_ended():
            time.sleep(pause)
            pause = min(pause + STEP, LONGEST)
        return 0


cdef list _unread = []      # words of evaluations that an exception has ended, and what steps have returned


cdef int leave_unread(StatusWords words) except -1:
    """Have the next evaluation on a device report what kernels have met whose evaluation an exception ends."""
    if words.notes or words.found:
        _unread.append(words)
    return 0


cdef int report_unread() except -1:
    """Report what `leave_unread` has left; the caller does not hold the evaluation lock."""
    cdef StatusWords words
    while _unread:
        words = _unread.pop(0)
        try:
            raised = words.settle()
        except RuntimeError:    # of the device, which is lost
            raise
        except BaseException:
            _unread.insert(0, words)
            raise
        report_status((words.found or []) + (raised or []))
    return 0


cdef void forget_unread() noexcept:
    """Forget the words of the parent in a forked child, which cannot read them."""
    _unread.clear()
