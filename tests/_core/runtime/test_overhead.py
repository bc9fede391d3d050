"""Costs of building and evaluating, as counts: nodes, steps, buffers, plans. Timings are in asv_bench/."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.ir import node
from lazyarr._core.runtime import plan_cache

A, B, C = (la.asarray(np.linspace(0.1, 1, 1000) + k) for k in range(3))

EXPRESSIONS = {  # with the elementwise operations in each
    "cheap": (lambda a, b, c: a * b + c * 2.0 - a / (b + 1.5), 6),
    "trans": (lambda a, b, c: la.sin(a) ** 2 + la.exp(-b) * la.sqrt(c + 1.0), 8),
    "heavy": (lambda a, b, c: la.tanh((la.log(a / b + 1.0) + 0.5 * c) / (la.sqrt(c + 0.1))) * a - b * la.exp(-c), 14),
}


def nodes_built(function):
    before = node.stats()["live"]
    result = function()
    after = node.stats()["live"]
    del result
    return after - before


@pytest.mark.parametrize(("function", "most"), [
    (lambda: A + B, 1), (lambda: A * A, 1), (lambda: -A, 1), (lambda: la.sin(A), 1), (lambda: A < B, 1),
    (lambda: A + 1, 2), (lambda: 2.5 * A, 2), (lambda: A ** 2, 2), (lambda: A.sum(), 1), (lambda: A[1:5], 1),
    (lambda: A.T, 1), (lambda: A.reshape(10, 100), 1), (lambda: A.astype("float32"), 1),
    (lambda: la.sqrt(A, A.copy()), 3),
])
def test_an_operation_is_one_node_and_a_scalar_another(function, most):
    assert 1 <= nodes_built(function) <= most


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_is_one_evaluation_of_one_step(name, evaluations):
    function, operations = EXPRESSIONS[name]
    function(A, B, C).numpy()
    function(A, B, C).numpy()
    first, second = evaluations
    assert second["steps"] == 1
    assert second["fused"] == operations
    assert second["opaque"] == []
    assert (first["hit"], second["hit"]) == (False, True)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_takes_one_buffer(name):
    function = EXPRESSIONS[name][0]
    function(A, B, C).numpy()
    before = allocator.stats()
    function(A, B, C).numpy()
    after = allocator.stats()
    assert after["hits"] + after["misses"] - before["hits"] - before["misses"] == 1
    assert after["misses"] == before["misses"]


def test_a_sum_reads_its_operands_once(evaluations):
    total = la.sum((A - B) * (A - B) * C)
    peak = allocator.stats()["live_bytes"]
    allocator.reset_peak()
    float(total)
    assert evaluations[0]["steps"] == 1
    # The result, and no array as large as an operand.
    assert allocator.stats()["peak_bytes"] - peak < A.nbytes


def test_a_second_look_is_free(evaluations):
    x = A + B
    x.numpy()
    before = plan_cache.stats()
    x.numpy()
    np.asarray(x)
    assert plan_cache.stats() == before
    assert len(evaluations) == 1


def test_common_parts_are_computed_once(evaluations):
    x = la.exp(A)
    la.evaluate(x + 1, x * 2)
    assert evaluations[-1]["fused"] == 3
    assert evaluations[-1]["steps"] == 1


def test_views_and_metadata_build_no_work(evaluations):
    x = A.reshape(10, 100).T[::2]
    assert x.shape == (50, 10)
    x.numpy()
    assert evaluations == []


def test_an_update_copies_nothing(evaluations):
    x = la.zeros((100, 100)) + 1
    x.numpy()
    before = allocator.stats()
    for _ in range(10):
        x[1:-1, 1:-1] = x[1:-1, 1:-1] * 0.5
        x.numpy()
    after = allocator.stats()
    assert after["hits"] + after["misses"] == before["hits"] + before["misses"]


def test_numpy_calls_stay_on_the_fast_road(evaluations):
    for function in (lambda: np.sin(A), lambda: np.add(A, 1), lambda: np.sum(A), lambda: np.where(A > 0, A, B),
                     lambda: np.concatenate([A, B]), lambda: A.reshape(10, 100).mean(axis=0), lambda: np.clip(A, 0, 1),
                     lambda: A.max(), lambda: A.std(), lambda: (A > 1).any()):
        evaluations.clear()
        function().numpy()
        assert evaluations[0]["opaque"] == []
