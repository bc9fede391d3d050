"""Windows with short rows: a tile program also computes the gaps between rows, which must not show."""

import warnings

import numpy as np
import pytest

import lazyarr as la
from support.lazy_helpers import assert_same

STATEMENTS = (
    "y = (x[1:-1, 2:] + x[1:-1, :-2]) * 0.25 - (x[2:, 1:-1] + x[:-2, 1:-1]) / 3.0 + z[1:-1, 1:-1]",
    "z[1:-1, 1:-1] = (x[1:-1, 2:] - z[1:-1, 1:-1]) * x[2:, 1:-1]; y = z",
    "x[1:-1, 1:-1] += z[1:-1, 1:-1] * x[1:-1, 1:-1]; y = x",
    "x[1:-1, 1:-1] = x[1:-1, 1:-1] / z[1:-1, 1:-1] + x[1:-1, 2:]; y = x",
    "y = x[1:-1, 1:-1] * row + z[1:-1, 1:-1] / column - 1.5",
    "y = x[1:-1, 1:-1] / z[2:, :-2] + dense",
    "y = x[1:-1, 1:-1].T / z[1:-1, 1:-1].T + z[2:, 1:-1].T",
    "y = np.where(x[1:-1, 1:-1] > z[:-2, 2:], x[2:, :-2], z[1:-1, 1:-1])",
    "y = np.sqrt(x[1:-1, 2:]) + (x[1:-1, :-2] > 0)",
    "y = (i[1:-1, 2:] + i[1:-1, :-2] == 3) & (i[1:-1, 1:-1] == 1)",
    "y = i[1:-1, 2:] // i[1:-1, 1:-1] - i[1:-1, :-2]",
    "y = np.frexp(x[1:-1, 1:-1] + z[1:-1, 1:-1])[1]",
)


def run(np, asarray, statement, between, inside):
    """The y of a statement on arrays with this value at both ends of each row and that at one place inside; the
    floating-point warnings of three runs."""
    rng = np.random.default_rng(1)
    arrays = {name: rng.random((60, 41)) for name in "xz"} | {"i": rng.integers(1, 3, (60, 41))}
    for name, array in arrays.items():
        array[:, [0, -1]] = between if name != "i" else 0
        array[30, 20] = inside if name != "i" else inside == 0.5
    arrays |= {"dense": rng.random((58, 39)), "row": rng.random(39), "column": rng.random((58, 1))}
    told = []
    for _ in range(3):
        names = {name: asarray(array) for name, array in arrays.items()} | {"np": np}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(statement, names)
            y = np.asarray(names["y"])
        told.append([str(warning.message) for warning in caught])
    return y, told


@pytest.mark.parametrize("inside", [0.5, 0.0, np.inf, -1e308])
@pytest.mark.parametrize("between", [0.5, 0.0, np.inf, -1e308])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_values_and_warnings(statement, between, inside):
    expected, told = run(np, np.array, statement, between, inside)
    result, lazily = run(np, la.array, statement, between, inside)
    assert_same(la.asarray(result), expected)
    assert [sorted(set(each)) for each in lazily] == [sorted(set(each)) for each in told]
