"""One of several sub-graphs, chosen by a number."""
cimport cython

from lazyarr._core.control.loop_exec cimport Runner, runner_of
from lazyarr._core.control.residuals cimport Tape, read_tape, wrapped
from lazyarr._core.control.subgraph cimport Subgraph
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport Node
from lazyarr._core.runtime.call_step cimport NOWHERE
from lazyarr._core.runtime.evaluation_lock cimport enter, leave

import numpy as np


@cython.final
cdef class Branch:
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
            runner = self.take_runner()
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

    cdef Runner take_runner(self):
        """A runner, which is its own meanwhile: a signal handler may run the same graph."""
        cdef Runner runner = runner_of(self.graph, self.runner, 0, 1 + max(self.gives, default=-1))
        self.runner = None
        return runner

    cdef list run(self, tuple operands, list forms):
        cdef Runner runner = self.take_runner()
        cdef Tape tape
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
            for group in self.groups:
                tape = Tape(len(group), 1)
                tape.write(0, runner.outputs, group)
                found.append(wrapped(tape))
        finally:
            runner.release()
            self.runner = runner
        return found


cdef class Switch:
    """The choice of a branch as a function of ndarrays: the index, operands, tapes.

    `forms` are those of the results, `shift` is the branch of index 0; all negative ones go to branch 0 if it is 1.
    """
    cdef readonly list branches, forms
    cdef readonly int shift

    def __init__(self, list branches, list forms, int shift=0):
        self.branches, self.forms, self.shift = branches, forms, shift

    def __call__(self, index, *operands):
        """The results of the chosen branch, and its tapes."""
        number = int(index)
        which = max(number + self.shift, 0) if self.shift else number
        if not 0 <= which < len(self.branches):
            raise IndexError(f"index {number} chooses none of {len(self.branches) - self.shift} branches")
        return (<Branch>self.branches[which]).run(operands, self.forms)
