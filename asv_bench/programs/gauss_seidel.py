"""Electrostatics: the potential in a box by Gauss-Seidel relaxation, row by row in place."""

import sys

import numpy as np

sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 260
n = 160

phi = np.zeros((n, n))
phi[0, :] = 1.0
phi[:, 0] = np.linspace(1, 0, n)
rho = np.zeros((n, n))
rho[n // 3, n // 2] = 2.0

change = 0.0
for sweep in range(sweeps):
    before = phi.copy() if sweep == sweeps - 1 else None
    for i in range(1, n - 1):
        row = 0.25 * (phi[i - 1, 1:-1] + phi[i + 1, 1:-1] + phi[i, :-2] + phi[i, 2:] + rho[i, 1:-1])
        phi[i, 1:-1] = row
    if before is not None:
        change = np.max(np.abs(phi - before))
print(f"centre {phi[n // 2, n // 2]:.8f}  source {phi[n // 3, n // 2]:.8f}  last change {change:.3e}")
