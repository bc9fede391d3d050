"""Flow in a cavity whose lid moves, by the incompressible Navier-Stokes equations.

The scheme of Lorena Barba's "12 steps to Navier-Stokes", step 11: explicit velocities, and in each time step some
Jacobi iterations for the pressure.

Usage: cavity.py [POINTS] [STEPS] [ITERATIONS]
"""

import sys

import numpy as np

DENSITY = 1.0
VISCOSITY = 0.1
DT = 0.001


def build_up_b(u, v, dx, dy):
    """Right-hand side of the Poisson equation of the pressure."""
    b = np.zeros_like(u)
    b[1:-1, 1:-1] = DENSITY * (
        1 / DT * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx))
        - ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) ** 2
    )
    return b


def pressure_poisson(p, b, dx, dy, iterations):
    """Relax the pressure, in place."""
    for _ in range(iterations):
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2) / (
            2 * (dx**2 + dy**2)
        ) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]  # dp/dx = 0 at x = 2
        p[0, :] = p[1, :]  # dp/dy = 0 at y = 0
        p[:, 0] = p[:, 1]  # dp/dx = 0 at x = 0
        p[-1, :] = 0  # p = 0 at y = 2


def cavity_flow(u, v, p, dx, dy, steps, iterations):
    """Advance velocities and pressure, in place."""
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()

        b = build_up_b(u, v, dx, dy)
        pressure_poisson(p, b, dx, dy, iterations)

        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * DT / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * DT / dy * (un[1:-1, 1:-1] - un[0:-2, 1:-1])
            - DT / (2 * DENSITY * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
            + VISCOSITY
            * (
                DT / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
                + DT / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[0:-2, 1:-1])
            )
        )
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * DT / dx * (vn[1:-1, 1:-1] - vn[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * DT / dy * (vn[1:-1, 1:-1] - vn[0:-2, 1:-1])
            - DT / (2 * DENSITY * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1])
            + VISCOSITY
            * (
                DT / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, 0:-2])
                + DT / dy**2 * (vn[2:, 1:-1] - 2 * vn[1:-1, 1:-1] + vn[0:-2, 1:-1])
            )
        )

        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1  # the lid
        v[0, :] = 0
        v[-1, :] = 0
        v[:, 0] = 0
        v[:, -1] = 0


def main(n=41, steps=1000, iterations=50):
    dx = dy = 2 / (n - 1)
    u = np.zeros((n, n))
    v = np.zeros((n, n))
    p = np.zeros((n, n))
    cavity_flow(u, v, p, dx, dy, steps, iterations)
    print(f"{n} x {n} points, {steps} steps of {DT} s")
    print(f"u: centre {u[n // 2, n // 2]:.8f}, norm {np.linalg.norm(u):.7f}, lowest {u.min():.8f}")
    print(f"v: centre {v[n // 2, n // 2]:.8f}, norm {np.linalg.norm(v):.7f}, highest {v.max():.8f}")
    print(f"p: lowest {p.min():.7f}, highest {p.max():.7f}, energy {0.5 * np.sum(u**2 + v**2) * dx * dy:.8f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
