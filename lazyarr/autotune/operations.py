"""Calls whose backends ``lazyarr tune --ops`` measures: the most frequent ones, in three or four sizes each."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lazyarr import nn
from lazyarr._core.api import LazyArray, evaluate
from lazyarr.backends.tuner import measure
from lazyarr.creation import asarray

Case = tuple[str, Callable[..., Any], tuple[np.ndarray[Any, Any], ...]]
"""A label, a function of arrays, and the arrays."""

_PRODUCTS = [((n, n), (n, n)) for n in (64, 128, 256, 512)] + [
    ((2000, 50), (50, 50)), ((64, 784), (784, 128)), ((1000, 20), (20, 1000)), ((32, 64, 64), (32, 64, 64)),
    ((512, 512), (512,)), ((1, 1024), (1024, 1024))]
_TRANSFORMS = [("fft", (4096,)), ("fft", (100_000,)), ("fft", (1 << 18,)), ("rfft", (1 << 14,)), ("rfft", (1 << 17,)),
               ("ifft", (1 << 16,)), ("rfft", (1024, 256)), ("fft", (256, 1024)), ("fft2", (512, 512)),
               ("rfft2", (256, 256))]
_SORTED = [(10_000,), (300_000,), (1000, 300), (16, 50_000)]
_MATRICES = ("inv", "det", "cholesky", "svdvals", "eigvalsh")
_IMAGES = [((1, 28, 28, 8), (3, 3, 8, 16)), ((8, 28, 28, 32), (3, 3, 32, 32)), ((1, 56, 56, 64), (3, 3, 64, 64)),
           ((1, 32, 32, 16), (5, 5, 16, 16)), ((4, 14, 14, 128), (1, 1, 128, 64)), ((1, 64, 64, 3), (7, 7, 3, 32))]


def cases() -> Iterator[Case]:
    """Yield all calls, each on random values."""
    draw = np.random.default_rng(0)
    for dtype in ("float32", "float64"):
        for a, b in _PRODUCTS:
            yield f"{_shape(a)} @ {_shape(b)}", np.matmul, (_random(draw, a, dtype), _random(draw, b, dtype))
    for name, shape in _TRANSFORMS:
        x = _random(draw, shape, "float64")
        yield f"{name} {_shape(shape)}", getattr(np.fft, name), (x + 1j * x if name == "ifft" else x,)
    for function in (np.sort, np.argsort):
        for shape in _SORTED:
            yield f"{function.__name__} {_shape(shape)}", function, (_random(draw, shape, "float64"),)
    for name in _MATRICES:
        for n in (20, 100, 300):
            x = _random(draw, (n, n), "float64")
            yield f"{name} {_shape((n, n))}", getattr(np.linalg, name), (x @ x.T / n + np.eye(n),)
    for image, weights in _IMAGES:
        x, w = _random(draw, image, "float32"), _random(draw, weights, "float32")
        yield f"conv2d {_shape(image)}, {_shape(weights)}", nn.conv2d, (x, w)
    x = _random(draw, (200, 200), "float64")
    yield "einsum ij,kj->ik", lambda a: np.einsum("ij,kj->ik", a, a), (x,)


def measured(seconds: float) -> Iterator[tuple[str, dict[str, float]]]:
    """Measure the backends of each call; yield its label and their best times in seconds, empty if already known."""
    for label, function, arrays in cases():
        with measure(seconds) as found:
            evaluate(result(function, arrays))
        yield label, {name: taken for ways in found.values() for name, taken in ways.items()}


def result(function: Callable[..., Any], arrays: tuple[np.ndarray[Any, Any], ...]) -> LazyArray:
    """Return the lazy result of a function of arrays."""
    made: LazyArray = function(*map(asarray, arrays))
    return made


def _random(draw: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    return draw.random(shape).astype(dtype)


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))
