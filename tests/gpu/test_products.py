"""Matrix products and other sums of products on a device."""

import dataclasses
import warnings
import weakref

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from support.opencl_device import DEVICE, DRIVER, host_steps, there, values

DTYPES = "?bBhHiIlLefdFD"
RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def nothing_runs_on_the_host():
    yield
    assert host_steps() == []


def check(got, function, *operands):
    """Compare with NumPy: integers and float16 bitwise, other floats relative to the summands."""
    with np.errstate(all="ignore"):
        expected = np.asarray(function(*operands))
        assert got.device == DEVICE
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        found = np.asarray(got)
    if found.dtype.char not in "fdFD":
        np.testing.assert_array_equal(found, expected)
        return
    wide = np.promote_types(found.dtype, "d")
    exact = function(*[x.astype(wide) for x in operands])
    size = function(*[np.abs(x.astype(wide)) for x in operands]).real
    terms = max(operands[0].shape[-1:], default=1)
    bound = terms * np.finfo(found.dtype).eps * size + np.finfo(found.dtype).tiny
    assert (np.abs(found - exact) <= bound).all()


def laid_out(x, layout):
    """Return an array of these values with another memory layout."""
    if layout == "turned":
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2) if x.ndim > 1 else x
    if layout == "reversed":
        return np.ascontiguousarray(x[..., ::-1])[..., ::-1]
    if layout == "strided":
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)[..., ::2]
        wide[...] = x
        return wide
    return x


