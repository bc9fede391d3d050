"""Functions with user-defined derivatives: `custom_vjp` and `custom_jvp`."""
import inspect
import threading

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import leaf_memory
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.ir.device_function import DeviceFunction
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.callable_wrapper import Wrapped
from lazyarr.autodiff.transform import pulled_back
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.ops.arguments import check_function
from lazyarr.ops.operands import LazyArray, lazy


def _is_array(x):
    return isinstance(x, LazyArray | np.ndarray | np.inexact | float | complex)


class GivenOn(DeviceFunction):
    """Return the first `count` operands, which were computed from the others by a function with the derivative `rule`.

    `rule` takes the cotangents of the results, by index, and the other operands; it returns the cotangents of these.
    """

    def __init__(self, count, rule):
        self.count, self.rule = count, rule

    def __call__(self, *arrays):
        """Return the first operands."""
        return arrays[:self.count]

    def run_on_device(self, device, operands, words):
        """Return the memory of the first operands."""
        return leaf_memory.first_in_order(device, operands, self.count)

    def pull_back(self, g, results, operands, wanted):
        """Return the cotangents of the operands by the rule."""
        made = [None] * self.count + self.rule(g, operands[self.count:])
        return made + [None] * (len(operands) - len(made))


def _with_rule(name, rule, out, args, residuals=None):
    """Return the tree `out` with the derivative `rule`.

    `rule` takes trees: the cotangents of `out`, and the arrays of `args` and `residuals`. It returns one like `args`.
    """
    results = [lazy(y) for y in leaves(out)]
    given = [lazy(x) for tree in (args, residuals) for x in leaves(tree) if _is_array(x)]
    forms = [(y.shape, y.dtype) for y in results]
    outlines = list(map(_outline, (out, args, residuals)))  # a call must not refer to its own results and operands

    def pull_back(g, operands):
        arrays = iter(operands)
        cotangents = [g[k] if k in g else core.from_numpy(np.zeros(*form)) for k, form in enumerate(forms)]
        own = _filled(outlines[1], arrays)
        found = rule(rebuilt(outlines[0], iter(cotangents)), own, _filled(outlines[2], arrays))
        return _checked(name, found, outlines[1], [x for x in leaves(own) if _is_array(x)])

    made = core.opaque_multi(name, GivenOn(len(forms), pull_back), [*results, *given], forms, is_native=True)
    return rebuilt(out, iter([core.scalar(y) if x._scalar else y for x, y in zip(results, made, strict=True)]))


class _Hole:
    """Marks the place of an array in a tree."""


def _outline(tree):
    return rebuilt(tree, iter([_Hole if _is_array(x) else x for x in leaves(tree)]))


def _filled(outline, arrays):
    return rebuilt(outline, iter([next(arrays) if x is _Hole else x for x in leaves(outline)]))


def _checked(name, found, arguments, arrays):
    """Check the cotangents that a rule returned: one for each array among the arguments, or None."""
    if not isinstance(found, tuple) or len(found) != len(arguments):
        raise TypeError(f"{name}: the rule must give a tuple of {len(arguments)} cotangents, one for each argument")
    arrays, checked = iter(arrays), []
    for number, (given, argument) in enumerate(zip(found, arguments, strict=True)):
        wanted = leaves(argument)
        if given is not None and paths(given) != paths(argument):
            raise TypeError(f"{name}: the cotangent of argument {number} must have the form of the argument")
        for path, g, hole in zip(paths(argument), leaves(given) if given is not None else wanted, wanted, strict=True):
            if hole is not _Hole:
                continue
            x = next(arrays)
            g = None if given is None else lazy(g)
            if g is not None and g.shape != x.shape:
                raise ValueError(f"{name}: the cotangent of argument {number}{path} has shape {g.shape}, the argument "
                                 f"{x.shape}")
            checked.append(g)
    return checked


def _pair(name, what, parts, made):
    """Return the two results of a user's function; raise TypeError if there are not two."""
    if not isinstance(made, tuple) or len(made) != 2:
        got = f"{len(made)} results" if isinstance(made, tuple) else type(made).__name__
        raise TypeError(f"{name}: {what} must give a pair, of {parts}, got {got}")
    return made


def _tangents(name, moved, out):
    """Check the tangents that a rule returned: one for each array of the result, and like it."""
    if paths(moved) != paths(out):
        raise TypeError(f"{name}: the tangent must have the form of the result: it is {len(leaves(moved))} arrays, the "
                        f"result {len(leaves(out))}")
    found = list(map(lazy, leaves(moved)))
    for t, y, path in zip(found, leaves(out), paths(out), strict=True):
        if t.shape != y.shape:
            raise ValueError(f"{name}: the tangent{path} has shape {t.shape}, the result {y.shape}")
    return found


