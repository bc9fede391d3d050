"""Invalid ufunc calls: NumPy's exception class and message, raised by the call."""

import numpy as np
import pytest

from lazyarr._core.ir.own_ufuncs import OWN
from support import call_outcomes

UFUNCS = OWN | {name: obj for name, obj in vars(np).items() if isinstance(obj, np.ufunc) and obj.__name__ == name}
# One dtype of each kind, and two that promote.
TYPES = ("d", "i", "?", "F", "B", "bd")


def operand(char, shape=(4, 4)):
    return np.array(np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3 + 1, char)


def operands(ufunc, chars):
    return [operand(chars[i] if i < len(chars) else chars[0]) for i in range(ufunc.nin)]


MASK = np.ones((4, 4), bool)
KEYWORDS = {
    "dtype": ["f4", "i1", bool, "c8", "U4", object, "nonsense", 3, None, "M8", "i4,f8", (float, int), ">f8"],
    "signature": ["dd->d", "d->d", "d", "zz", "", 3, None, (float,), (None, None, float), (None,) * 9,
                  "??->?", (None, "F"), ("nonsense", None, None)],
    "sig": ["dd->d"],
    "casting": ["no", "equiv", "safe", "same_kind", "bad", 1, None],
    "order": ["C", "f", "A", "K", None, "X", "CC", "", 1],
    "subok": [True, False, None, 2, "x"],
    "where": [True, False, np.True_, None, 0, 1, 1.5, "a", [True, False, True, False], MASK[0], MASK[:3, :3],
              np.ones(7, bool), np.ones(4, int), np.array([True], object), np.ones((2, 1, 1), bool)],
    "axis": [0, 9, "a", None, (0,)],
    "axes": [[0], [(0, 1)] * 3, [0, 0, ()], "ab", [(0, 0), (0, 1), (0, 1)], [(0, 5), (0, 1), (0, 1)], None,
             ((0, 1),) * 3, [(0.5, 1), (0, 1), (0, 1)]],
    "keepdims": [True, False, "a", None],
    "initial": [1],
    "extobj": [[1]],
    "nonsense": [1],
}
COMBINATIONS = [
    {"signature": "d", "dtype": float}, {"sig": "d", "signature": "d"}, {"axes": [0], "axis": 0},
    {"casting": "unsafe", "dtype": "i1"}, {"casting": "safe", "dtype": "f4"}, {"casting": "unsafe", "dtype": "?"},
    {"nonsense": 1, "dtype": "bad"}, {"order": "X", "subok": 3},
]


@pytest.mark.parametrize("ufunc", UFUNCS.values(), ids=list(UFUNCS))
def test_keywords(ufunc):
    cases = [{name: value} for name, values in KEYWORDS.items() for value in values] + COMBINATIONS
    for chars in TYPES:
        given = operands(ufunc, chars)
        for kwargs in cases:
            # a mask without out= leaves the rest undefined, but shape and dtype are defined
            problem = call_outcomes.difference(lambda *x, kwargs=kwargs: ufunc(*x[:-1], **kwargs), *given)
            assert problem is None, (chars, kwargs, problem)


OUTPUTS = {
    "another shape": lambda xp: xp.zeros((9, 9)),
    "fewer axes": lambda xp: xp.zeros(4),
    "no axes": lambda xp: xp.zeros(()),
    "small integers": lambda xp: xp.zeros((4, 4), "i1"),
    "bool": lambda xp: xp.zeros((4, 4), bool),
    "strings": lambda xp: xp.zeros((4, 4), "U3"),
    "complex": lambda xp: xp.zeros((4, 4), "c8"),
    "objects": lambda xp: xp.zeros((4, 4), object),
    "dates": lambda xp: xp.zeros((4, 4), "M8[s]"),
    "more axes": lambda xp: xp.zeros((2, 4, 4)),
    "read-only": lambda xp: xp.broadcast_to(xp.zeros(4), (4, 4)),
    "a number": lambda xp: 3,
    "a scalar": lambda xp: np.float64(3),
    "a list": lambda xp: [xp.zeros((4, 4))],
    "a string": lambda xp: "abc",
    "None": lambda xp: None,
    "an ellipsis": lambda xp: ...,
}


