"""Products of several matrices: in the cheapest order under fast_math, in program order without it."""

import itertools
import math

import numpy as np
import pytest

import lazyarr as la


def multiplications(x):
    """Count the scalar multiplications of matrix products in an evaluation of x."""
    nodes = la.explain(x).nodes
    return sum(math.prod(nodes[node.inputs[0]].shape) * (nodes[node.inputs[1]].shape[1:] or (1,))[0]
               for node in nodes if node.name in ("matmul", "dot"))


def drawn(*shapes, dtype=float):
    rng = np.random.default_rng(len(shapes))
    plain = [rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes]
    return plain, [la.asarray(x) for x in plain]


def least(extents):
    """Return the cost of the cheapest order, by trying all."""
    if len(extents) == 2:
        return 0
    return min(least(extents[:k + 1]) + least(extents[k:]) + extents[0] * extents[k] * extents[-1]
               for k in range(1, len(extents) - 1))


@pytest.mark.parametrize("extents", itertools.permutations([2, 5, 20, 50, 90], 5))
def test_four_matrices(extents):
    plain, (a, b, c, d) = drawn(*itertools.pairwise(extents))
    with la.config(fast_math=True):
        for product in (a @ b @ c @ d, (a @ b) @ (c @ d), a @ (b @ (c @ d)), a @ ((b @ c) @ d)):
            assert multiplications(product) == least(extents)
            np.testing.assert_allclose(product, np.linalg.multi_dot(plain), rtol=1e-10, atol=1e-10)
    assert multiplications(a @ b @ c @ d) == multiplications_from_left(extents)


def multiplications_from_left(extents):
    return sum(extents[0] * extents[k] * extents[k + 1] for k in range(1, len(extents) - 1))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_a_vector_is_multiplied_first(dtype):
    plain, (a, b, c, v) = drawn((40, 30), (30, 20), (20, 50), (50,), dtype=dtype)
    _, (w,) = drawn((40,), dtype=dtype)
    with la.config(fast_math=True):
        # not inside `assert`, where pytest keeps intermediate results
        for product in (a @ b @ c @ v, a @ b @ (c @ v), a @ (b @ c) @ v):
            assert multiplications(product) == 50 * 20 + 20 * 30 + 30 * 40
            np.testing.assert_allclose(product, plain[0] @ plain[1] @ plain[2] @ plain[3], rtol=1e-4, atol=1e-4)
        product = w @ (a @ b @ c)
        assert multiplications(product) == 40 * 30 + 30 * 20 + 20 * 50
        np.testing.assert_allclose(product, w.numpy() @ plain[0] @ plain[1] @ plain[2], rtol=1e-4, atol=1e-4)
        # a vector within a chain ends it
        square = la.asarray(np.ones((50, 50), dtype))
        product = square @ v @ square
        np.testing.assert_allclose(product, square.numpy() @ plain[3] @ square.numpy(), rtol=1e-4, atol=1e-4)
        product = (c @ v) @ (b.T @ b)
        np.testing.assert_allclose(product, (plain[2] @ plain[3]) @ (plain[1].T @ plain[1]), rtol=1e-4, atol=1e-4)


def test_what_is_wanted_itself_is_no_factor():
    _, (a, b, v) = drawn((40, 30), (30, 20), (20,))
    with la.config(fast_math=True):
        ab = a @ b
        product = ab @ v
        assert multiplications(product) == 40 * 30 * 20 + 40 * 20
        la.evaluate(ab)
        product = ab @ v
        assert multiplications(product) == 40 * 20
        product = (a @ b + 1) @ v
        assert multiplications(product) == 40 * 30 * 20 + 40 * 20


def test_long_chains():
    plain, factors = drawn(*[(9, 9)] * 40)
    with la.config(fast_math=True, budget_nodes=1000):
        v = la.ones(9)
        made = factors[0]
        for x in factors[1:]:
            made = made @ x
        np.testing.assert_allclose(made @ v, np.linalg.multi_dot(plain) @ np.ones(9), rtol=1e-8)


def test_mistakes_are_those_of_numpy():
    _, (a, b, c) = drawn((4, 3), (3, 2), (4, 2))
    with la.config(fast_math=True):
        with pytest.raises(ValueError, match="mismatch in its core dimension"):
            a @ b @ c
        with pytest.raises(ValueError, match="mismatch in its core dimension"):
            a @ b @ la.ones(3)


def test_derivatives():
    plain, (a, b, c, v) = drawn((7, 6), (6, 5), (5, 9), (9,))
    with la.config(fast_math=True):
        gradient = la.grad(lambda b: (a @ b @ c @ v).sum())(b)
    np.testing.assert_allclose(gradient, np.outer(plain[0].sum(0), plain[2] @ plain[3]), rtol=1e-10)


def test_multi_dot_waits():
    plain, factors = drawn((40, 30), (30, 20), (20, 50), (50,))
    with la.no_evaluation():
        product = np.linalg.multi_dot(factors)
    assert multiplications(product) == 50 * 20 + 20 * 30 + 30 * 40
    np.testing.assert_allclose(product, np.linalg.multi_dot(plain), rtol=1e-10)
