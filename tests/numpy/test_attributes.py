"""Attributes that are assigned to, indices of any size, strings, and the order in memory of what keys pick."""

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
            if " = " in line or "= " in statement:
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
