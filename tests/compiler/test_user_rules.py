"""User-defined rewrite rules: checked when added, active from then on, gone when removed."""
import re
import threading

import numpy as np
import pytest

import lazyarr as la

RULES = len(la.rules.known())


@pytest.fixture(autouse=True)
def no_rule_stays():
    yield
    for rule in la.rules.known()[RULES:]:
        la.rules.remove(rule.name)


def counted(x):
    return dict(la.explain(x).rewrites)


def absorbed():
    x = la.asarray(np.arange(6))
    return ((x | 3) & x) + 1


def test_a_rule_applies_until_it_is_removed():
    expected = absorbed().tolist()
    assert counted(absorbed()) == {}
    rule = la.rules.add("bitwise_and(bitwise_or(x, y), x)", "x", exact=["int64", bool], name="absorption", why="sets")
    assert la.rules.known()[-1] is rule
    assert (rule.exact, rule.fast, rule.why) == ("l?", "", "sets")
    assert counted(absorbed()) == {"absorption": 1}
    assert absorbed().tolist() == expected
    la.rules.remove("absorption")
    assert counted(absorbed()) == {}
    assert len(la.rules.known()) == RULES


@pytest.mark.parametrize("pattern, result, dtype", [
    ("where(c, add(x, z), add(y, z))", "add(where(c, x, y), z)", "u1"),
    ("maximum(minimum(x, y), minimum(x, z))", "minimum(x, maximum(y, z))", "i4"),
    ("left_shift(x, 1)", "add(x, x)", "i8"),
    ("logical_and(logical_not(x), logical_not(y))", "logical_not(logical_or(x, y))", "?"),
    ("maximum(maximum(x, y), y)", "maximum(x, y)", "i2"),
    ("multiply(x, negative(y))", "negative(multiply(x, y))", "i8")])
def test_bits_are_those_without_the_rule(pattern, result, dtype):
    draw = np.random.default_rng(3)
    plain = {name: draw.integers(0, 2, 500).astype(bool) if dtype == "?" or name == "c" else
             np.frombuffer(draw.bytes(500 * np.dtype(dtype).itemsize), dtype) for name in "cxyz"}
    space = {name: getattr(np, name) for name in re.findall(r"\w+", pattern) if hasattr(np, name)}
    la.rules.add(pattern, result, exact=dtype)
    with np.errstate(all="ignore"):
        expected = eval(pattern, space, plain)
        got = eval(pattern, space, {name: la.asarray(array) for name, array in plain.items()})
        assert counted(got[::-1] == expected)[pattern] == 1
        assert got.numpy().tobytes() == expected.tobytes()


def test_a_fast_rule_applies_under_fast_math_alone():
    la.rules.add("divide(sin(x), cos(x))", "tan(x)", fast=("float64", "float32"), name="tangent")
    x = la.asarray(np.linspace(0.1, 1, 50))
    assert counted(np.sin(x) / np.cos(x)) == {}
    with la.config(fast_math=True):
        assert counted(np.sin(x) / np.cos(x)) == {"tangent": 1}
        assert (np.sin(x) / np.cos(x)).numpy().tobytes() == np.tan(x.numpy()).tobytes()


def test_plans_are_specialised_on_the_numbers_of_rules():
    """A plan that was made for another number does not serve the one that a rule names."""
    x = np.arange(-3, 3)
    la.rules.add("left_shift(x, 1)", "add(x, x)", exact="i8", name="doubled")
    for k in (2, 1, 3, 1):
        shifted = np.left_shift(la.asarray(x), k) * 3
        assert counted(shifted) == ({"doubled": 1} if k == 1 else {})
        np.testing.assert_array_equal(shifted, (x << k) * 3)


def test_rules_that_undo_each_other_come_to_an_end():
    la.rules.add("multiply(negative(x), y)", "negative(multiply(x, y))", exact="i8", name="there")
    la.rules.add("negative(multiply(x, y))", "multiply(negative(x), y)", exact="i8", name="back")
    x, y = np.arange(5), np.arange(3, 8)
    a, b = la.asarray(x), la.asarray(y)
    product = np.where(b > a, np.negative(a) * b, 0)
    assert counted(product).keys() == {"there", "back"}
    assert product.tolist() == (-x * y).tolist()


