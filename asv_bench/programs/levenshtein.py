"""Text processing: Levenshtein distances between words, a row of the table at a time."""

import itertools
import sys

import numpy as np

WORDS = """kitten sitting saturday sunday intention execution industry interest algorithm altruistic
numerical numeration elephant relevant distance instance gumbo gambol kilometre milometer""".split()


def levenshtein(source, target):
    if len(source) < len(target):
        return levenshtein(target, source)
    source = np.array(tuple(source))
    target = np.array(tuple(target))
    previous = np.arange(target.size + 1)
    for s in source:
        current = previous + 1
        current[1:] = np.minimum(current[1:], np.add(previous[:-1], target != s))
        for j in range(1, target.size + 1):
            current[j] = min(current[j], current[j - 1] + 1)
        previous = current
    return previous[-1]


rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 160
for _ in range(rounds):
    pairs = {(a, b): int(levenshtein(a, b)) for a, b in itertools.combinations(WORDS[: 4 + _ % 8], 2)}
print("closest:", min(pairs, key=pairs.get), "total:", sum(pairs.values()))
