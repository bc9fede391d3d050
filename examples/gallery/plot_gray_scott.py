"""
Spots and stripes: reaction and diffusion
=========================================

In the Gray-Scott model two chemicals diffuse over a plate. The second feeds on the first, U + 2V → 3V. The
first is supplied at a rate *F*, and the second removed at a rate *F + k*. This is enough for spots, stripes and
labyrinths like those on animal coats. Which of them appear depends on the two rates: on this plate *F* increases from
left to right and *k* from bottom to top, so that one picture shows them all.

A time step is a dozen operations on slices, each so simple that the processor mostly waits for memory: NumPy writes an
array for each operation and reads it again for the next. lazyarr sees the whole step before it computes anything. It
runs all operations on one tile that fits into the cache before it goes on to the next, on all cores.
"""

# %%
# The model
# ---------
# Plain NumPy, except that the array module is a parameter.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import lazyarr.numpy as lnp

SIZE = 256
STEPS = 5000
TIMED_STEPS = 300


def laplacian(z):
    return z[:-2, 1:-1] + z[2:, 1:-1] + z[1:-1, :-2] + z[1:-1, 2:] - 4 * z[1:-1, 1:-1]


def close_borders(z):
    """Let nothing leave the plate: its border has the values of the neighbours."""
    z[0], z[-1] = z[1], z[-2]
    z[:, 0], z[:, -1] = z[:, 1], z[:, -2]


def simulate(xp, steps):
    feed = xp.linspace(0.012, 0.06, SIZE, dtype="float32")
    # Below k = sqrt(F)/2 - F the plate fills evenly with V; the patterns are around that line.
    kill = xp.sqrt(feed) / 2 - feed + xp.linspace(-0.0025, 0.0075, SIZE, dtype="float32")[:, np.newaxis]
    u = xp.ones((SIZE + 2, SIZE + 2), "float32")
    v = xp.zeros((SIZE + 2, SIZE + 2), "float32")
    for row, column in np.random.default_rng(1).integers(4, SIZE - 4, (SIZE // 2, 2)):
        u[row - 3:row + 3, column - 3:column + 3] = 0.5
        v[row - 3:row + 3, column - 3:column + 3] = 0.25
    inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
    for _ in range(steps):
        reaction = inner_u * inner_v * inner_v
        change_u = 0.1 * laplacian(u) - reaction + feed * (1 - inner_u)
        change_v = 0.05 * laplacian(v) + reaction - (feed + kill) * inner_v
        inner_u += change_u
        inner_v += change_v
        close_borders(u)
        close_borders(v)
    return inner_v


# %%
# The patterns
# ------------
# The function runs with both modules; for the picture it takes many steps with lazyarr.

pattern = simulate(lnp, STEPS)

figure, axes = plt.subplots(figsize=(7, 6), layout="constrained")
image = axes.imshow(pattern, cmap="magma", origin="lower", extent=(0.012, 0.06, -2.5, 7.5), aspect="auto",
                    interpolation="bicubic", vmin=0)
axes.set(title=f"Gray-Scott patterns after {STEPS} steps", xlabel="feed rate F",
         ylabel=r"1000 (k $-$ k$_0$),  k$_0$ = $\sqrt{F}/2 - F$")
figure.colorbar(image, label="concentration of V", pad=0.02)
plt.show()

# %%
# Times
# -----
# Lazy arrays are evaluated when their values are read, here by ``np.asarray``.


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
print(f"{TIMED_STEPS} steps on {SIZE} x {SIZE} points")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same to the last bit:", np.array_equal(with_numpy, with_lazyarr))
