"""
A wave through two slits
========================

A plane wave meets a wall with two slits. Behind the wall two round waves overlap: where their paths to a point differ
by half a wavelength, they cancel. The wave equation is solved by the leapfrog scheme on a grid. The intensity at some
distance from the wall is compared with Huygens' principle, by which each point of a slit sends out a wave of its own.

A step computes the Laplacian, combines it with the last two states and damps the wave near the edges: a dozen
operations on large arrays, the case that lazyarr is made for. It makes two passes over memory instead of twelve.
"""

# %%
# The scheme
# ----------
# The wall is the left edge of the grid, which is 0 except in the slits. Near the other edges the wave is damped more
# and more, so that it leaves the grid without being reflected.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import lazyarr.numpy as lnp

HEIGHT, WIDTH = 480, 560
SCREEN = 440
WAVELENGTH, DISTANCE, SLIT = 18, 90, 12  # in points of the grid
COURANT = 0.5  # by how many points the wave moves in a step
PERIOD = round(WAVELENGTH / COURANT)
STEPS = 50 * PERIOD
TIMED_STEPS = 100

position = np.arange(HEIGHT) - (HEIGHT - 1) / 2
in_slit = abs(abs(position) - DISTANCE / 2) < SLIT / 2


def simulate(xp, steps):
    """The wave after some steps, and the intensity, the mean square over four periods."""
    from_edge = xp.minimum(HEIGHT / 2 - abs(xp.asarray(position))[:, np.newaxis], WIDTH - xp.arange(WIDTH))
    damping = (0.2 * xp.maximum(1 - from_edge / 90, 0) ** 3).astype("float32")[1:-1, 1:-1]
    before, now = xp.zeros((2, HEIGHT, WIDTH), "float32")
    intensity = xp.zeros((HEIGHT, WIDTH), "float32")
    for step in range(steps):
        centre = now[1:-1, 1:-1]
        laplacian = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:] - 4 * centre
        after = 2 * centre - (1 - damping) * before[1:-1, 1:-1] + COURANT**2 * laplacian
        before[1:-1, 1:-1] = after / (1 + damping)
        before[:, 0] = in_slit * (np.sin(2 * np.pi * step / PERIOD) * min(step / PERIOD, 1))
        before, now = now, before
        if step >= steps - 4 * PERIOD:
            intensity += now * now / (4 * PERIOD)
    return now, intensity


# %%
# Interference
# ------------
# To the left of the wall the picture shows the incoming wave, which is known.

wave, intensity = simulate(lnp, STEPS)
incoming = np.sin(2 * np.pi * (STEPS - 1) / PERIOD - 2 * np.pi * np.arange(-100, 0) / WAVELENGTH)
sources = position[in_slit]
radius = np.hypot(position[:, np.newaxis] - sources, SCREEN)
huygens = abs((np.exp(2j * np.pi * radius / WAVELENGTH) * SCREEN / radius**1.5).sum(axis=1)) ** 2
on_screen = np.asarray(intensity[:, SCREEN])
inside = abs(position) < HEIGHT / 2 - 90  # where the wave is not damped

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.7), width_ratios=(3.6, 1), layout="constrained", sharey=True)
shown = np.hstack([np.broadcast_to(0.35 * incoming, (HEIGHT, 100)), wave])
left.imshow(shown, cmap="RdBu_r", vmin=-0.4, vmax=0.4, interpolation="bilinear", aspect="auto",
            extent=(-100, WIDTH, HEIGHT / 2, -HEIGHT / 2))
left.vlines([0, 0, 0], [-240, -DISTANCE / 2 + SLIT / 2, DISTANCE / 2 + SLIT / 2],
            [-DISTANCE / 2 - SLIT / 2, DISTANCE / 2 - SLIT / 2, 240], color="0.15", linewidth=4)
left.axvline(SCREEN, color="0.15", linewidth=1, linestyle=":")
left.set(title="the wave", xlabel="distance from the wall", ylabel="position")
scale = on_screen[inside].max()
right.plot(on_screen[inside] / scale, position[inside], label="computed")
right.plot(huygens[inside] / huygens[inside].max(), position[inside], "k--", linewidth=1, label="Huygens")
right.set(title="intensity", xlabel="at the dotted line")
right.legend(loc="upper right", fontsize="small")
plt.show()

# %%
# Times
# -----


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result, _ = simulate(xp, TIMED_STEPS)
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{TIMED_STEPS} steps on {WIDTH} x {HEIGHT} points")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same to the last bit:", np.array_equal(with_numpy, with_lazyarr))
