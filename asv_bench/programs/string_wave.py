"""Acoustics: a plucked string of 400 points with damping, by finite differences in time and space."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 36000
nx = 400
c, dx = 1.0, 1.0 / (nx - 1)
dt = 0.9 * dx / c
damping = 0.05

x = np.linspace(0, 1, nx)
u = np.where(x < 0.3, x / 0.3, (1 - x) / 0.7)
u_prev = u.copy()
u_next = np.zeros(nx)
pickup = np.zeros(steps)
k = (c * dt / dx) ** 2
for n in range(steps):
    u_next[1:-1] = 2 * u[1:-1] - u_prev[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
    u_next[1:-1] -= damping * dt * (u[1:-1] - u_prev[1:-1])
    u_prev, u, u_next = u, u_next, u_prev
    pickup[n] = u[nx // 5]
print(f"rms {np.sqrt(np.mean(pickup**2)):.8f}, last {u[nx // 2]:.8f}, crossings {np.sum(pickup[1:] * pickup[:-1] < 0)}")
