"""In-place updates as epilogues of products, as in optimisers."""
import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.tile import epilogue
from support.epilogue_units import draw, units
from support.feature_switches import assert_same_bits, evaluated, switched


def descent(rows, terms, columns, dtype="float32"):
    """Return arrays, and a function that updates two of them with a product of the others."""
    rng = np.random.default_rng(3)
    v, w = (la.array(draw(rng, (rows, columns), dtype)) for _ in range(2))
    x, g = la.array(draw(rng, (terms, rows), dtype)), la.array(draw(rng, (terms, columns), dtype))
    la.evaluate(v, w, x, g)

    def step():
        nonlocal v, w
        v *= dtype_of(0.9)
        v += x.T @ g
        w -= dtype_of(0.1) * v
        return v, w

    dtype_of = np.dtype(dtype).type
    return step


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [
    (900, 10, 512), (1000, 7, 300), (600, 20, 1000), (4, 9, 70000), (70000, 3, 5), (64, 100, 4096), (300, 500, 640),
    (513, 33, 1024), (2000, 5, 192),
])
def test_updates_behind_products(threads, shape, dtype):
    found = []
    for enabled in (True, False):
        with switched(epilogue, enabled):
            step = descent(*shape, dtype)
            for _ in range(3):
                counted = units(step())
            found.append(evaluated(step))
            assert counted[0] > 0
            assert enabled or counted[1] == 0
    assert_same_bits(*found)


def test_products_that_only_updates_read_are_not_stored():
    step = descent(2000, 20, 512)
    for _ in range(2):
        la.evaluate(*step())
    held = allocator.stats()["live_bytes"]
    limit = held + (2000 * 512 * 4) // 2  # less than the product takes
    with la.config(memory_limit=limit):
        results = step()
        la.evaluate(*results)
    assert allocator.stats()["live_bytes"] <= held


def test_updates_of_what_the_product_reads():
    """The product reads it to the end, so an update of it cannot be an epilogue."""
    rng = np.random.default_rng(0)
    data = rng.standard_normal((600, 600)).astype("float32")
    w, expected = la.array(data), data.copy()
    for _ in range(3):
        w -= np.float32(0.001) * (w @ w)
        la.evaluate(w)
        expected -= np.float32(0.001) * (expected @ expected)
    np.testing.assert_allclose(w, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("large", [False, True])
def test_flags_of_updates_come_with_their_results(threads, large):
    rows = 2000 if large else 50
    x, g = la.full((4, rows), 1e30, "float32"), la.full((4, 256), 1e30, "float32")
    w = la.ones((rows, 256), "float32")
    la.evaluate(x, g, w)
    with np.errstate(over="raise"):
        w += x.T @ g
        with pytest.raises(FloatingPointError, match="overflow encountered in matmul"):
            la.evaluate(w)
    assert np.isinf(np.asarray(w)).all()
    with np.errstate(all="ignore"):
        w -= x.T @ g
        assert np.isnan(np.asarray(w)).all()


def test_too_little_memory_leaves_what_would_have_been_overwritten():
    step = descent(2000, 300, 640)
    la.evaluate(*step())
    v, w = step()
    before = [np.array(v), np.array(w)]
    v, w = step()
    with la.config(memory_limit=allocator.stats()["live_bytes"] + 1000), pytest.raises(MemoryError, match="matmul"):
        la.evaluate(v, w)
    la.evaluate(v, w)
    assert not np.array_equal(before[0], v)
    other = descent(2000, 300, 640)
    for _ in range(2):
        other()
    np.testing.assert_array_equal(other()[1], w)
