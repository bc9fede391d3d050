"""Lines whose values, errors or warnings depend on the version of NumPy follow the installed one."""
import warnings

import numpy as np
import pytest

import lazyarr.numpy as lnp

LINES = """
f.real = 1j; f
c.real = 1j; c
c.imag = np.array(1j); c
f.real = np.array(1j); f
f.real = c; f
f.imag = 0; f
o.real = 5; o
o.imag = 5; o
o.real
o.imag
np.real(o)
np.imag(o)
o.real.flags.writeable
np.isreal(o)
np.iscomplex(o)
np.where(b, u, 300)
np.where(b, 300, u)
np.where(b, u, -1)
np.where(b, u, 255)
np.where(b, np.int64(300), u)
np.where(b, 1, 2**70)
np.where(b, 2**70, f)
np.where(b, f, 2**2000)
np.where(b, 7, 2**40)
np.where(True, u, 256)
np.broadcast_arrays(f, np.zeros((2, 3)))[0].flags.writeable
y = np.broadcast_arrays(f, np.zeros((2, 3)))[0]; y[0] = 3; y
np.meshgrid(f, f, sparse=True, copy=False)
np.meshgrid(f, i, sparse=True)
np.meshgrid(f)
f.__dlpack__(stream=7)
f.__dlpack__(dl_device=(2, 0))
np.from_dlpack(f, device='gpu')
np.add.at(np.float64(3), (), 1)
f[0].__array_interface__['data'][1]
f.shape = 3, 1; f
f.shape = 2, 2; f
f.dtype = 'i8'; f
i.dtype = 'i4'; i
i.dtype = 'S3'; i
i.strides = (8,); i
i.strides = [16]; i
i.strides = 8; i
i[::2].strides = (8,)
v = i[::2]; v.strides = 8; v
v = i[:3]; v.strides = (0,); v
i.strides = (8, 8); i
c.real.strides = (8,)
i.resize(8); i
np.resize(i, 8)
np.fix(f)
np.fix(f, out=f)
np.typename('d')
np.tri(3.0)
np.tri(3, k=1.0)
np.tril_indices(3, 0.0)
np.triu_indices(np.uint8(3))
np.triu_indices_from(np.eye(3), 1.0)
np.take(f, [0, 1], out=np.zeros(2, int))
np.take(i, [0, 1], out=np.zeros(2, 'i2'))
np.take(i, [0, 1], out=np.zeros(2, 'f8'))
f.take([0, 1], out=np.zeros(2, int))
np.compress([True, False], f, out=np.zeros(1, int))
np.choose([0, 1], [f[:2], f[1:]], out=np.zeros(2, int))
np.cross([1, 2], [3, 4])
np.cross([1, 2, 3], [3, 4])
np.cross(f, [3, 4, 5])
np.bincount([1.0])
np.bincount(f)
np.bincount([])
np.timedelta64(5)
m + 1
m * 2
1 - m
m // np.timedelta64(2, 's')
m == 3
np.array([1, 2], 'm8')
t + np.timedelta64(2**62, 'ns') + np.timedelta64(2**62, 'ns')
t - np.timedelta64(2**62, 'ns') * 2
m.astype('m8[ns]') * 2**62
t - (t + np.timedelta64(2**62, 'ns'))
np.sort(f, descending=True)
np.sort(c, descending=True, stable=True)
np.sort(np.array([2, np.nan, 1]), descending=True)
np.sort(i.reshape(2, 2), axis=0, descending=True)
np.sort(i.reshape(2, 2), axis=None, descending=True)
np.sort(u, kind='heapsort', descending=True)
np.sort(u, descending=False)
np.argsort(f, descending=True)
np.argsort(np.array([1, 1, 2, 1]), descending=True, stable=True)
f.sort(descending=True); f
f.argsort(descending=True)
np.sort(o, descending=True)
np.sort(U, descending=True)
np.sort(m, descending=True)
np.linalg.eig(np.eye(2))
np.linalg.eig(np.eye(2, dtype='f4'))
np.linalg.eig(np.array([[0., 1], [-1, 0]]))
np.linalg.eig(np.zeros((0, 0)))
np.linalg.eig(np.eye(2) * np.ones((3, 1, 1)))
np.linalg.eigvals(np.eye(2))
np.linalg.eigvals(np.eye(2, dtype='f4'))
np.linalg.eigvals(np.array([[2, 1], [1, 2]]))
np.linalg.eigvals(np.array([[0., 1], [-1, 0]]))
np.roots([1, -3, 2])
np.poly(np.eye(2))
np.lib.stride_tricks.as_strided(f, (4,), (8,), check_bounds=True)
np.lib.stride_tricks.as_strided(f, (2,), (8,), check_bounds=True)
np.lib.stride_tricks.as_strided(f[::-1], (2,), (8,), check_bounds=True)
np.finfo(None)
np.add(f, 1, where=b)[0]
np.polynomial.polynomial.polyvalnd((f, f), np.eye(3))
np.ctypeslib.as_ctypes(np.int32(5))
np.ma.round_(np.ma.array([1.5]))
np.require(f, requirements=['W', 'O']).flags.writeable
np.trim_zeros([0, 1, 0])
np.interp(1.5, f, f)
"""


def variables(xp):
    return {"np": xp, "f": xp.arange(3.0), "i": xp.arange(4), "c": xp.arange(3) + 1j, "u": xp.arange(3, dtype=xp.uint8),
            "b": xp.array([True, False, True]), "o": xp.array([1, 2 + 1j, "a"], dtype=object),
            "U": xp.array(["a", "bcd"]), "m": xp.array([1, 3, 2], dtype="m8[s]"),
            "t": xp.array(["2001-01-01"], dtype="M8[ns]")}


def described(x):
    if isinstance(x, tuple):
        return type(x).__name__, list(map(described, x))
    is_array = hasattr(x, "dtype") and hasattr(x, "strides")
    return repr(x), (x.dtype, x.shape, x.strides, x.flags.writeable) if is_array else None


def outcome(line, xp):
    names = variables(xp)
    *statements, shown = line.split("; ")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for statement in statements:
                exec(statement, names)
            found = described(eval(shown, names))
        except Exception as error:
            found = type(error), str(error).replace("module 'lazyarr.", "module '")
    return found, [(warning.category, str(warning.message)) for warning in caught]


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_lines(line):
    assert outcome(line, lnp) == outcome(line, np)


def test_match_takes_arrays_for_sequences_where_numpy_does():
    def matched(x):
        match x:
            case [a, b]:
                return f"{a} and {b}"
            case _:
                return "something else"

    for values in [1, 2], [1, 2, 3], [[1, 2], [3, 4]]:
        expected = matched(np.array(values))
        assert matched(lnp.array(values)) == expected
        assert matched(lnp.array(values) + 0) == expected
