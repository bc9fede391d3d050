"""The Mandelbrot set, with selections in place of writes through masks."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="most")
def run(x, y, most):
    c = x[jnp.newaxis, :] + 1j * y[:, jnp.newaxis]

    def step(i, state):
        z, counts = state
        alive = counts == most
        z = jnp.where(alive, z * z + c, z)
        escaped = z.real**2 + z.imag**2 > 4
        return z, jnp.where(alive & escaped, i, counts)

    start = jnp.zeros_like(c), jnp.full(c.shape, most)
    return jax.lax.fori_loop(0, most, step, start)[1]
