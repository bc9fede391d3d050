"""Networks on a device: where their arrays are, and that a training step transfers none of them."""
import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.autodiff.trees import leaves

DEVICE = "cpu:1"
pytestmark = pytest.mark.host_only("names the devices itself")


def arrays_of(model):
    return leaves(model.parameters()) + leaves(model.buffers())


def devices_of(model):
    return {str(x.device) for x in arrays_of(model)}


def network(seed=0):
    rng = np.random.default_rng(seed)
    return nn.Sequential(nn.Linear(8, 16, rng=rng), nn.BatchNorm(16), nn.relu, nn.Linear(16, 3, rng=rng))


def batch(seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((32, 8)).astype("float32"), rng.integers(0, 3, 32)


@pytest.mark.parametrize("make", [
    network, lambda: nn.LSTM(4, 8, bidirectional=True, rng=0), lambda: nn.GRU(4, 8, rng=0), lambda: nn.RNN(4, 8, rng=0),
    lambda: nn.Embedding(4, 8, rng=0), lambda: nn.MultiHeadAttention(8, 2, rng=0), lambda: nn.Conv2d(3, 4, 3, rng=0),
    lambda: nn.LayerNorm(4), lambda: nn.Linear(2, 3, weight=lambda shape, rng, dtype: np.ones(shape, dtype))])
def test_parameters_and_buffers_are_created_on_the_device_of_the_block(make):
    host = make()
    with la.device(DEVICE):
        model = make()
    assert devices_of(host) == {"cpu"}
    assert devices_of(model) == {DEVICE}
    for x, y in zip(arrays_of(host), arrays_of(model), strict=True):
        assert np.array_equal(x, y)


def test_parameters_are_created_on_the_default_device():
    with la.config(device=DEVICE):
        assert devices_of(network()) == {DEVICE}


@pytest.mark.parametrize("kind", [nn.SGD, nn.Adam, nn.LAMB])
@pytest.mark.parametrize("is_moved", [False, True], ids=["created", "moved"])
def test_a_step_of_training_copies_the_batch_alone(kind, is_moved):
    x, y = batch()
    if is_moved:
        model = network().to_device(DEVICE)
    else:
        with la.device(DEVICE):
            model = network()
    optimiser = kind(0.01)
    step = nn.training_step(model, nn.cross_entropy, optimiser)
    float(step(x, y)["loss"])
    device = la.devices()[1]
    before = device.memory_stats()
    float(step(x, y)["loss"])
    after = device.memory_stats()
    copied_in = after["copied_in"] - before["copied_in"]
    assert x.nbytes <= copied_in <= x.nbytes + y.nbytes + 256        # the optimiser's numbers
    assert after["copied_out"] - before["copied_out"] <= 64          # the loss
    assert devices_of(model) == {str(a.device) for a in optimiser.arrays()} | {DEVICE} == {DEVICE}


def test_training_on_a_device_is_training_on_the_host():
    x, y = batch()
    host, model = network(), network().to_device(DEVICE)
    for each in (host, model):
        step = nn.training_step(each, nn.cross_entropy, nn.Adam(0.01))
        for _ in range(3):
            step(x, y)
    for a, b in zip(arrays_of(host), arrays_of(model), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_moving_a_model_keeps_its_arrays_and_what_they_share():
    model = nn.Sequential(nn.Linear(3, 3, rng=0), nn.Linear(3, 3, rng=0))
    model.layers[1].weight = model.layers[0].weight
    weight, values = model.layers[0].weight, np.array(model.layers[0].weight)
    pending = weight * 2
    assert model.to_device(DEVICE) is model
    assert model.layers[0].weight is model.layers[1].weight is weight
    assert weight.device == DEVICE
    assert np.array_equal(weight, values)
    assert np.array_equal(pending, values * 2)
    model.to_device(DEVICE).to_device("cpu")
    assert devices_of(model) == {"cpu"}
    assert np.array_equal(weight, values)


def test_no_such_device():
    model = network()
    with pytest.raises(ValueError, match="there is no device"):
        model.to_device("nowhere:0")
    assert devices_of(model) == {"cpu"}


def test_a_restored_optimiser_follows_its_parameters():
    x, y = batch()
    before, restored, model = nn.Adam(0.01), nn.Adam(0.01), network()
    nn.training_step(model, nn.cross_entropy, before)(x, y)
    restored.load_state(before.state())
    nn.training_step(model.to_device(DEVICE), nn.cross_entropy, restored)(x, y)
    assert {str(a.device) for a in restored.arrays()} == {DEVICE}
    assert {str(a.device) for a in before.arrays()} == {"cpu"}
