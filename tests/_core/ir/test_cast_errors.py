"""Floating-point errors of casts: which NumPy reports, for which operands, and when."""

import operator
import warnings

import numpy as np
import pytest

import lazyarr as la
from support.call_outcomes import warned

# NumPy casts numbers, and rows that fit its buffer, before the loop, and reports errors for each operand. From the
# first other operand on that it has to cast it casts in its buffers, except for numbers, and tells once for all.
NARROW = {"dtype": "f4", "casting": "same_kind"}
OPERANDS = {
    "short": [3, 3], "as long as the buffer": [8192, 8192], "longer": [8193, 8193], "no elements": [0, 0],
    "the second is longer": [1, 8193], "the first is longer": [8193, 1], "two axes": [(3, 3), (3, 3)],
    "numbers": [(), ()], "a number first": [(), (3, 3)], "a row first": [3, (3, 3)], "a row second": [(3, 3), 3],
}


def huge(shape, step=1):
    return np.full(shape, 1e300) if step == 1 else np.full(shape * abs(step), 1e300)[::step]


CALLS = {
    **{name: (lambda xp, a, b: xp.add(a, b, **NARROW), [huge(shape) for shape in shapes])
       for name, shapes in OPERANDS.items()},
    "a number second": (lambda xp, a, b: xp.add(a, b, **NARROW), [np.ones((3, 3)), huge(())]),
    "strides": (lambda xp, a, b: xp.add(a, b, **NARROW), [huge(3, 2), huge(3, -3)]),
    "the same twice": (lambda xp, a: xp.add(a, a, **NARROW), [huge(3)]),
    "one is not cast": (lambda xp, a, b: xp.add(a, b, **NARROW), [np.ones((3, 3), "f4"), huge(3)]),
    "out": (lambda xp, a, b: xp.add(a, b, out=xp.zeros(3, "f4"), **NARROW), [huge(3), huge(3)]),
    "out of another dtype": (lambda xp, a, b: xp.add(a, b, out=xp.zeros(3, "f8"), **NARROW), [huge(3), huge(3)]),
    "the result is cast": (lambda xp, a, b: xp.add(a, b, out=a), [np.ones(3, "f4"), huge(3)]),
    "in place": (lambda xp, a, b: operator.iadd(a, b), [np.ones(3, "f4"), huge(3)]),
    "where": (lambda xp, a: xp.add(a, 1, out=xp.zeros(3, "f4"), where=xp.ones(3, bool), **NARROW), [huge(3)]),
    "where, a number": (lambda xp, a, b: xp.add(a, b, out=xp.zeros(3, "f4"), where=xp.ones(3, bool), **NARROW),
                        [np.ones(3), huge(())]),
    "where=True": (lambda xp, a: xp.add(a, 1, where=True, **NARROW), [huge(3)]),
    "a 0-d mask": (lambda xp, a: xp.add(a, 1, out=xp.zeros(3, "f4"), where=np.array(True), **NARROW), [huge(3)]),
    "one operand": (lambda xp, a: xp.exp(a, **NARROW), [huge(3)]),
    "one operand of two axes": (lambda xp, a: xp.exp(a, **NARROW), [huge((3, 3))]),
    "two results": (lambda xp, a: xp.modf(a, **NARROW), [huge(3)]),
    "three operands": (lambda xp, a, b: xp.clip(b, a, a, **NARROW), [huge(()), np.ones((3, 3), "f4")]),
    "outer": (lambda xp, a: xp.add.outer(a, a, **NARROW), [huge(3)]),
    "to integers": (lambda xp, a: xp.add(a, a, dtype="i4", casting="unsafe"), [huge(3)]),
    "by promotion": (lambda xp, a, b: xp.not_equal(a, b), [np.array([0x7c01], "u2").view("f2"), np.longdouble([1])]),
    "by promotion, two axes": (lambda xp, a, b: xp.add(a, b),
                               [np.array([[0x7c01]], "u2").view("f2"), np.longdouble([1])]),
    "under a mask": (lambda xp, a, m: xp.not_equal(a[m], np.longdouble(1)),
                     [np.array([0x7c01], "u2").view("f2"), np.array([True])]),
}


def evaluated(result):
    la.evaluate(*[x for x in (result if isinstance(result, tuple) else [result]) if isinstance(x, la.LazyArray)])


@pytest.mark.parametrize("mode", ["warn", "raise"])
@pytest.mark.parametrize("call, operands", CALLS.values(), ids=list(CALLS))
def test_casts_of_operands(call, operands, mode):
    def told(xp, convert):
        try:
            return warned(lambda: evaluated(call(xp, *map(convert, operands))))
        except FloatingPointError as error:
            return str(error).splitlines()[0]

    with np.errstate(all=mode):
        expected, got = told(np, np.copy), told(la, la.array)
    if mode == "warn" and not any("cast" in message for message in expected):
        expected, got = set(expected), set(got)  # NumPy tells once of all operands and the loop
    assert got == expected


