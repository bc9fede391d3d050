"""
Reading digits with automatic gradients
=======================================

Softmax regression gives each of the ten digits a score, the product of an image with a pattern of weights. The patterns
are found by gradient descent on a loss. With NumPy you derive the gradient on paper and program it. ``la.grad`` derives
it from the loss itself, so you can change the loss without deriving anything again.

This saves work, but no time here. There are 1,400 images of 64 pixels, so a step takes a fraction of a millisecond,
most of it for matrix products and exponentials, at which NumPy is as fast. In addition lazyarr derives the gradient
anew in each step. Expect it to be somewhat slower than the gradient by hand.
"""

# %%
# The loss, and its gradient by hand
# ----------------------------------
# An extra row of the weights and an extra column of the images stand for the constant part of the scores.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import lazyarr as la
import lazyarr.numpy as lnp

STEPS = 250
TRAINED = 1400
RATE, MOMENTUM, DECAY = 0.4, 0.9, 2e-3


def loss(xp, weights, images, wanted):
    """Cross-entropy, and a penalty for large weights."""
    scores = images @ weights
    scores = scores - scores.max(axis=1, keepdims=True)
    likelihood = scores - xp.log(xp.exp(scores).sum(axis=1, keepdims=True))
    return DECAY / 2 * (weights * weights).sum() - (wanted * likelihood).sum() / len(images)


def gradient_by_hand(weights, images, wanted):
    scores = images @ weights
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    guess = exponentials / exponentials.sum(axis=1, keepdims=True)
    return images.T @ (guess - wanted) / len(images) + DECAY * weights


gradient_by_lazyarr = la.grad(lambda weights, images, wanted: loss(lnp, weights, images, wanted))


def train(xp, gradient, images, wanted):
    """Gradient descent with momentum."""
    images, wanted = xp.asarray(images), xp.asarray(wanted)
    weights = xp.zeros((images.shape[1], wanted.shape[1]), images.dtype)
    motion = xp.zeros_like(weights)
    for _ in range(STEPS):
        motion = MOMENTUM * motion - RATE * gradient(weights, images, wanted)
        weights = weights + motion
    return weights


# %%
# The patterns
# ------------
# Red pixels speak for a digit, blue ones against it.

digits = load_digits()
images = np.hstack([digits.data / 16, np.ones((len(digits.data), 1))])
wanted = np.eye(10)[digits.target]
arguments = images[:TRAINED], wanted[:TRAINED]

weights = train(lnp, gradient_by_lazyarr, *arguments).numpy()
right = (images[TRAINED:] @ weights).argmax(axis=1) == digits.target[TRAINED:]

figure, axes = plt.subplots(2, 5, figsize=(9, 4.1), layout="constrained")
limit = abs(weights).max()
for digit, ax in enumerate(axes.flat):
    pattern = ax.imshow(weights[:64, digit].reshape(8, 8), cmap="RdBu_r", vmin=-limit, vmax=limit,
                        interpolation="bicubic")
    ax.set(title=digit, xticks=[], yticks=[])
figure.colorbar(pattern, ax=axes, label="weight", shrink=0.9, pad=0.02)
figure.suptitle(f"Patterns of the ten digits: {100 * right.mean():.0f} % of {len(right)} other images are read")
plt.show()

# %%
# Times
# -----
# NumPy uses the gradient derived by hand.


def best_of_three(xp, gradient):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result = train(xp, gradient, *arguments)
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np, gradient_by_hand)
with_lazyarr, lazyarr_ms = best_of_three(lnp, gradient_by_lazyarr)
print(f"{STEPS} steps with {TRAINED} images")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same within rounding:", np.allclose(with_numpy, with_lazyarr))
