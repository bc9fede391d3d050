"""Cofactors of matrices: the derivative of determinants by the elements.

For singular or nearly singular matrices they are computed from the singular values. With a = u s v, and x = u^H e v^H
for a change e of a, the determinant of a + e is det(u) det(v) det(s + x), whose terms in x are:

    first   sum of x[j, j] times the product of all s but s[j]
    second  sum over i < j of x[i, i] x[j, j] - x[i, j] x[j, i], times the product of all s but s[i] and s[j]
"""
import numpy as np

from lazyarr.autodiff.composed_vjps import by_composition
from lazyarr.autodiff.ufunc_vjps import called, times_others
from lazyarr.ops.vmap_helpers import on_batch


def cofactors(a, determinant):
    """Return the cofactors of square matrices, given their determinants."""
    return called(_Cofactors(), [a, determinant])[0]


def _transposed_inverse(a):
    return np.matrix_transpose(np.linalg.inv(a))


def _are_invertible(a, determinant):
    """Return whether all matrices are far from singular."""
    most = np.prod(np.linalg.norm(a, axis=-1), axis=-1)  # Hadamard's bound
    return (np.abs(determinant) > np.sqrt(np.finfo(a.dtype).eps) * most).all()


def _decomposed(a):
    """Return u, s, v, and the product of the determinants of u and v."""
    u, s, v = np.linalg.svd(a)
    return u, s, v, (np.linalg.det(u) * np.linalg.det(v))[..., None, None]


def _batched(self, call, operands, batched, size):
    """Batch a function of stacks of one shape: the stacks of all operands get the batch axis."""
    return called(self, [on_batch(x, is_batched, size) for x, is_batched in zip(operands, batched, strict=True)])


class _Cofactors:
    """The transposed inverse times the determinant; for singular matrices, from products of singular values."""

    batch = _batched

    def __call__(self, a, determinant):
        if _are_invertible(a, determinant):
            return determinant[..., None, None] * _transposed_inverse(a),
        u, s, v, sign = _decomposed(a)
        return sign * (u.conj() * times_others((-1,), 1, s)[..., None, :]) @ v.conj(),

    def pull_back(self, g, results, operands, wanted):
        """Return the cotangents of the matrices."""
        return called(_Changes(), [*operands, g[0]])[0], None


def _changes(a, g, determinant=None):
    """Return the derivative of the sum of the cofactors of invertible matrices, weighted by g."""
    inverse = _transposed_inverse(a)
    whole = np.linalg.det(a) if determinant is None else determinant
    traces = np.sum(g * inverse, (-2, -1), keepdims=True)
    return whole[..., None, None] * (traces * inverse - inverse @ np.matrix_transpose(g) @ inverse)


class _Changes:
    """The function `_changes`, also for singular matrices."""

    batch = _batched

    def __call__(self, a, determinant, g):
        if _are_invertible(a, determinant):
            return _changes(a, g, determinant),
        u, s, v, sign = _decomposed(a)
        weights = np.matrix_transpose(u).conj() @ g @ np.matrix_transpose(v).conj()
        others = _products_without_two(s)
        on_diagonal = (others @ np.diagonal(weights, 0, -2, -1)[..., None]) * np.eye(s.shape[-1])
        return sign * u.conj() @ (on_diagonal - others * np.matrix_transpose(weights)) @ v.conj(),

    def pull_back(self, g, results, operands, wanted):
        """Return the cotangents of the matrices, unless singular, and of the weights, in which the result is linear."""
        a, determinant, weights = operands
        of_a = by_composition(lambda a: _changes(a, weights))(g[0], None, [a], [True])[0] if wanted[0] else None
        return of_a, None, called(_Changes(), [a, determinant, g[0]])[0] if wanted[2] else None


def _products_without_two(s):
    """Return for each pair of places the product of the elements at all others; zeros on the diagonal."""
    eye = np.eye(s.shape[-1], dtype=bool)
    return np.where(eye, 0, times_others((-1,), 1, np.where(eye, 1, s[..., None, :])))
