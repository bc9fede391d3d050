"""Bodies that attract each other, by the leapfrog method."""

import numpy as np


def acceleration(position, mass):
    x, y, z = position[:, 0:1], position[:, 1:2], position[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inverse = (dx**2 + dy**2 + dz**2 + 0.01) ** -1.5
    return np.hstack([(dx * inverse) @ mass, (dy * inverse) @ mass, (dz * inverse) @ mass])


def run(position, velocity, mass, steps):
    position, velocity = np.array(position), np.array(velocity)
    pull = acceleration(position, mass)
    for _ in range(steps):
        velocity += 0.005 * pull
        position += 0.01 * velocity
        pull = acceleration(position, mass)
        velocity += 0.005 * pull
    return position, velocity
