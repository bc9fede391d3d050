"""Reads and writes through `x.flat` with keys of all kinds, which it interprets in its own way."""

import numpy as np
import pytest

import lazyarr as la

KEYS = [
    "[True, False, True, False, True, True]", "np.array([True, False, True, False, True, True])",
    "np.array([[True, False, True], [False, True, True]])", "[0, 2]", "[[0, 2], [1, 3]]", "...",
    "slice(None, None, -1)", "slice(4, 1, -2)", "slice(10, 20)", "slice(None)", "slice(0, 0)", "slice(1, 5, 0)",
    "slice(0.5)", "6", "-7", "-6", "[6]", "[-7]", "np.array([6])", "np.array([0, -1, -6])", "np.array([[0], [5]])",
    "True", "False", "np.True_",
    "np.array(True)", "None", "(1,)", "(1, 2)", "((0, 1),)", "()", "(slice(1, 3),)", "(slice(1, 3), 1)", "(...,)",
    "(None, 1)", "(..., 1)", "1.5", "'a'", "np.int64(2)", "np.array(2)", "[]", "np.array([], int)", "np.array([0.5])",
    "[True]", "[0, True]", "[1, 'a']", "range(2)", "[[True, False], [False, True]]", "1 << 70",
]
VALUES = ["9", "1.7", "'3'", "'x'", "1j", "None", "np.nan", "2**70", "[]", "[7]", "[7, 8]",
          "np.array([[5, 6], [7, 8]])", "[1, 2, 3, 4, 5, 6, 7, 8]", "[[1], [2, 3]]"]
ARRAYS = {
    "contiguous": lambda xp: xp.arange(6).reshape(2, 3),
    "floats": lambda xp: xp.arange(6.0).reshape(3, 2),
    "transposed": lambda xp: xp.arange(6).reshape(2, 3).T,
    "strided": lambda xp: xp.arange(12).reshape(2, 6)[:, ::2],
    "bytes": lambda xp: xp.arange(6).astype("S2"),
}


def outcome(statement, array, xp):
    names = {"a": array(xp), "np": xp, "found": None}
    try:
        exec(statement, names)
    except Exception as error:
        names["found"] = type(error), str(error)
    return repr(names["found"]), repr(names["a"].tolist())


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="NumPy crashes where keys are empty tuples")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("key", KEYS)
def test_keys(key, array):
    statements = f"found = a.flat[{key}]", *[f"a.flat[{key}] = {value}" for value in VALUES]
    for statement in statements:
        expected = outcome(statement, ARRAYS[array], np)
        assert outcome(statement, ARRAYS[array], la) == expected, statement


def test_pending_keys():
    x = la.arange(6) * 2
    assert x.flat[la.arange(2) + 1].tolist() == [2, 4]
    x.flat[la.arange(6) > 3] = -1
    assert x.tolist() == [0, 2, 4, 6, -1, -1]


def test_what_was_written_is_a_copy():
    number, x = np.array(5.0), la.zeros((2, 3))
    x.flat = number
    x.flat[1] = lazy = la.array(7.0)
    number[...] = 1
    lazy[...] = 2
    np.testing.assert_array_equal(x, [[5, 7, 5], [5, 5, 5]])
