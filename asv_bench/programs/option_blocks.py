"""Finance: call options by Monte Carlo simulation in blocks of 5,000 paths, beside Black and Scholes's formula."""

import math
import sys

import numpy as np

blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 230
S0, r, sigma, T, steps, paths = 100.0, 0.03, 0.25, 1.0, 12, 5000
dt = T / steps


def black_scholes(K):
    d1 = (math.log(S0 / K) + (r + 0.5 * sigma**2) * T) / (sigma * math.sqrt(T))
    d2 = d1 - sigma * math.sqrt(T)
    phi = lambda d: 0.5 * (1 + math.erf(d / math.sqrt(2)))  # noqa: E731
    return S0 * phi(d1) - K * math.exp(-r * T) * phi(d2)


strikes = np.array([90.0, 100.0, 110.0])
rng = np.random.default_rng(53)
means = np.zeros((blocks, 3))
asian = np.zeros(blocks)
for block in range(blocks):
    price = np.full(paths, S0)
    running = np.zeros(paths)
    for _ in range(steps):
        z = rng.standard_normal(paths)
        price = price * np.exp((r - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * z)
        running += price
    payoff = np.maximum(price[:, None] - strikes, 0)
    means[block] = np.exp(-r * T) * payoff.mean(axis=0)
    asian[block] = np.exp(-r * T) * np.maximum(running / steps - 100.0, 0).mean()
print("Monte Carlo", np.round(means.mean(axis=0), 4), "asian", round(float(asian.mean()), 4))
print("formula    ", np.round([black_scholes(K) for K in (90.0, 100.0, 110.0)], 4))
