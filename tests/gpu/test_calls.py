"""Calls with their own kernels on an OpenCL device, against NumPy, and calls left to the host."""
import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.gpu.calls import gathers, repeats, scatters, sorts
from lazyarr.gpu.calls.scans import CHUNK
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from support.examples import examples
from support.opencl_device import DEVICE, DRIVER, NUMBER, same_there, there

RNG = np.random.default_rng(7)
SOME = examples(15)
DTYPES = "?bBhHiIlLefdFD"
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=9)


def values(rng, shape, dtype):
    """Return small numbers with ties."""
    return rng.integers(0, 7, shape).astype(dtype)


def on_host(call):
    """Make a call; return name and reason of what ran on the host."""
    DRIVER.host_steps.clear()
    call()
    (step, count), = DRIVER.host_steps.items()
    assert count == 1
    return step


def test_writes_to_no_elements():
    x = there(np.zeros((0, 3)))
    before = x.copy()
    x[there(np.zeros(0, np.intp))] = 2
    assert x.shape == before.shape == x.numpy().shape == before.numpy().shape


@pytest.mark.parametrize("dtype", "DgG")
def test_elements_of_several_words(dtype):
    a = RNG.random(6).astype(dtype) + (0 if dtype == "g" else 1j)
    x = there(a)
    same_there(x[there(np.array([4, 1]))], a[[4, 1]])
    same_there(np.repeat(x, 2), np.repeat(a, 2))
    same_there(np.tile(x, 2), np.tile(a, 2))
    x[there(np.array([5, 2]))] = there(a[:2])
    a[[5, 2]] = a[:2]
    same_there(x, a)


@st.composite
def taken(draw):
    """Draw an array as its shape, a view of it, an axis and indices along that."""
    shape = draw(SHAPES)
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    extent = shape[axis]
    indices = draw(hnp.arrays(np.intp, hnp.array_shapes(min_dims=1, max_dims=2, max_side=5),
                              elements=st.integers(-extent, extent - 1)))
    return shape, axis, indices, draw(st.sampled_from(DTYPES)), draw(st.booleans())


@SOME
@given(taken())
def test_take_and_integer_arrays(case):
    shape, axis, indices, dtype, is_turned = case
    a = values(RNG, shape, dtype)
    x = there(a)
    if is_turned:
        a, x, axis = a.T[::-1], x.T[::-1], -1 - (axis % len(shape))
        indices = indices % a.shape[axis]
    i = there(indices)
    same_there(np.take(x, i, axis), np.take(a, indices, axis))
    key = (slice(None),) * (axis % len(shape))
    same_there(x[(*key, i)], a[(*key, indices)])
    same_there(x[(*key, i)] + x[(*key, i)], a[(*key, indices)] + a[(*key, indices)])


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_indices_out_of_bounds_may_wrap_or_be_clipped(mode):
    a, indices = RNG.random((5, 4)), np.array([-9, -5, -1, 0, 4, 5, 22])
    same_there(np.take(there(a), there(indices), 0, mode=mode), np.take(a, indices, 0, mode=mode))


def test_several_index_arrays():
    a = RNG.random((6, 5, 4))
    i, j = RNG.integers(-6, 6, (7, 1)), RNG.integers(-4, 4, 3)
    same_there(there(a)[there(i), 2:, there(j)], a[i, 2:, j])
    same_there(np.take_along_axis(there(a), there(np.argsort(a, 1)), 1), np.sort(a, 1))


def test_an_index_out_of_bounds_is_numpys_error():
    x, i = there(np.arange(5.0)), there(np.array([0, 7])) + 0
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        x[i].numpy()
    assert dict(DRIVER.host_steps) == {("getitem", "an index is out of bounds"): 1}
    same = x * 1
    np.testing.assert_array_equal(same.numpy(), np.arange(5.0))


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
@pytest.mark.parametrize("dtype", "?bBhHiIlLefd")
def test_places_of_extrema(dtype, axis):
    a = values(RNG, (9, 11, 13), dtype)
    for b, x in ((a, there(a)), (a.T, there(a).T), (a[::-1, ::2], there(a)[::-1, ::2])):
        same_there(np.argmax(x, axis), np.argmax(b, axis))
        same_there(np.argmin(x, axis, keepdims=True), np.argmin(b, axis, keepdims=True))


@pytest.mark.parametrize("shape", [(100_000,), (3, 50_000), (50_000, 3)])
@pytest.mark.parametrize("dtype", "efdi")
def test_places_of_extrema_in_many_elements(shape, dtype):
    a = RNG.integers(0, 2000, shape).astype(dtype)
    for axis in (None, 0):
        same_there(np.argmax(there(a), axis), np.argmax(a, axis))
        same_there(np.argmin(there(a) * 2, axis), np.argmin(a, axis))


