"""ndarrays mixed with small lazy arrays: as operands, as keys, and as targets of writes."""

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as xp
from support.eager_comparison import difference

ARRAYS = {
    "line": lambda f: f.arange(6.0),
    "gaps": lambda f: f.arange(12.0)[::2],
    "rows": lambda f: f.arange(12.0).reshape(6, 2),
}


def outcome(call):
    try:
        return call()
    except Exception as error:
        return error.with_traceback(None)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", "f8", ">i4"])
@pytest.mark.parametrize("is_lazy", [False, True])
@pytest.mark.parametrize("places", [[0, 3, 5], [[1, 0], [2, -1]], [0, 1, 0, 1, 1, 0], [], [6], [-7], 2])
@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)
def test_keys(dtype, is_lazy, places, make):
    """Index arrays and masks of any dtype, with and without gaps: read, write and fail as in NumPy."""
    numbers = np.array(places)
    if dtype[0] in "u?" and (numbers < 0).any():
        return
    dense = numbers.astype(dtype)
    for key in (dense, dense.repeat(2, 0)[::2] if dense.ndim else dense):
        given = xp.asarray(key) if is_lazy else key
        assert difference(outcome(lambda: make(np)[key]), outcome(lambda: make(xp)[given])) is None  # noqa: B023
        for value in (7.5, 3, [1.0], np.arange(3.0)):
            a, b = make(np), make(xp)
            want, got = (outcome(lambda: x.__setitem__(k, value)) for x, k in ((a, key), (b, given)))  # noqa: B023
            assert difference(want, got) is None
            assert np.array_equal(a, b)


@pytest.mark.parametrize("key", [np.array(2), np.array(2, ">i4"), np.int64(2)], ids=repr)
@pytest.mark.parametrize("ways", [xp.asarray, la.asarray, lambda key: key], ids=["face", "waiting", "NumPy's"])
@pytest.mark.parametrize("rows", [6, 60_000])
def test_array_without_axes_as_a_key_copies(key, ways, rows):
    """A number makes a view, an array a copy."""
    given = key if isinstance(key, np.generic) else ways(key)
    for whole in (lambda k: k, lambda k: (k, slice(None)), lambda k: (..., k, slice(1))):
        for written in (xp, np):
            x = written.arange(2.0 * rows).reshape(rows, 2)
            part = x[whole(given if written is xp else key)]
            part[...] = 99
            assert bool(x[2, 0] == 99) is isinstance(key, np.generic)


@pytest.mark.parametrize("part", [slice(None, 3), slice(None, None, 2)])
def test_key_in_the_memory_that_is_written_to(part):
    want, memory = (np.array([1, 0, 2, 0, 1, 2]) for _ in range(2))
    shared = xp.asarray(memory)
    shared[memory[part]] = 5
    want[want[part]] = 5
    assert np.array_equal(shared, want)


@pytest.mark.parametrize("line", ["nd - x", "nd @ x", "m @ x", "nd > x", "np.divmod(nd, x)", "np.matmul(m, x)"])
def test_operands(line):
    nd, x, m = np.arange(1.0, 4.0), xp.arange(2.0, 5.0), np.ones((2, 3))
    want = eval(line, {"np": np, "nd": nd, "x": x.numpy(), "m": m})
    assert difference(want, eval(line, {"np": np, "nd": nd, "x": x, "m": m})) is None


@pytest.mark.parametrize("line", ["nd -= x", "nd[:2] *= x[1:]", "np.add(nd, x, out=nd)", "np.sqrt(x, out=nd)",
                                  "nd @= m", "np.divmod(nd, x, out=(nd, lazy))", "np.add(nd, x, where=x > 3, out=nd)"])
def test_ndarray_is_written_to(line):
    held, want, x, m = np.arange(1.0, 4.0), np.arange(1.0, 4.0), xp.arange(2.0, 5.0), np.eye(3) * 2
    space = {"np": np, "nd": held, "x": x, "m": xp.asarray(m), "lazy": xp.zeros(3)}
    exec(line, space)
    exec(line, {"np": np, "nd": want, "x": x.numpy(), "m": m, "lazy": np.zeros(3)})
    assert space["nd"] is held
    assert np.array_equal(held, want)


@pytest.mark.parametrize("line", ["np.multiply(x, y, z)", "np.negative(x, z)", "np.modf(x, z)", "np.divmod(x, y, z)",
                                  "np.maximum(x, y, z)", "np.frexp(x, z)", "np.add(x, y, w)"])
@pytest.mark.parametrize("n", [5, 40_000])
@pytest.mark.filterwarnings("ignore:Passing more than 2 positional")
def test_results_given_by_position(line, n):
    results = []
    for f in (np, xp):
        space = {"np": f, "x": f.arange(1.0, n + 1), "y": f.full(n, 2.5), "z": f.zeros(n), "w": f.zeros(n, "i2")}
        results.append([outcome(lambda: eval(line, space)), space["z"], space["w"]])  # noqa: B023
    want, got = results
    assert difference(want[0], got[0]) is None
    assert all(np.array_equal(a, b) for a, b in zip(want[1:], got[1:], strict=True))


def test_casts_of_what_is_written_to_an_ndarray_are_refused_as_by_numpy():
    whole = np.arange(3)
    with pytest.raises(np._core._exceptions.UFuncTypeError, match="Cannot cast ufunc 'multiply' output"):
        whole *= xp.ones(3)
    assert whole.tolist() == [0, 1, 2]


def test_arrays_that_read_the_memory_keep_their_values():
    memory = np.arange(40_000.0)
    waiting = xp.asarray(memory) + 1
    before = waiting.copy()
    la.evaluate(before)
    memory[:10] -= xp.ones(10)
    assert np.array_equal(before, np.arange(40_000.0) + 1)