def test_casts_of_operands_follow_the_size_of_the_buffer():
    def told(xp, size):
        return warned(lambda: np.asarray(xp.add(xp.array(huge(size)), 1, **NARROW)))

    with np.errstate(all="warn"):
        np.setbufsize(16)
        assert told(la, 16) == told(np, 16) == ["overflow encountered in cast"]
        assert told(la, 17) == told(np, 17) == ["overflow encountered in add"]
    assert told(la, 17) == told(np, 17) == ["overflow encountered in cast"]


def test_a_scalar_is_cast_where_shapes_do_not_fit_if_numpy_casts_it_first():
    def error(xp):
        x = xp.array(np.ones((3, 3), "float32"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((ValueError, RuntimeWarning)) as caught:
                xp.where(x > 0, 1e300, x[:0])
        return caught.type

    assert error(la) is error(la.numpy) is error(np)


@pytest.mark.parametrize("write", [
    lambda xp, x, big: operator.setitem(x, x > 5, big),
    lambda xp, x, big: xp.copyto(x, xp.stack([big] * 3), where=x > 5, casting="unsafe"),
])
def test_a_mask_keeps_errors_of_a_cast_away(write):
    seen = {}
    for xp in (np, la):
        x, big = xp.ones(3, "float16"), xp.array(1e5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            write(xp, x, big)
            assert x.tolist() == [1, 1, 1]
        x[1] = 7
        with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
            seen[xp] = write(xp, x, big) or x.tolist()
    assert seen[la] == seen[np] == [1, np.inf, 1]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (3,), (0,)])
def test_copyto_casts_one_value_where_it_is_wanted_or_for_many(shape):
    seen = {}
    for xp in (np, la):
        x = xp.ones(shape, "float16")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            xp.copyto(x, xp.array(10**6), casting="unsafe", where=x > 5)
            seen[xp] = x.tolist(), [str(warning.message) for warning in caught]
    assert seen[la] == seen[np]


@pytest.mark.parametrize("size", [3, 30_000])
@pytest.mark.parametrize("line", [
    "xp.where(xp.ones(x.shape, bool), x, y)", "xp.where(True, x, y) / 2", "x.astype('g')"])
def test_where_tells_of_no_cast(size, line):
    def told(xp):
        x = xp.array(np.full(size, 0x7C01, "u2").view("f2"))  # a signalling NaN
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            np.asarray(eval(line, {"xp": xp, "x": x, "y": xp.ones(size, "g")}))
        return [str(warning.message) for warning in caught]
    assert told(la.numpy) == told(np)


def test_a_cast_into_an_ndarray_is_the_operations():
    for xp in (np, la):
        out = np.ones(3, "float16")
        with pytest.warns(RuntimeWarning, match="overflow encountered in add"):
            out += xp.array([1e6, 2, 3], "float32")
        assert out.tolist() == [np.inf, 3, 4]


def test_a_scalar_mean_is_cast_by_itself():
    tiny = [1e-3, 0, 0]
    for xp, axis, name in ((np, None, "cast"), (la, None, "cast"), (np, 1, "divide"), (la, 1, "divide")):
        with np.errstate(under="warn"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            xp.array([tiny], "float16").var(axis=axis).tolist()
        assert f"underflow encountered in {name}" in {str(warning.message) for warning in caught}, (xp, axis)


@pytest.mark.parametrize(("name", "dtype", "large"), [
    ("absolute", "f8", 1e10), ("negative", "f8", 1e10), ("maximum", "f8", 1e10), ("fmax", "f8", 1e10),
    ("left_shift", "i8", 70000), ("add", "f8", 1e10)])
def test_an_overflow_of_which_numpy_warns_if_one_buffer_holds_all(name, dtype, large):
    """Loops of some ufuncs clear the status between NumPy's buffers, and so lose errors of casts."""
    x, function = np.zeros(20000, dtype), getattr(np, name)
    x[5] = large
    operands = (x, np.zeros_like(x))[:function.nin]
    size = np.setbufsize(1 << 20)
    try:
        with pytest.warns(RuntimeWarning, match=f"overflow encountered in {name}"):
            function(*operands, out=np.zeros(20000, "f2"), casting="unsafe")
    finally:
        np.setbufsize(size)
    out = la.zeros(20000, "f2")
    function(*map(la.asarray, operands), out=out, casting="unsafe")
    with pytest.warns(RuntimeWarning, match=f"overflow encountered in {name}"):
        out.numpy()
