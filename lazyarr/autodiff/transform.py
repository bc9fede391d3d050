"""Derivatives of functions of arrays: grad, vjp, jvp and their compositions.

A function is called once, on arrays that stand for its arguments, and what it returns has its graph; `vjp.pull_back`
adds the graph of the derivative. Python's own `if`, `for` and `while` run as they are. A value that is read, by
`float(x)` or `.numpy()`, is a constant from there on.
"""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.runtime import evaluation_lock
from lazyarr._core.transforms import vjp as tape
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.ops import derivatives
from lazyarr.ops.arguments import array_argument, check_function
from lazyarr.ops.deferred_dispatch import deferrable
from lazyarr.ops.deferred_operands import deferred_among
from lazyarr.ops.operands import LazyArray, lazy, native


def _recording():
    derivatives.install()
    return tape.recording()


def check_kind(x, what):
    """Raise TypeError unless x is of floats or complex numbers."""
    if x.dtype.kind not in "fc":
        raise TypeError(f"{what} must be of floats or complex numbers, got {x.dtype}")


def _differentiable(x, what):
    """Return an alias of x to differentiate with respect to."""
    x = array_argument(x, what)
    check_kind(x, what)
    return tape.alias(x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("=")))


def _arrays(tree, what):
    return [_differentiable(x, what + path) for x, path in zip(leaves(tree), paths(tree), strict=True)]


def _primals(primals, name):
    return [x for number, primal in enumerate(primals) for x in _arrays(primal, f"{name}: argument {number}")]


def _given(tree, arrays):
    """Return a copy of the tree for the function, which may write to it."""
    return rebuilt(tree, map(tape.another, arrays))


def _result(y, name):
    if not isinstance(y, LazyArray):
        raise TypeError(f"{name}: the function must return a lazy array, got {type(y).__name__}")
    if y.dtype.kind not in "fc":
        raise TypeError(f"{name}: the function must return floats or complex numbers, got {y.dtype}")
    return y


def _results(out, name):
    found = leaves(out)
    return [_result(y, f"{name}: result {number}" if len(found) > 1 else name) for number, y in enumerate(found)]


def constant_like(like, value):
    """Return an array of the shape and dtype of another one, filled with a value."""
    if not like.ndim:
        made = core.asarray_operand(like.dtype.type(value))
        return made if like._scalar else core.unscalar(made)
    return core.from_numpy(np.broadcast_to(np.asarray(value, like.dtype), like.shape))


def pulled_back(results, cotangents, inputs):
    """Return the cotangents of the inputs, zeros where no result depends on them."""
    found = tape.pull_back(results, cotangents, inputs)
    return [constant_like(x, 0) if g is None else g for x, g in zip(inputs, found, strict=True)]


@api_boundary
def value_and_grad(f, argnums=0, has_aux=False):
    """Make a function that computes both the value of `f` and its gradient.

    Parameters
    ----------
    f : callable
        Returns one real number, as an array of shape (); with `has_aux`, a pair of that and anything else.
    argnums : int or sequence of int, optional
        The arguments to differentiate with respect to: arrays of floats or complex numbers, or trees of such.
    has_aux : bool, optional
        Whether `f` returns a pair.

    Returns
    -------
    callable
        Takes the arguments of `f` and returns ``(f(...), gradient)``. The gradient is an array or tree like the
        argument; for several arguments, a tuple of such.

    Raises
    ------
    TypeError
        If an argument has another dtype, or `f` returns something else.
    NotDifferentiable
        If an operation between the arguments and the result has no derivative.

    Examples
    --------
    >>> value, gradient = la.value_and_grad(lambda x: (x ** 2).sum())(la.array([1.0, 2.0]))
    >>> value, gradient
    (np.float64(5.0), array([2., 4.]))
    """
    return _value_and_gradient(f, argnums, has_aux, "value_and_grad")


