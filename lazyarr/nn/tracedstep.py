"""Steps of training that are learnt once for each form of batch, and run as graphs from then on."""
from typing import NamedTuple

import numpy as np

from lazyarr._core import api as core
from lazyarr._core import branches, subgraph, tape
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.control.tracing import Form, form_of, in_order, operands, stand_ins
from lazyarr.evaluation import evaluate
from lazyarr.nn.layer import draws_itself, layers_within
from lazyarr.ops.operands import LazyArray


class _Learnt(NamedTuple):
    """A step for one form of batch: from state, the optimiser's numbers and a batch to what is found and new state."""

    run: branches.Branch
    state: list[LazyArray]
    captured: list[LazyArray]
    dtypes: list[np.dtype]      # of the parameters: the numbers are needed in each
    found: dict[str, Form]
    forms: list[tuple[tuple[int, ...], np.dtype]]


class TracedStep:
    """A step of training as a graph.

    Parameters
    ----------
    model : nn.Layer
    optimiser : nn.Optimiser
    build : callable
        Of inputs, targets and the optimiser's numbers by dtype: writes in place what the step changes, and returns what
        it finds by name.
    """

    def __init__(self, model, optimiser, build):
        for name, layer in layers_within(model):
            if draws_itself(layer):
                raise TypeError(f"training_step: {name or 'the model'}, {type(layer).__name__}, draws random numbers, "
                                "which a traced step would draw once for all steps")
        self._model, self._optimiser, self._build = model, optimiser, build
        self._learnt = {}

    def __call__(self, inputs, targets):
        """Run the step; what it finds, evaluated."""
        batch, steps = (inputs, targets), self._optimiser.steps
        arrays = operands(batch, "training_step: batch")
        key = tuple([(x.shape, x.dtype) for x in arrays]), tuple(paths(batch))
        numbers = self._optimiser.advance()
        try:
            if key not in self._learnt:
                self._learnt[key] = self._learn(batch, arrays, len(numbers))
            return _run(self._learnt[key], numbers, arrays)
        except BaseException:
            self._optimiser.steps = steps
            raise

    def _learn(self, batch, arrays, count):
        self._optimiser.prepare(self._model)
        state = self._state()
        dtypes = list(dict.fromkeys([p.dtype for p in leaves(self._model.parameters())]))
        traced = stand_ins([*map(form_of, state), *[Form((count,), dtype) for dtype in dtypes], *map(form_of, arrays)])
        numbers = dict(zip(dtypes, traced[len(state):], strict=False))
        written = [tape.another(x) for x in traced[:len(state)]]
        attributes = [(layer, dict(vars(layer))) for _, layer in layers_within(self._model)]
        with tape.recording():
            subgraph.exchange(state, written)
            try:
                found = self._build(*rebuilt(batch, iter(traced[len(state) + len(dtypes):])),
                                    lambda dtype: [numbers[dtype][k] for k in range(count)])
                if any(x is not y for x, y in zip(self._state(), state, strict=True)):
                    raise TypeError("training_step: a traced step needs layers that write to their arrays in place")
            except BaseException:
                for layer, before in attributes:
                    vars(layer).update(before)
                raise
            finally:
                subgraph.exchange(state, written)
        outputs = [*found.values(), *written]
        graph, captured = subgraph.close(traced, outputs)
        return _Learnt(branches.Branch(graph, range(len(graph)), range(len(outputs))), state, captured, dtypes,
                       {name: form_of(x) for name, x in found.items()}, [(x.shape, x.dtype) for x in outputs])

    def _state(self):
        return leaves(self._model.parameters()) + leaves(self._model.buffers()) + self._optimiser.arrays()


def _run(step, numbers, arrays):
    given = [core.from_numpy(np.array(numbers, dtype)) for dtype in step.dtypes]
    made = core.opaque_multi("training step", step.run, [*map(in_order, step.state), *given, *arrays, *step.captured],
                             step.forms, is_native=True)
    found, state = made[:len(step.found)], list(made[len(step.found):])
    subgraph.exchange(step.state, state)
    try:
        evaluate(*found, *step.state)
    except BaseException:
        subgraph.exchange(step.state, state)  # as before the step
        raise
    return {name: core.scalar(x) if form.scalar else x
            for (name, form), x in zip(step.found.items(), found, strict=True)}
