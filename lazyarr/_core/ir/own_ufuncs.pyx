"""Ufuncs that NumPy lacks, with NumPy's dtypes, casts, errors and keywords.

Their loops run on any thread, raise no Python errors, and preserve status flags set earlier.
"""
cimport numpy as cnp

import numpy as np

cnp.import_array()
cnp.import_ufunc()

cdef extern from "simd/fma.h":
    enum: LZ_FMA_LOOPS
    char* lz_fma_types
    int lz_fma_widest() noexcept
    cnp.PyUFuncGenericFunction* lz_fma_loops(int width) noexcept

# Kept alive, since NumPy keeps pointers to names and docstrings.
cdef const char* _FMA_DOC = b"""x1 * x2 + x3, rounded once: the fused multiply-add of IEEE 754.

Where the product and the sum are rounded one after the other, the result may have lost most of its digits, or have
overflowed on the way.

Parameters
----------
x1, x2, x3 : array_like
    Of bools, integers or real floats, which are broadcast against each other.
out : LazyArray or ndarray, optional
    Where the result is stored.
where : array_like of bool, optional
    Elements that are computed.
**kwargs
    The other keywords of NumPy's ufuncs: casting, order, dtype, subok.

Returns
-------
LazyArray
    Of the dtype to which the operands are promoted; a scalar if all operands are Python's or NumPy's. Integers wrap
    around, as they do in two operations, and of bools it is ``x1 & x2 | x3``.

Raises
------
TypeError
    For complex numbers and other dtypes.
ValueError
    For shapes that cannot be broadcast.

Notes
-----
The bits do not depend on the processor, but for those of NaNs: where it has no instruction for float32 and float64, the
C library computes the same, which takes much longer. Either may report ``inf * 0 + nan`` as an invalid value, or not.

``x * y + z`` is rounded twice, as NumPy does it. A rule has it computed in one step wherever `config.fast_math` holds:
``la.rules.add("add(multiply(x, y), z)", "fma(x, y, z)", fast=["f", "d"])``.

Examples
--------
>>> x = la.array([0.1, 3.0])
>>> la.fma(x, [10.0, 4.0], -1.0)
array([5.55111512e-17, 1.10000000e+01])
>>> x * [10.0, 4.0] - 1.0
array([ 0., 11.])
"""

FMA_WIDEST = lz_fma_widest()


def make_fma(int width):
    """Return the ufunc with the loops of libm (width 0), or with 256-bit (1) or 512-bit (2) vectors."""
    if not 0 <= width <= FMA_WIDEST:
        raise ValueError(f"this processor has no loops of width {width}")
    return cnp.PyUFunc_FromFuncAndData(lz_fma_loops(width), NULL, lz_fma_types, LZ_FMA_LOOPS, 3, 1, cnp.PyUFunc_None,
                                       b"fma", _FMA_DOC, 0)


fma = make_fma(FMA_WIDEST)
OWN = {"fma": fma}
"""The ufuncs by name."""


def ufunc_named(str name):
    """Return NumPy's ufunc of this name, else ours; None if there is none."""
    found = vars(np).get(name)  # getattr could import submodules of NumPy
    return found if isinstance(found, np.ufunc) else OWN.get(name)
