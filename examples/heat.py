"""Diffuse heat over an insulated plate, starting from the brightness of scikit-learn's flower.jpg.

The plate is a grid of 427 x 640 cells, black at 20 and white at 100 degrees. Each of STEPS explicit steps adds
to every cell the discrete Laplacian of its neighbourhood, in place; the outermost cells mirror their inner neighbours,
so that no heat crosses the border and the mean temperature stays as it is.

A good lazy program, because a step is one in-place update of overlapping views: NumPy makes seven passes over
the plate of it, whereas fused it is one, and the same one each time, so that a plan made once serves all steps.

Usage: heat.py [STEPS]
"""

import argparse

import numpy as np
from sklearn.datasets import load_sample_image

COLD, HOT = 20.0, 100.0
# Diffusivity times the time step over the squared cell size; explicit steps are stable up to 1/4.
RATE = 0.2
REPORTS = 5


def initial_temperature():
    """Brightness of the photograph as a temperature, (427, 640) float64."""
    photo = np.asarray(load_sample_image("flower.jpg"), dtype=np.float64)
    brightness = photo.mean(axis=2) / 255
    return COLD + (HOT - COLD) * brightness


def insulate(u):
    """Let the outermost cells mirror their inner neighbours, in place."""
    u[0] = u[1]
    u[-1] = u[-2]
    u[:, 0] = u[:, 1]
    u[:, -1] = u[:, -2]


def step(u):
    """Advance the temperature by one time step, in place."""
    u[1:-1, 1:-1] += RATE * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    insulate(u)


def describe(done, u):
    inner = u[1:-1, 1:-1]
    steepest = max(np.abs(np.diff(inner, axis=0)).max(), np.abs(np.diff(inner, axis=1)).max())
    print(
        f"step {done:>5}  mean {inner.mean():.8f}  std {inner.std():.8f}  min {inner.min():.8f}  max {inner.max():.8f}"
        f"  steepest {steepest:.8f}  warm cells {np.count_nonzero(inner > 60)}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steps", nargs="?", type=int, default=1000, help="time steps")
    steps = parser.parse_args().steps
    if steps < 1:
        parser.error("STEPS must be at least 1")

    u = initial_temperature()
    insulate(u)
    start = u.copy()
    describe(0, u)
    for done in range(1, steps + 1):
        step(u)
        if done % max(1, steps // REPORTS) == 0:
            describe(done, u)

    drift = abs(u[1:-1, 1:-1].mean() - start[1:-1, 1:-1].mean())
    print(f"heat conserved: {drift < 1e-9}")
    print(f"mean change of a cell: {np.abs(u - start).mean():.8f} degrees")


if __name__ == "__main__":
    main()
