"""Cofactors of matrices: how determinants change with the elements."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.autodiff.composed_rules import by_composition
from lazyarr.autodiff.rules import times_others
from lazyarr.ops.batches import unchanged


def cofactors(a, determinant):
    """The cofactors of square matrices whose determinants are known."""
    return core.opaque_multi("derivative", _Cofactors(), [a, determinant], [(a.shape, a.dtype)], is_native=True)[0]


def _of_invertible(a):
    return np.linalg.det(a)[..., None, None] * np.matrix_transpose(np.linalg.inv(a))


class _Cofactors:
    """The transposed inverse times the determinant; where there is none, or hardly one, by singular values.

    With a = u s v these are the products of the others, d, in place of the singular values s, and conjugates of the
    vectors: det(u) det(v) conj(u) d conj(v).
    """

    batch = staticmethod(unchanged)

    def __call__(self, a, determinant):
        most = np.prod(np.linalg.norm(a, axis=-1), axis=-1)  # Hadamard's bound
        if (np.abs(determinant) > np.sqrt(np.finfo(a.dtype).eps) * most).all():
            return determinant[..., None, None] * np.matrix_transpose(np.linalg.inv(a)),
        u, s, v = np.linalg.svd(a)
        sign = np.linalg.det(u) * np.linalg.det(v)
        return sign[..., None, None] * (u.conj() * times_others((-1,), 1, s)[..., None, :]) @ v.conj(),

    def pull_back(self, g, results, operands, wanted):
        """Cotangents of the matrices; not where they are singular."""
        return *by_composition(_of_invertible)(g[0], None, operands[:1], wanted[:1]), None
