"""
Two galaxies meet
=================

In 1972 Alar and Juri Toomre explained the long tails of some galaxies by tides. They followed stars that feel only the
masses of the two centres, and not each other. Here the leapfrog scheme moves 30,000 stars of one disc and 15,000 of a
smaller one while the centres pass each other. As the stars do not interact, the work is proportional to their number.

A step is some thirty operations on long arrays, most of which spend more time on memory than on arithmetic. NumPy makes
a pass over memory for each of them; lazyarr fuses them into four.
"""

# %%
# The simulation
# --------------
# Positions and velocities have the shape (3, stars). The gravity of a centre is softened near it.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import lazyarr.numpy as lnp

STARS = (30000, 15000)
MASSES = (1.0, 0.5)
SOFTENING = 0.15
TIME_STEP = 0.03
STEPS = 400
TIMED_STEPS = 50


def gravity(position, centres):
    pull = 0
    for centre, mass in zip(centres, MASSES, strict=True):
        towards = centre - position
        square = towards[0] ** 2 + towards[1] ** 2 + towards[2] ** 2 + SOFTENING**2
        pull = pull + mass * towards / (square * square**0.5)
    return pull


def disc(stars, mass, tilt, rng):
    """Stars on circles around the origin."""
    radius = 2.2 * rng.uniform(0.02, 1, stars) ** 0.75
    angle, height = rng.uniform(0, 2 * np.pi, stars), rng.normal(0, 0.03, stars)
    speed = np.sqrt(mass) * radius / (radius**2 + SOFTENING**2) ** 0.75
    position = np.stack([radius * np.cos(angle), radius * np.sin(angle), height])
    velocity = np.stack([-speed * np.sin(angle), speed * np.cos(angle), 0 * angle])
    turn = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    return turn @ position, turn @ velocity


def start():
    """Positions and velocities of the centres, (2, 3, 1), and of the stars."""
    rng = np.random.default_rng(1)
    centre = np.array([[1.6, 1.2, 0], [-3.2, -2.4, 0]]).reshape(2, 3, 1)
    motion = np.array([[-0.233, -0.023, 0], [0.466, 0.045, 0]]).reshape(2, 3, 1)
    discs = [disc(count, mass, tilt, rng) for count, mass, tilt in zip(STARS, MASSES, (0.3, -0.7), strict=True)]
    position = np.concatenate([discs[k][0] + centre[k] for k in range(2)], axis=1)
    velocity = np.concatenate([discs[k][1] + motion[k] for k in range(2)], axis=1)
    return centre, motion, position, velocity


def simulate(xp, state, steps):
    centre, motion, position, velocity = map(xp.array, state)
    for _ in range(steps):
        motion += TIME_STEP * xp.stack([gravity(centre[k], centre) for k in range(2)])
        velocity += TIME_STEP * gravity(position, centre)
        centre += TIME_STEP * motion
        position += TIME_STEP * velocity
    return centre, motion, position, velocity


# %%
# The encounter
# -------------
# Stars of the larger galaxy are drawn in blue, those of the smaller one in orange.

figure, axes = plt.subplots(2, 3, figsize=(9, 6.2), layout="constrained")
state = start()
for number, ax in enumerate(axes.flat, start=1):
    state = simulate(lnp, state, STEPS // 6)
    x, y, _ = np.asarray(state[2])
    ax.set_facecolor("#0b0b16")
    for part, colour in ((slice(STARS[0]), "#9ecbff"), (slice(STARS[0], None), "#ffb46b")):
        ax.plot(x[part], y[part], ",", color=colour, alpha=0.35)
    ax.set(xlim=(-6, 6), ylim=(-5.5, 5.5), xticks=[], yticks=[], title=f"time {number * STEPS * TIME_STEP / 6:.0f}")
plt.show()

# %%
# Times
# -----


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        begin = perf_counter()
        result = simulate(xp, start(), TIMED_STEPS)[2]
        np.asarray(result)
        times.append(1000 * (perf_counter() - begin))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{TIMED_STEPS} steps of {sum(STARS)} stars")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same to the last bit:", np.array_equal(with_numpy, with_lazyarr))
