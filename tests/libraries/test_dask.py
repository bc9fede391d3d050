"""dask arrays whose blocks are LazyArrays."""

import numpy as np
import pytest

import lazyarr as la
from support import lazy_helpers

pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
import dask  # noqa: E402

A = np.random.default_rng(0).normal(size=(8, 6))


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def arrays(wrap):
    d = da.from_array(wrap(A), chunks=(4, 3), asarray=False)
    return {"d": d, "v": da.from_array(wrap(A[0]), chunks=3, asarray=False), "da": da, "np": np}


LINES = """
    d + 1
    d * d - d
    d.sum()
    d.sum(axis=0)
    d.mean(axis=1)
    d.std()
    d.max(axis=0)
    d.prod()
    np.sin(d)
    da.where(d > 0, d, 0)
    d.T @ d
    da.tensordot(d.T, d, 1)
    d.map_blocks(lambda block: block * 2)
    da.map_blocks(np.add, d, 1)
    da.overlap.map_overlap(lambda block: block + 1, d, depth=1)
    d[2:5, ::2]
    d[[1, 2]]
    d.reshape(-1)
    d.rechunk((8, 2))
    da.concatenate([d, d])
    d.cumsum(axis=0)
    da.fft.fft(d.rechunk((4, 6)))
    d.astype("f4")
    da.pad(d, 1)
    da.nanmean(d)
    (d > 0).any()
""".strip().splitlines()


@pytest.mark.parametrize("line", [line.strip() for line in LINES])
def test_blocks_wait(line):
    expected = eval(line, arrays(np.array)).compute()
    graph = eval(line, arrays(lazy_helpers.pending))
    with la.no_evaluation():
        got = graph.compute()
    assert type(got) is la.LazyArray
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-9)


@pytest.mark.parametrize("line", [
    "d.argmax(axis=1)", "d[d > 0]", "da.histogram(d, bins=4, range=(-2, 2))[0]", "da.unique(da.round(d))",
    "da.topk(v, 2)", "da.linalg.svd(d.rechunk((4, 6)))[1]", "da.einsum('ij,j->i', d, v)", "da.median(d, axis=0)",
])
def test_values(line):
    expected, got = (eval(line, arrays(wrap)).compute() for wrap in (np.array, lazy_helpers.pending))
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-9)


def test_operands_on_either_side():
    d, x = arrays(lazy_helpers.pending)["d"], lazy_helpers.pending(A)
    for result in (x + d, d + x, np.add(x, d), x.sum() * d * 0 + x * 2):
        if isinstance(result, da.Array):
            result = result.compute()
        np.testing.assert_allclose(np.asarray(result), A * 2)
    assert all(isinstance(result, da.Array) for result in (x + d, d + x, np.add(x, d)))


@pytest.mark.parametrize("line", [
    "np.isclose(d, x)", "np.isclose(x, d)", "np.concatenate([x, d])", "np.stack([d, x], axis=1)", "np.dot(x, d.T)",
    "np.where(x > 0, d, 0)", "np.gradient(d, x[:, 0], axis=0)",
])
def test_functions_of_both(line):
    ascending = A.cumsum(axis=0) if "gradient" in line else A
    expected = eval(line, {"np": np, "d": A, "x": ascending + 8 * np.arange(8)[:, None]})
    got = eval(line, arrays(np.array) | {"x": lazy_helpers.pending(ascending + 8 * np.arange(8)[:, None])})
    assert isinstance(got, da.Array)
    np.testing.assert_allclose(got.compute(), expected)


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_schedulers(scheduler):
    d = arrays(lazy_helpers.pending)["d"]
    np.testing.assert_allclose(np.asarray((d * 2 + d).sum(axis=0).compute(scheduler=scheduler)), (A * 3).sum(axis=0))
