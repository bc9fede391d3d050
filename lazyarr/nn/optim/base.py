"""`Optimiser`, the base class of optimisers: parameters and gradients, state, learning-rate schedules."""
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary, name_init
from lazyarr.autodiff.trees import alike, leaves, named, of_one_form, rebuilt
from lazyarr.nn.annotations import Schedule, Tree
from lazyarr.nn.functional.activations import wide
from lazyarr.nn.layers.base import Layer
from lazyarr.nn.layers.module_tree import first_that_cannot_be_trained
from lazyarr.ops.arguments import array_argument
from lazyarr.ops.devices import beside
from lazyarr.ops.operands import LazyArray, lazy


class Optimiser:
    """The base class of optimisers, which update parameters by their gradients.

    A subclass names the arrays that it keeps for each parameter in `slots`, and defines `_change`, which writes these
    and the parameter. Numbers that change from step to step are operands, so that all steps have one plan.

    Parameters
    ----------
    rate : float or callable
        The learning rate, or a function from the number of previous steps to the rate: see `nn.schedules`.
    weight_decay : float, optional
        The factor of a parameter that is added to its gradient.
    """

    slots: tuple[str, ...] = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("lazyarr."):
            name_init(cls)

    @api_boundary
    def __init__(self, rate: float | Schedule, *, weight_decay: float = 0.0) -> None:
        self.rate: float | Schedule = rate if callable(rate) else at_least_zero(self, "rate", rate)
        self.weight_decay: float = at_least_zero(self, "weight_decay", weight_decay)
        self.steps: int = 0
        self._form: Any = None
        self._arrays: dict[str, list[LazyArray]] = {}

    @api_boundary
    def update(self, parameters: Layer | Tree, gradients: Tree) -> None:
        """Write new values of the parameters in place, lazily.

        Parameters
        ----------
        parameters : nn.Layer or tree of LazyArray
            A layer, or nested tuples, lists and dicts of arrays of floats.
        gradients : tree of array_like
            Of the same structure, shapes and dtypes.

        Raises
        ------
        TypeError
            For a parameter that is not an array of floats.
        ValueError
            For gradients of another structure, shape or dtype, or a schedule that returns an invalid learning rate.
            Nothing is changed then.
        """
        own, given = self._operands(parameters, gradients)
        numbers = self.advance()
        self._write(own, given, lambda dtype: numbers)

    def advance(self) -> tuple[float, ...]:
        """Count a step, and return the numbers that change from step to step."""
        rate = at_least_zero(self, "rate", self.rate(self.steps)) if callable(self.rate) else self.rate
        self.steps += 1
        return self._numbers(rate)

    def write(self, parameters: Layer | Tree, gradients: Tree, numbers: Callable[[np.dtype], Any]) -> None:
        """Update as `update` does, without counting a step; `numbers` returns those of `advance` by dtype."""
        own, given = self._operands(parameters, gradients)
        self._write(own, given, numbers)

    def prepare(self, parameters: Layer | Tree) -> None:
        """Create the arrays that are kept for parameters, if there are none yet."""
        tree = tree_of(parameters)
        own = leaves(tree)
        self._check(tree, own)
        self._prepare(tree, own)

    def _operands(self, parameters, gradients):
        """Return the checked arrays of both trees; create the arrays that are kept for them."""
        tree = tree_of(parameters)
        own, given = leaves(tree), leaves(gradients)
        self._check(tree, own)
        given = [g if isinstance(g, LazyArray) else array_argument(g, f"{self._name}: a gradient") for g in given]
        if not (alike(own, given) and of_one_form(tree, gradients)):
            raise ValueError(f"{self._name}: {_difference(tree, gradients)}")
        self._prepare(tree, own)
        return own, given

    def _write(self, own, given, numbers):
        kept = zip(*self._arrays.values(), strict=True) if self.slots else itertools.repeat(())
        for p, g, state in zip(own, given, kept, strict=False):
            self._change(p, g, numbers(p.dtype), *state)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        """Return the numbers that change from step to step, from the rate and the number of steps."""
        return rate,

    def _change(self, p, g, numbers, *state):
        """Write a parameter and its arrays of `slots` in place."""
        raise NotImplementedError

    def _decayed(self, p, g):
        """Return the gradient with weight decay, as the derivative of an L2 penalty."""
        return g + self.weight_decay * p if self.weight_decay else g

    def _check(self, tree, own):
        """Raise unless all parameters can be trained."""
        wrong = first_that_cannot_be_trained(own)
        if wrong >= 0:
            name, p = named(tree)[wrong]
            what = f"{p.dtype}{p.shape}" if isinstance(p, LazyArray) else type(p).__name__
            raise TypeError(
                f"{self._name}: parameter {name} must be a lazy array of floats that can be written to, got {what}")

    def _prepare(self, tree, own):
        """Create the state in the first step; later, check that the parameters are the same. Both are on one device."""
        if self._form is None:
            self._form = rebuilt(tree, itertools.count())
            self._arrays = {name: [core.full(p.shape, 0, p.dtype) for p in own] for name in self.slots}
        if any(map(core.device_of, own)):
            self._arrays = {name: [beside(x, core.device_of(p)) for x, p in zip(arrays, own, strict=False)]
                            for name, arrays in self._arrays.items()}
        for name, arrays in self._arrays.items():
            if not alike(own, arrays):
                raise ValueError(f"{self._name}: {_difference(tree, rebuilt(self._form, iter(arrays)), name)}")

    def state(self) -> dict[str, Any]:
        """Return the state as a tree: the number of steps, and arrays.

        The arrays are those that the optimiser writes to, not copies.
        """
        return {"steps": self.steps, **{name: rebuilt(self._form, iter(self._arrays[name])) for name in self._arrays}}

    def load_state(self, tree: Mapping[str, Any]) -> None:
        """Restore a state, which is copied.

        Raises
        ------
        ValueError
            If it is not the state of such an optimiser.
        """
        missing = {"steps", *self.slots} ^ set(tree)
        if missing and set(tree) != {"steps"}:  # the state before the first step has no arrays yet
            raise ValueError(f"{self._name}: the state must have {', '.join(('steps', *self.slots))}; "
                             f"got {', '.join(sorted(tree))}")
        found = {name: [core.copy(array_argument(x, f"{self._name}: {name}")) for x in leaves(tree[name])]
                 for name in self.slots if name in tree}
        if len({len(arrays) for arrays in found.values()}) > 1:
            raise ValueError(f"{self._name}: the parts of the state have different numbers of arrays")
        self.steps = int(tree["steps"])
        self._arrays = found
        self._form = rebuilt(tree[self.slots[0]], itertools.count()) if found else None

    def arrays(self) -> list[LazyArray]:
        """Return the arrays of the state, to be evaluated together with the parameters."""
        return [x for arrays in self._arrays.values() for x in arrays]

    @property
    def _name(self) -> str:
        return type(self).__name__


