"""NEP 18 and NEP 13: classes written with lazyarr.numpy receive its functions, others NumPy's."""
import operator

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as xp

SOURCE = """
seen = []


class Container:
    def __init__(self, answer=True):
        self.answer = answer

    def __array_function__(self, func, types, args, kwargs):
        seen.append((func, types, args, kwargs))
        return "function" if self.answer else NotImplemented

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        seen.append((ufunc, method, inputs, kwargs))
        return "ufunc" if self.answer else NotImplemented


class Derived(Container):
    pass
"""


def module_of(numpy):
    """A module whose classes know one NumPy."""
    names = {"np": numpy, "__name__": "program"}
    exec(SOURCE, names)
    return names


@pytest.fixture(params=[np, xp], ids=["library", "program"])
def known(request):
    return request.param


@pytest.mark.parametrize("name", ["sum", "mean", "concatenate", "linalg.norm", "reshape", "where", "fft.fft"])
def test_functions_are_those_that_the_class_knows(known, name):
    names = module_of(known)
    operand = names["Container"]()
    function, expected = xp, known
    for part in name.split("."):
        function, expected = getattr(function, part), getattr(expected, part)
    args = ([operand, 1],) if name == "concatenate" else (True, operand, 2) if name == "where" else \
        (operand, 3) if name == "reshape" else (operand,)
    assert function(*args) == "function"
    [(func, types, given, kwargs)] = names["seen"]
    assert func is expected
    assert types == (names["Container"],)
    if known is xp:
        assert given == args
        assert kwargs == {}


@pytest.mark.parametrize("name", ["add", "sin", "divmod"])
def test_ufuncs_are_those_that_the_class_knows(known, name):
    names = module_of(known)
    operand, ufunc = names["Container"](), getattr(xp, name)
    operands = (operand,) if ufunc.nin == 1 else (xp.ones(2), operand)
    out = (operand,) * ufunc.nout
    assert ufunc(*operands) == ufunc(*operands, out=out) == ufunc(*operands, *out) == "ufunc"
    for func, method, inputs, kwargs in names["seen"]:
        assert func is getattr(known, name)
        assert method == "__call__"
        assert len(inputs) == ufunc.nin
        assert kwargs in ({}, {"out": out})


@pytest.mark.parametrize("method", ["reduce", "accumulate", "outer", "at"])
def test_methods_of_ufuncs(known, method):
    names = module_of(known)
    operand = names["Container"]()
    args = {"outer": (operand, 2), "at": (operand, [0], 1)}.get(method, (operand,))
    assert getattr(xp.add, method)(*args) in ("ufunc", None)
    assert names["seen"][0][:2] == (known.add, method)
    assert names["seen"][0][0] is known.add


def test_operators_of_arrays(known):
    names = module_of(known)
    for x in xp.ones(3), xp.ones(100_000):
        assert x + names["Container"]() == "ufunc"
        assert names["seen"][-1][0] is known.add


@pytest.mark.parametrize(("apply", "ufunc"), [
    (lambda a: a + 1, "add"), (lambda a: 1 - a, "subtract"), (lambda a: operator.imul(a, 2), "multiply"),
    (lambda a: -a, "negative"), (lambda a: a < 3, "less"), (lambda a: divmod(a, 2), "divmod"),
])
def test_operators_of_the_mixin(known, apply, ufunc):
    class Operand(known.lib.mixins.NDArrayOperatorsMixin):
        def __array_ufunc__(self, given, method, *inputs, **kwargs):
            return given, method

    assert issubclass(Operand, np.lib.mixins.NDArrayOperatorsMixin)
    given, method = apply(Operand())
    assert given is getattr(known, ufunc)
    assert method == "__call__"


def test_what_nobody_takes_is_an_error_with_the_text_of_numpy(known):
    names = module_of(known)
    operand = names["Container"](answer=False)
    for name, args in ("mean", (operand,)), ("concatenate", ([operand],)), ("add", (operand, 1)):
        with pytest.raises(TypeError) as expected:
            getattr(np, name)(*args)
        with pytest.raises(TypeError) as raised:
            getattr(xp, name)(*args)
        assert str(raised.value) == str(expected.value)


