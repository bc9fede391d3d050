"""Training steps that are traced once per signature of the batch, and run as cached graphs after that.

A graph is valid for the arrays, modes of layers and settings of the optimiser with which it was traced.
"""
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import evaluate
from lazyarr._core.control import subgraph
from lazyarr._core.control.signature import settings
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.control.tracing import Form, form_of, operands
from lazyarr.nn.layers.base import draws_itself, layers_within
from lazyarr.ops.operands import is_lazy
from lazyarr.tracing.capture import TracedFunction


class TracedStep:
    """A training step as a graph.

    `build` takes inputs, targets and the optimiser's numbers by dtype. It writes all changes in place, and returns loss
    and metrics by name, and the parameters.
    """

    def __init__(self, model, optimiser, build):
        for name, layer in layers_within(model):
            if draws_itself(layer) and not layer.drawn_by_graphs:
                raise TypeError(f"training_step: {name or 'the model'}, {type(layer).__name__}, draws random numbers, "
                                "which a traced step would draw once for all steps")
        self._model, self._optimiser, self._build = model, optimiser, build
        self._layers = [layer for _, layer in layers_within(model)]
        self._traced = {}

    def __call__(self, inputs, targets):
        """Run the step, and return the evaluated loss and metrics."""
        batch, steps = (inputs, targets), self._optimiser.steps
        arrays = operands(batch, "training_step: batch")
        key = settings(), tuple([(x.shape, x.dtype) for x in arrays]), tuple(paths(batch))
        numbers = self._optimiser.advance()
        try:
            if key not in self._traced or not _are_same(self._traced[key][2], self._held()):
                self._traced[key] = *self._trace(batch, arrays, len(numbers)), self._held()
            dtypes, traced, _ = self._traced[key]
            return _run(traced, [*[core.from_numpy(np.array(numbers, dtype)) for dtype in dtypes], *arrays])
        except BaseException:
            self._optimiser.steps = steps
            raise

    def _trace(self, batch, arrays, count):
        """Return the dtypes of the parameters, for the optimiser's numbers, and the graph of numbers and batch."""
        self._optimiser.prepare(self._model)
        state = self._state()
        dtypes = list(dict.fromkeys([p.dtype for p in leaves(self._model.parameters())]))
        attributes = [(layer, dict(vars(layer))) for _, layer in layers_within(self._model)]

        def step(given):
            numbers = dict(zip(dtypes, given, strict=False))
            found, _ = self._build(*rebuilt(batch, iter(given[len(dtypes):])),
                                lambda dtype: [numbers[dtype][k] for k in range(count)])
            if any(x is not y for x, y in zip(self._state(), state, strict=True)):
                raise TypeError("training_step: a traced step needs layers that write to their arrays in place")
            return found

        try:
            forms = [*[Form((count,), dtype) for dtype in dtypes], *map(form_of, arrays)]
            return dtypes, TracedFunction("training step", step, forms)
        except BaseException:
            for layer, before in attributes:
                vars(layer).update(before)
            raise

    def _held(self):
        """Return the objects that a graph depends on, besides the batch."""
        settings = [value for name, value in vars(self._optimiser).items()
                    if name not in ("steps", "rate") and name[0] != "_"]
        return self._state() + [layer.training for layer in self._layers] + settings

    def _state(self):
        return leaves(self._model.parameters()) + leaves(self._model.buffers()) + self._optimiser.arrays()


def _are_same(before, now):
    return len(before) == len(now) and all(map(operator.is_, before, now))


def _run(traced, arrays):
    before = [*map(vjp.another, traced.changed)]
    try:
        found = traced(arrays)
        evaluate(*filter(is_lazy, found.values()), *traced.changed)
    except BaseException:
        subgraph.exchange(traced.changed, before)  # as before the step
        raise
    return found
