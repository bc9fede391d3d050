"""Web search: PageRank by power iteration on a graph of 300 pages, with several damping factors."""

import sys

import numpy as np

rng = np.random.default_rng(13)
n = 300
links = (rng.random((n, n)) < 0.03).astype(float)
np.fill_diagonal(links, 0)
out_degree = links.sum(axis=0)
links[:, out_degree == 0] = 1.0
M = links / links.sum(axis=0)


def pagerank(M, d, tolerance=1e-10):
    v = np.ones(n) / n
    iterations = 0
    while True:
        last_v = v
        v = d * (M @ v) + (1 - d) / n
        v = v / np.linalg.norm(v, 1)
        iterations += 1
        if np.linalg.norm(v - last_v) < tolerance:
            return v, iterations


factors = int(sys.argv[1]) if len(sys.argv) > 1 else 800
for d in np.linspace(0.5, 0.97, factors):
    ranks, iterations = pagerank(M, d)
top = np.argsort(-ranks)[:5]
print("top pages", top.tolist(), "ranks", np.round(ranks[top], 6).tolist())
