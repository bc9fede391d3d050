"""Loops with random bodies: results and gradients equal those of the unrolled loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from support.python_loops import Python


def add(s, a, b, x, w):
    s[a] = s[a] + s[b]


def multiply(s, a, b, x, w):
    s[a] = s[b] * x * 0.5


def by_capture(s, a, b, x, w):
    s[a] = np.sin(s[b]) * w


def reversed_copy(s, a, b, x, w):
    s[a] = s[b][::-1]


def write_part(s, a, b, x, w):
    s[a][1:] = s[b][:-1] * 0.5


def add_to_part(s, a, b, x, w):
    s[a][::2] += x[::2] * w[1]


def swap(s, a, b, x, w):
    s[a], s[b] = s[b], s[a]


def replace_by_collected(s, a, b, x, w):
    s[a] = x


def fold(s, a, b, x, w):
    s[a] = s[a] - s[b].sum() * 0.1


def product(s, a, b, x, w):
    s[a] = (w[:, None] * s[b]) @ s[a] * 0.1


def choose(s, a, b, x, w):
    s[a] = np.where(s[b] > 0, s[a], s[b] * x)


def masked(s, a, b, x, w):
    s[a][s[b] > 0.5] = 0.25


def constant(s, a, b, x, w):
    s[a] = w * 2


def nothing(s, a, b, x, w):
    pass


def written_element(s, a, b, x, w):
    s[a][1] = np.tanh(s[b][2] + x[0])


def join(s, a, b, x, w):
    s[a] = np.concatenate([s[b][:1] * x[:1], s[a][1:] + 1])


def write_to_empty(s, a, b, x, w):
    made = np.empty_like(s[a])
    made[:2] = s[b][:2] * 0.5
    made[2:] = x[2:]
    s[a] = made


OPERATIONS = [add, multiply, by_capture, reversed_copy, write_part, add_to_part, swap, replace_by_collected, fold,
              product, choose, masked, constant, nothing, written_element, join, write_to_empty]
statements = st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 2), st.integers(0, 2)), max_size=5)


def program(loops, statements, collected, late, reverse):
    def run(start, xs, w):
        def body(state, x):
            # what is written in place is the body's own
            state = [part * 1 for part in state] if loops is Python else list(state)
            before = state[collected]
            for operation, a, b in statements:
                operation(state, a, b, x, w)
            seen = state[collected] if late else before
            return tuple(state), seen * 1 if loops is Python else seen

        state, ys = loops.scan(body, (start, start * 0.5, w), xs, reverse=reverse)
        return sum((part * part).sum() for part in state) + (ys * np.arange(1.0, 4.0)).sum()

    return run


@given(statements, st.integers(0, 2), st.booleans(), st.booleans(), st.integers(0, 4), st.integers(0, 2**31))
def test_random_bodies(statements, collected, late, reverse, rounds, seed):
    rng = np.random.default_rng(seed)
    arrays = [la.asarray(x) for x in (rng.standard_normal(3), rng.standard_normal((rounds, 3)), rng.standard_normal(3))]
    if rounds == 0:
        return
    results = []
    for loops in (la, Python):
        value, gradients = la.value_and_grad(program(loops, statements, collected, late, reverse), (0, 1, 2))(*arrays)
        results.append([value, *gradients])
    for got, expected in zip(*results, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
