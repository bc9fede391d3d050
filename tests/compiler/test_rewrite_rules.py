"""Each rewrite rule keeps NumPy's bits and warnings for all operands, and rules that would not are not applied."""

import time
import warnings

import numpy as np
import pytest
import rewrites
import rules_page
from hypothesis import settings

import lazyarr as la
from lazyarr._core.ir.graph_ir import Graph
from lazyarr.compiler import rewrite_rules
from lazyarr.compiler.rewrite_rules import RULES, SNAN
from lazyarr.compiler.schedule import ESCAPES, LEAF, MAP
from lazyarr.compiler.simplify import simplify

CASTS = next(rule for rule in RULES if rule.pattern == "cast(cast(x))")
EXACT = [(rule, dtype) for rule in RULES for dtype in rule.exact if rule is not CASTS]
FAST = [(rule, dtype) for rule in RULES for dtype in rule.fast if dtype in "fdD"]
NEITHER = [(rule, dtype) for rule in RULES for dtype in "?ilBfdD" if dtype not in rule.exact and rule is not CASTS]
LENGTH = 2 * 3 * 4 * 64


def named(cases):
    return pytest.mark.parametrize(("rule", "dtype"), cases, ids=[f"{rule.pattern}-{dtype}" for rule, dtype in cases])


def signalling(dtype):
    """A NaN that arithmetic makes quiet."""
    dtype = np.dtype(dtype)
    kind = np.dtype(f"u{dtype.itemsize}")
    return (np.array(np.inf, dtype).view(kind) | kind.type(1)).view(dtype)


def sample(rng, dtype, length=LENGTH):
    """Numbers of all kinds: random bits, and those at which operations turn."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, length).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        special = np.array([0, 1, 2, limits.min, limits.max, limits.max - 1], dtype)
        drawn = np.frombuffer(rng.bytes(length * dtype.itemsize), dtype)
    elif dtype.kind == "c":
        made = np.empty(length, dtype)
        made.real, made.imag = (sample(rng, made.real.dtype, length) for _ in range(2))
        return made
    else:
        limits = np.finfo(dtype)
        special = np.array([0, -0.0, 1, -1, 2, 0.5, 1.5, -2.5, np.inf, -np.inf, np.nan, -np.nan, limits.max, limits.min,
                            limits.tiny, -limits.smallest_subnormal, 1e3], dtype)
        drawn = rng.normal(size=length).astype(dtype)
        if dtype.itemsize <= 8:  # between long doubles there are bits of no meaning
            special = np.append(special, signalling(dtype))
            drawn = np.frombuffer(rng.bytes(length * dtype.itemsize), dtype)
    return np.where(rng.random(length) < 0.4, rng.choice(special, length), drawn)


LAYOUTS = {
    "contiguous": lambda x: x,
    "every other": lambda x: x[::2],
    "backwards": lambda x: x[::-1],
    "transposed": lambda x: x.reshape(2, 3, -1).T,
    "broadcast": lambda x: np.broadcast_to(x.reshape(-1, 1)[:64], (64, 3)),
    "one": lambda x: x[-1:],
}


def bits(array):
    if array.dtype.char in "gG":
        return np.frombuffer(array.tobytes(), np.uint8).reshape(-1, 16)[:, :10].tobytes()
    return array.tobytes()


def constant(number, dtype):
    """A number as a scalar; of an unsigned type the one with all bits set for -1."""
    return np.dtype(dtype).type(np.iinfo(dtype).max if number < 0 and dtype in "BHILQ" else number)


def written(xp, tree, variables, dtype, values=None):
    """The value of an expression as a program computes it; `values` collects those of all operations."""
    if isinstance(tree, str):
        return variables[tree]
    if not isinstance(tree, tuple):
        return constant(tree, dtype)
    name, *operands = tree
    operands = [written(xp, operand, variables, "?" if name == "where" and place == 0 else dtype, values)
                for place, operand in enumerate(operands)]
    if name == "where":
        operands[0] = xp.asarray(operands[0]) if xp is np else operands[0]
    value = getattr(xp, name)(*operands)
    if values is not None:
        values.append(value)
    return value


def warned(function):
    """What a function gives, and its warnings, each once."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        value = function()
    return value, {str(warning.message) for warning in caught}


def operands_of(rule, dtype, layout):
    """Arrays for the variables of a rule, as NumPy has them and as lazyarr does; bools come from an operation there.

    Not where a rule drops some of them: it does so with arrays that are there alone.
    """
    rng = np.random.default_rng(len(rule.pattern))
    plain = {name: LAYOUTS[layout](sample(rng, "?" if name == "c" else dtype)) for name in "cxyz"}
    lazy = {name: la.asarray(array) for name, array in plain.items()}
    if not rule.pattern.startswith("where"):
        lazy = {name: x & la.ones((), bool) | x if x.dtype == bool else x for name, x in lazy.items()}
    return plain, lazy


