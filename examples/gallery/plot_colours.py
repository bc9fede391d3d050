"""
A photograph in few colours
===========================

k-means finds colours that stand for all others of a photograph. Lloyd's algorithm repeats two steps: each pixel gets
the nearest of *k* colours, and each colour becomes the mean of its pixels.

The distances are an array of pixels by colours. NumPy writes it in a matrix product, reads and writes it again for a
sum, and reads it once more for the minimum of each row. lazyarr computes the sum and the minimum in one pass. Minima
over many short rows are slow in NumPy, so most of the gain is there. The matrix product is the same BLAS call. The
photograph comes with scikit-learn.
"""

# %%
# Lloyd's algorithm
# -----------------

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

import lazyarr.numpy as lnp

NAME = "flower.jpg"
COLOURS = 16
ITERATIONS = 8
SPACING = 1  # of the pixels that are used


def nearest(xp, pixels, colours):
    """The number of the colour that is nearest to each pixel."""
    distance = (colours * colours).sum(axis=1) - 2 * pixels @ colours.T  # but for what is the same for all colours
    return xp.argmin(distance, axis=1)


def k_means(xp, pixels, colours, iterations):
    for _ in range(iterations):
        labels = nearest(xp, pixels, colours)
        members = (labels == xp.arange(len(colours))[:, np.newaxis]).astype(pixels.dtype)
        colours = members @ pixels / xp.maximum(members.sum(axis=1), 1)[:, np.newaxis]
    return colours


# %%
# The palette
# -----------
# The first colours are pixels drawn at random, moved a little so that no pixel is equally far from two of them, where
# rounding would decide.

photo = load_sample_image(NAME)[::SPACING, ::SPACING].astype("float32") / 255
pixels = photo.reshape(-1, 3)
rng = np.random.default_rng(4)
first = pixels[rng.integers(len(pixels), size=COLOURS)] + rng.normal(0, 1e-3, (COLOURS, 3)).astype("float32")

figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
axes[0, 0].imshow(photo)
axes[0, 0].set_title(f"{len(np.unique(np.rint(255 * pixels) @ [65536, 256, 1])):,} colours")
for ax, count in zip(axes.flat[1:], (COLOURS, COLOURS // 2, COLOURS // 4), strict=True):
    palette = k_means(lnp, lnp.asarray(pixels), lnp.asarray(first[:count]), ITERATIONS)
    ax.imshow(palette[nearest(lnp, lnp.asarray(pixels), palette)].reshape(photo.shape))
    ax.set_title(f"{count} colours")
    shown = np.asarray(palette)[np.argsort(palette.sum(axis=1))]
    ax.inset_axes((0, -0.1, 1, 0.08)).imshow(shown[np.newaxis], aspect="auto")
for ax in figure.findobj(plt.Axes):
    ax.set_axis_off()
plt.show()

# %%
# Times
# -----


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result = k_means(xp, xp.asarray(pixels), xp.asarray(first), ITERATIONS)
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{ITERATIONS} iterations over {len(pixels)} pixels and {COLOURS} colours")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same within rounding:", np.allclose(with_numpy, with_lazyarr, atol=1e-3))
