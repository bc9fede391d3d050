"""Memory layout of results, which determines what is a view, and read-only views."""

import numpy as np
import pytest

import lazyarr as la
from support.lazy_helpers import assert_same, both

# The layout of results determines what is a view later.

LAYOUTS = {
    "C": lambda x: x + 1,
    "F": lambda x: x.T + 1,
    "F and F": lambda x: x.T * x.T,
    "C and F": lambda x: x[:5, :5] + x[:5, :5].T,
    "reversed": lambda x: x[::-1, ::-1] + 1,
    "gaps": lambda x: x[::2, ::2] + 1,
    "broadcast": lambda x: x[:, :1] + x[0],
    "one column": lambda x: x[:, 1] + 1,
    "cast": lambda x: x.T.astype("float32"),
    "copy of a broadcast": lambda x: np.broadcast_to(x[:, :1], (6, 5)).copy(order="K"),
    "planes by a mask": lambda x: x.reshape(2, 3, 5).transpose(0, 2, 1)[np.array([True, False])],
    "planes by two indices": lambda x: x.reshape(2, 3, 5).transpose(0, 2, 1)[[0, 1], :, [1, 2]],
    "sum of a broadcast": lambda x: np.broadcast_to(x, (2, 6, 5)) + 1,
    "cumsum": lambda x: x.cumsum(axis=1),
    "where of F": lambda x: np.where(x.T > 0, x.T, 0),
    "clip of F": lambda x: np.clip(x.T, 0, 1),
    "concatenation of F": lambda x: np.concatenate([x.T, x.T]),
    "zeros like F": lambda x: np.zeros_like(x.T),
    "rows by index": lambda x: x[[0, 2]],
    "rows by index of F": lambda x: x.T[[0, 2]],
    "masked": lambda x: x.T[x.T > -100],
    "take": lambda x: np.take(x, [0, 1], axis=1),
    "roll of F": lambda x: np.roll(x.T, 1),
    "diff of F": lambda x: np.diff(x.T, axis=1),
    "modf of F": lambda x: np.modf(x.T)[1],
    "matrix product": lambda x: x.T @ x,
    "outer of F": lambda x: np.add.outer(x.T, x[0]),
    "argmax of F": lambda x: x.reshape(2, 3, 5).T.argmax(axis=0),
    "max of F": lambda x: x.reshape(2, 3, 5).T.max(axis=0, keepdims=True),
    "mean of F": lambda x: x.reshape(2, 3, 5).T.mean(axis=1),
    "copy of F": lambda x: x.T.copy(),
    "copy of F in order K": lambda x: x.T.copy(order="K"),
    "reduction": lambda x: x.reshape(2, 3, 5).sum(axis=1),
    "reduction of F": lambda x: x.reshape(2, 3, 5).T.sum(axis=1),
    "length one": lambda x: x[:1, :].T + 1,
    "empty": lambda x: x[:0] + 1,
    "permuted": lambda x: x.reshape(2, 3, 5).transpose(1, 2, 0) * 2,
    "cast of a broadcast": lambda x: np.broadcast_to(x, (2, 6, 5)).astype("float32"),
    "cumsum of F": lambda x: x.T.cumsum(axis=1),
    "sort of F": lambda x: np.sort(x.T, axis=0),
    "columns by index": lambda x: x[:, [0, 2]],
    "copy of a leading broadcast": lambda x: np.broadcast_to(x, (2, 6, 5)).copy(order="K"),
    "planes by index": lambda x: x.reshape(1, 6, 5).transpose(0, 2, 1)[[0]],
    "fold in order": lambda x: np.subtract.reduce(x.reshape(2, 3, 5).T, axis=1),
    "sum of nothing": lambda x: x.reshape(2, 3, 5).transpose(1, 0, 2)[:, :0, ::2].sum(axis=1),
    "sum of nothing in float16": lambda x: x.reshape(2, 3, 5).T[..., 5:2:-1].sum(axis=2, keepdims=True, dtype="f2"),
    "planes by indices": lambda x: x.reshape(2, 3, 5).transpose(0, 2, 1)[[0, 1, 1]],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_of_results(name):
    x, lx = both((6, 5))
    y, ly = LAYOUTS[name](x), LAYOUTS[name](lx)
    assert ly.shape == y.shape
    if y.size:
        significant = [axis for axis in range(y.ndim) if y.shape[axis] > 1]
        assert [ly.strides[axis] for axis in significant] == [y.strides[axis] for axis in significant]
    r, lr = y.ravel(), ly.ravel()
    y[...] += 1
    ly[...] += 1
    if r.size:
        r[0] = 99
        lr[0] = 99
    assert_same(ly, y)
    assert_same(lr, r)


@pytest.mark.parametrize("function", [
    lambda x: x.transpose(2, 0, 1)[::-1].astype("u8") > -1,
    lambda x: x.T.astype("M8[s]") + np.timedelta64(1, "s"),
    lambda x: np.divmod(x.T.astype("m8[s]"), np.timedelta64(2, "s"))[1],
    lambda x: np.concatenate([np.broadcast_to(x[0, 0].astype("S3"), (3, 5))] * 2),
    lambda x: (x.T[:, 3::2] > 0).any(axis=1), lambda x: x.T[:, 3::2].prod(axis=(1, 0)),
    lambda x: np.concatenate([np.moveaxis(x[:, :, 5:], 0, 2)] * 2).all(axis=1), lambda x: x.T[:, 5:].reshape(5, 0, 2),
    lambda x: x.astype([("a", "i1"), ("b", "f8")]).T["b"] + 1,
    lambda x: x.T[:, 5:] + x.T[:, :1], lambda x: x[:, 5::2], lambda x: x[:, 2:1:-1, ::-1], lambda x: x[:0].T + 1,
    lambda x: np.concatenate([x[:0].T] * 2), lambda x: x[:, :0].copy(), lambda x: np.zeros_like(x.T[:, 3:]),
    lambda x: x.T[:, 3:].copy("F"), lambda x: np.sort(x[..., :0].T, 1), lambda x: x.T[[0, 1], 3:],
])
def test_strides_of_results(function):
    x, lx = both((2, 3, 5))
    y, ly = function(x), function(lx)
    assert ly.strides == y.strides
    assert_same(ly, y)


def test_records_that_are_joined_are_packed():
    for dtype in ([("a", "i4"), ("b", "f8")], np.dtype("i2, f8", align=True)):
        x = np.zeros(2, dtype)
        for fields in (list(x.dtype.names), x.dtype.names[1:]):
            part, lazy = x[list(fields)], la.array(x)[list(fields)]
            assert la.concatenate([lazy, lazy]).dtype == np.concatenate([part, part]).dtype


@pytest.mark.parametrize("key", ["None, ::-1", "::-1, None", "None, ::2", "::-1"])
@pytest.mark.parametrize("dtype", ["O", "U2", "i4,O"])
def test_a_copy_owns_its_memory_after_it_was_written_to_in_part(dtype, key):
    def owns(xp):
        x = xp.zeros(4, dtype)[eval(f"np.s_[{key}]")].copy("K")
        x[:-1:2] = x[:-1:2]
        return x.flags.owndata, x.strides

    assert owns(la.numpy) == owns(np)
    assert owns(np)[0]


@pytest.mark.parametrize("order", [lambda x: x.sort(), lambda x: x.sort(order="b"), lambda x: x.partition(2)])
def test_some_fields_of_records_are_put_in_order_with_what_lies_between_them(order):
    x = np.array([(3, 1.0, 2, "ab"), (1, 2.0, 3, "c"), (1, 0.5, 1, "d")], "i4, f8, i2, U2")
    x.dtype.names = "a", "b", "c", "d"
    lazy = la.array(x)
    order(x[["a", "b"]])
    order(lazy[["a", "b"]])
    assert lazy.tolist() == x.tolist()


@pytest.mark.parametrize(("attribute", "value"), [
    ("shape", (5, 4)), ("shape", -1), ("dtype", "int64"), ("dtype", "uint32"),
])
def test_assigning_shape_and_dtype(attribute, value):
    x, lx = both()
    view, lazy_view = x[:, ::2], lx[:, ::2]
    setattr(x, attribute, value)
    setattr(lx, attribute, value)
    x[..., 0] = 1
    lx[..., 0] = 1
    assert_same(lx, x)
    assert_same(lazy_view, view)


def test_real_and_imag_are_views():
    x, lx = both((6,), "complex128")
    x.real += 1
    lx.real += 1
    x.imag[1:] = x.real[:-1]
    lx.imag[1:] = lx.real[:-1]
    x[::2].imag = 3
    lx[::2].imag = 3
    assert_same(lx, x)


def test_nan_payloads_and_signs_are_copied_exactly():
    bits = np.array([0x7ff8000000000001, 0xfff8000000000002, 0x7ff0000000000003, 0xfff0000000000000], np.uint64)
    x = la.asarray(bits.view("float64"))
    y = la.zeros(4)
    y[...] = x
    for copied in (x[::-1].copy()[::-1], y, la.where(x == x, x, x), x.astype("float64"), la.concatenate([x, x])[4:]):
        np.testing.assert_array_equal(copied.numpy().view("uint64"), bits)
    np.testing.assert_array_equal((-x).numpy().view("uint64"), bits ^ np.uint64(1 << 63))


READ_ONLY = {
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (3, 4, 5)),
    "a view of broadcast_to": lambda xp, x: xp.broadcast_to(x, (3, 4, 5))[0, 1:],
    "diagonal": lambda xp, x: x.diagonal(),
    "imag of a real array": lambda xp, x: x.imag,
}


