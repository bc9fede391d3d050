"""Layers as containers of arrays: how they find, save and replace them."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn


class Parts(nn.Layer):
    """One of everything a layer can hold."""

    buffer_names = ("mean", "frozen")

    def __init__(self):
        self.scale = la.ones(3, "float32")
        self.mean = la.zeros(3, "float32")
        self.frozen = nn.Linear(2, 2)
        self.layers = [nn.Linear(3, 4, rng=0), len, (nn.Linear(4, 2, bias=False, rng=1), la.zeros(1))]
        self.named = {"a": la.ones((2, 1)), "b": None}
        self.indices = la.arange(3)
        self.constant = np.ones(3)
        self._cached = la.ones(7)
        self.nothing = [1, 2]
        self.me = self

    def __call__(self, x):
        self.mean += x.sum(0)
        (last, shift) = self.layers[2]
        return last(self.layers[0](x * self.scale)) @ self.named["a"] + shift


def shapes(tree):
    if isinstance(tree, dict):
        return {key: shapes(value) for key, value in tree.items()}
    return [shapes(item) for item in tree] if isinstance(tree, list) else tree.shape


FORM = {"scale": (3,), "layers": [{"weight": (3, 4), "bias": (4,)}, {}, [{"weight": (4, 2)}, (1,)]],
        "named": {"a": (2, 1)}}


def test_parameters_and_buffers_are_found_by_name():
    parts = Parts()
    assert shapes(parts.parameters()) == FORM
    assert shapes(parts.buffers()) == {"mean": (3,), "frozen": {"weight": (2, 2), "bias": (2,)}}
    assert parts.parameters()["layers"][0]["weight"] is parts.layers[0].weight
    assert parts.parameter_count == 3 + 12 + 4 + 8 + 1 + 2


def test_shared_arrays_are_one_parameter_with_one_gradient():
    class Twice(nn.Layer):
        def __init__(self):
            self.first = nn.Linear(2, 2, bias=False, dtype=float)
            self.second = nn.Linear(2, 2, bias=False, dtype=float)
            self.second.weight = self.first.weight
            self.third = self.first

        def __call__(self, x):
            return self.third(self.second(self.first(x)))

    twice = Twice()
    assert list(twice.parameters()) == ["first"]
    x = la.array([[1.0, 2.0]])
    _, found = nn.value_and_grad(twice, lambda: twice(x).sum())()
    expected = la.grad(lambda w: (x @ w @ w @ w).sum())(twice.first.weight)
    np.testing.assert_allclose(found["first"]["weight"], expected, rtol=1e-13)


def test_update_writes_into_the_arrays_themselves():
    parts = Parts()
    before = parts.parameters()
    changed = parts.parameters()
    changed["scale"] = np.full(3, 2, "float32")
    changed["layers"][2] = tuple(changed["layers"][2])
    parts.update(changed)
    assert parts.scale is before["scale"]
    np.testing.assert_array_equal(parts.scale, [2, 2, 2])
    parts.update_buffers({"mean": la.ones(3, "float32"), "frozen": parts.frozen.parameters()})
    np.testing.assert_array_equal(parts.mean, [1, 1, 1])


def test_update_may_exchange_arrays():
    class Two(nn.Layer):
        def __init__(self):
            self.a, self.b = la.zeros(2), la.ones(2)

    two = Two()
    two.update({"a": two.b, "b": two.a})
    np.testing.assert_array_equal(two.a, [1, 1])
    np.testing.assert_array_equal(two.b, [0, 0])


@pytest.mark.parametrize("change, error, words", [
    (lambda t: t["layers"][0].update(weight=la.ones((4, 3), "float32")), ValueError,
     r"parameter layers\.0\.weight has shape \(3, 4\), but \(4, 3\) is given"),
    (lambda t: t["layers"][0].update(bias=la.ones(4)), TypeError,
     r"parameter layers\.0\.bias has dtype float32, but float64 is given"),
    (lambda t: t["layers"][0].pop("bias"), ValueError, r"parameter layers\.0\.bias is missing"),
    (lambda t: t["layers"].pop(), ValueError, r"parameter layers\.2 is missing"),
    (lambda t: t.update(more=la.ones(1)), ValueError, "there is no parameter more"),
    (lambda t: t.update(layers=la.ones(1)), ValueError, "parameters layers must be given as a list, not as LazyArray"),
    (lambda t: t["layers"][2].__setitem__(1, np.ma.ones(1)), TypeError, r"parameter layers\.2\.1 must be .* an array"),
])
def test_what_does_not_fit_changes_nothing(change, error, words):
    parts = Parts()
    before = [p.numpy().copy() for p in la.autodiff.trees.leaves(parts.parameters())]
    tree = parts.parameters()
    tree["scale"] = la.full(3, 5, "float32")
    change(tree)
    with pytest.raises(error, match=words):
        parts.update(tree)
    for p, value in zip(la.autodiff.trees.leaves(parts.parameters()), before, strict=True):
        np.testing.assert_array_equal(p, value)


def test_parameters_are_given_as_a_dict():
    with pytest.raises(ValueError, match="parameters of a layer must be given as a dict, not as LazyArray"):
        Parts().update(la.ones(1))


def test_apply_puts_arrays_in_place_and_takes_them_back():
    parts = Parts()
    own = parts.parameters()
    x = la.ones((5, 3), "float32")
    doubled = parts.parameters()
    doubled["named"]["a"] = 2 * doubled["named"]["a"]
    doubled["layers"][2][1] = la.full(1, 7.0)
    np.testing.assert_allclose(parts.apply(doubled, x), 2 * parts(x) + 7)
    assert type(parts.layers[2]) is tuple
    with pytest.raises(TypeError):
        parts.apply(doubled, x, x)
    with pytest.raises(ValueError, match=r"scale has shape \(3,\), but \(2,\) is given"):
        parts.apply({**doubled, "scale": la.ones(2)}, x)
    for p, before in zip(*map(la.autodiff.trees.leaves, (parts.parameters(), own)), strict=True):
        assert p is before


def test_gradients_have_the_form_of_the_parameters_and_state_stays():
    parts = Parts()
    x = la.array(np.arange(6.0).reshape(2, 3), "float32")

    def f(x, power):
        y = parts(x)
        return (y**power).sum(), y

    (value, y), found = nn.value_and_grad(parts, f, has_aux=True)(x, power=2)
    np.testing.assert_allclose(parts.mean, x.sum(0))
    assert shapes(found) == FORM
    expected = la.grad(lambda p: (parts.apply(p, x)**2).sum())(parts.parameters())
    for g, e in zip(*map(la.autodiff.trees.leaves, (found, expected)), strict=True):
        np.testing.assert_array_equal(g, e)
        assert g.dtype == e.dtype
    np.testing.assert_allclose(value, (y.numpy()**2).sum())


def test_a_parameter_nothing_depends_on_has_a_gradient_of_zeros():
    model = nn.Linear(2, 3)
    _, found = nn.value_and_grad(model, lambda: model.weight.sum())()
    np.testing.assert_array_equal(found["bias"], np.zeros(3))


def test_what_was_made_of_the_parameters_before_is_a_constant():
    model = nn.Linear(2, 3, dtype=float)
    held = model.weight * 2
    _, found = nn.value_and_grad(model, lambda: (model.weight * held).sum())()
    np.testing.assert_array_equal(found["weight"], held)


def test_the_arrays_are_the_layers_own_again_after_an_error():
    model = nn.Linear(2, 3)
    weight = model.weight

    def f():
        assert model.weight is not weight
        raise KeyError

    with pytest.raises(KeyError):
        nn.value_and_grad(model, f)()
    assert model.weight is weight


def test_wrong_arguments_of_value_and_grad():
    with pytest.raises(TypeError, match="model must be a Layer, got function"):
        nn.value_and_grad(lambda x: x, lambda x: x)
    model = nn.Linear(2, 2)
    with pytest.raises(TypeError, match="one real number"):
        nn.value_and_grad(model, model)(la.ones((1, 2), "float32"))


def test_training_is_set_for_all_within():
    parts = Parts()
    assert parts.training
    assert parts.eval() is parts
    assert not parts.training
    assert not parts.layers[2][0].training
    parts.train()
    assert parts.layers[0].training


def test_repr_tells_the_sizes_of_all_layers():
    assert repr(Parts()).splitlines() == [
        "Parts(scale (3,), mean (3,), indices (3,), _cached (7,))  30 parameters",
        "    frozen: Linear(weight (2, 2), bias (2,))  6 parameters",
        "    layers.0: Linear(weight (3, 4), bias (4,))  16 parameters",
        "    layers.2.0: Linear(weight (4, 2))  8 parameters",
    ]


def test_a_layer_without_a_call_says_so():
    with pytest.raises(NotImplementedError, match="Layer does not define __call__"):
        nn.Layer()(1)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 5, 3), (0, 3), (2, 0, 3)])
def test_linear(shape):
    rng = np.random.default_rng(0)
    model = nn.Linear(3, 4, bias=nn.initialisers.ones, rng=0)
    x = rng.standard_normal(shape).astype("float32")
    expected = np.einsum("...i,io->...o", x, model.weight.numpy()) + 1
    np.testing.assert_allclose(model(la.asarray(x)), expected, rtol=1e-5)
    assert model(x).dtype == np.float32
    _, found = nn.value_and_grad(model, lambda x: (model(x)**2).sum())(la.asarray(x))
    pulled = 2 * expected
    np.testing.assert_allclose(found["weight"], x.reshape(-1, 3).T @ pulled.reshape(-1, 4), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found["bias"], pulled.reshape(-1, 4).sum(0), rtol=1e-4)
    assert found["weight"].dtype == found["bias"].dtype == np.float32


@pytest.mark.parametrize("call, error, words", [
    (lambda: nn.Linear(0, 1), ValueError, "inputs must be positive"),
    (lambda: nn.Linear(1, 1.5), TypeError, "outputs must consist of integers"),
    (lambda: nn.Linear(3, 2)(la.ones((4, 2))), ValueError, r"x of shape \(4, 2\) and weight of shape \(3, 2\)"),
    (lambda: nn.Linear(3, 2)(la.array(1.0)), ValueError, r"x of shape \(\)"),
    (lambda: nn.linear(la.ones((2, 3)), la.ones((3, 2)), la.ones(3)), ValueError, r"bias of shape \(3,\)"),
    (lambda: nn.linear(la.ones((2, 3)), la.ones(3)), ValueError, r"weight of shape \(3,\)"),
])
def test_wrong_arguments_of_linear(call, error, words):
    with pytest.raises(error, match=words):
        call()
