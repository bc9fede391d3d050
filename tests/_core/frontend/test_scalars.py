"""Where NumPy returns a scalar, the lazy result has its values, methods and errors, and shares no memory."""

import operator
import warnings

import numpy as np
import pytest

import lazyarr as la

SCALARS = ("np.float64(3)", "np.int64(3)", "np.float32(3)", "np.bool_(True)", "np.complex128(3 + 1j)", "np.uint8(3)")

LINES = """
x[...]; x[()]; x[None]; x[0]; x[1:]; x['a']; x[[0]]; x[True]; x[np.array(True)]; x[..., None]; x[None, ...]; x[0, 0]
x.T; x.squeeze(axis=0); x.ravel(); x.flatten(); x.swapaxes(0, 0); x.diagonal(); x.transpose(); x.view(); x.reshape(1)
x.reshape(()); x.reshape(-1); x.base; x.strides; x.real; x.imag; x.fill(3); x.sort(); x.put(0, 1); x.resize(3)
setattr(x, 'shape', (1,)); setattr(x, 'dtype', 'i8'); setattr(x, 'real', 3); setattr(x, 'imag', 3)
setattr(x, 'flat', 3); x.ctypes; x.dot(3); x.mT; x.partition(0); x.argpartition(0); x.itemset(3); x.setfield(1, 'i4')
x.setflags(write=True); setattr(x.flags, 'writeable', True); x.flags.writeable; x.copy(); x.astype(int); x.repeat(2)
x.take(0); x.nonzero(); x.choose([1]); x.compress([True]); x.argsort(); x.argmax(); x.searchsorted(1); x.cumsum()
x.round(); x.tolist(); x.item(); x.tobytes(); x.any(); x.clip(0, 1); x.trace(); x.nbytes; x.device; x.max(0)
x.sum(axis=0); x.mean(1); x.all(axis=()); x.conj(); hash(x); x @ x; x @ np.ones(2); x.item(0); x.item(1); iter(x)
3 in x; len(x); f'{x:.2f}'; '%s' % x; repr(x); str(x); int(x); round(x); bool(x); x == 3; x == None; x != 'a'
{x: 1}[3] if x == 3 else 0; x * [1, 2]; [1, 2] * x; 'a' * x; x * 'a'; (1, 2) * x; x + [1, 2]; x + 'a'; x << 1; ~x; x | 1
divmod(x, 2); x ** 2; -x; abs(x); 2 ** x; x / 2; x // 2; x % 2; np.add(x, x); np.copy(x); np.array(x); np.ravel(x)
np.squeeze(x); np.transpose(x); np.sum(x); np.sort(x); np.where(x > 1, x, 0); np.real(x); np.imag(x); np.flip(x)
np.atleast_1d(x); np.put(x, 0, 1); np.place(x, True, 1); np.copyto(x, 1); np.fill_diagonal(x, 1); np.add.at(x, (), 1)
np.add(1, 1, out=x); np.add(np.ones(2), 1, out=x); np.round(x); np.round(np.asarray(x)); np.asarray(x).round()
"""


def outcome(line, x, xp):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(line, {"x": x, "np": xp})
            if isinstance(result, la.LazyArray):
                return "scalar" if result._scalar else "array", repr(result), result._scalar or result.base is None
            if isinstance(result, np.ndarray):
                return "array", repr(result), result.base is None
            return "scalar" if isinstance(result, np.generic) else "object", repr(result), True
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("line", [line.strip() for line in LINES.replace("\n", ";").split(";") if line.strip()])
def test_scalar(line):
    for text in SCALARS:
        value = eval(text, {"np": np})
        expected = outcome(line, value, np)
        data = np.array([value, value])
        for x in (la.array(data)[0], (la.array(data) * np.ones((), value.dtype))[1]):
            assert outcome(line, x, la) == expected, text
            assert x.item() == value


def test_writes_leave_other_names_of_a_scalar_alone():
    s = la.arange(4).sum()
    t = s
    s += 1.5
    assert (s.dtype, t.dtype) == (np.float64, np.int64)
    assert (float(s), int(t)) == (7.5, 6)
    view = la.atleast_1d(t)
    view += 1
    assert int(t) == 6


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "clongdouble"])
@pytest.mark.parametrize("operation", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
def test_complex_scalars_are_ordered_as_numpys(operation, dtype):
    # array comparisons with a NaN are False and report invalid; scalar ones may be True, silently
    parts = (0, 1, np.nan, np.inf)
    data = np.array([complex(a, b) for a in parts for b in parts], dtype)
    lazy = la.array(data)
    with np.errstate(all="raise"):
        for i in range(len(data)):
            for j in range(0, len(data), 3):
                expected = operation(data[i], data[j])
                for left, right in ((lazy[i], lazy[j]), (lazy[i], data[j])):
                    compared = operation(left, right)
                    assert compared._scalar
                    assert bool(compared) == expected
            for other in (1, np.float32(1), np.int8(1)):
                assert bool(operation(lazy[i], other)) == operation(data[i], other)
            assert bool(operation(1.0, lazy[i])) == operation(1.0, data[i])


@pytest.mark.parametrize("left, right", [
    (np.float64(np.nan), 2 - 0.5j), (np.complex64(complex(1, np.nan)), np.float64(0)), (np.float64(1), np.complex64(1)),
    (np.complex64(complex(1, np.nan)), np.int64(0)), (np.complex64(complex(1, np.nan)), 0.0),
    (np.float64(1), np.complex128(complex(0, np.nan))), (np.float32(1), np.complex64(complex(0, np.nan))),
])
def test_scalars_of_two_types_are_compared_as_arrays_where_numpy_does(left, right):
    def compare(left, right):
        return warned(operator.gt, left, right), warned(operator.le, right, left)

    lazy = la.array([left])[0]
    other = la.array([right])[0] if isinstance(right, np.generic) else right
    assert compare(lazy, other) == compare(left, right)


@pytest.mark.parametrize("left", [np.complex128(complex(np.nan, 1)), np.complex64(complex(0, np.nan))])
def test_a_complex_scalar_on_the_left_is_compared_as_a_scalar_and_an_array_as_an_array(left):
    for first in (left, np.array(left)):
        for right in (np.int64(3), np.float32(0), left):
            for compare in (operator.lt, lambda x, y: x < y, lambda x, y: x >= y):
                assert warned(compare, first, la.sum(la.array([right]))) == warned(compare, first, np.sum([right]))


@pytest.mark.parametrize("left", [np.float64(3), np.int64(3), np.longdouble(3)])
@pytest.mark.parametrize("dtype", ["complex128", "clongdouble"])
def test_a_real_scalar_is_compared_with_a_pending_complex_one_as_scalars_are(left, dtype):
    right = np.array([complex(np.nan, 1)], dtype)
    for first in (left, np.array(left)):
        assert warned(operator.lt, first, la.sum(la.array(right))) == warned(operator.lt, first, right[0])


def warned(function, *operands):
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        value = bool(function(*operands))
    return value, {str(w.message) for w in caught}


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 2)])
def test_what_is_assigned_to_flat_must_fit(shape):
    for xp in (np, la):
        x = xp.zeros(shape, "u8")
        with pytest.raises(OverflowError, match="Python integer -1 out of bounds for uint64"):
            x.flat = -1
        with pytest.raises(OverflowError, match="Python integer -1 out of bounds for uint64"):
            x.flat[:1] = [-1]
        x.flat = np.int64(-1)
        assert x.tolist() == np.full(shape, 2**64 - 1).tolist()
