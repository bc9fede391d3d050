"""Attention against NumPy loops over queries, and derivatives against differences."""

import math

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.autodiff.trees import leaves, rebuilt
from support.finite_differences import check, numerical

RNG = np.random.default_rng(0)


def attended(q, k, v, seen=None, scale=None, added=0):
    """Compute attention by definition; `seen` is the mask of keys that each query may attend to."""
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    shape = (*q.shape[:-1], k.shape[-2])
    seen = np.broadcast_to(True if seen is None else seen, shape)
    added = np.broadcast_to(added, shape)
    for at in np.ndindex(q.shape[:-1]):
        weights = np.where(seen[at], np.exp(k[at[:-1]] @ q[at] * scale + added[at]), 0)
        out[at] = weights @ v[at[:-1]] / weights.sum()
    return out


Q, K, V = (RNG.uniform(-1, 1, shape) for shape in ((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2)))
SEEN = RNG.random((2, 1, 4, 6)) < 0.6
SEEN[..., 0] = True
ADDED = RNG.uniform(-1, 1, (4, 6))
CAUSAL = np.arange(6) <= np.arange(4)[:, None]
OPTIONS = {
    "plain": ({}, {}),
    "scaled": (dict(scale=0.3), dict(scale=0.3)),
    "masked": (dict(mask=SEEN), dict(seen=SEEN)),
    "added": (dict(mask=ADDED), dict(added=ADDED)),
    "causal": (dict(causal=True), dict(seen=CAUSAL)),
    "causal and masked": (dict(causal=True, mask=SEEN), dict(seen=SEEN & CAUSAL)),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_scaled_dot_product_attention(name):
    options, meant = OPTIONS[name]
    check(lambda *a: nn.scaled_dot_product_attention(*a, **options), [Q, K, V], lambda *a: attended(*a, **meant),
          exact=False)
    single = [la.asarray(a.astype("float32")) for a in (Q, K, V)]
    y = nn.scaled_dot_product_attention(*single, **options)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, attended(Q, K, V, **meant), rtol=1e-4, atol=1e-5)
    found = la.grad(lambda *a: nn.scaled_dot_product_attention(*a, **options).sum(), (0, 1, 2))(*single)
    assert all(g.dtype == np.float32 for g in found)


def test_matrices_alone():
    np.testing.assert_allclose(nn.scaled_dot_product_attention(Q[0, 0], K[0, 0], V[0, 0]),
                               attended(Q[0, 0], K[0, 0], V[0, 0]))


def test_huge_scores_and_queries_that_see_nothing():
    seen = np.zeros((4, 6), bool)
    seen[0, 2] = True
    query = la.asarray(Q[0, 0]) * 1e4
    y, pull = la.vjp(lambda q: nn.scaled_dot_product_attention(q, K[0, 0], V[0, 0], mask=seen), query)
    np.testing.assert_allclose(y[0], V[0, 0, 2])
    np.testing.assert_allclose(y[1:], np.broadcast_to(V[0, 0].mean(0), (3, 2)))
    np.testing.assert_array_equal(pull(la.ones((4, 2)))[0], np.zeros((4, 5)))


def heads(p, x, attending_to, count, **meant):
    def projected(part, of):
        return (of @ p[part]["weight"] + p[part]["bias"]).reshape(*of.shape[:2], count, -1).swapaxes(1, 2)

    y = attended(projected("query", x), projected("key", attending_to), projected("value", attending_to), **meant)
    return y.swapaxes(1, 2).reshape(x.shape) @ p["output"]["weight"] + p["output"]["bias"]


