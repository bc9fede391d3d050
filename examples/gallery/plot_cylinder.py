"""
Flow past a cylinder
====================

Behind a cylinder in a flow, vortices are shed alternately on both sides: a Kármán vortex street. The lattice Boltzmann
method does not track a velocity field, but how many particles at each point move in each of nine directions. In a step
they *collide*, which brings the nine numbers closer to equilibrium, and then *stream* to the neighbours.

The collision is a formula of some fifteen operations on nine numbers for each point. lazyarr computes it, and the
densities and velocities before it, in a few passes. Streaming only moves data, so it takes as long as in NumPy and
limits the speed-up of the program.
"""

# %%
# The method
# ----------
# Populations have the shape (9, height, width). ``OPPOSITE`` gives the direction in which particles that hit the
# cylinder go back.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import lazyarr.numpy as lnp

WIDTH, HEIGHT, RADIUS = 240, 80, 6
INFLOW = 0.14
VISCOSITY = 0.012
STEPS = 2600
TIMED_STEPS = 60

DIRECTIONS = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]  # x, y
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]
WEIGHTS = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36], "float32").reshape(9, 1, 1)
DX, DY = (np.array(steps, "float32").reshape(9, 1, 1) for steps in zip(*DIRECTIONS, strict=True))


def equilibrium(density, ux, uy):
    along = 3 * (DX * ux + DY * uy)
    return WEIGHTS * density * (1 + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy))


def simulate(xp, steps):
    """The velocity after some steps, x and y components."""
    y, x = xp.mgrid[:HEIGHT, :WIDTH].astype("float32")
    rows, columns = xp.nonzero((x - WIDTH / 5) ** 2 + (y - HEIGHT / 2) ** 2 < RADIUS**2)  # the cylinder
    ux = xp.full((HEIGHT, WIDTH), INFLOW, "float32")
    uy = 0.3 * INFLOW * xp.exp(-0.002 * ((x - WIDTH / 3) ** 2 + (y - HEIGHT / 2) ** 2))  # so that it is not symmetric
    populations = equilibrium(xp.ones_like(ux), ux, uy)
    inflow = populations[:, :, :1].copy()
    for _ in range(steps):
        for k, (dx, dy) in enumerate(DIRECTIONS):
            populations[k] = xp.roll(populations[k], (dy, dx), axis=(0, 1))
        populations[:, :, :1] = inflow
        populations[:, :, -1] = populations[:, :, -2]
        bounced = populations[:, rows, columns][OPPOSITE]
        east, north, west, south, northeast, northwest, southwest, southeast = (populations[k] for k in range(1, 9))
        density = populations.sum(axis=0)
        ux = (east + northeast + southeast - west - northwest - southwest) / density
        uy = (north + northeast + northwest - south - southeast - southwest) / density
        populations += (equilibrium(density, ux, uy) - populations) / (3 * VISCOSITY + 0.5)
        populations[:, rows, columns] = bounced
    return xp.stack([ux, uy])


# %%
# The street
# ----------

ux, uy = simulate(lnp, STEPS)
vorticity = np.gradient(uy, axis=1) - np.gradient(ux, axis=0)

figure, (upper, lower) = plt.subplots(2, 1, figsize=(9, 6.2), sharex=True, layout="constrained")
style = dict(origin="lower", interpolation="bicubic")
turning = upper.imshow(vorticity, cmap="RdBu_r", vmin=-0.03, vmax=0.03, **style)
speed = lower.imshow(np.hypot(ux, uy), cmap="viridis", vmin=0, **style)
for ax, image, label in ((upper, turning, "vorticity"), (lower, speed, "speed")):
    ax.add_patch(plt.Circle((WIDTH / 5, HEIGHT / 2), RADIUS + 0.5, color="0.25"))
    figure.colorbar(image, ax=ax, label=label, pad=0.01, shrink=0.9)
    ax.set(ylabel="y")
upper.set(title=f"Flow past a cylinder, Reynolds number {2 * RADIUS * INFLOW / VISCOSITY:.0f}")
lower.set(xlabel="x")
plt.show()

# %%
# Times
# -----
# Sums may round in another order, so the results are compared within a tolerance.


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result = simulate(xp, TIMED_STEPS)
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{TIMED_STEPS} steps on {WIDTH} x {HEIGHT} points")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same within rounding:", np.allclose(with_numpy, with_lazyarr, atol=1e-5))
