"""Products of matrices: which are native, and which are left to NumPy's BLAS."""
import numpy as np

from lazyarr._core import api as core

_COMPUTED_AS = {np.dtype(name): np.dtype(computed) for name, computed in [
    ("f4", "f4"), ("f8", "f8"), ("c8", "c8"), ("c16", "c16"),
    ("i4", "i4"), ("i8", "i8"), ("u4", "i4"), ("u8", "i8"),  # the same bits: integers wrap
]}
"""Dtypes of native products, and those whose arithmetic they use."""


def product(a, b, shape, dtype):
    """a @ b, of this shape and dtype, as a native node; None where NumPy's function serves better.

    Vectors wait for memory, not for arithmetic, and BLAS reads it as fast. Stacks in an unusual order of axes give a
    result in that order, which native products do not.
    """
    computed = _COMPUTED_AS.get(dtype)
    if computed is None or a.ndim < 2 or b.ndim < 2 or a.shape[-2] < 2 or b.shape[-1] < 2 or not a.shape[-1] \
            or 0 in shape or (len(shape) > 2 and (core.axes_copied(a) or core.axes_copied(b))):
        return None
    operands = [x if x.dtype == dtype else core.copy(x, dtype, name="matmul") for x in (a, b)]
    return core.kernel("matmul", _multiply, operands, shape, dtype)


def _multiply(out, a, b):
    if a.strides == b.strides[::-1] and a.shape == b.shape[::-1] and _start(a) == _start(b):
        np.matmul(a, b, out=out)  # BLAS computes half of a symmetric product
        return 0
    computed = _COMPUTED_AS[out.dtype]
    if computed != out.dtype:
        out, a, b = out.view(computed), a.view(computed), b.view(computed)
    return core.multiply_matrices(out, a, b)


def _start(array):
    return array.__array_interface__["data"][0]
