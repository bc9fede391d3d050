"""Bollinger bands: means and standard deviations of a moving window."""

import numpy as np


def run(prices, days):
    windows = np.lib.stride_tricks.sliding_window_view(prices, days)
    mean = windows.mean(axis=1)
    deviation = windows.std(axis=1)
    score = (prices[days - 1 :] - mean) / deviation
    return mean - 2 * deviation, mean + 2 * deviation, score