def test_subclasses_are_asked_before_their_bases(known):
    names = module_of(known)
    base, derived = names["Container"](), names["Derived"](answer=False)
    assert xp.concatenate([base, derived]) == "function"
    asked = names["seen"][0][1]
    assert asked == (names["Derived"], names["Container"])
    assert len(names["seen"]) == 2


def test_arrays_are_named_among_the_types():
    names = module_of(xp)
    assert xp.concatenate([xp.ones(2), names["Container"]()]) == "function"
    assert all(issubclass(kind, xp.ndarray | names["Container"]) for kind in names["seen"][0][1])


class Subclass(xp.ndarray):
    """A class derived from the face's ndarray."""

    def __array_function__(self, func, types, args, kwargs):
        called.append(func)
        return super().__array_function__(func, types, args, kwargs)


called = []


def test_classes_derived_from_ndarray():
    x = np.arange(6.0).view(Subclass)
    called.clear()
    assert xp.sum(x) == 15
    assert xp.median(x) == 2.5
    assert xp.concatenate([x, np.ones(2)]).tolist() == [*range(6), 1, 1]
    for function in xp.sum, xp.median, xp.concatenate:
        assert any(function is known for known in called)


@pytest.mark.parametrize("line", [
    "xp.add(a, 1, sig='ii->i')", "xp.add(a, 1, signature='ii->i')", "xp.sin(a, None)", "xp.sin(a, out=(None,))",
    "xp.modf(a, None, None)", "xp.modf(a, 'one', 'two')", "xp.multiply(2, a, out='out')", "xp.add(a, 1, where=True)",
    "xp.modf(a, out=a)", "xp.modf(1.0, out=(a,))", "xp.multiply(a, a, 'one', out='two')", "xp.add(a)",
    "xp.add.reduce(a, 1)", "xp.add.outer(a, a)", "xp.add(no, a)", "xp.add(a, 1, out=no)",
])
def test_arguments_are_arranged_as_numpy_does(line):
    def outcome(numpy):
        names = module_of(numpy)
        opted_out = type("OptedOut", (), {"__array_ufunc__": None, "__repr__": lambda self: "no"})()
        operand = names["Container"]()
        try:
            eval(line, {"xp": numpy, "a": operand, "no": opted_out})
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        [(_, method, inputs, kwargs)] = names["seen"]
        return repr((method, inputs, kwargs)).replace(repr(operand), "a")

    assert outcome(xp) == outcome(np)


def test_each_class_is_asked_once(known):
    names = module_of(known)
    operand = names["Container"](answer=False)
    for args in (operand, operand), (2, operand):
        names["seen"].clear()
        with pytest.raises(TypeError, match="all returned NotImplemented"):
            xp.multiply(*args)
        assert len(names["seen"]) == 1


def test_what_is_no_operand_does_not_decide():
    operand = module_of(xp)["Container"]()
    assert xp.array([operand, 1], object)[0] is operand
    assert xp.asarray(xp.ones(2)).shape == (2,)


class Counting:
    """A class whose answer computes with small arrays."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return xp.arange(3.0).sum()


def test_what_answers_compute_at_once_they_compute_at_once():
    x, y = xp.ones(3), Counting()
    for made in x + y, xp.add(x, y), xp.add(y, 1), xp.add.outer(x, y), xp.add.reduce(y):
        assert type(made) is np.float64


@pytest.mark.parametrize("call", [
    lambda x, masked: np.insert(masked, 0, x), lambda x, masked: np.ediff1d(masked, to_end=x),
    lambda x, masked: np.kron(masked, x), lambda x, masked: np.average(masked, weights=x)],
    ids=["insert", "ediff1d", "kron", "average"])
def test_functions_of_masked_and_lazy_arrays(call):
    masked, x = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]), np.array([2.0, 1.0, 3.0])
    got, expected = call(la.array(x) + 0, masked), call(x, masked)
    assert type(got) is type(expected) or isinstance(got, la.LazyArray)
    np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))
