"""What all optimisers share: finding parameters and gradients, the state, rates that change with the steps."""
import itertools
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary, name_init
from lazyarr.autodiff.trees import alike, leaves, named, of_one_form, rebuilt
from lazyarr.nn.functional.activations import wide
from lazyarr.nn.layers.module_tree import first_that_cannot_be_trained
from lazyarr.ops.arguments import array_argument
from lazyarr.ops.operands import LazyArray, lazy


class Optimiser:
    """A rule by which gradients change parameters.

    A rule names the arrays that it keeps for each parameter in `slots`, and says in `_change` how they and the
    parameter are written. What changes from step to step enters as a number, so that all steps have one plan.

    Parameters
    ----------
    rate : float or callable
        The learning rate, or a function of the number of steps made so far that returns it: see `nn.schedules`.
    weight_decay : float, optional
        What the parameters are multiplied with and added to their gradients.
    """

    slots: tuple[str, ...] = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("lazyarr."):
            name_init(cls)

    @api_boundary
    def __init__(self, rate, *, weight_decay=0.0):
        self.rate = rate if callable(rate) else at_least_zero(self, "rate", rate)
        self.weight_decay = at_least_zero(self, "weight_decay", weight_decay)
        self.steps = 0
        self._form = None
        self._arrays = {}

    @api_boundary
    def update(self, parameters, gradients):
        """Write new values of the parameters in place; nothing is evaluated.

        Parameters
        ----------
        parameters : nn.Layer or tree of LazyArray
            Nested tuples, lists and dicts of arrays of floats.
        gradients : tree of array_like
            Of the same form, shapes and dtypes.

        Raises
        ------
        TypeError
            For a parameter that is no array of floats.
        ValueError
            For gradients of another form, shape or dtype, and for a schedule that gives no learning rate. Nothing is
            changed then.
        """
        own, given = self._operands(parameters, gradients)
        numbers = self.advance()
        self._write(own, given, lambda dtype: numbers)

    def advance(self):
        """Count a step; returns the numbers that change from step to step."""
        rate = at_least_zero(self, "rate", self.rate(self.steps)) if callable(self.rate) else self.rate
        self.steps += 1
        return self._numbers(rate)

    def write(self, parameters, gradients, numbers):
        """What `update` does, without counting a step; `numbers` gives those of `advance` by dtype."""
        own, given = self._operands(parameters, gradients)
        self._write(own, given, numbers)

    def prepare(self, parameters):
        """Make the arrays that are kept for parameters, if there are none yet."""
        tree = tree_of(parameters)
        own = leaves(tree)
        self._check(tree, own)
        self._prepare(tree, own)

    def _operands(self, parameters, gradients):
        """The arrays of both, checked, when those that are kept for them are there."""
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

    def _numbers(self, rate):
        """What changes from step to step, made of the rate and the number of steps."""
        return rate,

    def _change(self, p, g, numbers, *state):
        """Write a parameter and its arrays of `slots` in place."""
        raise NotImplementedError

    def _decayed(self, p, g):
        """The gradient with weight decay as the derivative of a penalty."""
        return g + self.weight_decay * p if self.weight_decay else g

    def _check(self, tree, own):
        """Check that all can be trained."""
        wrong = first_that_cannot_be_trained(own)
        if wrong >= 0:
            name, p = named(tree)[wrong]
            what = f"{p.dtype}{p.shape}" if isinstance(p, LazyArray) else type(p).__name__
            raise TypeError(
                f"{self._name}: parameter {name} must be a lazy array of floats that can be written to, got {what}")

    def _prepare(self, tree, own):
        """Make the state of the first step; check that later ones come with the same parameters."""
        if self._form is None:
            self._form = rebuilt(tree, itertools.count())
            self._arrays = {name: [core.full(p.shape, 0, p.dtype) for p in own] for name in self.slots}
        for name, arrays in self._arrays.items():
            if not alike(own, arrays):
                raise ValueError(f"{self._name}: {_difference(tree, rebuilt(self._form, iter(arrays)), name)}")

    def state(self):
        """What the next step depends on besides the parameters, as a tree: the number of steps, and arrays.

        The arrays are those that the optimiser writes to, not copies.
        """
        return {"steps": self.steps, **{name: rebuilt(self._form, iter(self._arrays[name])) for name in self._arrays}}

    def load_state(self, tree):
        """Go on from a state, of which copies are made.

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

    def arrays(self):
        """The arrays of the state, to be evaluated together with the parameters."""
        return [x for arrays in self._arrays.values() for x in arrays]

    @property
    def _name(self):
        return type(self).__name__


def tree_of(parameters):
    """The parameters of a layer; of anything else itself."""
    found = getattr(parameters, "parameters", None)
    return found() if callable(found) else parameters


def at_least_zero(owner, name, value, below=math.inf):
    """The value as a float in [0, below)."""
    number = float(value)
    if not 0 <= number < below:
        wanted = "finite and not negative" if below == math.inf else f"at least 0 and below {below}"
        raise ValueError(f"{type(owner).__name__}: {name} must be {wanted}, got {value!r}")
    return number


def _difference(tree, other, what="the gradient"):
    """How the second tree differs from the parameters."""
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


def norm_of(x):
    """The Euclidean norm of all elements, of numbers in half precision in single."""
    return np.sqrt(sum_of_squares(x))


def sum_of_squares(x):
    """The sum of the squares of all absolute values, of numbers in half precision in single."""
    x = wide(x)
    return ((x * x.conj()).real if x.dtype.kind == "c" else x * x).sum()
