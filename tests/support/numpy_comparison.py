"""Runs lines of Python with NumPy and with lazyarr, and compares the outcomes.

A line is an expression, or statements that leave their result in `r`. It sees the namespace as `np` and the arrays of
:func:`operands` by name; lazyarr gets them unevaluated where possible. A line that begins with ``@`` evaluates; any
other must not, if its operation is lazy.
"""

import warnings

import numpy as np

import lazyarr as la
from support import sample_values


def operands():
    """Return small arrays of many kinds by name: equal on each call, never shared between calls."""
    rng = np.random.default_rng(7)
    m = rng.random((3, 4))
    return {
        "v": rng.random(7),
        "m": m,
        "t": rng.random((2, 3, 4)),
        "sq": rng.random((4, 4)) + np.eye(4),
        "F": np.asfortranarray(rng.random((3, 4))),
        "f16": m.astype("float16"),
        "f32": m.astype("float32"),
        "swapped": m.astype(">f8"),
        "c": m + 1j * rng.random((3, 4)),
        "nan": np.where(rng.random((3, 4)) > 0.6, np.nan, m),
        "i": rng.integers(-9, 9, (3, 4)),
        "i8": rng.integers(-9, 9, (3, 4)).astype("int8"),
        "u8": rng.integers(0, 255, 5).astype("uint8"),
        "b": m > 0.5,
        "idx": np.array([2, 0, 1]),
        "zero_d": np.array(3.5),
        "empty": np.zeros((0, 3)),
        "ones": rng.random((1, 3, 1)),
    }


def lazy_operands():
    """Return the same arrays as LazyArrays, unevaluated if an elementwise operation preserves them."""
    arrays = {name: la.array(x) for name, x in operands().items()}
    known = {"zero_d", "swapped", "b", "idx"}  # 0-d results become scalars, and evaluated indices are checked at once
    return {name: x if name in known else x * np.ones((), x.dtype) for name, x in arrays.items()}


def run(line, namespace, variables):
    """Return the line's result, or the exception it raises."""
    variables = {**variables, "np": namespace}
    try:
        if ";" not in line:
            return eval(line, variables)
        exec(line, variables)
        return variables["r"]
    except Exception as error:
        return error


def difference(want, got, near=False):
    """Describe in a line how a result differs from NumPy's, or return None.

    Parameters
    ----------
    want, got : object
        Results or exceptions.
    near : bool
        Whether sums may be rounded in another order.
    """
    if isinstance(want, Exception) or isinstance(got, Exception):
        if type(want) is type(got) and str(want) == str(got):
            return None
        return f"{type(got).__name__}: {got}, expected {type(want).__name__}: {want}"
    if isinstance(want, tuple | list):
        if type(want) is not type(got) or len(want) != len(got):
            return f"{got!r}, expected {want!r}"
        return next(filter(None, (difference(w, g, near) for w, g in zip(want, got, strict=True))), None)
    if isinstance(want, np.ndarray | np.generic) and not isinstance(want, np.matrix):
        return _array_difference(want, got, near)
    if type(want) is not type(got):
        return f"{type(got).__name__}, expected {type(want).__name__}"
    return None if want == got else f"{got!r}, expected {want!r}"


def _array_difference(want, got, near):
    scalar = not isinstance(want, np.ndarray)
    if isinstance(got, la.LazyArray):
        if got._scalar is not scalar:
            return "an array, expected a scalar" if scalar else "a scalar, expected an array"
        told = got.shape, got.dtype
        try:
            got = got.numpy()
        except Exception as error:
            return f"evaluating raised {error!r}"
        if told != (got.shape, got.dtype):
            return f"shape and dtype were told as {told}, are {(got.shape, got.dtype)}"
    elif type(got) is not type(want) or not scalar:
        return f"{type(got).__name__}, expected {'a LazyArray' if not scalar else type(want).__name__}"
    want = np.asarray(want)
    if (want.shape, want.dtype) != (got.shape, got.dtype):
        return f"{got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    same = sample_values.near_values(want, got) if near else sample_values.same_values(want, got)
    return None if np.all(same) else f"{got!r}, expected {want!r}"


def check(line, lazy, near=False):
    """Fail unless a line's outcome equals NumPy's, and it does not evaluate if it is to be lazy."""
    evaluates, line = line.startswith("@"), line.removeprefix("@")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = run(line, np, operands())
        variables = lazy_operands()
        if lazy and not evaluates and not isinstance(want, Exception):
            with la.no_evaluation():
                got = run(line, la, variables)
            assert not isinstance(got, la.EvaluationForbidden), f"{line} evaluates"
        else:
            got = run(line, la, variables)
        problem = difference(want, got, near)
    assert problem is None, f"{line} gives {problem}"
