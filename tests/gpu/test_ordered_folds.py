"""Products on OpenCL and on the CUDA mock: NumPy's bits, and overflow where NumPy's do."""

import itertools

import numpy as np
import pytest

import lazyarr as la

RNG = np.random.default_rng(12)
SHAPES = [(6, 40, 50), (1, 300, 3), (70, 1, 130), (2, 2, 2), (1, 1, 1)]
COPIES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "other": lambda x: np.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2),
}
VIEWS = {
    "backwards": lambda x: x[::-1, :, ::-1],
    "gaps": lambda x: x[:, ::2],
    "narrow": lambda x: x[:, :, :-1],
    "turned": lambda x: x.transpose(2, 0, 1),
}
AXES = [axes for count in (1, 2, 3) for axes in itertools.combinations(range(3), count)]


@pytest.fixture(params=["opencl", "cuda"], scope="module")
def device(request):
    """The device under test."""
    return pytest.importorskip(f"support.{request.param}_device")


def same(device, got, wanted):
    device.same(got, wanted)
    assert not device.DRIVER.host_steps


def near_one(dtype, shape):
    """Return factors whose products neither overflow nor vanish."""
    x = 1 + 0.2 * RNG.standard_normal(shape) * (0.1 if dtype == "e" else 1)
    return (np.exp(2j * np.pi * RNG.random(shape)) * x if dtype in "FD" else x).astype(dtype)


@pytest.mark.parametrize("dtype", "efdFD")
@pytest.mark.parametrize("layout", [*COPIES, *VIEWS])
def test_products_have_numpys_bits(device, dtype, layout):
    for shape in SHAPES:
        x = near_one(dtype, shape)
        if layout in VIEWS:
            x, y = VIEWS[layout](x), VIEWS[layout](device.there(x))
        else:
            x = COPIES[layout](x)
            y = device.there(x)
        for axes in AXES:
            same(device, y.prod(axes), x.prod(axes))


@pytest.mark.parametrize("dtype", "efdFD")
@pytest.mark.parametrize("shape", [(5000,), (20_000,), (3, 3000), (3000, 3), (70, 70), (1500, 70), (66_000, 65)])
def test_results_have_a_work_item_or_a_group(device, dtype, shape):
    x = near_one(dtype, shape)
    y = device.there(x)
    for axis in range(x.ndim):
        same(device, y.prod(axis), x.prod(axis))


@pytest.mark.parametrize("shape", [(6, 40, 50), (6, 200, 50), (600, 50), (40, 500), (5, 9000), (20, 30, 50)])
@pytest.mark.parametrize("dtype", "ef")
def test_rows_that_are_apart(device, dtype, shape):
    """NumPy rounds float16 at the end of its buffer."""
    for _ in range(3):
        x = near_one(dtype, shape)
        y = device.there(x)
        for key in ((..., slice(None, -3)), (Ellipsis, slice(None, None, -1)), (0,), (slice(None), slice(None, -1))):
            same(device, y[key].prod(), x[key].prod())


@pytest.mark.parametrize("dtype", "efdFD")
def test_products_overflow_where_numpys_do(device, dtype):
    largest = float(np.finfo(dtype).max)
    with np.errstate(all="ignore"):
        for rows in ([largest, 2, 0.5, 0.25], [0.25, largest, 2, 0.5], [largest, 2, 0.0, 1], [0.0, largest, 2, -1],
                     [1 / largest, 1 / largest, largest, largest], [np.inf, 0, 1, 1], [1, np.nan, 0, -np.inf]):
            x = np.ones((2, 100), dtype)
            x[:, 30:34] = rows
            for a in (x, np.asfortranarray(x), x.T):
                for axis in (0, 1, None):
                    same(device, device.there(a).prod(axis), a.prod(axis))
                    same(device, device.there(a[:, 30:34]).prod(axis), a[:, 30:34].prod(axis))


@pytest.mark.parametrize("dtype", "FD")
def test_infinite_complex_factors(device, dtype):
    parts = [0, 1, -2, np.inf, -np.inf, np.nan]
    with np.errstate(all="ignore"):
        x = np.array([complex(re, im) for re in parts for im in parts], dtype)
        x = np.stack([x, x[::-1]])
        for axis in (0, 1):
            same(device, device.there(x).prod(axis), x.prod(axis))
        same(device, device.there(x[:1]).prod(0), x[:1].prod(0))


def test_products_of_what_is_computed(device):
    x, y = near_one("d", (60, 90)), near_one("d", (90, 60)).T
    a, b = device.there(x), device.there(y)
    same(device, (a * b).prod(), (x * y).prod())
    same(device, (b * a).prod(), (y * x).prod())
    same(device, np.prod(a, where=b > 1), np.prod(x, where=y > 1))
    same(device, a.astype("f").prod(0), x.astype("f").prod(0))
    same(device, np.prod(np.sign(a), 1, keepdims=True), np.prod(np.sign(x), 1, keepdims=True))
    same(device, np.prod(np.arange(1, 9) * device.there(np.ones((9, 1), "l")), 1, dtype="f"),
                      np.prod(np.arange(1, 9) * np.ones((9, 1), "l"), 1, dtype="f"))  # fmt: skip
    same(device, np.prod(np.broadcast_to(a[0], (70, 90)), 0), np.prod(np.broadcast_to(x[0], (70, 90)), 0))


def test_products_beside_sums(device):
    x = near_one("d", (7, 300))
    a = device.there(x) + 1
    total, product, largest = a.sum(1), a.prod(1), a.max(1)
    la.evaluate(total, product, largest)
    np.testing.assert_allclose(total.numpy(), (x + 1).sum(1), rtol=1e-14)
    same(device, product, (x + 1).prod(1))
    same(device, largest, (x + 1).max(1))


@pytest.mark.parametrize("dtype", "efdFD")
def test_products_warn(device, dtype):
    for values in ([1e30] * 40, [1e-30] * 40, [np.inf, 0.0] * 20):
        x = np.ones((1, 70), dtype)
        with np.errstate(all="ignore"):
            x[0, :40] = np.array(values, dtype) if dtype != "e" else np.array(values).clip(1e-4, 1e4)
        for axis in (0, 1):
            assert outcome(device.there(x), axis) == outcome(x, axis)


def outcome(x, axis):
    """Return a product, or the text of its error, as a string."""
    with np.errstate(all="raise"):
        try:
            return str(np.asarray(x.prod(axis)).tolist())
        except FloatingPointError as error:
            return str(error)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (5, 300), (3000, 4)])
def test_products_of_floats_and_others_share_a_kernel(device, shape):
    n = RNG.integers(1, 4, shape).astype("uint64")
    y = device.there(n)
    floats, integers, truths = (y / 2).prod(-1), y.prod(-1), np.multiply.reduce(y > 1, axis=-1)
    la.evaluate(floats, integers, truths)
    same(device, floats, (n / 2).prod(-1))
    same(device, integers, n.prod(-1))
    same(device, truths, np.multiply.reduce(n > 1, axis=-1))
    assert len(la.explain((y / 2).prod(-1), y.prod(-1)).steps) == 1
