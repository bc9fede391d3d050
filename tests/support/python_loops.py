"""Plain Python loops and branches with lazyarr's interface, for comparison."""

import numpy as np


def while_loop(cond, body, init):
    while cond(init):
        init = body(init)
    return init


def fori_loop(lower, upper, body, init):
    for i in range(int(lower), int(upper)):
        init = body(i, init)
    return init


def scan(f, init, xs=None, length=None, reverse=False):
    slices = range(length if xs is None else len(xs if not isinstance(xs, tuple) else xs[0]))
    ys = {}
    for i in reversed(slices) if reverse else slices:
        x = None if xs is None else xs[i] if not isinstance(xs, tuple) else tuple(one[i] for one in xs)
        init, ys[i] = f(init, x)
    if not ys or ys[0] is None:
        return init, None
    if isinstance(ys[0], tuple):
        return init, tuple(np.stack([ys[i][k] for i in slices]) for k in range(len(ys[0])))
    return init, np.stack([ys[i] for i in slices])


def cond(pred, f, g, *ops):
    return f(*ops) if pred else g(*ops)


def switch(index, functions, *ops):
    return functions[int(index)](*ops)


class Python:
    """The control-flow functions under lazyarr's names."""

    while_loop = staticmethod(while_loop)
    fori_loop = staticmethod(fori_loop)
    scan = staticmethod(scan)
    cond = staticmethod(cond)
    switch = staticmethod(switch)


def power_iteration(c, a, v):
    return c.fori_loop(0, 4, lambda i, v: a @ v / np.sqrt(((a @ v) ** 2).sum()), v)


def fibonacci(c, a, v):
    return c.fori_loop(0, 5, lambda i, s: (s[1], s[0] * 0.5 + s[1] * a[0]), (v, a[1]))[1]


def counted(c, a, v):
    return c.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, np.sin(s[1]) * a[s[0] % 3]), (0, v))[1]


def until_large(c, a, v):
    return c.while_loop(lambda x: (x * x).sum() < 1000, lambda x: x * 1.5 + a[0], v)


def recurrent(c, a, v):
    def step(h, x):
        h = np.tanh(a @ h + x)
        return h, h * x

    return c.scan(step, v, np.outer(np.arange(5.0), v))[1]


def backwards(c, a, v):
    return c.scan(lambda s, x: (s * x[0] + x[1], (s * v, s + x[0])), v, (a * 2, a.T + 1), reverse=True)[1][0]


def with_index(c, a, v):
    return c.fori_loop(1, 4, lambda i, s: s * i + v * a[i - 1], a[1])


def writing(c, a, v):
    def body(i, x):
        x[i] = x[i - 1] * v + x[i - 2]
        x[0, 1:] *= 0.5
        return x

    return c.fori_loop(2, 6, body, np.concatenate([a, a]))


def nested(c, a, v):
    return c.fori_loop(0, 3, lambda i, s: c.scan(lambda t, x: (np.sin(t) * x + i, t), s, a)[0] * v, v)


def branching(c, a, v):
    def body(i, s):
        return c.cond(i % 2 == 0, lambda s: s * a[0], lambda s: np.cos(s) + v, s)

    return c.fori_loop(0, 5, body, v)


def chosen(c, a, v):
    def body(s, x):
        return c.switch((np.abs(x).sum() > 2).astype(int), [lambda s: s + x * v, lambda s: s * x], s), s

    return c.scan(body, v, a)[1]


def nothing_to_do(c, a, v):
    return c.fori_loop(3, 1, lambda i, s: s * 2, v) + c.while_loop(lambda s: (s * s).sum() < 0, lambda s: s + a[0], v)


def rows_of_one(c, a, v):
    return c.scan(lambda s, x: (s + x, s * x), v[0], v)[1]


def transposed(c, a, v):
    return c.fori_loop(0, 3, lambda i, m: (m @ a).T * 0.5, a)


def invariant(c, a, v):
    return c.fori_loop(0, 3, lambda i, s: (a[0], s[0] * v + s[2], s[0]), (v, v, v))[1]


PROGRAMS = [power_iteration, fibonacci, counted, until_large, recurrent, backwards, with_index, writing, nested,
            branching, chosen, nothing_to_do, rows_of_one, transposed, invariant]
