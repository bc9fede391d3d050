"""Move gravitating bodies by leapfrog, with the forces between all pairs summed directly.

Usage: nbody.py [BODIES] [STEPS]
"""

import sys

import numpy as np

G = 1.0
SOFTENING = 0.1
DT = 0.01


def acceleration(pos, mass):
    """Acceleration of each body by all others, (n, 3)."""
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = (dx**2 + dy**2 + dz**2 + SOFTENING**2) ** -1.5
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.stack((ax, ay, az), axis=1)


def energy(pos, vel, mass):
    """Kinetic and potential energy."""
    kinetic = 0.5 * np.sum(mass * np.sum(vel**2, axis=1))
    d = pos[:, np.newaxis, :] - pos
    r = np.sqrt(np.sum(d**2, axis=2) + SOFTENING**2)
    i, j = np.triu_indices(len(mass), 1)
    potential = -G * np.sum(mass[i] * mass[j] / r[i, j])
    return kinetic, potential


def main(n=500, steps=300):
    rng = np.random.default_rng(17)
    mass = np.full(n, 20.0 / n)
    pos = rng.standard_normal((n, 3))
    vel = rng.standard_normal((n, 3))
    vel -= np.mean(mass[:, np.newaxis] * vel, axis=0) / np.mean(mass)

    before = sum(energy(pos, vel, mass))
    acc = acceleration(pos, mass)
    for _ in range(steps):
        vel += acc * DT / 2
        pos += vel * DT
        acc = acceleration(pos, mass)
        vel += acc * DT / 2
    kinetic, potential = energy(pos, vel, mass)

    print(f"{n} bodies, {steps} steps of {DT}")
    print(f"kinetic energy {kinetic:.6f}, potential {potential:.6f}")
    print(f"energy conserved: {abs(kinetic + potential - before) < 0.01 * abs(before)}")
    print(f"mean radius {np.sqrt((pos**2).sum(axis=1)).mean():.7f}, at rest: {np.allclose(mass @ vel, 0)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
