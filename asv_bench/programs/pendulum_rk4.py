"""Mechanics: a double pendulum by the classical Runge-Kutta method, state vectors of four numbers."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
g, l1, l2, m1, m2 = 9.81, 1.0, 0.8, 1.0, 0.7


def derivative(state):
    a1, w1, a2, w2 = state
    delta = a2 - a1
    s, c = np.sin(delta), np.cos(delta)
    denominator = (m1 + m2) * l1 - m2 * l1 * c * c
    dw1 = (m2 * l1 * w1**2 * s * c + m2 * g * np.sin(a2) * c + m2 * l2 * w2**2 * s - (m1 + m2) * g * np.sin(a1)) / (
        denominator
    )
    dw2 = (-m2 * l2 * w2**2 * s * c + (m1 + m2) * (g * np.sin(a1) * c - l1 * w1**2 * s - g * np.sin(a2))) / (
        l2 / l1 * denominator
    )
    return np.array([w1, dw1, w2, dw2])


def rk4(state, dt):
    k1 = derivative(state)
    k2 = derivative(state + 0.5 * dt * k1)
    k3 = derivative(state + 0.5 * dt * k2)
    k4 = derivative(state + dt * k3)
    return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


state = np.array([0.5, 0.0, 0.3, 0.0])
history = np.zeros((steps, 4))
for i in range(steps):
    state = rk4(state, 0.002)
    history[i] = state
print("state", np.round(state, 6), "largest angles", np.round(np.abs(history[:, ::2]).max(axis=0), 6))
