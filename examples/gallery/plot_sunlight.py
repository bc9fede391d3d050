"""
A winter day in the hills
=========================

How long does the sun shine on each place of a landscape? For each hour of a day the direction of the sun is known, and
a place lies in shadow if the ground towards the sun rises above the ray. The program walks from all places at once
towards the sun, cell by cell, and compares the height of the ground there with the height of the ray. It uses the
elevations of the Jacksboro fault in Tennessee that come with matplotlib, made twice as steep.

A walk is a hundred subtractions and maxima of shifted views of one array. lazyarr computes a few steps of it in one
pass. The map is so small that it stays in the second-level cache with NumPy, too. So the gain is smaller than for a
longer formula on larger arrays, and comes mostly from using all cores.
"""

# %%
# Shadows
# -------
# The ground falls off beyond the edge of the map, where nothing casts shadows.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cbook import get_sample_data

import lazyarr.numpy as lnp

CELL = 80.0  # metres
LATITUDE, DECLINATION = np.radians(36.4), np.radians(-23.4)
HOURS = np.arange(-4.5, 4.6, 0.5)  # from noon
REACH = 50  # cells that a shadow may be long


def sun_direction(hour):
    """East, north and up."""
    angle = np.radians(15 * hour)
    east = -np.cos(DECLINATION) * np.sin(angle)
    north = np.sin(DECLINATION) * np.cos(LATITUDE) - np.cos(DECLINATION) * np.cos(angle) * np.sin(LATITUDE)
    up = np.sin(DECLINATION) * np.sin(LATITUDE) + np.cos(DECLINATION) * np.cos(angle) * np.cos(LATITUDE)
    return east, north, up


def shine(xp, ground, hours):
    """Hours of sunshine, and the light that falls on each cell, both over all hours."""
    height, width = ground.shape
    padded = xp.full((height + 2 * REACH, width + 2 * REACH), -1e4, ground.dtype)
    padded[REACH:-REACH, REACH:-REACH] = ground
    north_slope, east_slope = xp.gradient(ground, -CELL, CELL)
    steepness = xp.sqrt(1 + east_slope**2 + north_slope**2)
    duration, energy = xp.zeros_like(ground), xp.zeros_like(ground)
    for hour in hours:
        east, north, up = sun_direction(hour)
        stride = max(abs(east), abs(north))
        horizon = xp.full_like(ground, -1e4)
        for step in range(1, REACH):
            row, column = REACH - round(step * north / stride), REACH + round(step * east / stride)
            higher = float(step * CELL * up / stride)  # the ray there
            horizon = xp.maximum(horizon, padded[row:row + height, column:column + width] - higher)
        lit = horizon <= ground
        duration += lit * (hours[1] - hours[0])
        energy += lit * xp.maximum(up - east * east_slope - north * north_slope, 0) / steepness
    return duration, energy


# %%
# The map
# -------

elevation = np.asarray(get_sample_data("jacksboro_fault_dem.npz")["elevation"], "float32")
ground = 2 * elevation
duration, energy = shine(lnp, lnp.asarray(ground), HOURS)

figure, axes = plt.subplots(figsize=(8, 6.4), layout="constrained")
light = energy / energy.max()
kilometres = (0, ground.shape[1] * CELL / 1000, 0, ground.shape[0] * CELL / 1000)
image = axes.imshow(duration, cmap="inferno", extent=kilometres, vmin=0)
axes.imshow(np.zeros_like(light), cmap="gray", alpha=np.clip(0.75 - 1.2 * light, 0, 1), extent=kilometres)
axes.set(title="Hours of sunshine on the shortest day", xlabel="km to the east", ylabel="km to the north")
figure.colorbar(image, label="hours", pad=0.02, shrink=0.9)
plt.show()

# %%
# Times
# -----


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result, _ = shine(xp, xp.asarray(ground), HOURS)
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{len(HOURS)} positions of the sun over {ground.shape[1]} x {ground.shape[0]} cells")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same to the last bit:", np.array_equal(with_numpy, with_lazyarr))
