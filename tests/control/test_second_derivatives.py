"""Second derivatives of loops and branches equal those of unrolled code.

Bodies change layouts, save values without cotangents, and write to parts of saved values.
"""

import numpy as np
import pytest

import lazyarr as la
from support.python_loops import Python

ORDER = np.array([2, 0, 1])
LINES = np.array([True, False, True])
ELEMENTS = np.tri(3, dtype=bool)


def bounded(s):
    s = np.sin(s)
    s[s > 0.05] = 0.05
    return s * s


def scaled_under_masks(s):
    s = np.sin(s)
    s[LINES] *= np.cos(s[1])
    s[ELEMENTS] += np.tanh(s[ELEMENTS])
    return s


def written_after_transposing(s):
    made = np.tanh(s).T
    made[0] = made[1] * 0.5
    return np.sin(made)


BODIES = {
    "transposed": lambda s: np.exp(s.T * 0.3),
    "transposed result": lambda s: np.sin(s).T,
    "both orders": lambda s: np.sin(s.T) * np.cos(s),
    "columns": lambda s: np.sin(s[:, ORDER]),
    "mean of columns": lambda s: s[:, ORDER].mean(0) * np.sin(s),
    "copy in F order": lambda s: np.sin(s.copy("F")),
    "product": lambda s: np.sin(s.T) @ np.tanh(s).T,
    "mask": bounded,
    "masks that are known": scaled_under_masks,
    "index": lambda s: np.sin(s[np.argsort(s[:, 0])]) * s,
    "write": written_after_transposing,
    "choice": lambda s: np.where(s.T > 0, np.sin(s), s * s.T),
}


def fori_loop(loops, body, x):
    return loops.fori_loop(0, 3, lambda i, s: body(s), x)


def while_loop(loops, body, x):
    return loops.while_loop(lambda s: s[1] < 2, lambda s: (body(s[0]), s[1] + 1), (x, 0))[0]


def scan(loops, body, x):
    state, ys = loops.scan(lambda s, y: (body(s) + y, body(y) * s), x, np.stack([x, x * 0.5]))
    return state + ys[0] * ys[1].T


def cond(loops, body, x):
    return loops.cond(x[0, 0] > -9, body, lambda s: s * 2, x)


def branch_in_a_loop(loops, body, x):
    def switched(i, s):
        return loops.switch(i % 2, [body, lambda s: np.cos(s.T)], s)

    return loops.fori_loop(0, 3, switched, x)


CONSTRUCTS = [fori_loop, while_loop, scan, cond, branch_in_a_loop]

MODES = {
    "forward over reverse": lambda f, x, v: la.jvp(la.grad(f), (x,), (v,))[1],
    "reverse over reverse": lambda f, x, v: la.grad(lambda x: (la.grad(f)(x) * v).sum())(x),
    "reverse over forward": lambda f, x, v: la.grad(lambda x: la.jvp(f, (x,), (v,))[1])(x),
    "forward over forward": lambda f, x, v: la.jvp(lambda x: la.jvp(f, (x,), (v,))[1], (x,), (v,))[1],
    "third": lambda f, x, v: la.jvp(lambda x: la.jvp(la.grad(f), (x,), (v,))[1], (x,), (v,))[1],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("construct", CONSTRUCTS)
@pytest.mark.parametrize("name", BODIES)
def test_they_are_those_of_what_is_written_out(name, construct, mode):
    rng = np.random.default_rng(3)
    x, v = (la.array(rng.standard_normal((3, 3))) for _ in range(2))
    weights = np.arange(9.0).reshape(3, 3) / 9
    found = [MODES[mode](lambda x: np.tanh(construct(loops, BODIES[name], x) * weights).sum(), x, v)  # noqa: B023
             for loops in (la, Python)]
    np.testing.assert_allclose(*found, rtol=1e-8, atol=1e-10)


def test_what_is_replaced_by_a_constant_was_handed_on():
    """Where a carried value came from another that no round computes."""
    assert la.while_loop(lambda s: s[2] < 5, lambda s: (s[1], 7.0, s[2] + 1), (0.0, 1.0, 2)) == (7, 7, 5)
    x = la.array([1.0, 2.0])
    made = la.fori_loop(0, 30, lambda i, s: (s[1], x * 5, np.sin(s[2])), (x, x * 2, x))
    np.testing.assert_array_equal(made[0], np.asarray(x) * 5)
    captured = x * 3
    made = la.fori_loop(0, 30, lambda i, s: (s[1], captured, np.sin(s[2])), (x, x * 2, x))
    np.testing.assert_array_equal(made[0], np.asarray(x) * 3)


def test_a_loop_that_runs_again_shares_nothing_that_others_evaluate():
    def f(x, _, w):
        def body(s, _):
            x, b, z = s
            (x, b, _), ys = la.scan(lambda s, x: (s, s[0] * w), (x, b, z), la.ones((3, 3)) * 0.5)
            x = x * 0.5 + ys.sum(0) * 0.2
            x[s[1]] = 0.25
            return (x, s[1], np.exp(1j * x) * 0.5), None

        return la.scan(body, (x, la.array([True, False, True]), la.ones(3) * 1j), length=1)[0][0]

    arguments = la.ones(3), la.ones((1, 3)), la.ones(3)
    with la.config(budget_nodes=20):
        for _ in range(5):
            by_x, by_y, by_w = map(np.asarray, la.jacobian(f, (0, 1, 2), mode="forward")(*arguments))
            np.testing.assert_allclose(by_x, np.diag([0, 1.1, 0]))
            np.testing.assert_allclose(by_w, np.diag([0, 0.6, 0]))
            assert not by_y.any()
