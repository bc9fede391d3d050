"""Technical analysis: moving averages, RSI, MACD and Bollinger bands of many shares over 250 days."""

import sys

import numpy as np


def sma(prices, n):
    return np.convolve(prices, np.ones(n) / n, mode="valid")


def ema(prices, n):
    alpha = 2 / (n + 1)
    out = np.empty_like(prices)
    out[0] = prices[0]
    for i in range(1, len(prices)):
        out[i] = alpha * prices[i] + (1 - alpha) * out[i - 1]
    return out


def rsi(prices, n=14):
    delta = np.diff(prices)
    gain = np.where(delta > 0, delta, 0)
    loss = np.where(delta < 0, -delta, 0)
    ratio = sma(gain, n) / (sma(loss, n) + 1e-9)
    return 100 - 100 / (1 + ratio)


def bollinger(prices, n=20):
    middle = sma(prices, n)
    deviation = np.array([prices[i : i + n].std() for i in range(len(prices) - n + 1)])
    return middle - 2 * deviation, middle, middle + 2 * deviation


shares = int(sys.argv[1]) if len(sys.argv) > 1 else 100
rng = np.random.default_rng(61)
signals, oversold, outside, drawdowns = 0, 0, 0, []
for _ in range(shares):
    prices = 100 * np.exp(np.cumsum(rng.normal(0.0003, 0.02, size=250)))
    macd = ema(prices, 12) - ema(prices, 26)
    crossing = np.diff(np.sign(macd - ema(macd, 9)))
    signals += np.count_nonzero(crossing > 0)
    oversold += np.sum(rsi(prices) < 30)
    low, _, high = bollinger(prices)
    outside += np.sum((prices[19:] < low) | (prices[19:] > high))
    drawdowns.append(np.max(1 - prices / np.maximum.accumulate(prices)))
print(f"signals {signals}, oversold days {oversold}, outside the bands {outside}, drawdown {np.mean(drawdowns):.6f}")
