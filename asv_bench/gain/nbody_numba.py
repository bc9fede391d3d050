"""Bodies that attract each other, with loops over the pairs."""

import numba
import numpy as np


@numba.njit(parallel=True)
def acceleration(position, mass):
    pull = np.empty_like(position)
    for i in numba.prange(len(position)):
        ax, ay, az = 0.0, 0.0, 0.0
        for j in range(len(position)):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            squared = dx**2 + dy**2 + dz**2 + 0.01
            weight = mass[j, 0] / (squared * np.sqrt(squared))
            ax += dx * weight
            ay += dy * weight
            az += dz * weight
        pull[i, 0], pull[i, 1], pull[i, 2] = ax, ay, az
    return pull


@numba.njit
def run(position, velocity, mass, steps):
    position, velocity = np.copy(position), np.copy(velocity)
    pull = acceleration(position, mass)
    for _ in range(steps):
        velocity += 0.005 * pull
        position += 0.01 * velocity
        pull = acceleration(position, mass)
        velocity += 0.005 * pull
    return position, velocity
