"""Bioinformatics: the forward-backward algorithm and Baum-Welch updates of a hidden Markov model."""

import sys

import numpy as np


def forward_backward(pi, A, B, obs):
    T, K = len(obs), len(pi)
    alpha, beta, scale = np.zeros((T, K)), np.zeros((T, K)), np.zeros(T)
    alpha[0] = pi * B[:, obs[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, T):
        alpha[t] = (alpha[t - 1] @ A) * B[:, obs[t]]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    beta[-1] = 1.0
    for t in range(T - 2, -1, -1):
        beta[t] = A @ (B[:, obs[t + 1]] * beta[t + 1]) / scale[t + 1]
    return alpha, beta, scale


def update(A, B, obs, alpha, beta, scale):
    gamma = alpha * beta
    xi = np.zeros_like(A)
    for t in range(len(obs) - 1):
        xi += np.outer(alpha[t], B[:, obs[t + 1]] * beta[t + 1]) * A / scale[t + 1]
    A = xi / xi.sum(axis=1, keepdims=True)
    B = np.array([gamma[obs == k].sum(axis=0) for k in range(B.shape[1])]).T
    return gamma[0] / gamma[0].sum(), A, B / B.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 22
    rng = np.random.default_rng(5)
    obs = rng.integers(0, 4, size=600)
    obs[200:400] = rng.choice(4, size=200, p=[0.7, 0.1, 0.1, 0.1])
    pi = np.full(3, 1 / 3)
    A = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    B = rng.dirichlet(np.ones(4), size=3)
    for _ in range(rounds):
        alpha, beta, scale = forward_backward(pi, A, B, obs)
        pi, A, B = update(A, B, obs, alpha, beta, scale)
    print(f"log-likelihood {np.log(scale).sum():.5f}")
    print("stay probabilities", np.round(np.diag(A), 5))