@pytest.mark.parametrize("place", [0, 3, 49_999])
def test_the_first_nan_is_an_extremum(place):
    a = RNG.random(50_000)
    a[[place, 49_999]] = np.nan
    for x, b in ((there(a), a), (there(a.astype("e")), a.astype("e")), (there(a[:7]), a[:7])):
        same_there(x.argmax(), b.argmax())
        same_there(x.argmin(), b.argmin())


@SOME
@given(SHAPES, st.sampled_from("?bBhHiIlL"), st.data())
def test_running_folds_of_integers(shape, dtype, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    a = values(RNG, shape, dtype)
    for b, x in ((a, there(a)), (a.T, there(a).T)):
        same_there(np.cumsum(x, axis), np.cumsum(b, axis))
        same_there(np.cumprod(x + x, axis), np.cumprod(b + b, axis))
        same_there(np.cumsum(x), np.cumsum(b))
        same_there(np.maximum.accumulate(x, axis), np.maximum.accumulate(b, axis))


@pytest.mark.parametrize("n", [1, CHUNK - 1, CHUNK, CHUNK + 1, CHUNK * CHUNK, CHUNK * CHUNK + 1, 300_000])
def test_running_folds_of_long_lines(n):
    a = RNG.integers(-1000, 1000, (2, n))
    same_there(np.cumsum(there(a), 1), np.cumsum(a, 1))
    same_there(np.cumsum(there(a).T, 0), np.cumsum(a.T, 0))
    b = a.astype("f")
    b[1, n // 2] = np.nan
    same_there(np.minimum.accumulate(there(b), 1), np.minimum.accumulate(b, 1))
    sums = np.cumsum(there(a / 7), 1)
    exact = np.cumsum((a / 7).astype(np.longdouble), 1)
    assert np.abs(sums.numpy() - exact).max() <= 2 * np.abs(np.cumsum(a / 7, 1) - exact).max()
    assert not DRIVER.host_steps


@pytest.mark.parametrize("dtype", "efdFD")
def test_running_sums_of_short_lines_have_numpys_bits(dtype):
    a = RNG.standard_normal((50, CHUNK)).astype(dtype)
    same_there(np.cumsum(there(a), 1), np.cumsum(a, 1))
    same_there(np.cumsum(there(a) * 2, 0), np.cumsum(a * 2, 0))


def test_running_sums_warn_of_overflow():
    a = np.full(200, 3e36, "f")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        got = np.cumsum(there(a)).numpy()
    assert [str(w.message) for w in seen] == ["overflow encountered in accumulate"]
    np.testing.assert_array_equal(np.isinf(got), np.arange(200) * 3e36 + 3e36 > np.finfo("f").max)
    with np.errstate(all="raise"):
        sums = np.cumsum(there(a))
    with pytest.raises(FloatingPointError, match="overflow encountered in accumulate"):
        sums.numpy()


@pytest.mark.parametrize(("dtype", "large"), [("F", 3e37), ("e", 6e4)])
def test_running_sums_of_other_floats_warn_as_numpy(dtype, large):
    a = np.full((2, CHUNK), large, dtype)
    with pytest.warns(RuntimeWarning, match="^overflow encountered in accumulate$"):
        np.cumsum(there(a), 1).numpy()


def test_long_running_sums_of_float16_do_not_overflow_in_between():
    a = (RNG.standard_normal(9000) * 100).astype("e")
    a[:2 * CHUNK] = np.repeat([-6e4 / CHUNK, 1e5 / CHUNK], CHUNK)   # of the second chunk alone they overflow
    with np.errstate(all="raise"):
        sums = np.cumsum(there(a)).numpy()
    np.testing.assert_allclose(sums, np.cumsum(a, dtype="d").astype("e"), 2e-3, 0.1)
    assert not DRIVER.host_steps


def test_running_products_of_floats_go_in_numpys_order():
    a = np.array([0] + [1e30] * 600, "f")
    same_there(np.cumprod(there(a)), np.cumprod(a))


@SOME
@given(SHAPES, st.sampled_from(DTYPES), st.data())
def test_repeat_and_tile(shape, dtype, data):
    axis, times = data.draw(st.integers(0, len(shape) - 1)), data.draw(st.integers(0, 4))
    a = values(RNG, shape, dtype)
    for b, x in ((a, there(a)), (a.T, there(a).T)):
        same_there(np.repeat(x, times, axis), np.repeat(b, times, axis))
        same_there(np.repeat(x, times), np.repeat(b, times))
        same_there(np.tile(x, (2, times)), np.tile(b, (2, times)))
        same_there(np.repeat(x, times, axis) == 3, np.repeat(b, times, axis) == 3)


@SOME
@given(SHAPES, st.sampled_from("?bBhHiIlLefd"), st.data())
def test_sorts(shape, dtype, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    a = values(RNG, shape, dtype)
    for b, x in ((a, there(a)), (a.T, there(a).T)):
        same_there(np.sort(x, axis), np.sort(b, axis))
        same_there(np.sort(x, None), np.sort(b, None))
        same_there(np.argsort(x, axis, kind="stable"), np.argsort(b, axis, kind="stable"))


@pytest.mark.parametrize("dtype", "efdil")
@pytest.mark.parametrize("n", [1, 2, 1000, 4096, 30_001])
def test_sorts_of_long_lines(n, dtype):
    a = RNG.integers(0, 500, n).astype(dtype)
    if a.dtype.kind == "f":
        a[:: 7] = np.nan
        a[1:: 7] = -np.inf
    same_there(np.sort(there(a)), np.sort(a))
    same_there(np.argsort(there(a), stable=True), np.argsort(a, stable=True))


@SOME
@given(st.integers(0, 50), SHAPES, st.sampled_from("?bBhHiIlLefd"), st.sampled_from(["left", "right"]))
def test_searches_in_sorted_arrays(n, shape, dtype, side):
    a, v = np.sort(values(RNG, n, dtype)), values(RNG, shape, dtype)
    if np.dtype(dtype).kind == "f":
        a[n - n // 4:] = v[..., :1] = np.nan
    same_there(np.searchsorted(there(a), there(v).T, side), np.searchsorted(a, v.T, side))
    same_there(np.searchsorted(there(a), there(v)[0, ...], side), np.searchsorted(a, v[0, ...], side))
    same_there(np.searchsorted(there(a)[::-1][::-1], there(v.copy()), side), np.searchsorted(a, v, side))


def test_the_report_has_no_host_step():
    la.report().clear()
    x = there(np.arange(12).reshape(3, 4))
    la.evaluate(x.argmax(1), np.cumsum(x, 0), np.sort(x, 0), x[there([0, 2])], np.repeat(x, 2))
    assert not [row for row in la.report() if DEVICE in row.reason]


@st.composite
def keys(draw):
    """Draw an array's shape and a key of slices, integers and integer arrays for it."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=6))
    joined = draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=4))
    kinds = draw(st.lists(st.sampled_from("sia"), min_size=len(shape), max_size=len(shape)).filter(lambda k: "a" in k))
    key = []
    for kind, extent in zip(kinds, shape, strict=True):
        numbers = st.integers(-extent, extent - 1)
        key.append(draw(st.slices(extent)) if kind == "s" else draw(numbers) if kind == "i" else
                   draw(hnp.arrays(draw(st.sampled_from(["i8", "i4", "i1"])), joined, elements=numbers)))
    return shape, tuple(key)


@SOME
@given(keys(), st.sampled_from(DTYPES), st.booleans(), st.booleans())
def test_writes_through_integer_arrays(case, dtype, is_number, is_read):
    """The last write to each element wins."""
    shape, key = case
    a = values(RNG, shape, dtype)
    x = there(a.copy())
    la.evaluate(x)
    twice = x + x if is_read else None
    value = dtype == "?" if is_number else np.arange(a[key].size).reshape(a[key].shape).astype(dtype)
    x[tuple([there(item) if isinstance(item, np.ndarray) else item for item in key])] = value
    b = a.copy()
    b[key] = value
    same_there(x, b)
    if is_read:
        same_there(twice, a + a)


def test_writes_of_large_values_run_in_place():
    a, i = RNG.random((3000, 40)), RNG.integers(0, 3000, 5000)
    x, index, value = there(a.copy()), there(i), there(RNG.random((5000, 40)))
    la.evaluate(x, index, value)
    memory = la.devices()[NUMBER].memory_stats
    copies, live = memory()["copies"], memory()["live_bytes"]
    x[index] = value
    la.evaluate(x)
    assert (memory()["copies"], memory()["live_bytes"]) == (copies, live)
    a[i] = value.numpy()
    same_there(x, a)


def test_a_write_that_reads_its_own_array_sees_the_old_values():
    a, i = np.arange(10.0), np.array([3, 1, 4, 1, 5])
    x = there(a.copy())
    la.evaluate(x)
    x[there(i)] = x[:5]
    a[i] = a[:5].copy()
    same_there(x, a)


def test_a_write_out_of_bounds_changes_nothing():
    x = there(np.arange(5.0))
    y = x * 1
    la.evaluate(x, y)
    y[there([0, 7])] = 9
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        y.numpy()
    assert dict(DRIVER.host_steps) == {("setitem", "an index is out of bounds"): 1}
    np.testing.assert_array_equal(x.numpy(), np.arange(5.0))


def full(self, nbytes):
    raise MemoryError(f"{self.name} has no room for {nbytes:,} bytes")


def room_for(count):
    """Return an `allocate` with room for a number of blocks."""
    allocate, made = type(DRIVER).allocate, []

    def limited(self, nbytes):
        made.append(nbytes)
        return allocate(self, nbytes) if len(made) <= count else full(self, nbytes)

    return limited


@pytest.mark.parametrize("room", range(3))
@pytest.mark.parametrize("call", [
    lambda m, x: m.argmax(x), lambda m, x: m.cumsum(x), lambda m, x: m.sort(x), lambda m, x: m.repeat(x, 3),
    lambda m, x: x[x[:50]]])
def test_without_room_calls_are_made_on_the_host(call, room, monkeypatch):
    a = RNG.integers(0, 99, 20_000)
    x = there(a)
    y = call(np, x)
    la.evaluate(x)
    with monkeypatch.context() as patched, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        patched.setattr(type(DRIVER), "allocate", room_for(room))
        la.evaluate(y)
    assert all("has no room" in str(w.message) for w in seen)
    assert seen or room
    np.testing.assert_array_equal(y.numpy(), call(np, a))
    np.testing.assert_array_equal(x.numpy(), a)


@pytest.mark.parametrize("is_own", [False, True])
def test_a_write_without_room_keeps_old_values(is_own, monkeypatch):
    a, i, y = np.arange(10.0), there(np.array([1, 1, 2])), there(np.array([5.0, 6, 7]))
    x = there(a)
    la.evaluate(x, i, y)
    x[i] = x[5:8] if is_own else y
    with monkeypatch.context() as patched:
        patched.setattr(type(DRIVER), "allocate", full)
        with pytest.warns(RuntimeWarning, match="has no room"):
            la.evaluate(x)
    a[[1, 2]] = 6, 7
    np.testing.assert_array_equal(x.numpy(), a)


@pytest.mark.parametrize("launches", [0, 1, 2])
def test_an_interrupt_between_launches_loses_no_write(monkeypatch, launches):
    import pyopencl as cl

    launch, made = cl.enqueue_nd_range_kernel, []

    def interrupted(*args):
        event = launch(*args)
        made.append(event)
        if len(made) > launches:
            raise KeyboardInterrupt
        return event

    a, i = np.arange(10.0), there(np.array([1, 1, 2]))
    x = there(a)
    la.evaluate(x, i)
    x[i] = 7
    with monkeypatch.context() as patched:
        patched.setattr(cl, "enqueue_nd_range_kernel", interrupted)
        with pytest.raises(KeyboardInterrupt):
            la.evaluate(x)
    a[[1, 2]] = 7
    same_there(x, a)


def test_a_device_that_fails_in_a_call_is_an_error_that_names_it(monkeypatch):
    import pyopencl as cl

    def lost(*args, **kwargs):
        raise cl.LogicError("enqueue", -36, "the queue is gone")

    a = RNG.random(100)
    y = np.sort(there(a))
    with monkeypatch.context() as patched:
        patched.setattr(cl, "enqueue_nd_range_kernel", lost)
        with pytest.raises(RuntimeError, match=f"{DEVICE} .* has failed"):
            y.numpy()
    same_there(y, np.sort(a))


def test_kernels_are_made_once_for_all_shapes():
    def made(n):
        a = np.arange(2.0 * n).reshape(2, n)
        x = there(a)
        la.evaluate(np.sort(x), np.cumsum(x, 1), x[there([1, 0])], x.argmin(1), np.repeat(x, 2, 1))
        return len(DRIVER._built)

    assert made(300) == made(7) == made(1000)


@pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")
@pytest.mark.parametrize("text", [
    *[gathers.gather_text("u32", 2, 1, 2, mode) for mode in range(3)], repeats.repeat_text("u64", 2, True),
    *[sorts.merge_text(char, 2, True, False) for char in "?eli"], sorts.searchsorted_text("e", 2, True, False),
    sorts.searchsorted_text("d", 1, False, True), sorts.ties_text("f", 1),
    *[scatters.scatter_text(stage, "u8", 2, 1, ("i32",)) for stage in (scatters.CHECK, scatters.CLAIM, scatters.WRITE)],
], ids=lambda text: text.name)
def test_texts_compile_as_cuda(text):
    helpers = needed(text.text)
    assert b".entry" in nvrtc.compile_ptx("\n".join([CUDA.spellings(helpers + text.text), helpers, text.text]),
                                          "compute_80")


def test_kernels_with_more_parameters_than_the_device_takes_are_left_to_the_host():
    a, i = RNG.random((1,) * 50 + (4,)), np.array([2, 0, 3, 3]).reshape((1,) * 50 + (4,))
    name, reason = on_host(lambda: np.testing.assert_array_equal(
        np.take_along_axis(there(a), there(i), -1).numpy(), np.take_along_axis(a, i, -1)))
    assert name == "take_along_axis"
    assert "bytes of parameters" in reason
