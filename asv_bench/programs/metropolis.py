"""Bayesian inference: Metropolis-Hastings sampling of the three parameters of a linear regression."""

import sys

import numpy as np

samples = int(sys.argv[1]) if len(sys.argv) > 1 else 20000

rng = np.random.default_rng(12)
t = np.linspace(0, 5, 50)
data = 1.5 * t - 0.7 + rng.normal(scale=0.8, size=t.size)


def log_posterior(theta):
    slope, intercept, log_sigma = theta
    sigma = np.exp(log_sigma)
    residual = data - (slope * t + intercept)
    log_likelihood = -0.5 * np.sum((residual / sigma) ** 2) - t.size * log_sigma
    log_prior = -0.5 * np.sum(theta**2) / 25
    return log_likelihood + log_prior


theta = np.zeros(3)
current = log_posterior(theta)
chain = np.empty((samples, 3))
accepted = 0
for i in range(samples):
    proposal = theta + 0.1 * rng.normal(size=3)
    candidate = log_posterior(proposal)
    if np.log(rng.random()) < candidate - current:
        theta, current = proposal, candidate
        accepted += 1
    chain[i] = theta
kept = chain[samples // 5 :]
print(f"accepted {accepted / samples:.4f}")
print("posterior means", np.round(kept.mean(axis=0), 5), "deviations", np.round(kept.std(axis=0), 5))