@pytest.mark.parametrize("pattern, result, options, message", [
    ("add(x, y", "x", {"exact": "i8"}, "no expression"),
    ("x + y", "x", {"exact": "i8"}, "no expression"),
    ("foo(x)", "x", {"exact": "i8"}, "foo is no elementwise ufunc"),
    ("matmul(x, y)", "x", {"exact": "i8"}, "matmul is no elementwise ufunc"),
    ("add(x, 3)", "x", {"exact": "i8"}, "not 3"),
    ("add(x, True)", "x", {"exact": "i8"}, "not True"),
    ("add(x, [1])", "x", {"exact": "i8"}, "not .1."),
    ("add(x, 1j)", "x", {"exact": "i8"}, "not 1j"),
    ("add(x, y, out=z)", "x", {"exact": "i8"}, "operands have no keywords"),
    ("add(*x)", "x", {"exact": "i8"}, "no expression"),
    ("x", "x", {"exact": "i8"}, "a pattern is a call"),
    ("add(x)", "x", {"exact": "i8"}, "add has 2 operands, not 1"),
    ("add(x, 'y')", "x", {"exact": "i8"}, "'y' is no variable"),
    ("bitwise_and(x, y)", "x", {"exact": "f8"}, "bitwise_and has no loop for float64"),
    ("add(x, y)", "z", {"exact": "i8"}, "not all variables"),
    ("add(x, y)", "negative(x)", {"exact": "i8"}, "leaves out a variable"),
    ("multiply(x, 0)", "0", {"exact": "i8"}, "no array of the pattern"),
    ("negative(x)", "multiply(x, -1)", {"exact": "i8"}, "a result is a variable"),
    ("add(x, y)", "add(y, x)", {"exact": "i8"}, "for ever"),
    ("subtract(x, y)", "add(x, negative(y))", {"exact": "i8"}, "has one operation, the result has two"),
    ("divmod(x, y)", "x", {"exact": "i8"}, "divmod is no elementwise ufunc"),
    ("load(x)", "x", {"exact": "i8"}, "load is no elementwise ufunc"),
    ("add(x, y)", "subtract(x, y)", {"exact": "i8"}, r"for x = .*, y = .*, add\(x, y\) is "),
    ("add(x, 0)", "x", {"exact": "f8"}, "-0.0"),
    ("where(c, multiply(x, z), multiply(y, z))", "multiply(where(c, x, y), z)", {"exact": "f8"}, "reports"),
    ("add(x, y)", "multiply(x, y)", {"fast": "f8"}, r"add\(x, y\) is "),
    ("less(x, y)", "subtract(y, x)", {"exact": "i8"}, "different dtypes"),
    ("where(x, y, x)", "y", {"exact": "f8"}, "a condition, and a number"),
    ("sqrt(square(x))", "absolute(x)", {"fast": "f8"}, "never applies to float64"),
    ("sin(x)", "cos(x)", {}, "name the dtypes"),
    ("sin(x)", "cos(x)", {"exact": "f8", "fast": "f8"}, "name the dtypes"),
    ("sin(x)", "cos(x)", {"exact": "U3"}, "rules are about"),
    ("maximum(maximum(a, b), maximum(c, maximum(d, e)))", "maximum(a, b)", {"exact": "i8"}, "at most 4 variables"),
    ("negative(subtract(x, y))", "subtract(y, x)", {"exact": "i8", "name": "negative difference"}, "there is a rule"),
])
def test_what_is_refused(pattern, result, options, message):
    with pytest.raises(ValueError, match=message):
        la.rules.add(pattern, result, **options)
    assert len(la.rules.known()) == RULES


def test_a_rule_whose_check_is_interrupted_is_not_in_force(monkeypatch):
    def interrupted(*arrays):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(la.rules, "explain", interrupted)
        with pytest.raises(KeyboardInterrupt):
            la.rules.add("bitwise_and(bitwise_or(x, y), x)", "x", exact="int64")
    assert len(la.rules.known()) == RULES
    assert counted(absorbed()) == {}


@pytest.mark.parametrize("name", ["zero added", "none"])
def test_only_added_rules_are_removed(name):
    with pytest.raises(ValueError, match="was added"):
        la.rules.remove(name)


def test_rules_come_and_go_while_threads_evaluate():
    stop, wrong = threading.Event(), []

    def work():
        while not stop.is_set():
            if absorbed().tolist() != [1, 2, 3, 4, 5, 6]:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        la.rules.add("bitwise_and(bitwise_or(x, y), x)", "x", exact="int64", name="absorption")
        la.rules.remove("absorption")
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
