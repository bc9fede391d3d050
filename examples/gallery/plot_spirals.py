"""
A small network and three spirals
=================================

Points lie on three arms of a spiral, which no straight line separates. A network of two hidden layers learns which arm
a point of the plane belongs to. ``lazyarr.nn`` has the layers, the loss and the optimiser. A training step computes the
loss, its gradients and the new parameters as one graph. ``traced=True`` builds that graph only once, which matters for
so small a network.

The trained network is a formula over a few arrays, and the function that draws the picture is plain NumPy again. With
lazyarr each hyperbolic tangent is computed on a part of the matrix product while it is in the cache. The rest are the
product and the tangent themselves, at which NumPy is as fast.
"""

# %%
# Training
# --------

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import lazyarr.numpy as lnp
from lazyarr import nn

POINTS, ARMS = 240, 3
HIDDEN = 40
STEPS = 400
PIXELS = 320
COLOURS = np.array([[0.85, 0.33, 0.31], [0.26, 0.62, 0.42], [0.24, 0.45, 0.77]])

rng = np.random.default_rng(5)
radius = np.sqrt(rng.uniform(0.01, 1, (ARMS, POINTS)))
angle = 5.5 * radius + 2 * np.pi * np.arange(ARMS)[:, np.newaxis] / ARMS + rng.normal(0, 0.2, radius.shape)
points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(-1, 2).astype("float32")
arms = np.repeat(np.arange(ARMS), POINTS)

dense = [nn.Linear(2, HIDDEN, rng=rng), nn.Linear(HIDDEN, HIDDEN, rng=rng), nn.Linear(HIDDEN, ARMS, rng=rng)]
model = nn.Sequential(dense[0], nn.tanh, dense[1], nn.tanh, dense[2])
step = nn.training_step(model, nn.cross_entropy, nn.Adam(0.02), traced=True)
start = perf_counter()
losses = [float(step(points, arms)["loss"]) for _ in range(STEPS)]
print(f"{STEPS} steps of {len(points)} points in {1000 * (perf_counter() - start):.0f} ms")

# %%
# What it learned
# ---------------


def probabilities(xp, layers, points):
    """How probable each arm is at some points, by the weights and biases of the layers."""
    (first, first_bias), (second, second_bias), (last, last_bias) = layers
    hidden = xp.tanh(points @ first + first_bias)
    hidden = xp.tanh(hidden @ second + second_bias)
    scores = hidden @ last + last_bias
    exponentials = xp.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


layers = [(layer.weight.numpy(), layer.bias.numpy()) for layer in dense]
x, y = np.meshgrid(*2 * [np.linspace(-1.25, 1.25, PIXELS, dtype="float32")])
plane = np.stack([x.ravel(), y.ravel()], axis=1)
shares = np.asarray(probabilities(lnp, layers, lnp.asarray(plane))).reshape(PIXELS, PIXELS, ARMS)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 5), width_ratios=(1.7, 1), layout="constrained")
left.imshow(1 - 0.6 * (1 - shares @ COLOURS), origin="lower", extent=(-1.25, 1.25, -1.25, 1.25))
left.contour(x, y, shares.max(axis=-1), levels=[0.5, 0.8], colors="white", linewidths=(1.6, 0.6))
left.scatter(*points.T, c=COLOURS[arms], s=14, edgecolor="white", linewidth=0.5)
left.set(title="the arm that the network sees", xlabel="x", ylabel="y")
right.semilogy(losses, color="0.25")
right.set(title="training", xlabel="step", ylabel="loss")
right.grid(alpha=0.3)
plt.show()

# %%
# Times
# -----
# These are the times of the formula over all pixels of the picture.


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result = probabilities(xp, layers, xp.asarray(plane))
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{len(plane)} points")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same within rounding:", np.allclose(with_numpy, with_lazyarr, atol=1e-4))
