"""Values that are recomputed where they are read: which ones, and that only memory use changes."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.ir.graph_ir import Graph, NodeInfo
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr.compiler.schedule import CONSUMABLE, ESCAPES, HANDS_OVER, LEAF, MAP, OPAQUE, REDUCE, UPDATE, VIEW, schedule
from lazyarr.compiler.verify import PlanError, verify
from support import strategies
from support.finite_differences import check
from support.lazy_helpers import assert_same

ADD = loop_number("add", "ddd")


@pytest.fixture(autouse=True)
def _verified(monkeypatch):
    """Have each plan checked, in release builds too."""
    monkeypatch.setattr(api, "DEBUG", True)


def again(nodes):
    """What each step computes again."""
    graph = Graph(nodes)
    steps = schedule(graph)
    verify(graph, steps)
    return [step.recomputed for step in steps]


def operation(*inputs, cheap=8, flags=0, shape=0):
    return NodeInfo(MAP, inputs, shape, 8, flags, ADD, (8,), 0, cheap=cheap)


def total(i, flags=0):
    return NodeInfo(REDUCE, (i,), 1, 8, flags, ADD, (), 1)


LEAVES = [NodeInfo(LEAF, (), 0, 8, 0, 0, (), 0), NodeInfo(LEAF, (), 1, 8, 0, 0, (), 0)]
DIFFERENCE = operation(0, 1)
SQUARE, LARGEST, QUOTIENT = operation(2, 2), total(3), operation(3, 4, cheap=0)
PRODUCT = operation(5, 2, flags=ESCAPES)
SHARED = [*LEAVES, DIFFERENCE, SQUARE, LARGEST, QUOTIENT, PRODUCT]
"""x - m, its square, which is read by a fold and then divided by the result, and x - m again."""


def test_what_a_step_can_make_of_what_it_reads_is_not_stored():
    home, reader = schedule(Graph(SHARED))
    assert (home.program.stores, reader.program.loads, reader.recomputed) == ((2,), (2, 4), (3,))
    assert again(SHARED) == [(), (3,)]


@pytest.mark.parametrize("why, change", {
    "is not cheap": {3: SQUARE._replace(cheap=0)},
    "escapes": {3: SQUARE._replace(flags=ESCAPES)},
    "is made of more than is read there": {6: operation(5, 1, flags=ESCAPES)},
    "is wider where it is worked on": {3: SQUARE._replace(cheap=24)},
    "is stored for a call": {7: NodeInfo(OPAQUE, (3,), 0, 8, ESCAPES, 0, (), 0)},
    "is read through a view": {7: NodeInfo(VIEW, (3,), 0, 8, 0, 0, (), 0), 8: operation(7, 4, flags=ESCAPES)},
    "is made of what is overwritten": {0: LEAVES[0]._replace(flags=CONSUMABLE), 2: operation(0, 1, flags=ESCAPES),
                                       3: operation(0, 0), 6: operation(5, 0, flags=ESCAPES),
                                       7: NodeInfo(UPDATE, (0, 5), 0, 8, ESCAPES, 0, (), 0)},
}.items())
def test_values_that_are_stored(why, change):
    nodes = dict(enumerate(SHARED)) | change
    assert not any(again([nodes[i] for i in sorted(nodes)])), why


def test_one_more_reader_that_has_to_load_the_operand_does_not_pay():
    assert not any(again([*LEAVES, DIFFERENCE, total(2), operation(2, 3, flags=ESCAPES)]))


def test_an_operand_stored_beside_a_value_is_read_in_its_place():
    """One array less until then: the operand's memory is the result's, as the value's would be."""
    product = operation(0, 0, cheap=0)
    nodes = [*LEAVES, product, operation(2, 1), total(3), total(2), operation(2, 5, cheap=0), operation(6, 4, cheap=0),
             operation(3, 7, flags=ESCAPES)]
    home, reader = schedule(Graph(nodes))
    assert (home.program.stores, reader.recomputed, reader.donors) == ((2,), (3,), ((0, 2),))


def test_a_kernel_keeps_its_epilogue():
    """A result that is handed over is not stored to be read again."""
    kernel = NodeInfo(OPAQUE, (0,), 0, 8, 0, 0, (), HANDS_OVER)
    nodes = [*LEAVES, kernel, operation(2, 1), operation(3, 3, cheap=0, flags=ESCAPES),
             NodeInfo(OPAQUE, (4,), 1, 8, 0, 0, (), 0), operation(3, 5, flags=ESCAPES)]
    steps = schedule(Graph(nodes))
    assert steps[0].kind == "epilogue"
    assert not any(step.recomputed for step in steps)


def test_operands_that_are_not_stored_are_computed_again_too():
    nodes = [*LEAVES, operation(0, 1, cheap=4), operation(2, 2, cheap=4), *SHARED[4:6], operation(5, 0, flags=ESCAPES)]
    assert again(nodes) == [(), (2, 3)]


