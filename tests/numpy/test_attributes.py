"""Assignment to attributes, indices of any size, strings, and the memory order of indexed results."""

import warnings

import numpy as np
import pytest

import lazyarr as la

LINES = """
f[1 << 64]
f[-(1 << 64)]
f[0, 1 << 70]
f[1 << 63]
f[1 << 64] = 1
f[0, 1 << 64] = 2
f.real = 2 ** 40; f
f.real = 1j; f
f.real = 2 ** 1025
f.real = [1, 2, 3]; f
f.real = [1, 2]
f.imag = 0
i.real = 2.7; i
i.real = 2 ** 70
i.real = '3'; i
c.real = 1j; c
c.imag = 1j; c
c.imag = [1, 2, 3]; c
S.real
S.imag
U.imag
S.real = 'z'; S
S.imag = 'z'
np.take(S, 1)
np.take(S, np.int64(0))
S.take(0)
np.take(U, [0, 1])
S *= 2; S
S += b'x'; S
S += 1
U += U; U
i[0, 1].byteswap()
np.float32(1).byteswap()
i.byteswap()
i[0, 1].byteswap(True)
np.frombuffer(b'abcdefgh', 'u1')
np.frombuffer(b'abcdefgh', 'u1')[:] = 1
np.frombuffer(bytearray(b'abcdefgh'), 'u1')
np.frombuffer(b'abcdefgh', dtype='>u2', count=2, offset=2)
f[np.array([[0, 1, 1], [1, 0, 0]]).T]
f[:, np.array([[0, 1, 1], [1, 0, 0]]).T]
f.ravel()[np.array([[0, 1, 1], [1, 0, 0]]).T]
f[np.array([[0, 1, 1], [1, 0, 0]]).T, 1]
f[np.array([[0, 1, 1], [1, 0, 0]]).T, np.array([[0, 1, 1], [1, 0, 0]]).T]
f[np.array([[0, 1, 1], [1, 0, 0]]).T, np.array([[0], [1], [1]])]
f[np.array([[0, 1, 1], [1, 0, 0]]).T, [1, 0]]
f.ravel()[(np.arange(12) % 6).reshape(3, 2, 2).transpose(1, 2, 0)]
big.T + big.T
big.T * 2
-big.T
np.sqrt(big.T)
big.T == big.T
big.T + f.T
np.exp(big)
np.array([3, 1], 'm8[s]').conj()
np.array([3, 1], 'M8[s]').conjugate()
S.conj()
np.sqrt(S, dtype='f4', casting='unsafe')
np.sqrt(U, dtype='f4', casting='unsafe')
np.add(np.array(['1', '2']), 1, dtype='f4', casting='unsafe')
np.put(i, [0], np.array([1, 2 ** 70], dtype=object))
np.put(i, [0], np.array([7, 8], dtype=object)); i
np.put(i, [0], np.array(['7', 'x']))
np.zeros(2, [('x', 'i4'), ('s', 'U3')]).imag
delattr(f, 'shape')
delattr(f, 'dtype')
f.view(type(f))
i.view('f8', type(f))
i.astype(np.dtypes.Float32DType)
np.add(f, 1, dtype=np.dtypes.Float32DType)
np.add(f, 1, out=np.full(f.shape, -1.0), where=f > 1, dtype=np.dtypes.Float64DType)
np.sqrt(i, out=np.full(i.shape, -1.0), where=i > 1, dtype=np.dtypes.Float32DType)
np.add(i, 1, signature=(None, None, np.dtypes.Float64DType))
np.isnan(f, out=np.ones(f.shape, bool), where=f > 1, dtype=np.dtypes.BoolDType)
np.multiply.reduceat(i.ravel(), [0, 2], dtype=np.dtypes.Float64DType)
np.array(np.array(1.5, dtype=object), dtype=np.dtypes.BytesDType)
np.array(S, dtype=np.dtypes.StrDType)
np.zeros(2, np.dtypes.Int8DType)
np.zeros(2, np.dtypes.BytesDType)
np.zeros(2, np.dtypes.DateTime64DType)
np.full(2, 1, np.dtypes.Complex64DType)
np.array(f, copy=np._CopyMode.IF_NEEDED)
np.array(i[0, 1], copy=np._CopyMode.NEVER)
np.array(f.T, order='C', copy=np._CopyMode.NEVER)
np.array(f, 'f4', copy=0)
np.array(f[0, 1], copy=False)
np.asarray(f[0, 1], copy=True)
np.array(f, copy=np._CopyMode.ALWAYS)
np.concatenate([np.float32([1, 2]), 3.5], axis=None)
np.concatenate([np.ones(2, 'u1'), 300, True], axis=None)
np.concatenate([np.ones(2, 'i2'), 2.5], axis=None)
np.concatenate([1, 2.0], axis=None)
np.concatenate([np.ones(2, 'i2'), 70000], axis=None, casting='safe')
np.concatenate([f, 1], axis=None, dtype='f4')
np.array([1, 0, 1]).choose([5, 6, 7], [1, 2, 3])
np.array([1, 0, 1]).choose([[5, 6, 7], [1, 2, 3]])
np.array([1, 0, 3]).choose(5, 6, mode='wrap')
np.array([1, 0, 1]).choose()
np.nanmin(np.array([[1, 2], [3, np.nan]], dtype=object), axis=0)
np.nanmax(np.array([[1, np.nan], [np.nan, np.nan]], dtype=object), axis=1)
np.round(big.astype(complex).T, 1)
np.round(np.arange(24).astype('F').reshape(2, 3, 4).transpose(1, 0, 2)[::-1])
np.dot(f, f.T, np.empty((2, 2)).T)
np.dot(f, f.T, np.empty((2, 4))[:, ::2])
np.dot(f, f.T, np.empty((2, 2)))
np.add(f, 1, where=f >= 0)
np.sqrt(f, where=[True] * 3)
np.add(f, 1, where=True)
np.add(f, 1, where=f >= 0, out=None)
np.modf(f, where=f >= 0)[0]
np.frompyfunc(max, 2, 1)(i, 2)
np.frompyfunc(max, 2, 1)(i, 2, f); f
np.frompyfunc(max, 2, 1)(i, 2, out=f); f
np.frompyfunc(divmod, 2, 2)(i, 2)[1]
np.frompyfunc(max, 2, 1)(i, [1, 2])
np.frompyfunc(max, 2, 1).reduce(i.astype(object), axis=0)
np.frompyfunc(max, 2, 1).accumulate(i.astype(object), 1)
np.frompyfunc(max, 2, 1).reduceat(i.astype(object), [0, 1], 1)
np.frompyfunc(max, 2, 1).outer(i[0], i[1])
np.frompyfunc(max, 2, 1).at(i, ([0, 1], 1), 3); i
np.sum(f, where=f >= 0)
np.require(f, None, 'Q')
np.require(f, None, ['C', 'OWNDATA'])
np.require(f, None, ['C', 'F'])
f.reshape(True, -1)
np.reshape(f, (True, -1))
f.reshape(True)
np.zeros((True, 2))
np.ones(True)
np.empty([2, True]).shape
i.ravel().take(np.array([[0, -1], [5, 1]], '>i8'))
np.take(f, np.array([1, 0], '>i4'), axis=0)
f[:, np.array([0, -1], '>i8')]
f[np.array([0, -3], '>i8')]
f[np.array([1, -1], '>i8'), np.array([2, 0], '>i2')] = 7; f
np.take_along_axis(i, np.array([[0, -1], [2, 1]], '>i8'), 1)
np.rec.array(np.ones(2, 'i4,f8')).f1
np.rec.fromarrays([i, f]).f1
np.char.array(U + 'é')
np.char.asarray(S).upper()
np.char.upper(U)
np.add.accumulate(np.arange(4), axis=None)
np.add.accumulate(f, out=...)
np.add.reduce(f, axis=None, out=...)
f.sum(out=...)
np.max(f, axis=0, out=...)
np.add(1, 2, out=...)
np.modf(f[0, 1], out=...)[1]
np.sqrt(f, where=f > -1, out=...)
np.multiply.accumulate(np.arange(4), axis=None, out=np.empty(4))
np.add.accumulate(f, axis=None)
np.array([1, 3, 8, 0], 'u1').view(bool).sum()
np.array([1, 3, 8, 0], 'u1').view(bool).astype('f2')
np.array([1, 3, 8, 0], 'u1').view(bool).astype(complex) * 2
np.array([1, 3, 8, 0], 'u1').view(bool).astype(int)[::-1]
np.count_nonzero(np.array([1, 3, 8, 0], 'u1').view(bool))
np.array([1, 3, 8, 0], 'u1').view(bool).mean()
np.array([1, 3, 8, 0], 'u1').view(bool) * 2.5
np.broadcast_to(big[0], (2, 3)) + 1
np.sin(np.broadcast_to(big[:, :1], (2, 3)))
np.broadcast_to(big[0], (2, 3)) + np.ones((3, 2)).T
np.broadcast_to(big[0], (2, 3)) + big[:, :1]
np.broadcast_to(big.T[:, None], (3, 4, 2)) * 2
"""


def variables(xp):
    return {"np": xp, "f": xp.arange(6.0).reshape(2, 3), "i": xp.arange(6).reshape(2, 3), "c": xp.arange(3) + 1j,
            "S": xp.array([b"a", b"bcd"]), "U": xp.array(["a", "bcd"]), "big": xp.arange(6, dtype=">f8").reshape(2, 3)}


def outcome(line, xp):
    names = variables(xp)
    statement, _, shown = line.rpartition("; ")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if statement or " = " in line:
                exec(statement or line, names)
            x = eval(shown, names) if statement or " = " not in line else None
        except Exception as error:
            return type(error), str(error)
    told = [(warning.category, str(warning.message)) for warning in caught]
    if isinstance(x, np.generic) or getattr(x, "_scalar", False):
        return told, "scalar", x.dtype, repr(x)
    return told, None if x is None else (x.dtype, x.shape, x.strides, x.tolist(), x.flags.writeable)


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_lines(line):
    assert outcome(line, la) == outcome(line, np)
