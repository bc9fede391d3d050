"""Lloyd's algorithm, its means as a product of matrices."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="steps")
def run(points, centroids, steps):
    def step(_, state):
        centroids, _ = state
        distances = ((points[:, jnp.newaxis, :] - centroids) ** 2).sum(axis=2)
        labels = jnp.argmin(distances, axis=1)
        members = jax.nn.one_hot(labels, len(centroids), dtype=points.dtype)
        return members.T @ points / members.sum(axis=0)[:, jnp.newaxis], labels

    return jax.lax.fori_loop(0, steps, step, (centroids, jnp.zeros(len(points), int)))