def _value_and_gradient(f, argnums, has_aux, name):
    """Return `value_and_grad` of f, whose errors begin with this name."""
    check_function(f, f"{name}: f")
    numbers, several = argument_numbers(argnums, name)

    @deferrable
    @functools.wraps(f)
    def with_gradient(*given, **kwargs):
        args = list(given)
        own, inputs, chosen = [], [], chosen_arguments(args, numbers, name)
        for n, x in zip(numbers, chosen, strict=True):
            arrays = _arrays(args[n], f"{name}: argument {n}")
            own += leaves(x)
            args[n] = _given(args[n], arrays)
            inputs += arrays
        out, found = differentiated(lambda: f(*args, **kwargs), inputs, has_aux, name)
        for x, made in zip(own, inputs, strict=True):
            if isinstance(x, LazyArray):
                tape.become(x, made)
        found = iter(found)
        gradients = tuple([rebuilt(tree, found) for tree in chosen])
        return out, gradients if several else gradients[0]

    return with_gradient


def argument_numbers(argnums, name):
    """Return the positions of arguments, and whether they were given as a sequence."""
    several = isinstance(argnums, list | tuple)
    numbers = tuple(argnums) if several else (argnums,)
    for n in numbers:
        if not isinstance(n, int | np.integer):
            raise TypeError(f"{name}: argnums must be an integer or several, got {argnums!r}")
    return numbers, several


def chosen_arguments(args, numbers, name):
    """Return the arguments at these positions."""
    for n in numbers:
        if not -len(args) <= n < len(args):
            given = f"{len(args)} argument{'' if len(args) == 1 else 's'}"
            raise TypeError(f"{name}: there is no argument {n} to differentiate by, the call has {given}")
    return [args[n] for n in numbers]


def differentiated(call, inputs, has_aux, name):
    """Return the result of a call and its gradient with respect to arrays that it uses; see `value_and_grad`."""
    with _recording():
        out = call()
        if has_aux and not (isinstance(out, tuple) and len(out) == 2):
            raise TypeError(f"{name}: with has_aux the function must return a pair, of the number and something else, "
                            "got " + (f"{len(out)} results" if isinstance(out, tuple) else type(out).__name__))
        value = _result(out[0] if has_aux else out, name)
        if value.ndim or value.dtype.kind == "c":
            raise TypeError(f"{name}: the function must return one real number, got shape {value.shape} of "
                            f"{value.dtype}")
        return out, pulled_back([value], [tape.one(value)], inputs)


@api_boundary
def grad(f, argnums=0, has_aux=False):
    """Make a function that computes the gradient of `f`.

    Parameters
    ----------
    f : callable
        Returns one real number, as an array of shape (); with `has_aux`, a pair of that and anything else.
    argnums : int or sequence of int, optional
        The arguments to differentiate with respect to: arrays of floats or complex numbers, or trees of such.
    has_aux : bool, optional
        Whether `f` returns a pair.

    Returns
    -------
    callable
        Takes the arguments of `f` and returns an array or tree like the argument; for several arguments, a tuple of
        such. With `has_aux`, a pair of the gradient and the second result of `f`.

    Raises
    ------
    TypeError
        If an argument has another dtype, or `f` returns something else.
    NotDifferentiable
        If an operation between the arguments and the result has no derivative.

    See Also
    --------
    value_and_grad : also returns the value of `f`
    jacobian : for functions that return arrays

    Notes
    -----
    With respect to a complex number z = x + iy the gradient is df/dx - i df/dy, as in JAX; gradient descent goes along
    minus its conjugate. For the complex derivative of a holomorphic function, pass the cotangent 1 to `vjp`.

    An element that `where` or a mask does not select contributes nothing to a gradient, even if its own derivative is
    infinite or NaN. This holds through elementwise operations, views and updates. Calls, such as loops and
    `checkpoint`, get a cotangent of zero there, as do elements that slices and index arrays leave out, and as
    everything does in JAX: zero times infinity is then NaN. Apply `where` to the operands of such a call, or inside it.

    Examples
    --------
    >>> la.grad(la.grad(lambda x: x ** 3))(2.0)
    np.float64(12.0)
    >>> la.grad(lambda z: la.abs(z) ** 2)(3 + 4j)
    np.complex128(6-8j)
    >>> _, pull = la.vjp(lambda z: z * z, 3 + 4j)
    >>> pull(1 + 0j)
    (np.complex128(6+8j),)
    """
    return gradient_function(f, argnums, has_aux, "grad")


