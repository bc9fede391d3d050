"""Views, in-place updates and shared memory: which arrays a write changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from support import program_runner, sample_values, strategies
from support.call_outcomes import outcome
from support.lazy_helpers import assert_same, both

VIEWS = {
    "slice": lambda xp, x: x[1:3],
    "step": lambda xp, x: x[::2, 1::3],
    "reversed": lambda xp, x: x[::-1, ::-2],
    "integer": lambda xp, x: x[2],
    "column": lambda xp, x: x[:, -1],
    "ellipsis": lambda xp, x: x[..., 1:],
    "newaxis": lambda xp, x: x[:, None, 1],
    "T": lambda xp, x: x.T,
    "transpose": lambda xp, x: x.transpose(1, 0),
    "swapaxes": lambda xp, x: xp.swapaxes(x, 0, 1),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, 1),
    "reshape": lambda xp, x: x.reshape(2, -1),
    "ravel": lambda xp, x: x.ravel(),
    "reshape method of a transpose that needs a copy": lambda xp, x: x.T.reshape(-1),
    "ravel of a column": lambda xp, x: x[:, 1].ravel(),
    "reshape of a column": lambda xp, x: x[:, 1].reshape(2, -1),
    "ravel of a reversed row": lambda xp, x: x[1, ::-1].ravel(),
    "ravel of an imaginary part": lambda xp, x: x.reshape(2, -1).view("complex128")[0].imag.ravel(),
    "ravel of a transpose": lambda xp, x: x.T.ravel(),
    "ravel of a transpose in its order": lambda xp, x: x.T.ravel(order="F"),
    "ravel in order K": lambda xp, x: x.T.ravel(order="K"),
    "flatten": lambda xp, x: x.flatten(),
    "flip": lambda xp, x: xp.flip(x),
    "squeeze": lambda xp, x: xp.squeeze(x[:, :1]),
    "expand_dims": lambda xp, x: xp.expand_dims(x, 1),
    "atleast_3d": lambda xp, x: xp.atleast_3d(x),
    "rot90": lambda xp, x: xp.rot90(x),
    "split": lambda xp, x: xp.split(x, 2)[1],
    "real": lambda xp, x: x.real,
    "view": lambda xp, x: x.view(),
    "view dtype": lambda xp, x: x.view("int64"),
    "view smaller dtype": lambda xp, x: x.view("int32"),
    "asarray": lambda xp, x: xp.asarray(x),
    "astype without copy": lambda xp, x: x.astype("float64", copy=False),
    "astype": lambda xp, x: x.astype("float64"),
    "copy": lambda xp, x: x.copy(),
    "array": lambda xp, x: xp.array(x),
    "positive": lambda xp, x: +x,
    "advanced": lambda xp, x: x[[0, 2]],
    "mask": lambda xp, x: x[x > 0],
}


@pytest.mark.parametrize("order", ["view first", "write first"])
@pytest.mark.parametrize("name", VIEWS)
def test_writing_through_the_view_and_to_the_base(name, order):
    take = VIEWS[name]
    x, lx = both()
    v, lv = take(np, x), take(la, lx)
    assert_same(lv, v)
    if order == "view first":
        v[...] = 7
        lv[...] = 7
        x += 1
        lx += 1
    else:
        x[1:] *= 3
        lx[1:] *= 3
        v += 2
        lv += 2
    assert_same(lv, v)
    assert_same(lx, x)


@pytest.mark.parametrize("name", sorted(VIEWS.keys() - {"view smaller dtype"}))  # needs a contiguous last axis
def test_views_of_views(name):
    take = VIEWS[name]
    x, lx = both((6, 8))
    a, b = x[::2, ::-1], lx[::2, ::-1]
    c, d = take(np, a.T), take(la, b.T)
    e, f = c[..., :2], d[..., :2]
    e += 1
    f += 1
    a *= 2
    b *= 2
    x[0] = -1
    lx[0] = -1
    e[...] = e[::-1]
    f[...] = f[::-1]
    for lazy, expected in ((lx, x), (b, a), (d, c), (f, e)):
        assert_same(lazy, expected)


def test_a_view_outlives_its_base():
    x, lx = both()
    v, lv = x[1:, ::2], lx[1:, ::2]
    x += 5
    lx += 5
    del x, lx
    v += 1
    lv += 1
    assert_same(lv, v)


def test_two_views_see_each_other():
    x, lx = both((10,))
    a, b, c, d = x[:6], x[4:], lx[:6], lx[4:]
    a += 1
    c += 1
    b *= b
    d *= d
    for lazy, expected in ((lx, x), (c, a), (d, b)):
        assert_same(lazy, expected)


@given(strategies.shapes(max_side=5), st.data())
def test_random_chains_of_views(shape, data):
    x = sample_values.make("int32", shape, 0)
    lx = la.array(x)
    chain, lazy_chain = [x], [lx]
    for _ in range(data.draw(st.integers(1, 4))):
        key = data.draw(strategies.basic_keys(chain[-1].shape))
        view = chain[-1][key]
        if not isinstance(view, np.ndarray):
            break
        chain.append(view)
        lazy_chain.append(lazy_chain[-1][key])
    for number, place in enumerate(data.draw(st.lists(st.integers(0, len(chain) - 1), max_size=4))):
        chain[place] *= 2
        lazy_chain[place] *= 2
        chain[place][...] += number
        lazy_chain[place][...] += number
    for lazy, expected in zip(lazy_chain, chain, strict=True):
        assert_same(lazy, expected)


# Overlapping reads and writes: NumPy reads everything before it writes.

OVERLAPS = {
    "shift up": lambda xp, x: x[1:].__iadd__(x[:-1]),
    "shift down": lambda xp, x: x[:-1].__iadd__(x[1:]),
    "reverse": lambda xp, x: x.__iadd__(x[::-1]),
    "assign reversed": lambda xp, x: x.__setitem__(Ellipsis, x[::-1]),
    "assign shifted": lambda xp, x: x.__setitem__(slice(1, None), x[:-1]),
    "assign shifted back": lambda xp, x: x.__setitem__(slice(None, -1), x[1:]),
    "transpose": lambda xp, x: x.__iadd__(x.T),
    "transpose times": lambda xp, x: x.__imul__(x.T),
    "assign transpose": lambda xp, x: x.__setitem__(Ellipsis, x.T),
    "row from all rows": lambda xp, x: x.__isub__(x[0]),
    "column from all columns": lambda xp, x: x.__isub__(x[:, :1]),
    "mean": lambda xp, x: x.__isub__(x.sum(axis=0)),
    "out shifted": lambda xp, x: xp.add(x[:-1], x[1:], out=x[1:]),
    "out is both inputs": lambda xp, x: xp.multiply(x, x, out=x),
    "out is the transpose": lambda xp, x: xp.subtract(x, x.T, out=x.T),
    "out with where": lambda xp, x: xp.add(x, x[::-1], out=x, where=x > 0),
    "cumulative": lambda xp, x: xp.cumsum(x, axis=0, out=x),
    "interior": lambda xp, x: x[1:-1, 1:-1].__iadd__(x[2:, 1:-1] - x[:-2, 1:-1]),
    "own element": lambda xp, x: x.__iadd__(x[1, 1]),
    "rows by index": lambda xp, x: x.__setitem__([0, 1], x[[1, 0]]),
    "masked": lambda xp, x: x.__setitem__(x > 0, 0.0),
    "masked from itself": lambda xp, x: x.__setitem__(x > 0, x[x > 0][::-1]),
    "copyto": lambda xp, x: xp.copyto(x[1:], x[:-1]),
    "sin in place": lambda xp, x: xp.sin(x, out=x),
    "two in one": lambda xp, x: xp.divmod(x, 3.0, out=(x[:, :], x.T.copy())),
}


DYING = {
    "operand": lambda xp, x: xp.subtract(xp.cumsum(x), x, out=xp.zeros_like(x), where=x > 0),
    "other operand": lambda xp, x: xp.subtract(x, xp.cumsum(x), out=xp.ones_like(x), where=x > 0),
    "operand and old values": lambda xp, x: xp.negative(xp.cumsum(x), out=xp.cumsum(-x), where=x > 0),
    "mask": lambda xp, x: xp.less(x, xp.cumsum(x), out=xp.zeros(x.shape, bool), where=xp.flip(x > 0)),
    "nothing": lambda xp, x: xp.exp(x, out=x.copy(), where=x > 0),
    "what is assigned to": lambda xp, x: x.__setitem__(
        Ellipsis, xp.subtract(x, 1, out=xp.cumsum(x), where=x > 0)) or x,
}


@pytest.mark.parametrize("evaluated", [False, True])
@pytest.mark.parametrize("size", [1, 7, 64, 1001, 300_000])
@pytest.mark.parametrize("name", DYING)
def test_an_operation_under_a_mask_overwrites_what_it_reads(name, size, evaluated):
    """Its result may reuse the memory of an operand or mask that has no later readers."""
    def made(xp, x):
        y = DYING[name](xp, x)
        return y + (y * 2)[::-1]

    x, lx = both((size,))
    if evaluated:
        lx.numpy()
    assert_same(made(la, lx), made(np, x))


@pytest.mark.parametrize("evaluated", [False, True])
@pytest.mark.parametrize("side", [1, 2, 3, 8, 33, 200])
@pytest.mark.parametrize("name", OVERLAPS)
def test_overlap(name, side, evaluated):
    if side < 2 and name in ("own element", "rows by index"):
        pytest.skip("needs two rows")
    x, lx = both((side, side))
    if evaluated:
        lx.numpy()
    OVERLAPS[name](np, x)
    OVERLAPS[name](la, lx)
    assert_same(lx, x)


def test_overlap_in_a_loop():
    x, lx = both((64,))
    for step in range(1, 20):
        x[step:] += x[:-step]
        lx[step:] += lx[:-step]
        x[:-1] = x[1:] * 0.5
        lx[:-1] = lx[1:] * 0.5
    assert_same(lx, x)


def test_stencil_in_place_reads_old_values():
    x, lx = both((20, 30))
    for _ in range(5):
        x[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
        lx[1:-1, 1:-1] = (lx[:-2, 1:-1] + lx[2:, 1:-1] + lx[1:-1, :-2] + lx[1:-1, 2:]) / 4
    assert_same(lx, x)


def test_a_result_pending_before_a_write_keeps_the_old_values():
    x, lx = both()
    before, lazy_before = x * 2, lx * 2
    total, lazy_total = x.sum(), lx.sum()
    x[...] = 0
    lx[...] = 0
    assert_same(lazy_before, before)
    assert program_runner.value_difference(np.asarray(total), lazy_total, exact=False) is None
    assert_same(lx, x)


def test_an_alias_is_the_same_array():
    x = la.zeros(3)
    y = x
    y += 1
    assert y is x
    assert_same(x, np.ones(3))


def test_out_is_returned_and_changed():
    x, out = la.arange(3.0), la.zeros(3)
    assert la.exp(x, out=out) is out
    assert la.add(x, 1, out=(out,)) is out
    assert_same(out, np.arange(3.0) + 1)
    view = out[1:]
    la.negative(view, out=view)
    assert_same(out, np.array([1.0, -2.0, -3.0]))


def test_out_may_be_an_ndarray():
    out = np.zeros(3)
    assert la.add(la.arange(3.0), 1, out=out) is out
    assert out.tolist() == [1, 2, 3]
    assert np.multiply(la.arange(3.0), 2, out=out) is out
    assert out.tolist() == [0, 2, 4]
    out += la.ones(3)
    assert out.tolist() == [1, 3, 5]


# Where NumPy returns a scalar.

def test_a_reduction_has_value_semantics():
    x = la.arange(4.0)
    s = x.sum()
    t = s
    s += 1
    assert (float(s), float(t)) == (7, 6)
    x += 1
    assert float(t) == 6


def test_an_element_is_a_copy():
    x = la.arange(4.0)
    element, row = x[2], la.arange(4.0).reshape(2, 2)[1, 1]
    x[2] = 9
    assert float(element) == 2
    element += 10
    row *= 2
    assert x.tolist() == [0, 1, 9, 3]
    assert (float(element), float(row)) == (12, 6)


def test_an_element_through_an_ellipsis_is_a_view():
    x = la.arange(4.0)
    view = x[2, ...]
    view += 10
    view[...] *= 2
    assert x.tolist() == [0, 1, 24, 3]


def test_a_zero_dimensional_array_is_an_array():
    x = la.array(3.0)
    y = x
    y += 1
    x[...] += 1
    assert y is x
    assert float(y) == 5
    z = x + 0
    z += 1
    assert (float(x), float(z)) == (5, 6)


@pytest.mark.parametrize("make", [lambda: la.arange(3.0).sum(), lambda: la.arange(3.0)[1], lambda: la.array(1.0) + 1])
def test_a_scalar_cannot_be_written_to(make):
    with pytest.raises(TypeError, match="does not support item assignment"):
        make()[...] = 1


SCALAR_KEYS = {
    "()": (), "...": ..., "None": None, "None and ...": (None, ...), "True": True, "False": False,
    "np.True_": np.True_, "0-d mask": np.array(True), "mask in a tuple": (None, np.array(False)), "0": 0,
    ":": slice(None), "mask with an axis": np.array([True]), "[0]": [0], "string": "a", "two ellipses": (..., ...),
}


@pytest.mark.parametrize("name", SCALAR_KEYS)
def test_a_scalar_is_indexed_as_an_array_of_its_own(name):
    key = SCALAR_KEYS[name]
    want = outcome(lambda: np.arange(4.0).sum()[key])
    lazy = la.arange(4.0).sum()
    assert outcome(lambda: lazy[key]) == want
    if want[0] == "result" and name != "()":
        taken = lazy[key]
        taken[...] = -1
        assert float(lazy) == 6


def test_a_scalar_under_a_pending_mask():
    s = la.arange(4.0).sum()
    assert s[s > 3].tolist() == [6]


def test_iteration_gives_views_of_rows_and_copies_of_elements():
    x = la.zeros((2, 3))
    for number, row in enumerate(x):
        row += number
    assert x.tolist() == [[0, 0, 0], [1, 1, 1]]
    y = la.zeros(3)
    for element in y:
        element += 1
    assert y.tolist() == [0, 0, 0]


# ndarrays and lazy arrays.

def test_a_writeable_ndarray_is_read_when_the_operation_is_written():
    n = np.arange(3.0)
    x = la.zeros(3)
    y, z = x + n, la.where(x == 0, n, x)
    w = np.add(n, x)
    x[...] = n
    n[...] = -1
    for lazy in (x, y, z, w):
        assert_same(lazy, np.arange(3.0))


def test_the_part_of_an_ndarray_that_a_view_reads_is_copied_too():
    n = np.arange(12.0).reshape(3, 4)
    y = la.zeros((2, 2)) + n[1:, ::3]
    n += 100
    assert_same(y, np.array([[4.0, 7.0], [8.0, 11.0]]))


def test_a_source_may_be_freed():
    y = la.asarray(np.arange(100_000.0)) + 1
    z = la.asarray(np.arange(100_000.0)[::-2]) + 1
    np.full(100_000, -1.0)  # what would land in freed memory
    assert_same(y, np.arange(100_000.0) + 1)
    assert_same(z, np.arange(100_000.0)[::-2] + 1)


def test_asarray_shares_memory():
    n = np.arange(10.0)
    x = la.asarray(n)
    assert np.shares_memory(x.numpy(), n)
    assert np.shares_memory(la.asarray(n[::2]).numpy(), n)


def test_asarray_of_a_lazy_array_is_itself():
    x = la.zeros(3) + 1
    assert la.asarray(x) is x


def test_a_write_to_a_shared_array_leaves_the_ndarray_alone():
    n = np.arange(3.0)
    x = la.asarray(n)
    view = x[1:]
    view += 1
    x[0] = -5
    x *= 2
    assert_same(x, np.array([-10.0, 4.0, 6.0]))
    assert n.tolist() == [0, 1, 2]


def test_array_copies():
    n = np.arange(3.0)
    x = la.array(n)
    n += 1
    assert_same(x, np.arange(3.0))
    y = la.array(x)
    x += 1
    assert_same(y, np.arange(3.0))


def test_check_views_raises_where_a_shared_array_was_written_to():
    n = np.arange(3.0)
    with la.config(check_views=True):
        y = la.asarray(n) + 1
        n[1] = 10
        with pytest.raises(RuntimeError, match=r"changed|written"):
            y.numpy()
        z = la.asarray(n) + 1
        assert_same(z, np.array([1.0, 11.0, 3.0]))


# Reading values.

def test_the_value_is_read_only():
    value = (la.zeros(3) + 1).numpy()
    assert type(value) is np.ndarray
    assert not value.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        value[0] = 2
    with pytest.raises(ValueError, match="WRITEABLE"):
        value.flags.writeable = True


@pytest.mark.parametrize("change", [
    lambda x: x.__iadd__(1), lambda x: x.__setitem__(0, 9), lambda x: x.__setitem__(Ellipsis, 9),
    lambda x: x[1:].__imul__(5), lambda x: x.fill(3), lambda x: x.__setitem__(x > 0, 7),
    lambda x: x.__setitem__([0], 7), lambda x: la.sin(x, out=x), lambda x: x.sort(), lambda x: x.T.__isub__(1),
    lambda x: x.reshape(2, 2).__isub__(1),
])
@pytest.mark.parametrize("look", [
    lambda x: x.numpy(), lambda x: x[1:].numpy(), lambda x: np.from_dlpack(x), lambda x: x.T.numpy(),
])
def test_a_value_taken_earlier_does_not_change(change, look):
    x = la.array([4.0, 3.0, 2.0, 1.0]) + 0
    value = look(x)
    kept = value.copy()
    change(x)
    changed = x.numpy()
    np.testing.assert_array_equal(value, kept)
    assert not np.array_equal(changed, [4.0, 3.0, 2.0, 1.0])
    assert not np.shares_memory(value, changed)


def test_array_of_a_lazy_array_is_private():
    x = la.zeros(3) + 1
    private = np.array(x)
    private[0] = 9
    x += 1
    assert_same(x, np.full(3, 2.0))
    assert private.tolist() == [9, 1, 1]


def test_a_value_outlives_its_array():
    x = la.arange(10_000.0) + 1
    value = x.numpy()
    del x
    for _ in range(5):
        (la.zeros(10_000) - 1).numpy()  # would take the buffer, had it been returned
    np.testing.assert_array_equal(value, np.arange(10_000.0) + 1)


def test_an_update_without_other_readers_happens_in_place(evaluations):
    x = la.zeros(100_000) + 1
    place = x.numpy().ctypes.data
    x[10:20] += 1
    assert x.numpy().ctypes.data == place
    x[3] = 5
    assert x.numpy().ctypes.data == place