def tree_of(parameters: Layer | Tree) -> Tree:
    """Return the parameters of a layer; return anything else as it is."""
    found = getattr(parameters, "parameters", None)
    return found() if callable(found) else parameters


def at_least_zero(owner: object, name: str, value: float, below: float = math.inf) -> float:
    """Return the value as a float; raise unless it is in [0, below)."""
    number = float(value)
    if not 0 <= number < below:
        wanted = "finite and not negative" if below == math.inf else f"at least 0 and below {below}"
        raise ValueError(f"{type(owner).__name__}: {name} must be {wanted}, got {value!r}")
    return number


def _difference(tree, other, what="the gradient"):
    """Describe how the second tree differs from the parameters."""
    own, given = named(tree), dict(named(other))
    for name, p in own:
        if name not in given:
            return f"{what} of parameter {name} is missing"
        g = lazy(given.pop(name))
        if g.shape != p.shape:
            return f"parameter {name} has shape {p.shape}, {what} has {g.shape}"
        if g.dtype != p.dtype:
            return f"parameter {name} has dtype {p.dtype}, {what} has {g.dtype}"
    if given:
        return f"{what} has {next(iter(given))}, which is no parameter"
    return f"{what} has other containers than the parameters"


def norm_of(x: LazyArray) -> LazyArray:
    """Return the Euclidean norm of all elements; half precision is computed in single."""
    return np.sqrt(sum_of_squares(x))


def sum_of_squares(x: LazyArray) -> LazyArray:
    """Return the sum of squared absolute values; half precision is computed in single."""
    x = wide(x)
    return ((x * x.conj()).real if x.dtype.kind == "c" else x * x).sum()
