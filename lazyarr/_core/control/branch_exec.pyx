"""Branches: one of several sub-graphs, chosen by a number."""
cimport cython

from lazyarr._core.control.leaf_memory cimport bind_value, copy_in_memory, number_of, own_memory
from lazyarr._core.control.residuals cimport Tape, read_tape, wrapped
from lazyarr._core.control.runner cimport Runner, runner_of
from lazyarr._core.control.subgraph cimport Subgraph
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.device_function cimport DeviceFunction
from lazyarr._core.runtime.call_step cimport NOWHERE
from lazyarr._core.runtime.evaluation_lock cimport enter, leave
from lazyarr._core.runtime.status_words cimport StatusWords

import numpy as np


@cython.final
cdef class Branch(DeviceFunction):
    """One of the sub-graphs of a switch, and its inputs and outputs.

    `takes` has for each parameter an operand index after the branch index, or (operand, column) of a tape; `gives` has
    for each result an output index, -1 for zeros. `groups` has for each tape its output indices by column, -1 for none.
    """
    cdef readonly Subgraph graph
    cdef readonly tuple takes, gives
    cdef readonly list groups         # by tape: output indices
    cdef Runner runner

    def __init__(self, Subgraph graph, takes, gives, groups=()):
        self.graph, self.takes, self.gives = graph, tuple(takes), tuple(gives)
        self.groups = list(groups)

    def keep(self, list nodes):
        """Add a residual list of nodes to keep."""
        self.groups.append(tuple(self.graph.keep(nodes)))

    def prepare(self):
        """Find the plan."""
        cdef Runner runner
        cdef Node leaf
        enter()
        try:
            runner = self.take_runner(0)
            try:
                if runner.plan is None:
                    for leaf in runner.leaves:
                        leaf.data = NOWHERE
                    runner.prepare()
            finally:
                runner.release()
                self.runner = runner
        finally:
            leave()

    def __call__(self, *operands):
        """Return the results, which must not be zeros, and the tapes."""
        return self.run(operands, [None] * len(self.gives))

    cdef Runner take_runner(self, int device, StatusWords words=None):
        """Take the runner out of its slot: a signal handler may run the same graph meanwhile."""
        cdef Runner runner = runner_of(self.graph, self.runner, 0, 1 + max(self.gives, default=-1), device, words)
        self.runner = None
        return runner

    cdef list run(self, tuple operands, list forms):
        cdef Runner runner = self.take_runner(0)
        cdef int k
        try:
            for k, source in enumerate(self.takes):
                if type(source) is tuple:
                    read_tape(operands[source[0]].item(), 0, source[1], runner.leaves[k])
                else:
                    runner.bind(k, operands[source])
            runner.run()
            found = [np.zeros(*form) if k < 0 else as_ndarray(runner.outputs[k])
                     for k, form in zip(self.gives, forms)]
            return found + self.tapes_of(runner)
        finally:
            runner.release()
            self.runner = runner

    def run_on_device(self, int device, list operands, words):
        return self.run_there(device, operands, words, [None] * len(self.gives))

    cdef list run_there(self, int device, list operands, object words, list forms):
        """Run on a device, like `run`."""
        cdef Runner runner = self.take_runner(device, words)
        cdef int k
        try:
            for k, source in enumerate(self.takes):
                if type(source) is tuple:
                    read_tape(as_ndarray(<Node>operands[source[0]]).item(), 0, source[1], runner.leaves[k])
                else:
                    bind_value(runner.leaves[k], operands[source])
            runner.run()
            found = [copy_in_memory(device, np.zeros(*form)) if k < 0 else own_memory(device, <Node>runner.outputs[k])
                     for k, form in zip(self.gives, forms)]
            return found + self.tapes_of(runner)
        finally:
            runner.release()
            self.runner = runner

    cdef list tapes_of(self, Runner runner):
        cdef list tapes = []
        cdef Tape tape
        for group in self.groups:
            tape = Tape(len(group), 1)
            tape.write(0, runner.outputs, group)
            tapes.append(wrapped(tape))
        return tapes


cdef class Switch(DeviceFunction):
    """The choice of a branch as a function of ndarrays: the index, operands, tapes.

    `forms` has the shapes and dtypes of the results. `shift` is the branch of index 0; if it is 1, all negative indices
    choose branch 0.
    """
    cdef readonly list branches, forms
    cdef readonly int shift

    def __init__(self, list branches, list forms, int shift=0):
        self.branches, self.forms, self.shift = branches, forms, shift

    def __call__(self, index, *operands):
        """Return the results of the chosen branch, and its tapes."""
        return self.chosen(int(index)).run(operands, self.forms)

    def run_on_device(self, int device, list operands, words):
        return self.chosen(number_of(operands[0])).run_there(device, operands[1:], words, self.forms)

    cdef Branch chosen(self, number):
        """Return the branch with a number."""
        which = max(number + self.shift, 0) if self.shift else number
        if not 0 <= which < len(self.branches):
            raise IndexError(f"index {number} chooses none of {len(self.branches) - self.shift} branches")
        return self.branches[which]
