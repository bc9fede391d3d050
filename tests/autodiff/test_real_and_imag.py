"""Cotangents through real and imaginary parts, with branches and writes to parts.

Compared with differences, in reverse and forward mode, and twice.
"""

import numpy as np
import pytest

import lazyarr as la

MASK = np.array([True, False, True])
OTHER = np.array([True, True, False])


def turned(x):
    return np.exp(1j * x) * (0.5 + x)


def written(x):
    made = np.zeros_like(x, dtype=complex)
    made.imag[...] = x * x
    made.real[:2] += x[1:]
    return made


def erased(x):
    made = np.sin(written(x))
    np.copyto(made, 0, where=MASK)
    return made.imag * x


def masked_afterwards(x):
    made = turned(x).imag * 1
    made[MASK] = 0.5
    return made * x


PROGRAMS = {
    "imaginary part chosen": lambda x: np.where(MASK, turned(x).imag, 0),
    "real part chosen": lambda x: np.where(MASK, turned(x).real, x),
    "one part each": lambda x: np.where(MASK, turned(x).imag, turned(x).real),
    "both parts": lambda x: np.where(MASK, turned(x), 0).imag * 3 + np.where(OTHER, turned(x), x).real,
    "parts of what is chosen": lambda x: (lambda z: z.imag * x + z.real)(np.where(MASK, turned(x), 2j)),
    "chosen twice": lambda x: np.where(OTHER, np.where(MASK, turned(x), 1).imag, x),
    "without NaN": lambda x: np.nan_to_num(np.where(MASK, turned(x), np.nan)).imag,
    "sum under a mask": lambda x: np.sum(turned(x).imag, where=~MASK) * x,
    "sum without NaN": lambda x: np.nansum(turned(x).imag) * x,
    "written": lambda x: np.where(MASK, abs(written(x) + 1), 0),
    "written and chosen": lambda x: np.where(MASK, written(x).imag, 0) + np.where(MASK, x, 0),
    "erased": erased,
    "masked afterwards": masked_afterwards,
    "not defined elsewhere": lambda x: np.where(x > 0, np.log(np.where(x > 0, x, 0) + 0j).real, 0),
    "angle": lambda x: np.where(MASK, np.angle(np.sin(x) + 1j * x**3), 0),
}


def differences(f, x, v, step):
    return (f(x + step * v) - f(x - step * v)) / (2 * step)


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    def f(x):
        return np.sin(PROGRAMS[name](x) * np.array([1.0, 2, 3])).sum().real

    x, v = np.array([0.3, -0.7, 1.1]), np.array([0.4, 1.3, -0.6])
    with np.errstate(all="ignore"):
        gradient = np.asarray(la.grad(f)(la.asarray(x)))
        np.testing.assert_allclose(gradient @ v, differences(f, x, v, 1e-6), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(la.jvp(f, (la.asarray(x),), (la.asarray(v),))[1], gradient @ v, rtol=1e-12)
        twice = np.asarray(la.hvp(f, (la.asarray(x),), (la.asarray(v),))[0])
        assert np.isfinite(twice).all()
        curve = (f(x + 1e-4 * v) - 2 * f(x) + f(x - 1e-4 * v)) / 1e-8
        np.testing.assert_allclose(twice @ v, curve, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(la.grad(lambda x: la.jvp(f, (x,), (la.asarray(v),))[1])(la.asarray(x)), twice,
                                   rtol=1e-10, atol=1e-12)


def test_complex_tangents():
    z, v = la.array([1 + 2j, 3 - 1j]), la.array([1 + 1j, 1 + 1j])
    mask = np.array([True, False])
    np.testing.assert_array_equal(la.jvp(lambda z: np.where(mask, z.imag, 0.0), (z,), (v,))[1], [1, 0])
    made = la.jvp(lambda z: np.nan_to_num(np.where(mask, z, np.nan)), (z,), (v,))[1]
    np.testing.assert_array_equal(made, [1 + 1j, 0])