@pytest.mark.parametrize("write", [
    lambda xp, x: x.__setitem__(Ellipsis, 1), lambda xp, x: x.__iadd__(1), lambda xp, x: xp.add(1, 2, out=x),
    lambda xp, x: x.fill(0), lambda xp, x: x.__setitem__(x > 0, 1), lambda xp, x: xp.copyto(x, 1),
])
@pytest.mark.parametrize("name", READ_ONLY)
def test_read_only_views(name, write):
    x, lx = both()
    with pytest.raises(ValueError, match="read-only") as expected:
        write(np, READ_ONLY[name](np, x))
    with pytest.raises(ValueError, match="read-only") as got:
        write(la, READ_ONLY[name](la, lx))
    assert str(got.value) == str(expected.value)
    assert_same(lx, x)


@pytest.mark.parametrize("budget", [1, 400])
def test_a_cast_of_an_operand_has_no_say_in_the_layout_whenever_it_is_evaluated(budget):
    for xp in (np, la):
        with la.config(budget_nodes=budget):
            x = xp.ones((2, 2), "f4").T
            seen = xp.broadcast_to(x[:, None], (2, 2, 2))
            result = xp.where(x > 0, seen, xp.ones((2, 2)))
        if xp is np:
            expected = result.strides
    assert result.strides == expected


@pytest.mark.parametrize("view", ["x", "x.T", "x[::-1]", "np.broadcast_to(x[0], (2, 4))",
                                  "np.broadcast_to(x[:, :1], (3, 4))", "np.broadcast_to(x[0], (2, 3, 4)).T"])
def test_operations_on_packed_fields(view):
    data = np.arange(12).reshape(3, 4).astype([("a", "i4"), ("b", "f8")])
    expected = eval(view, {"x": data, "np": np})["b"] * 2
    result = eval(view, {"x": la.array(data), "np": la})["b"] * 2
    assert result.strides == expected.strides
    assert np.array_equal(result.numpy(), expected)
