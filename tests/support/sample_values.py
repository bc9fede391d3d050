"""Values for tests: every numeric dtype, and arrays with special values.

:func:`make` is a pure function of its arguments, so that a random program can name its data in its text, and be run
again from the text alone.
"""

import numpy as np

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64", "longdouble")
COMPLEX = ("complex64", "complex128", "clongdouble")
DTYPES = ("bool", *INTEGERS, *FLOATS, *COMPLEX)

TAME, MIXED, SPECIAL = range(3)


def special_values(dtype):
    """Return the values of `dtype` with which arithmetic tends to go wrong, as a 1-d array."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, 7, 8, 63, 64, info.max, info.max - 1, info.min, info.min + 1], dtype)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        return np.array([0, -0.0, 1, -1, 0.5, 2, np.inf, -np.inf, np.nan, info.max, -info.max, info.tiny,
                         info.smallest_subnormal, info.eps, 3.25, -7.5], dtype)
    parts = special_values({"F": "float32", "D": "float64", "G": "longdouble"}[dtype.char])
    values = np.empty(2 * parts.size, dtype)
    values.real = np.concatenate([parts, parts])
    values.imag = np.concatenate([parts[::-1], np.roll(parts, 3)])
    return values


def make(dtype, shape, seed):
    """Return the array number `seed` of this dtype and shape: C-contiguous, writeable, the same on each call.

    A third of the seeds gives small values only, a third some special ones (NaN, infinities, signed zeros, the
    ends of the range), a third many.

    Parameters
    ----------
    dtype : str
        A name in :data:`DTYPES`.
    shape : tuple of int
    seed : int

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> make("int8", (2, 3), 0).shape
    (2, 3)
    """
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    if dtype.kind == "u":
        values = np.asarray(rng.integers(0, 12, shape), dtype)
    elif dtype.kind == "i":
        values = np.asarray(rng.integers(-12, 12, shape), dtype)
    else:
        values = np.asarray(rng.integers(-40, 40, shape) / 8, dtype)
        if dtype.kind == "c":
            values.imag = rng.integers(-40, 40, shape) / 8
    profile = seed % 3
    if profile != TAME:
        replaced = rng.random(shape) < (0.2 if profile == MIXED else 0.8)
        values = np.where(replaced, rng.choice(special_values(dtype), shape), values)
    return values


def same_values(a, b):
    """Compare elementwise: equal, with equal signs of zeros; NaNs are equal.

    The sign and payload of a NaN are left out because NumPy itself chooses them by memory layout: its vector and
    scalar loops put the operands of ``inf - inf`` or ``nan + nan`` in different order.

    Parameters
    ----------
    a, b : numpy.ndarray
        Of equal shape and dtype.

    Returns
    -------
    numpy.ndarray of bool
    """
    if a.dtype.kind == "c":
        return same_values(a.real, b.real) & same_values(a.imag, b.imag)
    if a.dtype.kind == "f":
        return np.where(np.isnan(a), np.isnan(b), (a == b) & (np.signbit(a) == np.signbit(b)))
    return a == b


def near_values(a, b):
    """Compare elementwise, up to the rounding of a reordered sum of a few hundred values between one and ten."""
    if a.dtype.kind not in "fc":
        return a == b
    tolerance = {2: 2e-2, 4: 1e-4, 8: 1e-12}[min(8, a.real.itemsize)]
    return np.isclose(a, b, rtol=tolerance, atol=100 * tolerance, equal_nan=True)


def tied(rng, shape, dtype, distinct=50):
    """Return values with many ties; floats include two kinds of NaN, infinities and zeros of both signs."""
    x = rng.integers(0, distinct, shape).astype(dtype)
    if x.dtype.kind == "c":
        x.real, x.imag = [tied(rng, shape, x.real.dtype, distinct) for _ in range(2)]
    elif x.dtype.kind == "f":
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0], dtype)
        chosen = rng.integers(0, 5, shape) == 0
        x = np.where(chosen, special[rng.integers(0, len(special), shape)], x)
    return x
