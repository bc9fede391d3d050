"""Jacobian and Hessian matrices: `vmap` over directions, so that all rows are one graph."""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.autodiff.transform import (
    argument_numbers,
    check_kind,
    chosen_arguments,
    constant_like,
    directional,
    gradient_function,
    linearized,
    pullback,
)
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.autodiff.vmap_transform import vmap
from lazyarr.ops.arguments import array_argument, check_function
from lazyarr.ops.deferred_dispatch import deferrable
from lazyarr.ops.operands import lazy


def _inexact(tree, what):
    """Return a tree of arrays; raise TypeError unless all can be differentiated with respect to."""
    for x, path in zip(leaves(tree), paths(tree), strict=True):
        check_kind(array_argument(x, what + path), what + path)
    return tree


@api_boundary
def jacobian(f, argnums=0, mode="reverse"):
    """Make a function that computes the Jacobian matrix of `f`: all partial derivatives of its results.

    Parameters
    ----------
    f : callable
        Takes and returns arrays of floats or complex numbers, or trees of arrays.
    argnums : int or sequence of int, optional
        The arguments to differentiate with respect to.
    mode : {"reverse", "forward"}, optional
        "reverse" costs one backward pass for each element of the result, "forward" one forward pass for each element
        of the arguments. All passes are one graph.

    Returns
    -------
    callable
        Takes the arguments of `f` and returns an array of shape ``result.shape + argument.shape``; for several
        arguments a tuple of such, for trees of arguments or results trees of such.

    Raises
    ------
    ValueError
        If `mode` is none of the two.
    TypeError
        If an argument or a result has another dtype.
    NotDifferentiable
        If an operation in between has no derivative.

    See Also
    --------
    grad : for functions that return one real number

    Examples
    --------
    >>> la.jacobian(lambda x: x * x)(la.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    >>> la.jacobian(lambda x, y: {"product": x * y}, (0, 1))(2.0, 3.0)
    {'product': (array(3.), array(2.))}
    """
    if mode not in ("reverse", "forward"):
        raise ValueError(f"jacobian: mode must be 'reverse' or 'forward', got {mode!r}")
    return _jacobian_function(f, argnums, mode, "jacobian")


def _jacobian_function(f, argnums, mode, name):
    """Return `jacobian` of f, whose errors begin with this name."""
    check_function(f, f"{name}: f")
    numbers, several = argument_numbers(argnums, name)

    @deferrable
    @api_boundary
    @functools.wraps(f)
    def matrices(*args, **kwargs):
        def of_chosen(*chosen):
            given = list(args)
            for n, x in zip(numbers, chosen, strict=True):
                given[n] = x
            return f(*given, **kwargs)

        chosen = tuple([_inexact(x, f"{name}: argument {n}")
                        for n, x in zip(numbers, chosen_arguments(args, numbers, name), strict=True)])
        xs = [*map(lazy, leaves(chosen))]
        if mode == "forward":
            out, push = linearized(of_chosen, chosen, name)
            ys = leaves(out)
            columns = [vmap(lambda basis, k=k: leaves(push(_alone(basis, xs, k))), out_axes=-1)(_basis(x))
                       for k, x in enumerate(xs)]
            rows = [*zip(*columns, strict=True)] if xs else [()] * len(ys)
        else:
            out, pull = pullback(of_chosen, chosen, name)
            ys = leaves(out)
            rows = [vmap(lambda basis, k=k: leaves(pull(rebuilt(out, iter(_alone(basis, ys, k))))))(_basis(y))
                    for k, y in enumerate(ys)]
        found = []
        for y, row in zip(ys, rows, strict=True):
            made = rebuilt(chosen, iter([part.reshape(y.shape + x.shape) for part, x in zip(row, xs, strict=True)]))
            found.append(made if several else made[0])
        return rebuilt(out, iter(found))

    return matrices


def _basis(like):
    """Return the standard basis, stacked along a new first axis: arrays like this one with a single 1 each."""
    dtype = like.dtype.newbyteorder("=")
    return core.from_numpy(np.eye(like.size, dtype=dtype).reshape(like.size, *like.shape))


def _alone(x, arrays, k):
    """Return x at position k, and zeros like the other arrays."""
    return [x if i == k else constant_like(y, 0) for i, y in enumerate(arrays)]


@deferrable
def hvp(f, primals, tangents):
    """Compute a Hessian-vector product, without computing the Hessian matrix.

    Parameters
    ----------
    f : callable
        Returns one real number.
    primals : tuple of array_like
        The arguments of `f`.
    tangents : tuple of array_like
        The vector: an array of the same shape for each argument.

    Returns
    -------
    tuple of LazyArray
        An array of the same shape for each argument.

    Examples
    --------
    >>> la.hvp(lambda x: (x ** 3).sum(), (la.array([1.0, 2.0]),), (la.array([1.0, 0.0]),))
    (array([6., 0.]),)
    """
    if not isinstance(primals, list | tuple):
        raise TypeError(f"hvp: primals must be a tuple, one for each argument, got {type(primals).__name__}")
    gradient = gradient_function(f, tuple(range(len(primals))), False, "hvp")
    return directional(gradient, primals, tangents, "hvp")[1]


@api_boundary
def hessian(f, argnums=0):
    """Make a function that computes the Hessian matrix of `f`: all second partial derivatives.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int, optional
        The arguments to differentiate with respect to.

    Returns
    -------
    callable
        Takes the arguments of `f` and returns an array of shape ``argument.shape + argument.shape``; for several
        arguments a tuple of tuples of arrays, as `jacobian` of `grad` returns them.

    Examples
    --------
    >>> la.hessian(lambda x: x[0] ** 2 * x[1])(la.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    return _jacobian_function(gradient_function(f, argnums, False, "hessian"), argnums, "reverse", "hessian")


@api_boundary
def laplacian(f):
    """Make a function that computes the Laplacian of `f`: the sum of its unmixed second derivatives.

    Parameters
    ----------
    f : callable
        Takes one array of floats and returns one real number.

    Returns
    -------
    callable
        Takes the argument of `f` and returns a scalar.

    Examples
    --------
    >>> la.laplacian(lambda x: (x ** 3).sum())(la.array([1.0, 2.0]))
    np.float64(18.0)
    """
    gradient = gradient_function(f, 0, False, "laplacian")

    @deferrable
    @api_boundary
    @functools.wraps(f)
    def total(x):
        x = array_argument(x, "laplacian: argument 0")
        check_kind(x, "laplacian: argument 0")

        def second(basis):
            return (directional(gradient, (x,), (basis,), "laplacian")[1] * basis).sum()

        return vmap(second)(_basis(x)).sum()

    return total
