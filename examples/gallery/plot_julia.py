"""
A Julia set
===========

Take a point *z* of the complex plane and replace it by *z² + c*, again and again. For some points it stays near
0, for others it runs away. The border between the two is a Julia set. A point is coloured by how many iterations it
takes to escape, a number that the last distance from 0 makes continuous.

All iterations together are one expression of two thousand operations. NumPy computes each of them over the whole
picture. lazyarr computes hundreds of them for one tile, which stays in the cache, before it goes on to the next tile:
a few dozen passes over memory for the whole loop. Each operation runs on all points, even on those that escaped long
ago, because ``where`` is cheap and can be fused.
"""

# %%
# The iteration
# -------------
# In real numbers, with the square of *z* written out.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import lazyarr.numpy as lnp

HEIGHT, WIDTH = 400, 640
ITERATIONS = 160
C = -0.7885 * np.exp(0.46j)
ESCAPED = 100.0


def escape_times(xp, iterations):
    """How many iterations each point takes to escape, as a smooth number; of those that stay, all iterations."""
    y, x = xp.ogrid[-0.95:0.95:HEIGHT * 1j, -1.52:1.52:WIDTH * 1j]
    x, y = xp.broadcast_arrays(x, y)
    count = xp.zeros((HEIGHT, WIDTH))
    for _ in range(iterations):
        xx, yy = x * x, y * y
        inside = xx + yy < ESCAPED
        x, y = xp.where(inside, xx - yy + C.real, x), xp.where(inside, 2 * x * y + C.imag, y)
        count = count + inside
    beyond = xp.log2(xp.log(xp.maximum(x * x + y * y, ESCAPED)) / np.log(ESCAPED))
    return count - beyond


# %%
# The set
# -------

times = escape_times(lnp, ITERATIONS)

figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
axes.imshow(np.log(times + 1), cmap="twilight_shifted", extent=(-1.52, 1.52, -0.95, 0.95), interpolation="bilinear")
axes.set(title=f"Julia set of c = {C:.3f}", xlabel="real part", ylabel="imaginary part")
plt.show()

# %%
# Times
# -----


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result = escape_times(xp, ITERATIONS)
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{ITERATIONS} iterations of {WIDTH} x {HEIGHT} points")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same to the last bit:", np.array_equal(with_numpy, with_lazyarr))
