"""Combinatorial optimisation: a tour of 40 cities by simulated annealing with reversed segments."""

import sys

import numpy as np

moves = int(sys.argv[1]) if len(sys.argv) > 1 else 16000

np.random.seed(42)
cities = np.random.rand(40, 2)
n = len(cities)


def tour_length(tour):
    ordered = cities[tour]
    return np.sum(np.sqrt(np.sum((ordered - np.roll(ordered, -1, axis=0)) ** 2, axis=1)))


tour = np.arange(n)
length = start = tour_length(tour)
best = length
temperature = 1.0
for _ in range(moves):
    i, j = sorted(np.random.randint(0, n, size=2))
    candidate = tour.copy()
    candidate[i : j + 1] = candidate[i : j + 1][::-1]
    new_length = tour_length(candidate)
    chance = np.random.rand()
    if new_length < length or chance < np.exp((length - new_length) / temperature):
        tour, length = candidate, new_length
        best = min(best, length)
    temperature *= 0.9995
print(f"from {start:.5f} to {best:.5f}")
