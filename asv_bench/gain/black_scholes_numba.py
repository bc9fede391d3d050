"""Black and Scholes's formula, with one loop over the options."""

import numba
import numpy as np


@numba.njit(fastmath=True)
def normal(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * series
    return 1 - tail if d > 0 else tail


@numba.njit(parallel=True, fastmath=True)
def run(price, strike, years, rate, volatility):
    call = np.empty_like(price)
    put = np.empty_like(price)
    for i in numba.prange(len(price)):
        root = volatility * np.sqrt(years[i])
        d1 = (np.log(price[i] / strike[i]) + (rate + 0.5 * volatility**2) * years[i]) / root
        d2 = d1 - root
        discounted = strike[i] * np.exp(-rate * years[i])
        call[i] = price[i] * normal(d1) - discounted * normal(d2)
        put[i] = discounted * normal(-d2) - price[i] * normal(-d1)
    return call, put