def gradient_function(f, argnums, has_aux, name):
    """Return `grad` of f, whose errors begin with this name."""
    both = _value_and_gradient(f, argnums, has_aux, name)

    @api_boundary
    @functools.wraps(f)
    def gradient(*args, **kwargs):
        out, found = both(*args, **kwargs)
        return (found, out[1]) if has_aux else found

    return gradient


@api_boundary
def vjp(f, *primals):
    """Compute ``f(*primals)`` and a function for its vector-Jacobian products.

    Parameters
    ----------
    f : callable
        Takes and returns arrays of floats or complex numbers, or trees of arrays.
    *primals : array_like or tree of array_like
        The arguments of `f`.

    Returns
    -------
    out : LazyArray or tree of LazyArray
        ``f(*primals)``.
    pull : callable
        Takes a cotangent, an array or tree like `out`, and returns a tuple of cotangents, one like each argument.

    Raises
    ------
    TypeError
        If an argument or a result has another dtype, or a cotangent another form.
    ValueError
        If a cotangent has another shape.
    NotDifferentiable
        If an operation between the arguments and the result has no derivative.

    Examples
    --------
    >>> y, pull = la.vjp(lambda a, b: a * b, la.array([1.0, 2.0]), 3.0)
    >>> pull(la.ones(2))
    (array([3., 3.]), np.float64(3.0))
    """
    if deferred_among(primals) is not None:
        raise TypeError("vjp: the function that it gives cannot be part of a symbolic graph; use grad or jvp, or jit a "
                        "function that calls vjp")
    return pullback(f, primals, "vjp")


def pullback(f, primals, name):
    """Return ``f(*primals)``, and a function that maps a cotangent of the result to those of the arguments."""
    check_function(f, f"{name}: f")
    with _recording():
        inputs = _primals(primals, name)
        out = f(*_given(primals, inputs))
        results = list(map(tape.another, _results(out, name)))
        tape.pin(results, inputs)

    @api_boundary
    def pull(cotangents):
        arrays = leaves(cotangents)
        _check_form(cotangents, out, f"{name}: cotangents", "the result")
        given = [_like(g, y, f"{name}: the cotangent{path}")
                 for g, y, path in zip(arrays, results, paths(cotangents), strict=True)]
        with _recording():
            return rebuilt(primals, iter(pulled_back(results, given, inputs)))

    return out, pull


def _check_form(tree, like, what, of):
    """Raise TypeError unless there are as many leaves, under the same keys."""
    found, wanted = paths(tree), paths(like)
    if len(found) != len(wanted) or _under_keys(found) != _under_keys(wanted):
        raise TypeError(f"{what} must have the form of {of}: they are {len(found)} arrays{_at(found)}, {of} "
                        f"{len(wanted)}{_at(wanted)}")


def _under_keys(places):
    return [place for place in places if "'" in place]


def _at(places):
    return f" at {', '.join(places)}" if _under_keys(places) else ""


def _like(g, y, what):
    """Return g as a LazyArray of y's shape and dtype."""
    g = array_argument(g, what)
    if g.shape != y.shape:
        raise ValueError(f"{what} must have shape {y.shape}, got {g.shape}")
    if g.dtype.kind == "c" != y.dtype.kind:
        raise TypeError(f"{what} must be of {y.dtype}, got {g.dtype}")
    return g if g.dtype == y.dtype else core.copy(g, y.dtype)