def _signature(function):
    """Return the signature of a function, or None for native code without one."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def _by_place(name, signature, args, kwargs):
    """Return the arguments of a call as positional ones, with defaults filled in."""
    if signature is None:
        if kwargs:
            raise TypeError(f"{name}: the function has no signature that gives the places of keyword arguments")
        return args
    if not kwargs and len(args) == len(signature.parameters):
        return args
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    if kwargs and bound.kwargs:
        raise TypeError(f"{name}: a rule is given arguments by their places, and {next(iter(bound.kwargs))} has none")
    return bound.args


class _GoingForward(threading.local):
    """Functions whose forward rule runs in this thread: called inside it, they compute their result as usual."""

    def __init__(self):
        self.functions: list[custom_vjp] = []


_going_forward = _GoingForward()


class _WithRule(Wrapped):
    def __init__(self, f):
        check_function(f, f"{type(self).__name__}: f")
        super().__init__(f)
        self._function, self._name = f, f"{type(self).__name__} of {getattr(f, '__name__', type(f).__name__)}"
        self._signature = _signature(f)


@api_boundary
class custom_vjp(_WithRule):
    """A function with a custom derivative rule in reverse mode; usable as a decorator.

    Parameters
    ----------
    f : callable
        The function. `defvjp` states its rule; until then its derivative is computed as usual.

    Examples
    --------
    >>> @la.custom_vjp
    ... def clipped(x):  # a gradient that is clipped
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda residuals, g: (la.clip(g, -1, 1),))
    >>> la.grad(lambda x: (clipped(x) ** 2).sum())(la.array([0.2, 5.0]))
    array([0.4, 1. ])
    """

    def defvjp(self, forward, backward):
        """Define the derivative.

        Parameters
        ----------
        forward : callable
            Takes the arguments of `f` and returns a pair: ``f(*args)``, for which it may call this function, and the
            residuals that `backward` needs, an array or a tree of arrays.
        backward : callable
            Takes the residuals and the cotangent of the result, and returns a tuple with the cotangent of each
            argument; None for zero.
        """
        check_function(forward, f"{self._name}: forward")
        check_function(backward, f"{self._name}: backward")
        self._rule = forward, backward

    def __call__(self, /, *args, **kwargs):
        """f(*args, **kwargs); the rule gets all arguments by position."""
        if self._rule is None or self in _going_forward.functions:
            return self._function(*args, **kwargs)
        forward, backward = self._rule
        args = _by_place(self._name, self._signature, args, kwargs)
        _going_forward.functions.append(self)
        try:
            made = forward(*args)
        finally:
            _going_forward.functions.pop()
        out, residuals = _pair(self._name, "forward", "the result and what the rule needs", made)
        return _with_rule(self._name, lambda g, args, residuals: backward(residuals, g),
                          out, args, residuals)


@api_boundary
class custom_jvp(_WithRule):
    """A function with a custom derivative rule in forward mode; usable as a decorator.

    Reverse mode, as of `grad`, transposes the rule.

    Parameters
    ----------
    f : callable
        The function. `defjvp` states its rule; until then its derivative is computed as usual.

    Examples
    --------
    >>> @la.custom_jvp
    ... def length(x):
    ...     return la.sqrt((x * x).sum())
    >>> @length.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     y = length(x)
    ...     return y, la.where(y > 0, (x * t).sum() / y, 0.0)
    >>> la.grad(length)(la.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    def defjvp(self, rule):
        """State the rule; usable as a decorator.

        Parameters
        ----------
        rule : callable
            Takes a tuple of the arguments and a tuple of their tangents, and returns ``f(*args)`` and its tangent.

        Returns
        -------
        callable
            The rule.
        """
        self._rule = rule
        return rule

    def __call__(self, /, *args, **kwargs):
        """f(*args, **kwargs); the rule gets all arguments by position."""
        if self._rule is None:
            return self._function(*args, **kwargs)
        args = _by_place(self._name, self._signature, args, kwargs)
        out = self._function(*args)
        rule = self._rule

        def pull_back(g, primals, _):
            tangents = [vjp.alias(core.from_numpy(np.zeros(x.shape, x.dtype))) if _is_array(x) else x
                        for x in leaves(primals)]
            made = rule(primals, rebuilt(primals, iter(tangents)))
            _, moved = _pair(self._name, "the rule", "the result and its tangent", made)
            wanted = [t for t in tangents if _is_array(t)]
            found = iter(pulled_back(_tangents(self._name, moved, g), leaves(g), wanted))
            return rebuilt(primals, iter([next(found) if _is_array(t) else t for t in tangents]))

        return _with_rule(self._name, pull_back, out, args)
