"""Calls as the rows of drivers see them: operands on a device, and launches that set the call's status flags."""
cimport cython

from lazyarr._core.runtime.status_words cimport StatusWords

from collections import namedtuple


class NoKernel(Exception):
    """A device has no kernel for a program; the message names what is missing."""


class Operand(namedtuple("Operand", "block offset shape strides dtype")):
    """An array on a device: the driver's block, and the byte offset, shape and strides of its elements there."""

    __slots__ = ()

    @property
    def ndim(self):
        return len(self.shape)


@cython.final
cdef class Call:
    """A call that is about to run on a device.

    Attributes
    ----------
    name : str
        The operation.
    function : callable
        What the host would call, such as a `Kernel`.
    operands : list of Operand
    results : list of Operand
        They have blocks once the call was accepted.
    result : Operand
        The first of them.
    changes : bool
        Whether the result is a window of an array, whose old values the call changes.
    reported_flags : int
        The status flags to check for.
    started : list of bool
        One element: whether a launch may have changed old values.
    """

    def __init__(self, name, function, operands, results, changes, flags, StatusWords words not None, list nodes):
        self.name, self.function, self.operands, self.results = name, function, operands, results
        self.changes, self.reported_flags, self.started = changes, flags, [False]
        self.words, self.nodes = words, nodes

    @property
    def result(self):
        return self.results[0]

    def report_as(self, name):
        """Report status flags of this call under another name than its own."""
        self.nodes = [(node, name) for node, _ in self.nodes]

    def launch(self, driver, kernel, groups, threads, numbers, blocks, changes=False):
        """Launch a kernel; its status word, if any, receives status flags of the call."""
        cdef int word = self.words.reserve(kernel.nstatus)
        driver.launch(kernel, groups, threads, numbers, blocks, self.started if changes else [False],
                      self.words.place(word))
        if word >= 0:
            for node, name in self.nodes:
                self.words.note(word, 0, node, name)

    def check(self, driver, kernel, groups, threads, numbers, blocks):
        """Launch a kernel and wait for it; return whether it set its status word (which is no status flag here)."""
        cdef int word = self.words.reserve(kernel.nstatus)
        driver.launch(kernel, groups, threads, numbers, blocks, [False], self.words.place(word))
        return word >= 0 and self.words.flags(word, kernel.nstatus)