@deferrable
def jvp(f, primals, tangents):
    """Compute ``f(*primals)`` and its Jacobian-vector product: the directional derivative.

    Parameters
    ----------
    f : callable
        Takes and returns arrays of floats or complex numbers, or trees of arrays.
    primals : tuple
        The arguments of `f`.
    tangents : tuple
        The direction: an array or tree like each argument.

    Returns
    -------
    out, tangent : LazyArray or tree of LazyArray
        ``f(*primals)``, and its derivative along the direction.

    Raises
    ------
    TypeError
        If an argument or a result has another dtype, or a tangent another form.
    ValueError
        If a tangent has another shape.
    NotDifferentiable
        If an operation between the arguments and the result has no derivative.

    Examples
    --------
    >>> la.jvp(la.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    return directional(f, primals, tangents, "jvp")


def directional(f, primals, tangents, name):
    """Return `jvp` of f, whose errors begin with this name."""
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, list | tuple):
            raise TypeError(f"{name}: {what} must be a tuple, one for each argument, got {type(given).__name__}")
    _check_form(tuple(tangents), tuple(primals), f"{name}: tangents", "the primals")
    out, push = linearized(f, primals, name)
    return out, push(tangents)


def linearized(f, primals, name):
    """Return ``f(*primals)``, and a function that maps tangents of the arguments to that of the result."""
    check_function(f, f"{name}: f")
    with _recording():
        inputs = _primals(primals, name)
        out = f(*_given(primals, inputs))
        results = _results(out, name)
        cotangents = [tape.alias(constant_like(y, 0)) for y in results]
        pulled = tape.pull_back(results, cotangents, inputs)
        tape.pin([g for g in pulled if g is not None], cotangents)

    @api_boundary
    def push(tangents):
        given = [_like(t, x, f"{name}: the tangent of argument {path[1:].replace(']', '', 1)}")
                 for t, x, path in zip(leaves(tangents), inputs, paths(tangents), strict=True)]
        linear = [(g, t) for g, t in zip(pulled, given, strict=True) if g is not None]
        with _recording():
            return rebuilt(out, iter(pulled_back([g for g, _ in linear], [t for _, t in linear], cotangents)))

    return out, push


@deferrable
def stop_gradient(x):
    """Treat `x` as a constant: derivatives through it are zero.

    Parameters
    ----------
    x : array_like or tree of array_like

    Returns
    -------
    LazyArray or tree of LazyArray
        The same values.

    Examples
    --------
    >>> la.grad(lambda x: x * la.stop_gradient(x))(3.0)
    np.float64(3.0)
    """
    return rebuilt(x, iter([tape.stop(y) if native(y.dtype) else y for y in map(lazy, leaves(x))]))


@api_boundary
def gradient_of(loss, *arrays):
    """Differentiate this array, one real number, with respect to arrays that it was computed from.

    The pending graph serves as the tape. `lazyarr.grad` works without these limits.

    Parameters
    ----------
    *arrays : LazyArray
        Arrays of floats or complex numbers.

    Returns
    -------
    LazyArray or tuple of LazyArray
        An array of the same shape for each.

    Raises
    ------
    TypeError
        If this array is not one real number.
    ValueError
        If it does not depend on one of the arrays, or if an array in between has been evaluated: because its value was
        read, because it is a number such as ``x[0]``, or because more than ``config.budget_nodes`` operations were
        pending. Wrap evaluated arrays that are meant as constants in `stop_gradient`; in rare cases, arrays that are
        computed from others need it, too.

    Notes
    -----
    Numbers and ndarrays are constants, also those read from an array by ``float(x[0])``, ``x.tolist()``,
    ``np.asarray(x)``, or by iterating over its elements. In functions that `lazyarr.grad` calls, elements are arrays.

    Examples
    --------
    >>> w = la.array([1.0, 2.0])
    >>> loss = (w * w).sum()
    >>> loss.grad(w)
    array([2., 4.])
    """
    _result(loss, "grad")
    if loss.ndim or loss.dtype.kind == "c":
        raise TypeError(f"grad: only one real number has a gradient, got shape {loss.shape} of {loss.dtype}")
    for number, x in enumerate(arrays):
        if not isinstance(x, LazyArray) or x.dtype.kind not in "fc":
            got = x.dtype if isinstance(x, LazyArray) else type(x).__name__
            raise TypeError(f"grad: argument {number} must be a lazy array of floats, got {got}")
    leads: list = []
    with evaluation_lock.held(), _recording():  # another thread may be evaluating what lies between
        found = tape.pull_back([loss], [tape.one(loss)], list(arrays), leads=leads)
    for number, known in enumerate(leads):
        if not known:
            what = "nothing leads" if known is False else "it is forgotten what leads"
            raise ValueError(f"grad: {what} from argument {number} to this number. If it does depend on it, some of "
                             "what lies between was evaluated, as what grows beyond the budgets of lazyarr.config is: "
                             "take the gradient earlier, or use lazyarr.grad; mark constants with stop_gradient")
    found = [constant_like(x, 0) if g is None else g for x, g in zip(arrays, found, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)
