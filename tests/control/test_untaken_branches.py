"""Branches not taken cause no NaN, including in derivatives of loops and branches of any order."""
import numpy as np
import pytest

import lazyarr as la

X = np.array([-1.0, 0.0, 4.0])
FUNCTIONS = {
    "sqrt": lambda x: np.where(x > 0, np.sqrt(x), x * x).sum(),
    "power": lambda x: np.where(x > 0, x**0.5, x).sum(),
    "reciprocal": lambda x: np.where(x != 0, 1 / x, x).sum(),
    "sum of two": lambda x: np.where(x > 0, np.sqrt(x) * 2 + np.log(x), x).sum(),
    "in a where": lambda x: np.where(x > 0, np.where(x > 1, np.log(x - 1), np.sqrt(x)), x**3).sum(),
    "read under two masks": lambda x: (np.where(x > 0, r := np.sqrt(x), x) + np.where(x > 3, r * r * r, x * x)).sum(),
    "read everywhere": lambda x: (np.where(x > 0, e := np.exp(x), x) + e * e).sum(),
    "select": lambda x: np.select([x > 0, x < 0], [np.sqrt(x), np.sqrt(-x)], 0.0).sum(),
    "masked update": lambda x: masked_update(np.sqrt(x), x),
    "turned": lambda x: np.where((x > 0)[:, None], np.sqrt(x)[:, None].T.copy().T * np.ones((1, 2)), 0.0).sum(),
    "used again": lambda x: (np.where(x > 0, np.sqrt(x), 0.0) * x).sum(),
    "constant mask": lambda x: np.where([False, False, True], np.log(x), x).sum(),
    "complex": lambda x: abs(np.where(x > 0, np.sqrt(x + 0j), 1.0)).sum(),
}
CALLERS = {
    "checkpoint": la.checkpoint,
    "cond": lambda f: lambda x: la.cond(la.array(True), f, lambda x: x.sum(), x),
    "switch": lambda f: lambda x: la.switch(1, [lambda x: x.sum(), f], x),
    "captured": lambda f: lambda x: la.fori_loop(0, 2, lambda i, c: c + f(x), la.array(0.0)),
    "carried": lambda f: lambda x: la.fori_loop(0, 1, lambda i, c: (c[0], f(c[0])), (x, la.array(0.0)))[1],
    "walked": lambda f: lambda x: la.scan(lambda c, y: (c + f(y), c), la.array(0.0), x[None])[0],
    "collected": lambda f: lambda x: la.scan(lambda c, _: (c, f(c)), x, la.zeros(2))[1].sum(),
    "while": lambda f: lambda x: la.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 1, s[1], f(s[1])),
                                               (la.array(0), x, la.array(0.0)))[2],
    "vmap of cond": lambda f: lambda x: la.vmap(lambda x: la.cond(x.sum() > -9, f, lambda x: x.sum(), x))(x[None])[0],
}
TWICE = ("captured", "collected")


def masked_update(y, x):
    y[x <= 0] = 0.0
    return y.sum()


def along(f):
    return lambda x: la.hvp(f, (x,), (la.array([1.0, -2.0, 0.5]),))[0].sum()


@pytest.mark.filterwarnings("ignore:invalid value|divide by zero")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("caller", CALLERS)
def test_derivatives_of_any_order(caller, name):
    plain = FUNCTIONS[name]
    f, count = CALLERS[caller](plain), 2 if caller in TWICE else 1
    for derivative in (la.grad, la.hessian, lambda f: la.grad(along(f)), lambda f: la.jacobian(f, mode="forward")):
        wanted = derivative(plain)(la.array(X)).numpy()
        assert np.isfinite(wanted).all()
        np.testing.assert_allclose(derivative(f)(la.array(X)), count * wanted, rtol=1e-12)