@pytest.mark.parametrize("ufunc", UFUNCS.values(), ids=list(UFUNCS))
def test_outputs(ufunc):
    for chars in TYPES:
        given = operands(ufunc, chars)
        for name, make in OUTPUTS.items():
            forms = [
                lambda *x, make=make: ufunc(*x[:-1], out=make(x[-1])),
                lambda *x, make=make: ufunc(*x[:-1], out=(make(x[-1]),) * ufunc.nout),
                lambda *x, make=make: ufunc(*x[:-1], out=(make(x[-1]),) * (ufunc.nout + 1)),
                lambda *x, make=make: ufunc(*x[:-1], *[make(x[-1])] * ufunc.nout),
                lambda *x, make=make: ufunc(*x[:-1], *[make(x[-1])] * (ufunc.nout + 1)),
                lambda *x, make=make: ufunc(*x[:-1], out=(make(x[-1]),) * ufunc.nout, casting="unsafe"),
                lambda *x, make=make: ufunc(*x[:-1], out=(make(x[-1]),) * ufunc.nout, dtype="f4"),
                lambda *x, make=make: ufunc(*x[:-1], out=(make(x[-1]),) * ufunc.nout, where=MASK),
                lambda *x, make=make: ufunc(*x[:-1], make(x[-1]), out=make(x[-1])),
            ]
            for i, form in enumerate(forms):
                problem = call_outcomes.difference(form, *given)
                assert problem is None, (chars, name, i, problem)


ARGUMENTS = {
    "none at all": lambda x: [],
    "one too few": lambda x: x[:-1],
    "other extents": lambda x: [*x[:-1], x[-1][:3, :3]],
    "fewer axes": lambda x: [*x[:-1], x[-1][0]],
    "a string": lambda x: [*x[:-1], "abc"],
    "None": lambda x: [*x[:-1], None],
    "an object": lambda x: [*x[:-1], object()],
    "a large integer": lambda x: [*x[:-1], 300],
    "a negative integer": lambda x: [*x[:-1], -1],
    "a complex number": lambda x: [*x[:-1], 1j],
    "an integer of any size": lambda x: [*x[:-1], 10**30],
}


@pytest.mark.parametrize("ufunc", UFUNCS.values(), ids=list(UFUNCS))
def test_arguments(ufunc):
    for chars in TYPES:
        given = operands(ufunc, chars)
        for name, make in ARGUMENTS.items():
            if name == "an integer of any size" and ufunc in (np.logical_and, np.logical_or, np.logical_xor):
                continue  # NumPy refuses it beside floats too; a float holds it
            if ufunc.nin == 1 and name not in ("none at all", "other extents", "fewer axes"):
                continue  # no lazy operand
            for kwargs in {}, {"dtype": "f4"}:
                problem = call_outcomes.difference(
                    lambda *x, make=make, kwargs=kwargs: ufunc(*make(list(x[:-1])), **kwargs), *given)
                assert problem is None, (chars, name, kwargs, problem)


A = operand("d", (3, 4))
AXES = [9, -3, "a", 1.0, (0, 0), (0, -2), (0, 1), True, None, (), [0], (0.5,), (0, 5), np.int64(1), np.array(1),
        np.array([1])]
DTYPES = ["U3", "nonsense", "i1", bool, "c8", 3, "M8[s]", "f4", "i4,i4"]
FOLD_OUTPUTS = [
    lambda xp: xp.zeros((7,)), lambda xp: xp.zeros(()), lambda xp: xp.zeros(4, "i1"), lambda xp: xp.zeros(4, bool),
    lambda xp: 3, lambda xp: [1], lambda xp: (xp.zeros(4),), lambda xp: (xp.zeros(4),) * 2, lambda xp: (3,),
    lambda xp: xp.zeros(4, "U2"), lambda xp: xp.zeros((3, 4)), lambda xp: xp.zeros((3, 4), "i1"),
    lambda xp: xp.broadcast_to(xp.zeros(1), (4,)), lambda xp: (), lambda xp: xp.zeros((1, 4)),
    lambda xp: xp.zeros((3, 4), "c8"),
]
INITIAL = [1, None, "abc", 1.5, np.ones(4), np.array(2.0), 1j, 10**30, 300, np._NoValue, [1, 2]]
MASKS = [1, 1.0, None, "a", np.array([[True], [False], [True]]), np.ones(7, bool), np.ones((3, 4), int), False,
         np.ones((2, 3, 4), bool), [True, False, True, False]]
INDICES = [[0, 1], [0, 9], [-1], [0.5], [[0, 1]], 1, ["a"], None, [], [True, False], np.array([1.0])]
PLACES = [*INDICES, "a", np.array([True, False, True]), np.ones(7, bool), slice(0, 2), ([0, 1], [0, 9]), (0, 0, 0, 0)]
VALUES = [np.ones(7), "abc", None, 1.5, 1j, 300, np.array([0.5, 0.5]), 10**30]


