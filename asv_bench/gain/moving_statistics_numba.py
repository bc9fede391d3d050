"""Bollinger bands, with loops over the windows and within them."""

import numba
import numpy as np


@numba.njit(parallel=True)
def run(prices, days):
    count = len(prices) - days + 1
    lower = np.empty(count)
    upper = np.empty(count)
    score = np.empty(count)
    for i in numba.prange(count):
        mean = 0.0
        for j in range(days):
            mean += prices[i + j]
        mean /= days
        variance = 0.0
        for j in range(days):
            variance += (prices[i + j] - mean) ** 2
        deviation = np.sqrt(variance / days)
        lower[i] = mean - 2 * deviation
        upper[i] = mean + 2 * deviation
        score[i] = (prices[i + days - 1] - mean) / deviation
    return lower, upper, score
