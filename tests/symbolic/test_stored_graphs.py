"""A file of format version 1 can still be read.

`python -m symbolic.test_stored_graphs` in the parent folder writes it.
"""
import io
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from lazyarr.symbolic.archive import unpacked

FILE = Path(__file__).with_name("version_1.graph")
TABLE = np.arange(6.0).reshape(3, 2) / 4
SCALE = np.array([0.5, 2.0])


def outputs(xp, x, i):
    """What the graph computes, of symbols or of NumPy's arrays; each kind of call and of argument is among it."""
    y = xp.tanh(x[:, ::-1] @ TABLE) * np.float64(1.5) + i
    y[0, ...] = 0.25
    y.T[1] += 1e-3
    np.multiply(y, SCALE, out=y)
    z = np.concatenate([y, y * 2j], axis=1).astype(np.complex64)
    z.real = 3
    head, tail = np.split(x.T, [1])
    return {
        "y": y, "z": (z, [np.add.reduce(y, axis=0), -abs(x.T)]), "parts": [head, tail * xp.ones(x.shape).T[1:]],
        "quotient": divmod(x, 0.75), "sorted": np.sort(x, axis=None), "known": x[:50].mean(axis=0),
        "column": np.take(x, i, axis=1), "reshaped": x.reshape(-1),
        "logsumexp": np.log(np.exp(x).sum()) if xp is np else la.logsumexp(x),
        "relu": np.maximum(y, 0) if xp is np else la.nn.relu(y),
        "slope": 3 * x ** 2 if xp is np else (x ** 3).sum().grad(x),
    }


def declared():
    """The graph of the file."""
    x, i = la.var((None, 3), name="x"), la.var((), "int64", "i")
    return la.graph([x, i], outputs(la, x, i), "stored")


def test_what_is_written_is_the_same():
    with open(FILE, "rb") as file:
        content, arrays = unpacked(file)
    now, others = unpacked(io.BytesIO(declared().parts()[0]))
    assert now == content
    for x, y in zip(arrays, others, strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("rows", [1, 4])
def test_files_of_version_1(rows):
    graph = la.load_graph(FILE)
    assert repr(graph) == repr(declared()) == "<graph stored(x: float64[?, 3], i: int64[])>"
    x = np.random.default_rng(0).normal(size=(rows, 3))
    expected = outputs(np, x.copy(), 1)
    for found in (graph(x, 1), declared()(x, 1)):
        for got, wanted in zip(la.autodiff.trees.leaves(found), la.autodiff.trees.leaves(expected), strict=True):
            assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
            np.testing.assert_allclose(got, wanted, rtol=1e-6)


if __name__ == "__main__":
    declared().save(FILE)
