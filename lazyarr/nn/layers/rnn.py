"""Recurrent layers: (batch, time, inputs) to (batch, time, size), step by step.

The contribution of the inputs to all steps is one matrix product before the loop. The steps are one loop inside the
graph: each adds the product of the previous state and applies the gates, which are side by side in one array.
"""
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from lazyarr._core import api as core
from lazyarr.control.cached_scan import walk
from lazyarr.nn import initialisers
from lazyarr.nn.annotations import Initialiser, Operand, Rng
from lazyarr.nn.functional.activations import floating
from lazyarr.nn.layers.base import Layer
from lazyarr.nn.layers.linear import linear
from lazyarr.ops.arguments import integer
from lazyarr.ops.devices import beside, on_current
from lazyarr.ops.operands import LazyArray, cast

_tanh = core.UfuncCaller(np.tanh)


class _Cell(Layer):
    """The weights of one layer in one direction, their gates side by side."""

    gates: int = 1
    halved: int = 0  # gates, which come first, whose sigmoid is computed as (tanh(z / 2) + 1) / 2

    def __init__(self, inputs: int, size: int, weight: Initialiser, recurrent: Initialiser, rng: Rng,
                 dtype: npt.DTypeLike) -> None:
        self.weight = initialisers.parameter(weight, (inputs, self.gates * size), rng, dtype, "weight")
        blocks = [initialisers.initial_value(recurrent, (size, size), rng, dtype, "recurrent").numpy()
                  for _ in range(self.gates)]
        self.recurrent = on_current(core.from_numpy(np.concatenate(blocks, axis=1)))
        self.bias = initialisers.parameter(initialisers.zeros, (self.gates * size,), rng, dtype, "bias")

    def weights(self) -> tuple[LazyArray, LazyArray, tuple[LazyArray, ...]]:
        """Return the weight and the bias of the inputs, and the constants of the steps."""
        if not self.halved:
            return self.weight, self.bias, (self.recurrent,)
        halves = np.ones(self.weight.shape[1], self.weight.dtype)
        halves[:self.halved * self.recurrent.shape[0]] = 0.5
        return self.weight * halves, self.bias * halves, (self.recurrent * halves,)

    @staticmethod
    def step(state: tuple[Any, ...], given: Any, constants: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        """Return the next state, a tuple, and its h, given the state and the contribution of the inputs."""
        raise NotImplementedError


class _Plain(_Cell):

    @staticmethod
    def step(state: tuple[Any, ...], given: Any, constants: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        h = _tanh(given + state[0] @ constants[0])
        return (h,), h


class _LongShort(_Cell):
    """Gates i, f, o, then the candidate g."""

    gates, halved = 4, 3

    def __init__(self, inputs: int, size: int, weight: Initialiser, recurrent: Initialiser, rng: Rng,
                 dtype: npt.DTypeLike) -> None:
        super().__init__(inputs, size, weight, recurrent, rng, dtype)
        self.bias[size:2 * size] = 1

    @staticmethod
    def step(state: tuple[Any, ...], given: Any, constants: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        (h, c), (recurrent,) = state, constants
        size = recurrent.shape[0]
        z = given + h @ recurrent
        # gate by gate: what follows the product is one pass then, forwards and backwards
        i, f, o, g = [_tanh(z[:, k:k + size]) for k in range(0, 4 * size, size)]
        i, f, o = [gate * 0.5 + 0.5 for gate in (i, f, o)]
        c = f * c + i * g
        h = o * _tanh(c)
        return (h, c), h


class _Gated(_Cell):
    """Gates r and z, then the candidate n."""

    gates, halved = 3, 2

    def __init__(self, inputs: int, size: int, weight: Initialiser, recurrent: Initialiser, rng: Rng,
                 dtype: npt.DTypeLike) -> None:
        super().__init__(inputs, size, weight, recurrent, rng, dtype)
        self.recurrent_bias = initialisers.parameter(initialisers.zeros, (size,), rng, dtype, "bias")

    def weights(self) -> tuple[LazyArray, LazyArray, tuple[LazyArray, ...]]:
        weight, bias, constants = super().weights()
        return weight, bias, (*constants, self.recurrent_bias)

    @staticmethod
    def step(state: tuple[Any, ...], given: Any, constants: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        (h,), (recurrent, recurrent_bias) = state, constants
        size = recurrent.shape[0]
        product = h @ recurrent
        gates = _tanh(given[:, :2 * size] + product[:, :2 * size]) * 0.5 + 0.5
        n = _tanh(given[:, 2 * size:] + gates[:, :size] * (product[:, 2 * size:] + recurrent_bias))
        h = n + gates[:, size:] * (h - n)
        return (h,), h


class _Recurrent(Layer):
    cell: type[_Cell]

    def __init__(self, inputs: SupportsIndex, size: SupportsIndex, *, layers: SupportsIndex = 1,
                 bidirectional: bool = False, weight: Initialiser = initialisers.glorot_uniform,
                 recurrent: Initialiser = initialisers.orthogonal, rng: Rng = None,
                 dtype: npt.DTypeLike = np.float32) -> None:
        inputs, self.size, layers = integer(inputs, "inputs"), integer(size, "size"), integer(layers, "layers")
        self.bidirectional = bool(bidirectional)
        rng, directions = np.random.default_rng(rng), 2 if bidirectional else 1
        self.cells = [self.cell(directions * self.size if depth else inputs, self.size, weight, recurrent, rng, dtype)
                      for depth in range(layers) for _ in range(directions)]

    def __call__(self, x: Operand, state: Sequence[Any] | None = None) -> tuple[LazyArray, list[Any]]:
        name = type(self).__name__
        x = floating(x, f"{name}: x")
        inputs = self.cells[0].weight.shape[0]
        if x.ndim != 3 or x.shape[2] != inputs:
            raise ValueError(f"{name}: x must have shape (batch, time, {inputs}), not {x.shape}")
        states = self._states(name, x, state)
        directions, last = 2 if self.bidirectional else 1, []
        y: Any = x.swapaxes(0, 1)  # steps first
        for first in range(0, len(self.cells), directions):
            results = []
            for direction in range(directions):
                cell = self.cells[first + direction]
                weight, bias, constants = cell.weights()
                end, steps = walk(type(cell).step, states[first + direction], linear(y, weight, bias), constants,
                                  reverse=direction == 1)
                results.append(steps)
                last.append(end if self._pairs else end[0])
            y = results[0] if directions == 1 else np.concatenate(results, axis=2)
        return y.swapaxes(0, 1), last

    _pairs = False  # whether the state is a pair (h, c), and not h alone

    def _states(self, name, x, state):
        """Return a tuple of arrays for each cell: the given state, or zeros."""
        shape = (x.shape[0], self.size)
        parts = 2 if self._pairs else 1
        dtype = np.result_type(x.dtype, self.cells[0].weight.dtype)
        if state is None:
            zeros = beside(core.full(shape, 0, dtype), core.device_of(self.cells[0].weight))
            return [(zeros,) * parts] * len(self.cells)
        if not isinstance(state, list | tuple) or len(state) != len(self.cells):
            raise ValueError(f"{name}: state must be a list with an entry for each of {len(self.cells)} layers and "
                             "directions")
        states = [tuple(entry) if self._pairs and isinstance(entry, list | tuple) else (entry,) for entry in state]
        for number, entry in enumerate(states):
            if len(entry) != parts:
                raise ValueError(f"{name}: state[{number}] must be a pair (h, c)")
            for array in entry:
                if not isinstance(array, LazyArray | np.ndarray) or array.shape != shape:
                    raise ValueError(f"{name}: state[{number}] must be of arrays of shape {shape}, got "
                                     f"{getattr(array, 'shape', type(array).__name__)}")
        states = [tuple([floating(array, f"{name}: state") for array in entry]) for entry in states]
        dtype = np.result_type(dtype, *[array.dtype for entry in states for array in entry])
        return [tuple([cast(array, dtype) for array in entry]) for entry in states]


class RNN(_Recurrent):
    """A recurrent layer, ``h = tanh(x @ weight + bias + h @ recurrent)`` in each step; Elman, 1990.

    Parameters
    ----------
    inputs, size : int
        The lengths of the last axis of arguments and of the state.
    layers : int, optional
        The number of layers; each takes the results of the one before it.
    bidirectional : bool, optional
        Whether each layer also runs from the last step to the first; the results of both directions are concatenated.
    weight, recurrent : callable, optional
        Initialisers, see `lazyarr.nn.initialisers`, of the input matrix and of each gate's recurrent matrix. Biases are
        zeros.
    rng : numpy.random.Generator or seed, optional
    dtype : dtype_like, optional

    Attributes
    ----------
    cells : list
        For each layer and direction the parameters `weight` (inputs, size), `recurrent` (size, size), `bias` (size,).

    Notes
    -----
    A call takes an array (batch, time, inputs) and optionally a state. It returns the results of all steps, (batch,
    time, size) or (batch, time, 2 * size), and the final state: a list with h, (batch, size), for each layer and
    direction.

    Raises
    ------
    ValueError
        For sizes that are not positive. When called: for an array or a state whose shape does not fit.
    TypeError
        For sizes that are not integers.

    Examples
    --------
    >>> y, state = la.nn.RNN(3, 4)(la.ones((2, 5, 3), "float32"))
    >>> y.shape, state[0].shape
    ((2, 5, 4), (2, 4))
    """

    cell = _Plain


class LSTM(_Recurrent):
    """Long short-term memory; Hochreiter and Schmidhuber, 1997, with the forget gate of Gers et al., 2000.

    Of the gates i, f, o and g, the columns of ``x @ weight + bias + h @ recurrent`` in this order::

        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        h = sigmoid(o) * tanh(c)

    Parameters, errors and results are those of `RNN`, but a state is a pair (h, c) for each layer and direction, and
    parameters have four times the columns. Biases are initialised to one for forget gates and to zero for others.

    Examples
    --------
    >>> y, [(h, c)] = la.nn.LSTM(3, 4)(la.ones((2, 5, 3), "float32"))
    >>> y.shape, h.shape, c.shape
    ((2, 5, 4), (2, 4), (2, 4))
    """

    cell = _LongShort
    _pairs = True


class GRU(_Recurrent):
    """Gated recurrent units; Cho et al., 2014, with the reset gate applied after the product.

    Of r, z and n, the columns of ``a = x @ weight + bias`` and ``b = h @ recurrent`` in this order::

        candidate = tanh(a[n] + sigmoid(a[r] + b[r]) * (b[n] + recurrent_bias))
        h = candidate + sigmoid(a[z] + b[z]) * (h - candidate)

    Parameters, errors and results are those of `RNN`, but parameters have three times the columns.

    Examples
    --------
    >>> y, state = la.nn.GRU(3, 4, bidirectional=True)(la.ones((2, 5, 3), "float32"))
    >>> y.shape, len(state)
    ((2, 5, 8), 2)
    """

    cell = _Gated
