"""Subclasses of ndarray as the other operand: they decide the type of results."""

import operator
import warnings

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.filterwarnings("ignore")
DERIVED = {
    "matrix": lambda: np.matrix([[1, 2], [3, 4]]),
    "masked": lambda: np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]),
    "recarray": lambda: np.array([[1, 2], [3, 4]]).view(np.recarray),
}
OTHERS = {
    "square": lambda xp: xp.arange(4).reshape(2, 2),
    "row": lambda xp: xp.arange(2) + 1,
    "floats": lambda xp: xp.arange(6.0).reshape(2, 3),
    "scalar": lambda xp: xp.arange(3).sum(),
    "without axes": lambda xp: xp.array(2),
}


def outcome(function, a, b):
    try:
        result = function(a, b)
        shown = repr(result)
    except Exception as error:
        return type(error)
    return type(result) if type(result) is not la.LazyArray or result._scalar else np.ndarray, shown


@pytest.mark.parametrize("name", [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lt", "eq", "and_", "lshift"])
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("derived", DERIVED)
def test_operators(derived, other, name):
    function, x, y = getattr(operator, name), OTHERS[other](la), OTHERS[other](np)
    assert outcome(function, DERIVED[derived](), x) == outcome(function, DERIVED[derived](), y)
    assert outcome(function, x, DERIVED[derived]()) == outcome(function, y, DERIVED[derived]())


@pytest.mark.parametrize("call", [
    "np.sqrt(a)", "np.add(a, 1)", "np.subtract(1.5, a)", "np.multiply(a, x)", "np.divide(x, a)", "np.maximum(a, a)",
    "np.matmul(a, x)", "np.modf(a)", "np.equal(x, a)", "np.add(a, x, dtype='f4')", "np.add(x, x, out=a)",
    "np.add.reduce(a)", "np.add.accumulate(a)", "np.add.outer(x, a)", "np.sum(a)", "np.where(x > 1, a, x)",
    "np.modf(a, x * 1.0)[0]", "np.modf(a, out=(x * 1.0, None))[1]", "np.divmod(x, a, out=(x * 1, x * 2))[1]",
    "np.concatenate([a, x])", "np.clip(a, 1, 2)", "np.log(np.ma.masked)", "np.add(np.ma.masked, x)",
])
@pytest.mark.parametrize("derived", DERIVED)
def test_calls(derived, call):
    def run(xp):
        return eval(call, {"np": xp, "a": DERIVED[derived](), "x": OTHERS["square"](xp)})
    assert outcome(lambda xp, _: run(xp), la, None) == outcome(lambda xp, _: run(xp), np, None)


@pytest.mark.parametrize("statement", [
    "f[0, 0] = masked", "i[0, 0] = masked", "f[0] = masked", "f[:] = masked", "f[[0, 1]] = masked", "f[f > 1] = masked",
    "f.flat[0] = masked", "f[0, 0] = np.ma.array(5, mask=True)", "f[1, 1] = np.ma.array(5)", "f[...] = a",
    "i[1] = a[0]", "f[:, [0, 1]] = a", "np.copyto(f, a)", "np.copyto(f, masked)", "np.copyto(f, 3, where=a > 2)",
    "np.put(f, [0, 1], a)", "np.putmask(f, a > 1, a)", "np.place(f, a > 1, a)", "np.add.at(f, [0, 1], a)",
    "f.fill(masked)", "np.put_along_axis(i, np.array([[0], [1]]), a[:, :1], 1)", "np.fill_diagonal(f, a[0])", "f += a",
    "f[0, 1] = a[1, 1]",
])
@pytest.mark.parametrize("derived", DERIVED)
def test_writing_from_them(derived, statement):
    def run(xp):
        names = {"np": np, "f": xp.arange(4.0).reshape(2, 2), "i": xp.arange(4).reshape(2, 2), "masked": np.ma.masked,
                 "a": DERIVED[derived]()}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(statement, names)
            except Exception as error:
                return type(error)
        return names["f"].tolist(), names["i"].tolist(), [warning.category for warning in caught]
    assert repr(run(la)) == repr(run(np))


@pytest.mark.parametrize("call", [
    "np.max(a, axis=0, out=o)", "np.sum(a, 0, None, o)", "np.mean(a, axis=1, out=o)", "np.clip(a, 1, 2, out=p)",
    "np.cumsum(a, 0, out=p)", "np.round(a, 1, p)", "np.concatenate([a[:1], a[:1]], out=p)", "np.take(a, [0, 1], out=o)",
    "np.minimum.reduce(a, out=o)", "np.add.accumulate(a, out=p)", "np.add.reduceat(a, [0, 1], 0, None, p)",
    "np.dot(a, a, p)", "np.median(a, axis=0, out=o)", "np.std(a, axis=0, out=o)", "a.max(axis=0, out=o)",
])
@pytest.mark.parametrize("derived", DERIVED)
def test_outputs_of_calls_with_them(derived, call):
    def run(xp):
        a = DERIVED[derived]() * 1.5
        shape = (1, 2) if derived == "matrix" and "axis=0" in call else (2, 1) if derived == "matrix" else 2
        names = {"np": xp, "a": a, "o": xp.zeros(shape), "p": xp.zeros((2, 2))}
        try:
            exec(call, names)
        except Exception as error:
            return type(error)
        return names["o"].tolist(), names["p"].tolist()
    assert run(la) == run(np)
