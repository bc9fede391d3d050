"""Tuned numbers change no bit of a result, except those that choose code paths, which only change rounding.

Neither does the number of threads.
"""

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.autotune.parameters import PATH, rows

RNG = np.random.default_rng(0)


def draw(*shape, dtype="float32"):
    values = RNG.uniform(0.1, 0.9, shape)
    return (values * (1 + 1j) if np.dtype(dtype).kind == "c" else values).astype(dtype)


LONG, SQUARE = draw(50_001, dtype="float64"), draw(300, 301)
FOUR = draw(13, 17, 19, 23)
A, B = draw(130, 700), draw(700, 90)
IMAGES, WEIGHTS, EACH = draw(2, 31, 33, 24), draw(3, 3, 24, 40), draw(3, 3, 1, 24)
GRADIENT, OF_EACH = draw(2, 31, 33, 40), draw(2, 31, 33, 24)
WIDE, FEW = draw(1, 60, 62, 24), draw(5, 5, 24, 3)
LINES = draw(70, 1024, dtype="float64")


def masked():
    x = la.array(LONG)
    x[x > 0.5] = np.sqrt(x[x > 0.5]) * 3
    return x


def window():
    x = la.array(SQUARE)
    x[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1]) * 0.25 + x[1:-1, 1:-1] / 3
    return x


def chain(x):
    return np.exp(-x) * x + np.sin(x) / (x + 1.5)


def products(dtype):
    a, b = la.asarray(A.astype(dtype)), la.asarray(B.astype(dtype))
    return [a @ b, b.T @ a.T, a[:5] @ b, a.reshape(10, 13, 700) @ b]


PROGRAMS = {
    "chain": lambda: [chain(la.asarray(LONG)), chain(la.asarray(SQUARE)[:, ::2]), chain(la.asarray(FOUR)[..., :7])],
    "integers": lambda: [la.asarray((LONG * 1000).astype("int32")) ** 2 // 7, la.asarray(LONG).astype("int16") + 1],
    "masked": masked,
    "window": window,
    "sums": lambda: [la.asarray(FOUR).sum(axis) for axis in (None, 0, 3, (0, 2), (1, 3), (0, 1, 2))],
    "sum of a chain": lambda: [chain(la.asarray(LONG)).sum(), (la.asarray(SQUARE) * SQUARE).mean(0)],
    "var": lambda: [la.asarray(LONG).var(), la.asarray(FOUR).std((1, 2))],
    "extrema": lambda: [la.asarray(FOUR).max((0, 3)), la.asarray(LONG).argmin()],
    **{f"products of {dtype}": lambda dtype=dtype: products(dtype) for dtype in ("float32", "float64", "complex64")},
    "conv": lambda: [nn.conv2d(IMAGES, WEIGHTS, padding=1), nn.conv2d(IMAGES, WEIGHTS, stride=2),
                     nn.conv2d(IMAGES + 1j * IMAGES, WEIGHTS, padding=1)],
    "conv of each channel": lambda: nn.conv2d(IMAGES, EACH, padding=1, groups=24),
    "gradients for inputs": lambda: [nn.grad.conv2d_input(IMAGES.shape, WEIGHTS, GRADIENT, padding=1),
                                     nn.grad.conv2d_input(IMAGES.shape, EACH, OF_EACH, padding=1, groups=24)],
    "gradients for weights": lambda: [nn.grad.conv2d_weight(IMAGES, WEIGHTS.shape, GRADIENT, padding=1),
                                      nn.grad.conv2d_weight(IMAGES, EACH.shape, OF_EACH, padding=1, groups=24)],
    "pools": lambda: [nn.max_pool2d(IMAGES, 2), nn.avg_pool2d(IMAGES, 3, stride=1),
                      nn.grad.avg_pool2d(IMAGES.shape, draw_once(2, 15, 16, 24), 2), nn.upsample(IMAGES, 2)],
    "repeat": lambda: la.repeat(la.asarray(FOUR), (1, 2, 3, 2), axis=(0, 1, 2, 3)),
    "conv with few columns": lambda: [nn.conv2d(WIDE, FEW, padding=2), nn.grad.conv2d_input(
        (1, 120, 124, 3), FEW.swapaxes(2, 3), draw_once(1, 60, 62, 24), stride=2, padding=2)],
    "einsum": lambda: np.einsum("ij,jk,kl->il", la.asarray(A)[:20], la.asarray(B)[:, :9], la.asarray(B)[:9, :20]),
    "fft": lambda: [np.fft.rfft(la.asarray(LINES[:, :400].astype("f4"))),
                    np.fft.rfft(la.asarray(LINES)), np.fft.fft(la.asarray(LINES + 1j * LINES), axis=0)],
}


def draw_once(*shape):
    return np.linspace(0, 1, np.prod(shape), dtype="float32").reshape(shape)


def arrays(name):
    results = PROGRAMS[name]()
    return [x.numpy() for x in (results if isinstance(results, list) else [results])]


def bits(name, threads, values):
    with la.config(num_threads=threads), la.config.tuning(values):
        return [x.tobytes() for x in arrays(name)]


def extremes(table):
    """Each number at its least or at its greatest."""
    yield {row.name: row.low for row in table}
    yield {row.name: row.high for row in table}
    for _ in range(6):
        yield {row.name: row.high if high else row.low for row, high in zip(table, RNG.random(len(table)) < 0.5,
                                                                            strict=True)}


FREE = [row for row in rows().values() if not row.name.startswith(PATH)]
PATHS = [row for row in rows().values() if row.name.startswith(PATH)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits(name):
    expected = bits(name, 1, {})
    for values in extremes(FREE):
        for threads in (1, 2, 3):
            assert bits(name, threads, values) == expected, (threads, values)


# What runs another way for a number of paths.
ROUNDED = {"products of float32", "products of float64", "products of complex64", "conv", "conv with few columns",
           "gradients for inputs", "einsum", "fft"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_paths_change_roundings_alone(name):
    found = set()
    with np.errstate(all="ignore"):
        for paths in ({row.name: row.low for row in PATHS}, {row.name: row.high for row in PATHS}):
            expected = bits(name, 1, paths)
            found.add(tuple(expected))
            for values in list(extremes(FREE))[:3]:
                for threads in (1, 2, 3):
                    assert bits(name, threads, values | paths) == expected, (threads, values)
            with la.config.tuning(paths):
                near = arrays(name)
            for got, usual in zip(near, arrays(name), strict=True):
                np.testing.assert_allclose(got, usual, rtol=0, atol=3e-5 * np.abs(usual).max())
    assert (len(found) > 1) == (name in ROUNDED)
