"""`config.device`: large arrays are made there, and large results of small ones; small arrays stay on the host."""

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp

DEVICE = "cpu:1"
MANY = 20_000  # of float64, more than tuning's path.device_bytes, and than what is computed at once
HALF = 200     # the outer sum of two lines of this length is as large


@pytest.fixture(autouse=True)
def device():
    with la.config(device=DEVICE):
        yield


@pytest.mark.parametrize("face", [la, lnp], ids=["la", "numpy"])
@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "arange"])
def test_arrays_are_made_where_their_size_says(face, name):
    make = getattr(face, name)
    assert make(3).device == "cpu"
    assert make(MANY).device == DEVICE


@pytest.mark.parametrize("face", [la, lnp], ids=["la", "numpy"])
def test_other_makers_too(face):
    large = [face.linspace(0, 1, MANY), face.full(MANY, 2.0), face.asarray(np.ones(MANY)), face.eye(HALF),
             face.array([[1.0] * HALF] * HALF)]
    assert [x.device for x in large] == [DEVICE] * 5
    small = [face.linspace(0, 1, 5), face.full(5, 2.0), face.asarray(np.ones(5)), face.eye(5), face.array([1.0, 2.0])]
    assert [x.device for x in small] == ["cpu"] * 5


def test_operations_on_small_arrays_stay_on_the_host_and_run_at_once():
    x = lnp.arange(4.0)
    la.evaluate(x)
    y = x * 2 + 1
    assert y.device == "cpu"
    with la.no_evaluation():
        np.testing.assert_array_equal(y, np.arange(4.0) * 2 + 1)


def test_a_large_result_of_small_arrays_is_computed_there():
    x = la.arange(float(HALF))
    table = np.add(x[:, None], x)
    assert table.device == DEVICE
    assert (table * 2).device == DEVICE
    assert np.where(x[:, None] > x, x, 0.0).device == DEVICE
    want = np.arange(float(HALF))
    np.testing.assert_array_equal(table, want[:, None] + want)
    np.testing.assert_array_equal((x[:, None] * x)[:3], (want[:, None] * want)[:3])    # which computes three rows


def test_what_generators_draw_follows_when_it_is_used():
    x = lnp.random.default_rng(0).random(MANY)
    y = np.sqrt(x)
    assert y.device == DEVICE
    np.testing.assert_array_equal(y, np.sqrt(np.random.default_rng(0).random(MANY)))


def test_blocks_decide_before_it():
    x = la.arange(float(HALF))
    with la.device("cpu"):
        assert lnp.zeros(MANY).device == "cpu"
        assert (x[:, None] + x).device == "cpu"
    with la.device(DEVICE):
        assert lnp.zeros(3).device == DEVICE
    assert (x[:, None] + x).device == DEVICE


def test_traced_functions_are_as_without():
    def f(x):
        return np.sin(x[:, None] + x).sum()

    x = la.arange(float(HALF))
    want = np.sin(np.arange(float(HALF))[:, None] + np.arange(float(HALF))).sum()
    np.testing.assert_allclose(la.jit(f)(x), want)
    assert la.grad(f)(x).device == "cpu"


def test_with_one_byte_all_arrays_are_there():
    with la.config.tuning({"path.device_bytes": 1}), la.config(device=DEVICE):
        x = lnp.arange(3.0)
        assert x.device == DEVICE
        assert (x + 1).device == DEVICE


def test_a_wrong_name_changes_nothing():
    with pytest.raises(ValueError, match="there is no device 'cuda:77'"):
        la.config.device = "cuda:77"
    assert la.config.device == DEVICE
    assert lnp.zeros(MANY).device == DEVICE
