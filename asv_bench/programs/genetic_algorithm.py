"""Evolutionary computing: a genetic algorithm with tournaments, crossover and mutation on Rastrigin's function."""

import sys

import numpy as np

generations = int(sys.argv[1]) if len(sys.argv) > 1 else 220
pop_size, genes = 60, 8
rng = np.random.default_rng(37)


def fitness(population):
    return -np.sum(population**2 - 10 * np.cos(2 * np.pi * population) + 10, axis=1)


def tournament(population, scores, size=3):
    contestants = rng.integers(0, len(population), size)
    return population[contestants[np.argmax(scores[contestants])]]


def crossover(a, b):
    point = rng.integers(1, genes)
    return np.concatenate([a[:point], b[point:]])


def mutate(child, rate=0.15):
    mask = rng.random(genes) < rate
    child[mask] += rng.normal(0, 0.3, size=mask.sum())
    return np.clip(child, -5.12, 5.12)


population = rng.uniform(-5.12, 5.12, size=(pop_size, genes))
for _ in range(generations):
    scores = fitness(population)
    elite = population[np.argmax(scores)].copy()
    children = [elite]
    while len(children) < pop_size:
        parent1, parent2 = tournament(population, scores), tournament(population, scores)
        children.append(mutate(crossover(parent1, parent2)))
    population = np.array(children)
scores = fitness(population)
print(f"best {scores.max():.6f}, mean {scores.mean():.5f}")
