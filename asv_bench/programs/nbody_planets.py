"""Astronomy: the sun and four planets by the leapfrog method, bodies as rows of small arrays."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4500
dt = 0.01
G = 4 * np.pi**2 / 365.24**2 * 100

mass = np.array([1.0, 0.000954, 0.000286, 0.0000437, 0.0000515])
pos = np.array([[0.0, 0, 0], [4.84, -1.16, -0.10], [8.34, 4.12, -0.40], [12.89, -15.11, -0.22], [15.38, -25.92, 0.18]])
vel = np.zeros((5, 3))
for i in range(1, 5):
    r = np.linalg.norm(pos[i])
    vel[i] = np.sqrt(G / r) * np.cross(np.array([0.0, 0.0, 1.0]), pos[i] / r)
vel -= (mass[:, None] * vel).sum(axis=0) / mass.sum()


def acceleration(pos):
    acc = np.zeros_like(pos)
    for i in range(len(pos)):
        diff = pos - pos[i]
        dist = np.sqrt((diff**2).sum(axis=1) + 1e-9)
        acc[i] = G * np.sum((mass / dist**3)[:, None] * diff, axis=0)
    return acc


def energy():
    kinetic = 0.5 * np.sum(mass * np.sum(vel**2, axis=1))
    potential = 0.0
    for i in range(5):
        for j in range(i):
            potential -= G * mass[i] * mass[j] / np.linalg.norm(pos[i] - pos[j])
    return kinetic + potential


before = energy()
acc = acceleration(pos)
for _ in range(steps):
    vel += 0.5 * dt * acc
    pos += dt * vel
    acc = acceleration(pos)
    vel += 0.5 * dt * acc
print(f"relative energy drift below 1e-5: {abs(energy() / before - 1) < 1e-5}")
print("second body at", np.round(pos[1], 6))
