"""Prices of European options by the formula of Black and Scholes."""

import numpy as np


def normal(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * series
    return np.where(d > 0, 1 - tail, tail)


def run(price, strike, years, rate, volatility):
    root = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility**2) * years) / root
    d2 = d1 - root
    discounted = strike * np.exp(-rate * years)
    call = price * normal(d1) - discounted * normal(d2)
    put = discounted * normal(-d2) - price * normal(-d1)
    return call, put
