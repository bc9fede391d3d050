"""One of several sub-graphs, chosen by a number."""
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
    """One of the sub-graphs of a switch, and what it takes and gives.

    It `takes` for each of its parameters an operand, counted behind the index, or (operand, column) of a tape; it
    `gives` for each result an output, -1 for zeros. `groups` are of each tape it gives outputs by column, -1 for none.
    """
    cdef readonly Subgraph graph
    cdef readonly tuple takes, gives
    cdef readonly list groups         # of each tape, outputs
    cdef Runner runner

    def __init__(self, Subgraph graph, takes, gives, groups=()):
        self.graph, self.takes, self.gives = graph, tuple(takes), tuple(gives)
        self.groups = list(groups)

    def keep(self, list nodes):
        """Keep nodes in one more residual list."""
        self.groups.append(tuple(self.graph.keep(nodes)))

    def prepare(self):
        """Find the plan of its runs."""
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
        """Its results, which must not be zeros; and its tapes."""
        return self.run(operands, [None] * len(self.gives))

    cdef Runner take_runner(self, int device, StatusWords words=None):
        """A runner, which is its own meanwhile: a signal handler may run the same graph."""
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
        """What `run` does, on a device."""
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

    `forms` are those of the results, `shift` is the branch of index 0; all negative ones go to branch 0 if it is 1.
    """
    cdef readonly list branches, forms
    cdef readonly int shift

    def __init__(self, list branches, list forms, int shift=0):
        self.branches, self.forms, self.shift = branches, forms, shift

    def __call__(self, index, *operands):
        """The results of the chosen branch, and its tapes."""
        return self.chosen(int(index)).run(operands, self.forms)

    def run_on_device(self, int device, list operands, words):
        return self.chosen(number_of(operands[0])).run_there(device, operands[1:], words, self.forms)

    cdef Branch chosen(self, number):
        """The branch of a number."""
        which = max(number + self.shift, 0) if self.shift else number
        if not 0 <= which < len(self.branches):
            raise IndexError(f"index {number} chooses none of {len(self.branches) - self.shift} branches")
        return self.branches[which]