def loops_exist(rule, dtype):
    try:
        rewrite_rules.items(rewrite_rules.parse(rule.pattern), dtype, [])
    except KeyError:
        return False
    return True


@named(EXACT)
def test_results_and_warnings_stay(rule, dtype):
    tree = rewrite_rules.parse(rule.pattern)
    for layout in LAYOUTS:
        plain, lazy = operands_of(rule, dtype, layout)
        with np.errstate(all="ignore"):
            reversed_x = plain["x"][..., ::-1].astype(written(np, tree, plain, dtype).dtype)
        other = {xp: xp.asarray(reversed_x) for xp in (np, la)}

        def wanted(xp, variables, other=other):
            result = written(xp, tree, variables, dtype)
            return result, xp.where(variables["c"], result, other[xp])

        (expected, read), told = warned(lambda plain=plain, wanted=wanted: wanted(np, plain))
        assert la.explain(wanted(la, lazy)[1]).rewrites[rule.name], layout  # what is read is not wanted itself
        for which, values in enumerate((expected, read)):
            got, also_told = warned(lambda lazy=lazy, wanted=wanted, which=which: wanted(la, lazy)[which].numpy())
            assert got.dtype == values.dtype
            assert bits(got) == bits(values), layout
            assert also_told == told, layout


@named(EXACT)
def test_values_that_are_wanted_are_computed(rule, dtype):
    tree = rewrite_rules.parse(rule.pattern)
    plain, lazy = operands_of(rule, dtype, "contiguous")
    expected, got = [], []
    with np.errstate(all="ignore"):
        written(np, tree, plain, dtype, expected)
        written(la, tree, lazy, dtype, got)
        la.evaluate(*got)
    for value, lazy_value in zip(expected, got, strict=True):
        assert bits(lazy_value.numpy()) == bits(value)


@named([case for case in NEITHER if loops_exist(*case)])
def test_other_dtypes_are_left_alone(rule, dtype):
    _, lazy = operands_of(rule, dtype, "contiguous")
    with np.errstate(all="ignore"):
        result = written(la, rewrite_rules.parse(rule.pattern), lazy, dtype)
        assert not la.explain(result == result[::-1]).rewrites[rule.name]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.unlike], ids=lambda rule: rule.pattern)
def test_a_rule_would_change_what_is_excluded(rule):
    assert "d" not in rule.exact
    numbers = {name: signalling("d") if number is SNAN else np.float64(number) for name, number in rule.unlike.items()}
    numbers["x"] = np.array([numbers["x"]])
    with np.errstate(all="ignore"):
        a, b = (np.asarray(written(np, rewrite_rules.parse(text), numbers, "d"), float)
                for text in (rule.pattern, rule.result))
    assert a.tobytes() != b.tobytes()


def test_every_float_that_a_rule_excludes_has_a_reason():
    for rule in RULES:
        if not set("fd") & set(rule.exact) and loops_exist(rule, "d") and \
                "d" in rewrite_rules.characters(rewrite_rules.parse(rule.pattern), "d"):
            assert rule.why or rule.unlike, rule.name
        assert not set(rule.exact) & set(rule.fast), rule.name
    assert len({rule.pattern for rule in RULES}) == len(RULES)


def test_the_page_is_up_to_date():
    assert rules_page.PAGE.read_text("utf-8") == rules_page.page(), f"run `{rules_page.COMMAND}`"


@pytest.mark.parametrize("source", "?" + rewrite_rules.INTS)
def test_chains_of_casts(source):
    rng = np.random.default_rng(5)
    x = sample(rng, source)
    for middle in "?" + rewrite_rules.INTS + rewrite_rules.FLOATS:
        for target in "?" + rewrite_rules.INTS + rewrite_rules.FLOATS:
            y = la.asarray(x)
            y = (y & y if source == "?" else y).astype(middle).astype(target)
            fires = la.explain(y).rewrites[CASTS.name]
            if middle != source and middle != target:
                assert fires == (rewrite_rules.holds(middle, source) and target in CASTS.exact and
                                 not (middle in rewrite_rules.FLOATS and target in rewrite_rules.INTS and not
                                      rewrite_rules.holds(target, source))), (middle, target)
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if fires:
                    assert bits(y.numpy()) == bits(x.astype(middle).astype(target)), (middle, target)


