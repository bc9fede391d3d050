"""Conjugate gradients, as a loop over a function of the state."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="steps")
def run(matrix, right, steps):
    def step(_, state):
        x, r, p, old = state
        product = matrix @ p
        alpha = old / (p @ product)
        x += alpha * p
        r -= alpha * product
        new = r @ r
        p = r + new / old * p
        return x, r, p, new

    x = jnp.zeros_like(right)
    r = right - matrix @ x
    return jax.lax.fori_loop(0, steps, step, (x, r, r, r @ r))[0]