def changed(xp, ufunc, x, *args):
    x = x.copy()
    ufunc.at(x, *args)
    return x


def folding_calls(ufunc):
    """Yield a name and a call of (x, xp) for each way to call a method of a ufunc."""
    for method in ("reduce", "accumulate"):
        fold = getattr(ufunc, method)
        for axis in AXES:
            yield f"{method} axis={axis!r}", lambda x, xp, fold=fold, axis=axis: fold(x, axis=axis)
        for dtype in DTYPES:
            yield f"{method} dtype={dtype!r}", lambda x, xp, fold=fold, dtype=dtype: fold(x, dtype=dtype)
        for i, out in enumerate(FOLD_OUTPUTS):
            yield f"{method} output {i}", lambda x, xp, fold=fold, out=out: fold(x, out=out(xp))
        yield f"{method}, nonsense", lambda x, xp, fold=fold: fold(x, nonsense=1)
        yield f"{method} of nothing", lambda x, xp, fold=fold: fold()
        yield f"{method}, too many", lambda x, xp, fold=fold: fold(x, 0, None, None, False, 0, True, 1)
    for keepdims in ("a", None, 2, True):
        yield f"keepdims={keepdims!r}", lambda x, xp, keepdims=keepdims: ufunc.reduce(x, keepdims=keepdims)
    for initial in INITIAL:
        yield f"initial={initial!r}", lambda x, xp, initial=initial: ufunc.reduce(x, initial=initial)
    for where in MASKS:
        yield f"where={where!r}", lambda x, xp, where=where: ufunc.reduce(x, where=where)
        yield f"where={where!r}, initial", lambda x, xp, where=where: ufunc.reduce(x, where=where, initial=1)
    for indices in INDICES:
        yield f"reduceat {indices!r}", lambda x, xp, indices=indices: ufunc.reduceat(x, indices)
    for axis in AXES:
        yield f"reduceat axis={axis!r}", lambda x, xp, axis=axis: ufunc.reduceat(x, [0, 1], axis=axis)
    for dtype in DTYPES:
        yield f"reduceat dtype={dtype!r}", lambda x, xp, dtype=dtype: ufunc.reduceat(x, [0, 1], dtype=dtype)
    for i, out in enumerate(FOLD_OUTPUTS):
        yield f"reduceat output {i}", lambda x, xp, out=out: ufunc.reduceat(x, [0, 1], out=out(xp))
    yield "outer of one", lambda x, xp: ufunc.outer(x)
    yield "outer of three", lambda x, xp: ufunc.outer(x, 1, 2)
    for other in (1, "abc", None, [1, 2]):
        for kwargs in ({}, {"dtype": "nonsense"}, {"dtype": "i1"}, {"where": np.ones(7, bool)}, {"axis": 0}, {"foo": 1},
                       {"out": 3}):
            yield f"outer {other!r} {kwargs}", lambda x, xp, other=other, kwargs=kwargs: ufunc.outer(x, other, **kwargs)
    operand = [1] * (ufunc.nin - 1)
    for place in PLACES:
        yield f"at {place!r}", lambda x, xp, place=place: changed(xp, ufunc, x, place, *operand)
    for value in VALUES:
        yield f"at, {value!r}", lambda x, xp, value=value: changed(xp, ufunc, x, [0, 1], value)
    yield "at, without places", lambda x, xp: changed(xp, ufunc, x)
    yield "at, too much", lambda x, xp: changed(xp, ufunc, x, [0], 1, 2)
    yield "at, read-only", lambda x, xp: ufunc.at(xp.broadcast_to(x, x.shape), [0], *operand)


METHODS_OF = "add subtract divide maximum logical_and bitwise_or arctan2 equal sqrt isnan divmod matmul left_shift"


@pytest.mark.numpy_leaks  # NumPy keeps a reference to an operand whose __array_ufunc__ raises for one of these methods
@pytest.mark.parametrize("name", METHODS_OF.split())
@pytest.mark.parametrize("shape", [(3, 4), (0, 4), ()])
def test_methods(name, shape):
    for chars in ("d", "i", "?", "F", "b"):
        for description, call in folding_calls(UFUNCS[name]):
            problem = call_outcomes.difference(call, operand(chars, shape))
            assert problem is None, (chars, description, problem)