def test_errors_are_reported_under_the_operation_that_was_written():
    x = la.asarray(np.array([1e300, 2.0]))
    with pytest.warns(RuntimeWarning, match="overflow encountered in power") as caught:
        np.power(x, 2.0).numpy()
    assert len(caught) == 1
    with np.errstate(invalid="raise"):
        root = np.power(-x, 0.5)
    with pytest.raises(FloatingPointError, match="invalid value encountered in power"), np.errstate(all="ignore"):
        root.numpy()


def test_what_a_rule_would_drop_still_reports_its_errors():
    x, y = la.asarray(np.ones(3)), la.asarray(-np.ones(3))
    chosen = np.where(True, x, np.log(y))
    with pytest.warns(RuntimeWarning, match="invalid value encountered in log"):
        assert (chosen + 1).tolist() == [2, 2, 2]


def test_bools_that_are_no_truth_values():
    x = np.array([0, 1, 2], np.uint8).view(bool)
    for function in (lambda x: ~~x, lambda x: x & x, lambda x: x | False, lambda x: x.astype("i1").astype(bool)):
        assert (la.asarray(x) ^ function(la.asarray(x))).tobytes() == (x ^ function(x)).tobytes()


def negations(count):
    """The description of a chain that ends in a value that is wanted."""
    loop = rewrite_rules.loop_number("negative", "dd")
    chain = [(MAP, (i,), 0, 8, 0 if i < count - 1 else ESCAPES, loop, (8,), 0) for i in range(count)]
    return Graph([(LEAF, (), 0, 8, 0, 0, (), 0), *chain])


def test_a_long_chain_becomes_one_read():
    graph, aliases, applied = simplify(negations(1000))
    last = graph[1000]
    assert (last.inputs, len(applied), aliases) == ((0,), 500, [])
    assert [i for i, node in enumerate(graph) if node.kind == MAP] == [1000]
    assert rewrite_rules.describe(last.loop)[0] == "copy"
    with la.config(budget_nodes=10**6):
        x = y = la.asarray(np.arange(3.0))
        for _ in range(1001):
            y = -y
        assert la.explain(y).steps[0].operations == ("negative",)
        assert y.tolist() == (-x).tolist()


def test_time_is_linear():
    def seconds(count):
        graph = negations(count)
        taken = []
        for _ in range(3):
            began = time.process_time()
            simplify(graph)
            taken.append(time.process_time() - began)
        return min(taken)

    seconds(100)
    assert seconds(100_000) < 1000 * seconds(1000)    # 100 times, and what misses caches; not 10,000


@pytest.mark.parametrize("seed", range(20))
def test_a_second_walk_finds_nothing(seed):
    def simplified_twice(described):
        once, _, _ = simplify(described)
        assert simplify(once)[1:] == ([], []), rewrites.program(seed)
        return rewrites.compile_graph(described)

    for number in range(min(10, settings().max_examples)):
        with rewrites.passes(simplified_twice), np.errstate(all="ignore"):
            rewrites.run(rewrites.program(1000 * seed + number))


def test_constants_that_no_rule_asks_for_share_a_plan():
    x, i = la.asarray(np.arange(9.0)), la.asarray(np.arange(9))
    for y, plans in ((x, 1), (i, 2)):
        with la.profile() as profile:
            for k in (0, 1, 2, 3, -1, 0):
                np.testing.assert_array_equal((y + k).numpy(), y.numpy() + k)
        assert profile.plans["misses"] == plans


@named(FAST)
def test_fast_math(rule, dtype):
    assert not la.config.fast_math
    tree = rewrite_rules.parse(rule.pattern)
    rng = np.random.default_rng(0)
    plain = {name: rng.uniform(0.5, 2, 50).astype(dtype) for name in "xyz"}
    expected = written(np, tree, plain, dtype)

    lazy = {name: la.asarray(array) for name, array in plain.items()}

    def value():
        return written(la, tree, lazy, dtype)

    def read():  # z comes first: what is computed from it can stand behind it
        return np.where(lazy["z"] > 0, value(), 0)

    for _ in range(2):  # plans of one do not do for the other
        assert not la.explain(read()).rewrites[rule.name]
        assert bits(np.asarray(value())) == bits(np.asarray(written(np, tree, plain, dtype)))
        with la.config(fast_math=True):
            assert la.explain(read()).rewrites[rule.name]
            np.testing.assert_allclose(value(), expected, rtol=2e-5 if dtype == "f" else 1e-13)
            np.testing.assert_allclose(read(), expected, rtol=2e-5 if dtype == "f" else 1e-13)