@pytest.mark.parametrize("change", [{"recomputed": ()}, {"recomputed": (3, 5)}, {"recomputed": (2, 3)}])
def test_the_grammar_knows_what_is_computed_again(change):
    graph = Graph(SHARED)
    home, reader = schedule(graph)
    with pytest.raises(PlanError, match="computed_again"):
        verify(graph, [home, reader.replace(**change)])


# ---- evaluated

def shared(x, m):
    """Its square is computed in two steps."""
    d = x - m
    q = d * d
    return q / q.max(0) * d


def computed_again(*arrays):
    return [step.recomputed for step in la.explain(*arrays).plan.steps if step.recomputed]


def outcome(function, *arrays):
    """A result with the warnings it gives, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*arrays)
        except FloatingPointError as error:
            result = str(error)
    return result, [str(warning.message) for warning in caught]


def test_it_happens_and_the_tables_say_so():
    x, m = np.random.default_rng(0).random((64, 8)), np.full(8, 0.5)
    r = shared(la.asarray(x), la.asarray(m))
    assert len(computed_again(r)) == 1
    told = la.explain(r)
    assert [step.operations.count("multiply") for step in told.steps] == [1, 2]
    assert [step.written for step in told.steps] == [x.nbytes + m.nbytes, x.nbytes]
    assert told.memory.planned == x.nbytes + m.nbytes
    assert r.to_dot().count("multiply") == 2  # each node is drawn once
    assert_same(r, shared(x, m))


@pytest.mark.parametrize("state", ["warn", "raise"])
@given(dtype=st.sampled_from(["float32", "float64", "float16", "int32"]), rows=st.integers(1, 40), data=st.data())
def test_bits_and_warnings_are_numpys(state, dtype, rows, data):
    x = data.draw(strategies.arrays(dtype, (rows, 5)))
    m = data.draw(strategies.arrays(dtype, (5,)))
    with np.errstate(all=state):
        expected = outcome(shared, x, m)
        got = outcome(lambda x, m: shared(la.asarray(x), la.asarray(m)).numpy(), x, m)
    assert got[1] == expected[1]
    if isinstance(expected[0], str):
        assert got[0] == expected[0]
    else:
        assert_same(la.asarray(got[0]), expected[0])


def test_a_warning_belongs_to_the_errstate_of_its_operation():
    x = np.full((6, 3), 1e200)

    def mixed(x):
        with np.errstate(over="ignore"):
            d = x - 1
            q = d * d
        with np.errstate(all="warn"):
            return q / q.max(0) * d

    assert outcome(lambda x: mixed(la.asarray(x)).numpy(), x)[1] == outcome(mixed, x)[1] == \
        ["invalid value encountered in divide"]


def test_after_an_error_the_rest_can_be_evaluated():
    x, m = np.full((6, 3), 2.0), np.ones(3)
    with np.errstate(all="raise"):
        d = la.asarray(x) - m
        q = d * d
        largest = q.max(0)
        r = q / (largest - 1) * d
    for _ in range(2):
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            r.numpy()
    assert_same(largest, np.ones(3))
    assert_same(q, np.ones((6, 3)))
    with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        r.numpy()


def write_rows(x):
    x[2:] = 0.0


def write_all(x):
    x += 1.0


def write_to_view(x):
    view = x[::2]
    view *= 3.0


@pytest.mark.parametrize("write", [write_rows, write_all, write_to_view])
@pytest.mark.parametrize("together", [True, False])
def test_what_is_overwritten_was_read_before(write, together):
    x, m = np.random.default_rng(1).random((50, 4)), np.full(4, 0.25)
    y, lazy = x.copy(), la.array(x) * 1.0
    expected, got = shared(y, m), shared(lazy, la.asarray(m))
    write(y)
    write(lazy)
    if together:
        la.evaluate(got, lazy)
    assert_same(lazy, y)
    assert_same(got, expected)


def test_in_loops():
    x, m = np.random.default_rng(2).random((30, 4)), np.full(4, 0.25)
    got = la.fori_loop(0, 3, lambda i, x: shared(x, la.asarray(m)), la.asarray(x))
    for _ in range(3):
        x = shared(x, m)
    assert_same(got, x)


def test_derivatives():
    x, m = np.random.default_rng(3).random((6, 4)), np.full(4, 0.25)
    check(shared, (x, m), shared, exact=False)


def test_nan_is_found_where_it_is_made():
    x = np.zeros((4, 3))
    with np.errstate(all="ignore"), la.config(debug_nans=True):
        r = shared(la.asarray(x), np.zeros(3))
        with pytest.raises(FloatingPointError, match="divide made the first NaN"):
            r.numpy()