def put(x, layout):
    """Copy an array to the device, preserving its layout."""
    x = laid_out(x, layout)
    if layout == "turned" and x.ndim > 1:
        return there(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    if layout == "reversed":
        return there(x[..., ::-1])[..., ::-1]
    return there(x)


@st.composite
def problems(draw):
    """Draw the shapes, layouts and dtypes of two operands of a product."""
    m, n, k = (draw(st.integers(0, 70)) for _ in range(3))
    stack = draw(st.sampled_from([(), (), (2,), (3, 2), (1, 2), (0,)]))
    lacks = draw(st.integers(0, len(stack)))
    repeated = tuple(draw(st.sampled_from([1, extent])) for extent in stack)
    a = draw(st.sampled_from([(k,), (*stack, m, k), (*stack, m, k)]))
    b = draw(st.sampled_from([(k,), (*repeated[lacks:], k, n), (*repeated[lacks:], k, n)]))
    layouts = st.sampled_from(["C", "turned", "reversed", "strided"])
    dtype = draw(st.sampled_from(DTYPES))
    return a, b, draw(layouts), draw(layouts), dtype, draw(st.sampled_from([dtype, dtype, "d", "i"]))


@given(problems(), st.integers(0, 100))
def test_products_are_numpys(problem, seed):
    a_shape, b_shape, a_layout, b_layout, a_dtype, b_dtype = problem
    rng = np.random.default_rng(seed)
    a, b = values(rng, a_shape, a_dtype), values(rng, b_shape, b_dtype)
    x, y = put(a, a_layout), put(b, b_layout)
    with np.errstate(all="ignore"):
        check(x @ y, np.matmul, a, b)


@pytest.mark.parametrize("dtype", "?hLefD")
@pytest.mark.parametrize("shape", [(300, 5, 270), (1, 9000, 1), (7, 9000, 3), (90, 3000, 1), (1, 3000, 90)])
def test_large_tiles_and_split_sums(dtype, shape):
    m, k, n = shape
    a, b = values(RNG, (m, k), dtype), values(RNG, (k, n), dtype)
    with np.errstate(all="ignore"):
        check(there(a) @ there(b), np.matmul, a, b)


@pytest.mark.parametrize("shape", [(1, 100_000, 1), (40, 20_000, 30)])
def test_sums_are_as_accurate_as_numpys(shape):
    m, k, n = shape
    a, b = RNG.random((m, k), "f"), RNG.random((k, n), "f")
    exact = a.astype("d") @ b.astype("d")
    error = np.abs((there(a) @ there(b)).numpy() - exact).max()
    assert error <= 4 * np.abs(a @ b - exact).max() + 1e-6 * exact.max()


@pytest.mark.parametrize("dtype", "fD")
@pytest.mark.parametrize("shape", [(33, 4000, 5), (300, 10, 300)])
def test_bits_do_not_depend_on_how_many_groups_run(dtype, shape, monkeypatch):
    m, k, n = shape
    x, y = there(values(RNG, (m, k), dtype)), there(values(RNG, (k, n), dtype))
    first = (x @ y).numpy()
    for groups in (1, 7):
        monkeypatch.setattr("lazyarr.gpu.calls.launches.most_groups", groups)
        np.testing.assert_array_equal((x @ y).numpy(), first)


@pytest.mark.parametrize("name, operands", [
    ("dot", [(5, 6), (6, 7)]), ("dot", [(6,), (6,)]), ("dot", [(3, 4, 6), (2, 6, 5)]), ("inner", [(4, 6), (3, 6)]),
    ("inner", [(2, 4, 6), (3, 5, 6)]), ("vdot", [(4, 6), (4, 6)]), ("vecdot", [(3, 1, 6), (4, 6)]),
    ("matvec", [(3, 4, 6), (2, 1, 6)]), ("vecmat", [(2, 1, 6), (3, 6, 4)])])
@pytest.mark.parametrize("dtype", "?lefdFD")
def test_other_products(name, operands, dtype):
    a, b = (values(RNG, shape, dtype) for shape in operands)
    function = getattr(np, name)
    with np.errstate(all="ignore"):
        check(function(there(a), there(b)), function, a, b)


@pytest.mark.parametrize("subscripts, shapes", [
    ("ij,jk->ik", [(5, 6), (6, 7)]), ("ij,jk->ki", [(5, 6), (6, 7)]), ("bij,bkj->bik", [(3, 5, 6), (3, 7, 6)]),
    ("ij,kl->", [(5, 6), (7, 8)]), ("ii,i->i", [(6, 6), (6,)]), ("...ij,jk", [(2, 3, 4, 5), (5, 6)]),
    ("abc,cd->db", [(3, 4, 5), (5, 6)]), ("ab,bc->abc", [(3, 4), (4, 5)]), ("ijk,jil->kl", [(60, 5, 40), (5, 60, 40)])])
@pytest.mark.parametrize("dtype", "lfD")
def test_sums_in_index_notation(subscripts, shapes, dtype):
    a, b = (values(RNG, shape, dtype) for shape in shapes)
    got = np.einsum(subscripts, there(a), there(b))
    expected = np.einsum(subscripts, a, b)
    assert got.device == DEVICE
    if dtype == "l":
        np.testing.assert_array_equal(got.numpy(), expected)
    else:
        np.testing.assert_allclose(got.numpy(), expected, rtol=2e-3 if dtype == "f" else 1e-10, atol=1e-3)


def test_numpys_optimized_sums_overflow_as_on_the_host():
    a = np.full((3, 3), 50, np.int8)
    expected = np.einsum("ii,->", a, np.int8(1), dtype="int64", optimize=True)
    assert expected != 150
    got = np.einsum("ii,->", there(a), there(np.int8(1)), dtype="int64", optimize=True)
    assert got.item() == expected
    assert host_steps() == ["einsum"]


def test_axes_of_tensordot():
    a, b = RNG.random((4, 5, 6)), RNG.random((6, 3, 4))
    got = np.tensordot(there(a), there(b), ([0, 2], [2, 0]))
    np.testing.assert_allclose(got.numpy(), np.tensordot(a, b, ([0, 2], [2, 0])))


def test_programs_behind_a_product_run_on_its_result():
    a, b, bias = RNG.random((90, 40), "f"), RNG.random((40, 70), "f"), RNG.random(70, "f") - 11
    x, y, z = map(there, (a, b, bias))
    product = a @ b
    np.testing.assert_allclose(np.maximum(x @ y + z, 0).numpy(), np.maximum(product + bias, 0), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose((x @ y * 2).sum(1).numpy(), (product * 2).sum(1), rtol=1e-5)
    made = x @ y
    np.testing.assert_allclose((made - made.sum()).numpy(), product - product.sum(), rtol=1e-3)
    np.testing.assert_allclose(made.numpy(), product, rtol=1e-5)


@pytest.mark.parametrize("dtype", "efdFD")
@pytest.mark.parametrize("shape", [(2, 3, 2), (1, 5000, 1), (70, 20, 70)])
def test_overflow_and_invalid_values_are_reported(dtype, shape):
    m, k, n = shape
    large = np.sqrt(np.finfo(dtype).max).real * 2

    def messages(a, b):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            (there(a) @ there(b)).numpy()
        return sorted(str(w.message) for w in seen)

    ones, zeros = np.ones((m, k), dtype), np.zeros((k, n), dtype)
    assert messages(ones, zeros) == []
    a, b = ones.copy(), zeros.copy()
    a[0, 1], b[1, 0] = large, large
    assert messages(a, b) == ["overflow encountered in matmul"]
    a[0, 1], b[1, 0] = np.inf, 0
    assert messages(a, b) == ["invalid value encountered in matmul"]
    b[1] = 1
    assert messages(a, b + 1) == [] or dtype in "FD"
    a[0, 0] = np.nan
    assert messages(a, b) == []


def test_errstate_of_a_product_holds():
    a = np.full((2, 2), 1e200)
    with np.errstate(over="raise"):
        y = there(a) @ there(a)
    with pytest.raises(FloatingPointError, match="overflow encountered in matmul"):
        y.numpy()
    with np.errstate(over="ignore"):
        z = there(a) @ there(a)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(z.numpy()).all()


def test_derivatives_of_products():
    a, b = RNG.random((5, 6)), RNG.random((6, 7))
    got = la.grad(lambda x: (x @ there(b) * 2).sum())(there(a))
    np.testing.assert_allclose(got.numpy(), np.broadcast_to(2 * b.sum(1), (5, 6)))


def test_a_device_without_float64_leaves_such_products_to_the_host(monkeypatch):
    a = RNG.random((5, 6))
    monkeypatch.setattr(DRIVER, "_dialect", dataclasses.replace(DRIVER._dialect, has_double=False))
    monkeypatch.setattr(DRIVER, "_of_text", DRIVER._make_of_text)
    monkeypatch.setattr(DRIVER, "_built", weakref.WeakValueDictionary())
    np.testing.assert_allclose((there(a) @ there(a.T)).numpy(), a @ a.T, rtol=1e-14)  # BLAS has another way for a.T
    assert host_steps() == ["matmul"]
    b = a.astype("f")
    check(there(b) @ there(b.T), np.matmul, b, b.T)


def test_new_shapes_compile_nothing():
    def products(n):
        a = RNG.random((n, n + 1))
        return there(a[:, 1:]) @ there(a[:, :-1]), there(a[:, 1:].T) @ there(a), there(a)[1:] @ there(a).T

    la.evaluate(*products(20))
    before = len(DRIVER._built)
    for n in (17, 23, 40):
        la.evaluate(*products(n))
    assert len(DRIVER._built) == before
