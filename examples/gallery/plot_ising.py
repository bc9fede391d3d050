"""
A magnet at three temperatures
==============================

In the Ising model each atom of a lattice has a spin, up or down, and neighbours like to agree. Heat disturbs them. In
two dimensions there is a critical temperature of 2.269: below it whole regions agree, above it there is noise, and at
it there are clusters of all sizes. The Metropolis algorithm flips spins at random: always if that lowers the energy,
and otherwise with a probability that decreases with the energy it costs. Black and white squares of a checkerboard
alternate, because spins that are flipped at the same time must not be neighbours.

The generator of ``lazyarr.numpy`` draws the same numbers as NumPy's, so both modules simulate the same magnet. The
numbers are drawn one after the other, on one core, which takes much of the time. lazyarr fuses the rest, but that works
on small integers, for which NumPy is fast already. So the gain is smaller than in other examples.
"""

# %%
# The model
# ---------
# Three lattices, each with its own temperature, are one array.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import lazyarr.numpy as lnp

SIZE = 256
TEMPERATURES = (2.0, 2.269, 3.0)
SWEEPS = 350
TIMED_SWEEPS = 20


def simulate(xp, sweeps):
    """Spins of +1 and -1 after some sweeps."""
    rng = xp.random.default_rng(12)
    heat = xp.asarray(TEMPERATURES, dtype="float32").reshape(-1, 1, 1)
    spins = xp.where(rng.random((len(TEMPERATURES), SIZE, SIZE), dtype="float32") < 0.5, xp.int8(1), xp.int8(-1))
    row, column = xp.ogrid[:SIZE, :SIZE]
    black = (row + column) % 2 == 0
    for _ in range(sweeps):
        draws = rng.random(spins.shape, dtype="float32")  # one for each spin serves both colours
        for colour in (black, ~black):
            neighbours = (xp.roll(spins, 1, 1) + xp.roll(spins, -1, 1) + xp.roll(spins, 1, 2) + xp.roll(spins, -1, 2))
            energy = 2 * spins * neighbours
            turned = colour & (draws < xp.exp(-energy / heat))
            spins = xp.where(turned, -spins, spins)
    return spins


# %%
# Three phases
# ------------

spins = simulate(lnp, SWEEPS)
magnetisation = np.asarray(abs(spins.mean(axis=(1, 2))))

figure, axes = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained")
names = ("order", "critical", "disorder")
for ax, lattice, temperature, name in zip(axes, np.asarray(spins), TEMPERATURES, names, strict=True):
    ax.imshow(lattice, cmap="RdYlBu", vmin=-1.25, vmax=1.25, interpolation="nearest")
    ax.set(title=f"temperature {temperature}: {name}", xticks=[], yticks=[])
plt.show()
print("magnetisation", magnetisation.round(3))

# %%
# Times
# -----


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result = simulate(xp, TIMED_SWEEPS)
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{TIMED_SWEEPS} sweeps of {with_numpy.size} spins")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same spins:", np.array_equal(with_numpy, with_lazyarr))