@pytest.mark.parametrize("name", ["plain", "masked", "causal"])
@pytest.mark.parametrize("itself", [True, False])
def test_multi_head_attention(name, itself):
    rng = np.random.default_rng(1)
    layer = nn.MultiHeadAttention(6, 3, dtype=float)
    tree = layer.parameters()
    values = [rng.uniform(-1, 1, p.shape) for p in leaves(tree)]
    x = rng.uniform(-1, 1, (2, 4, 6))
    other = x if itself else rng.uniform(-1, 1, (2, 6, 6))
    options, meant = OPTIONS[name]
    if itself:
        options, meant = ({key: value[..., :4] if key in ("mask", "seen") else value for key, value in given.items()}
                          for given in (options, meant))
    weights = rng.standard_normal(x.shape)

    def lazily(p, x, other):
        return layer.apply(p, x, None if itself else other, **options)

    def plainly(*a):
        p = rebuilt(tree, iter(a[:-2]))
        return heads(p, a[-2], a[-2] if itself else a[-1], 3, **meant)

    parameters = rebuilt(tree, map(la.asarray, values))
    np.testing.assert_allclose(lazily(parameters, x, other), plainly(*values, x, other), rtol=1e-10)
    found = la.grad(lambda *a: (lazily(*a) * weights).sum(), (0, 1, 2))(parameters, la.asarray(x), la.asarray(other))
    arrays = [*values, x, other]
    along = [rng.standard_normal(array.shape) for array in arrays]
    np.testing.assert_allclose(sum((np.asarray(g) * d).sum() for g, d in zip(leaves(list(found)), along, strict=True)),
                               numerical(lambda *a: (plainly(*a) * weights).sum(), arrays, along), rtol=1e-6)


def test_single_precision_stays_and_nothing_is_evaluated():
    layer = nn.MultiHeadAttention(4, 2)
    x = la.ones((2, 3, 4), "float32") * 2
    with la.no_evaluation():
        value, found = nn.value_and_grad(layer, lambda x: (layer(x, causal=True)**2).sum())(x)
    assert {g.dtype for g in leaves([value, found])} == {np.dtype("float32")}


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4)])
def test_nothing_attends_to_something(shape):
    layer, attended = nn.MultiHeadAttention(4, 2), la.ones((shape[0], 3, 4), "float32")
    loss, gradients = nn.value_and_grad(layer, lambda x: layer(x, attended).sum())(la.ones(shape, "float32"))
    assert loss == 0
    assert all((g == 0).all() for g in leaves(gradients))


@pytest.mark.parametrize("causal", [False, True])
def test_something_attends_to_nothing(causal):
    layer, x = nn.MultiHeadAttention(4, 2), la.ones((2, 3, 4), "float32")
    assert layer(x[:, :0], causal=causal).shape == (2, 0, 4)
    y, gradients = nn.value_and_grad(layer, lambda x: layer(x, x[:, :0], causal=causal).sum())(x)
    assert y == 0
    assert (gradients["output"]["bias"] == 6).all()
    assert not gradients["query"]["weight"].any()


@pytest.mark.parametrize("call, error, words", [
    (lambda: nn.scaled_dot_product_attention(Q, K[..., :4], V), ValueError,
     r"query of shape \(2, 3, 4, 5\), key of shape \(2, 3, 6, 4\) and value of shape \(2, 3, 6, 2\) do not fit"),
    (lambda: nn.scaled_dot_product_attention(Q, K, V[..., :5, :]), ValueError, "do not fit"),
    (lambda: nn.scaled_dot_product_attention(Q, K, V, mask=SEEN[..., :5]), ValueError,
     r"mask of shape \(2, 1, 4, 5\) does not broadcast to \(2, 3, 4, 6\)"),
    (lambda: nn.scaled_dot_product_attention(Q, K, V, mask=np.ones((7, 2, 3, 4, 6), bool)), ValueError,
     "does not broadcast"),
    (lambda: nn.scaled_dot_product_attention(Q, K, V, mask=np.ones((4, 6), int)), TypeError,
     "mask must be of bools or floats, got int64"),
    (lambda: nn.MultiHeadAttention(6, 4), ValueError, "4 heads do not divide the size 6"),
    (lambda: nn.MultiHeadAttention(4, 2)(la.ones((2, 3, 5))), ValueError,
     r"x must have shape \(batch, positions, 4\), not \(2, 3, 5\)"),
    (lambda: nn.MultiHeadAttention(4, 2)(la.ones((2, 3, 4)), la.ones((1, 3, 4))), ValueError, "the same batch"),
])
def test_wrong_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()
