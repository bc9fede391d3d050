"""Capture a function of arrays as a graph.

The graph's operands are the arguments and the outside arrays that the function reads or writes; each run reads their
current values. Its outputs are the results, followed by the new values of arguments and outside arrays that the
function wrote to; these are assigned after each run. Each run draws new random numbers.
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
"""Lock: held while a function is traced."""


@contextlib.contextmanager
def tracing():
    """Hide the values of outside arrays inside a block; yield what `trace_scope.tracing` and `traced_draws` yield."""
    with one_at_a_time, lazy_random.traced_draws() as drawn, trace_scope.tracing() as outside:
        yield outside, drawn


class TracedFunction:
    """A function captured as a graph, for arguments of given shapes and dtypes.

    Parameters
    ----------
    name : str
    function : callable
        Takes a list of arrays, to which it may write, and returns a tree of arrays and other values.
    forms : list of Form
        The shapes and dtypes of the arguments.
    frozen : list of (LazyArray, LazyArray), optional
        Outside arrays, each with the array whose values the graph uses instead.
    within : callable, optional
        Returns a context manager in which each run of the graph takes place.

    Attributes
    ----------
    graph : Subgraph
        Its operands are the arguments, then `outside`, then `captured`; its outputs are the results and new values.
    outside : list of LazyArray
        Outside arrays that the function reads or writes.
    captured : list of LazyArray
        Constants that the function created.
    written : list of int
        Indices of the arguments that the function writes to.
    changed : list of LazyArray
        Outside arrays that the function writes to.

    Raises
    ------
    TracedValueError
        If the function needs a value.
    ValueError
        If it writes to a frozen array.
    """

    def __init__(self, name, function, forms, frozen=None, within=None):
        self.name, self.within = name, within
        # `recording`: a flush at the memory budget would evaluate draws that each run has to repeat
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
            # for each array of the results: its leaf, whether it is a scalar, and the operand that it is, if any
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
        """Return whether outside arrays still have the shapes, dtypes and layouts of the trace."""
        return all(map(subgraph.lies_as, self.outside, self._stand_ins))

    def is_shared(self, arrays):
        """Return whether an operand that is written shares memory with another operand."""
        written = [arrays[k] for k in self.written] + self.changed
        bases = [subgraph.base_id(x) for x in [*arrays, *self.outside]]
        return any(bases.count(subgraph.base_id(x)) > 1 for x in written)

    def __call__(self, arrays):
        """Run the graph; its results are lazy unless it draws random numbers.

        Parameters
        ----------
        arrays : list of LazyArray
        """
        return self.given(arrays, self.computed(self.call, self.operands(arrays)))

    def operands(self, arrays):
        """Return the graph's operands for these arguments."""
        return [*map(in_order, arrays), *self.outside, *self.captured]

    def computed(self, call, operands, more=()):
        """Return the results of `call`: the graph's, followed by arrays of the shapes and dtypes in `more`."""
        for source in self.draws:
            source.settle()
        made = core.opaque_multi(self.name, call, operands, [*self._forms, *more], is_native=True)
        if self.draws:
            core.evaluate(*made)
        return made

    def given(self, arrays, made):
        """Assign the new values of written arrays and return the function's results."""
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
    """Return x, or a copy of an ndarray: each caller owns its result."""
    return x.copy() if isinstance(x, np.ndarray) else x


class GraphCall(DeviceFunction):
    """A call that runs a graph; `within` is that of `TracedFunction`."""

    backend = None  # the name of the call is the user's

    def __init__(self, graph, within=None):
        self._graph, self._within = graph, within
        self._branch = branch_exec.Branch(graph, range(len(graph)), range(len(graph.outputs)))

    def __call__(self, *arrays):
        """Run the graph."""
        if self._within is None:
            return self._branch(*arrays)
        with self._within():
            return self._branch(*arrays)

    def run_on_device(self, device, operands, words):
        """Run the graph on a device."""
        if self._within is None:
            return self._branch.run_on_device(device, operands, words)
        with self._within():
            return self._branch.run_on_device(device, operands, words)

    def prepare(self):
        """Compile the graph ahead of its first run."""
        self._branch.prepare()

    def pull_back(self, g, results, operands, wanted):
        """Return the cotangents of the operands."""
        return pulled_back_again(self._graph, g, operands)
