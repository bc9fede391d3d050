"""Softmax regression, as a loop over a function of the weights."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="steps")
def run(samples, targets, weights, steps):
    def step(_, weights):
        scores = samples @ weights
        scores = jnp.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities = scores / scores.sum(axis=1, keepdims=True)
        return weights - 0.5 * (samples.T @ (probabilities - targets)) / len(samples)

    return jax.lax.fori_loop(0, steps, step, weights)
