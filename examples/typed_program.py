"""Least squares by gradient descent, with types: what mypy and pyright know of a program that uses lazyarr.

    python examples/typed_program.py
    mypy --strict examples/typed_program.py

Arrays say their dtype, and functions, operators and derivatives pass it on. The five mistakes at the end are in
functions that nobody calls; a type checker finds each of them, and nothing else.
"""
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

import lazyarr as la

Floats: TypeAlias = la.LazyArray[np.float32]


class Line(NamedTuple):
    """The parameters of a model: gradients have its type."""

    slope: Floats
    offset: Floats


def measure(n: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Return n points near a line."""
    rng = la.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, n).astype(np.float32)
    noise = rng.normal(0.0, 0.1, n).astype(np.float32)
    return x, 3 * x - 0.5 + noise


def loss(line: Line, x: Floats, y: Floats) -> Floats:
    """Return the mean of the squared errors, of which outliers count linearly."""
    error = la.abs(line.slope * x + line.offset - y)
    return la.where(error < 1, error**2, 2 * error - 1).mean()


@la.jit
def step(line: Line, x: Floats, y: Floats, rate: Floats) -> tuple[Floats, Line]:
    """Return the loss and the parameters after one step."""
    value, gradient = la.value_and_grad(loss)(line, x, y)
    return value, Line(line.slope - rate * gradient.slope, line.offset - rate * gradient.offset)


def batches(x: Floats, size: int) -> Iterator[Floats]:
    """Yield x in pieces."""
    for start in range(0, len(x), size):
        yield x[start:start + size]


def main() -> None:
    """Fit a line, and print it."""
    x, y = measure(1000)
    line = Line(la.zeros((), np.float32), la.zeros((), np.float32))
    rate = la.asarray(0.5, np.float32)
    with la.config(num_threads=2):
        for _ in range(20):
            for part, target in zip(batches(x, 250), batches(y, 250), strict=True):
                _, line = step(line, part, target, rate)
    found: npt.NDArray[np.float32] = la.stack([line.slope, line.offset]).numpy()
    print(f"slope {found[0]:.2f}, offset {found[1]:.2f}, loss {loss(line, x, y).item():.3f}")


def misspelt(x: Floats) -> Floats:
    return x.summ(axis=0)  # error: no method of that name


def wrong_axis(x: Floats) -> Floats:
    return la.sum(x, axis="rows")  # error: axes are numbers


def wrong_keyword(x: Floats) -> Floats:
    return la.exp(x, were=x > 0)  # error: the keyword is `where`


def wrong_dtype(x: Floats) -> Floats:
    return x * np.float64(2)  # error: NumPy's float64 makes float64 of it, where 2.0 would not


def in_place(counts: la.LazyArray[np.int64]) -> None:
    counts += 0.5  # error: an array of integers stays one


if __name__ == "__main__":
    main()
