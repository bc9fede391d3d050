"""Chaos in flames: the Kuramoto-Sivashinsky equation by exponential time differencing and FFTs of 1,024 points."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1600
N, h = 1024, 0.05
x = 32 * np.pi * np.arange(1, N + 1) / N
u = np.cos(x / 16) * (1 + np.sin(x / 16))
v = np.fft.fft(u)

k = np.concatenate([np.arange(0, N // 2), [0], np.arange(-N // 2 + 1, 0)]) / 16
L = k**2 - k**4
E, E2 = np.exp(h * L), np.exp(h * L / 2)
M = 16
r = np.exp(1j * np.pi * (np.arange(1, M + 1) - 0.5) / M)
LR = h * L[:, None] + r[None, :]
Q = h * np.real(np.mean((np.exp(LR / 2) - 1) / LR, axis=1))
f1 = h * np.real(np.mean((-4 - LR + np.exp(LR) * (4 - 3 * LR + LR**2)) / LR**3, axis=1))
f2 = h * np.real(np.mean((2 + LR + np.exp(LR) * (-2 + LR)) / LR**3, axis=1))
f3 = h * np.real(np.mean((-4 - 3 * LR - LR**2 + np.exp(LR) * (4 - LR)) / LR**3, axis=1))
g = -0.5j * k


def nonlinear(v):
    return g * np.fft.fft(np.real(np.fft.ifft(v)) ** 2)


for _ in range(steps):
    Nv = nonlinear(v)
    a = E2 * v + Q * Nv
    Na = nonlinear(a)
    b = E2 * v + Q * Na
    Nb = nonlinear(b)
    c = E2 * a + Q * (2 * Nb - Nv)
    Nc = nonlinear(c)
    v = E * v + Nv * f1 + 2 * (Na + Nb) * f2 + Nc * f3
u = np.real(np.fft.ifft(v))
print(f"t = {steps * h:.2f}: energy {np.mean(u**2):.4f}, largest {u.max():.3f}, smallest {u.min():.3f}")
