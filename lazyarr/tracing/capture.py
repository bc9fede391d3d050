"""From a function of arrays to a graph that stands for it: the function is traced once for each form of its arguments.

What the graph takes are the arguments, and the arrays from outside that the function reads or writes, whose values
are those they have when the graph runs. What it gives are the results, and what was written to arguments and to arrays
from outside: that is written to them after each run. Random numbers are drawn anew by each run.
"""
import contextlib
import threading

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import branch_exec, subgraph
from lazyarr._core.frontend import trace_scope
from lazyarr._core.ir.device_function import DeviceFunction
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.control.checkpoint import pulled_back_again
from lazyarr.control.tracing import in_order, stand_ins
from lazyarr.numpy import lazy_random
from lazyarr.ops.operands import LazyArray

one_at_a_time = threading.RLock()
"""Held while a function is traced."""


@contextlib.contextmanager
def tracing():
    """A block in which arrays from outside have no values: yields what `trace_scope.tracing` and `traced_draws` do."""
    with one_at_a_time, lazy_random.traced_draws() as drawn, trace_scope.tracing() as outside:
        yield outside, drawn


class TracedFunction:
    """A function with its graph for arguments of certain forms.

    Attributes
    ----------
    graph : Subgraph
        From the arguments, what is read from outside and constants to the results, and what is written.
    outside : list of LazyArray
        The arrays from outside that it takes.
    captured : list of LazyArray
        Constants: what was made where the function was called, of nothing from outside.
    written : list of int
        The numbers of the arguments that it writes to.
    changed : list of LazyArray
        The arrays from outside that it writes to.

    Parameters
    ----------
    name : str
    function : callable
        Takes a list of arrays, to which it may write, and returns a tree of arrays and other values.
    forms : list of Form
        What the arrays are like.
    frozen : list of (LazyArray, LazyArray), optional
        Arrays from outside that have other values in the graph.
    within : callable, optional
        Returns a context manager, inside which each run of the graph takes place.

    Raises
    ------
    TracedValueError
        If the function needs a value.
    ValueError
        If it writes to a frozen array.
    """

    def __init__(self, name, function, forms, frozen=None, within=None):
        self.name, self.within = name, within
        # nothing of the graph is evaluated at the budget until it is closed: what it draws is drawn by each run
        with one_at_a_time, vjp.recording():
            with tracing() as (outside, drawn):
                traced = stand_ins(forms)
                given = [*map(vjp.another, traced)]
                tree = function(given)
                results = leaves(tree)
                made = [y for y in results if isinstance(y, LazyArray)]
                outputs = [*map(vjp.another, made)]
                self.written = [k for k, x in enumerate(given)
                                 if subgraph.node_id(x) != subgraph.node_id(traced[k])]
                outputs += [given[k] for k in self.written]
            self._count = len(made)
            self._tree = rebuilt(tree, iter(range(len(results))))
            self._constants = [None if isinstance(y, LazyArray) else copied(y) for y in results]
            places = [place for place, y in enumerate(results) if isinstance(y, LazyArray)]
            # of each array in the tree its place, whether it is a scalar, and which operand it is if it is one
            self._arrays = [(place, y._scalar, next((k for k, x in enumerate(given + outside.arrays) if x is y), None))
                            for place, y in zip(places, made, strict=True)]
            after = [(x, y) for x, y in zip(outside.arrays, outside.after, strict=True) if y is not None]
            instead = {id(x): value for x, value in frozen or ()}
            self.changed = [x for x, _ in after]
            if any(id(x) in instead for x in self.changed):
                raise ValueError(f"{name}: it writes to an array that is frozen")
            self.outside = [instead.get(id(x), x) for x in outside.arrays]
            self._stand_ins = outside.stand_ins
            self._take_memory = all(map(core.is_contiguous, self.changed))
            self.draws = [source for source, _ in drawn]
            outputs += [y for _, y in after] + [token for _, token in drawn]
            self.graph, self.captured = subgraph.close([*traced, *outside.stand_ins], outputs, redraws=True)
            self.writes = bool(self.written or self.changed)
            self.call = GraphCall(self.graph, within)
            self._forms = [(y.shape, y.dtype) for y in outputs]
            subgraph.set_aside(self._stand_ins)

    def fits(self):
        """Whether the arrays from outside have the forms they had."""
        return all(map(subgraph.lies_as, self.outside, self._stand_ins))

    def is_shared(self, arrays):
        """Whether something that is written would have to be seen in another operand too, as they share memory."""
        written = [arrays[k] for k in self.written] + self.changed
        bases = [subgraph.base_id(x) for x in [*arrays, *self.outside]]
        return any(bases.count(subgraph.base_id(x)) > 1 for x in written)

    def __call__(self, arrays):
        """The results for these arguments: lazy, unless random numbers are drawn.

        Parameters
        ----------
        arrays : list of LazyArray
        """
        return self.given(arrays, self.computed(self.call, self.operands(arrays)))

    def operands(self, arrays):
        """The operands of the graph."""
        return [*map(in_order, arrays), *self.outside, *self.captured]

    def computed(self, call, operands, more=()):
        """The results of a call that returns those of the graph and, behind them, arrays of more forms."""
        for source in self.draws:
            source.settle()
        made = core.opaque_multi(self.name, call, operands, [*self._forms, *more], is_native=True)
        if self.draws:
            core.evaluate(*made)
        return made

    def given(self, arrays, made):
        """The results of a call, after what it has written is written."""
        if self.writes:
            self._write(arrays, made[self._count:])
        results = [*map(copied, self._constants)]
        for y, (place, is_scalar, operand) in zip(made, self._arrays, strict=False):
            if operand is not None:
                y = arrays[operand] if operand < len(arrays) else self.outside[operand - len(arrays)]
            elif is_scalar:
                y = core.scalar(y)
            results[place] = y
        return results[0] if self._tree == 0 else rebuilt(self._tree, iter(results))

    def _write(self, arrays, made):
        for k, y in zip(self.written, made, strict=False):
            core.assign(arrays[k], y)
        values = list(made[len(self.written):len(self.written) + len(self.changed)])
        if self._take_memory:
            subgraph.exchange(self.changed, values)
        else:
            for x, y in zip(self.changed, values, strict=True):
                core.assign(x, y)


def copied(x):
    """An array of NumPy's that is given again and again: a new one each time, which is the caller's."""
    return x.copy() if isinstance(x, np.ndarray) else x


class GraphCall(DeviceFunction):
    """A run of a graph, as the function of a call; `within` is that of `TracedFunction`."""

    backend = None  # the name of the call is the user's

    def __init__(self, graph, within=None):
        self._graph, self._within = graph, within
        self._branch = branch_exec.Branch(graph, range(len(graph)), range(len(graph.outputs)))

    def __call__(self, *arrays):
        """The results of the graph."""
        if self._within is None:
            return self._branch(*arrays)
        with self._within():
            return self._branch(*arrays)

    def run_on_device(self, device, operands, words):
        """The results of the graph on a device."""
        if self._within is None:
            return self._branch.run_on_device(device, operands, words)
        with self._within():
            return self._branch.run_on_device(device, operands, words)

    def prepare(self):
        """Compile the graph, so that the first run finds its plan."""
        self._branch.prepare()

    def pull_back(self, g, results, operands, wanted):
        """Cotangents of what it takes."""
        return pulled_back_again(self._graph, g, operands)
