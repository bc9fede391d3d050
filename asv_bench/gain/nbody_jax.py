"""Bodies that attract each other, as a loop over a function of the state."""

import functools

import jax
import jax.numpy as jnp


def acceleration(position, mass):
    x, y, z = position[:, 0:1], position[:, 1:2], position[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inverse = jax.lax.rsqrt(dx**2 + dy**2 + dz**2 + 0.01) ** 3
    return jnp.hstack([(dx * inverse) @ mass, (dy * inverse) @ mass, (dz * inverse) @ mass])


@functools.partial(jax.jit, static_argnames="steps")
def run(position, velocity, mass, steps):
    def step(_, state):
        position, velocity, pull = state
        velocity += 0.005 * pull
        position += 0.01 * velocity
        pull = acceleration(position, mass)
        velocity += 0.005 * pull
        return position, velocity, pull

    pull = acceleration(position, mass)
    return jax.lax.fori_loop(0, steps, step, (position, velocity, pull))[:2]
