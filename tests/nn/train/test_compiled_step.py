"""Traced training steps equal steps whose graphs are rebuilt."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr._core.runtime import plan_cache

OPTIMISERS = {
    "SGD": lambda: nn.SGD(0.1, weight_decay=0.01),
    "Momentum": lambda: nn.Momentum(nn.schedules.cosine(0.1, 20)),
    "Nesterov": lambda: nn.Nesterov(0.1),
    "Adagrad": nn.Adagrad,
    "RMSprop": nn.RMSprop,
    "Adam": nn.Adam,
    "AdamW": nn.AdamW,
    "LAMB": nn.LAMB,
}


def model():
    return nn.Sequential(nn.Linear(6, 8, rng=0), nn.BatchNorm(8), nn.relu, nn.Linear(8, 3, rng=1))


def batches(count, rows=5):
    rng = np.random.default_rng(2)
    return [(rng.standard_normal((rows, 6)).astype("f4"), rng.integers(0, 3, rows)) for _ in range(count)]


def arrays_of(*owners):
    return [x.numpy() for owner in owners for x in owner]


@pytest.mark.parametrize("name", OPTIMISERS)
def test_losses_and_state_are_those_of_other_steps(name):
    found = []
    for traced in (False, True):
        m, optimiser = model(), OPTIMISERS[name]()
        step = nn.training_step(m, nn.cross_entropy, optimiser, metrics=[nn.accuracy], traced=traced,
                                clip=lambda g: nn.clip_by_global_norm(g, 1.0))
        results = [step(x, y) for x, y in batches(6) + batches(2, rows=3)]
        found.append([[float(r["loss"]) for r in results], [float(r["accuracy"]) for r in results],
                      *arrays_of(la.autodiff.trees.leaves(m.parameters()), la.autodiff.trees.leaves(m.buffers()),
                                 optimiser.arrays())])
        assert optimiser.steps == 8
    for got, expected in zip(*found, strict=True):
        np.testing.assert_allclose(got, expected, rtol=2e-6, atol=1e-7)


def test_the_model_is_called_once_for_each_form_of_batch():
    calls = []
    m = model()
    step = nn.training_step(lambda_layer(m, calls), nn.cross_entropy, nn.SGD(0.1), traced=True)
    for x, y in batches(5) + batches(3, rows=2) + batches(2):
        step(x, y)
    assert len(calls) == 2
    before = plan_cache.stats()["misses"]
    step(*batches(1)[0])
    assert plan_cache.stats()["misses"] == before


def lambda_layer(m, calls):
    class Counting(nn.Layer):
        def __init__(self):
            self.inner = m

        def __call__(self, x):
            calls.append(1)
            return self.inner(x)

    return Counting()


def test_recurrent_layers():
    class Last(nn.Layer):
        def __init__(self):
            self.lstm, self.out = nn.LSTM(6, 4, rng=0), nn.Linear(4, 3, rng=1)

        def __call__(self, x):
            return self.out(self.lstm(x)[0][:, -1])

    losses = []
    for traced in (False, True):
        step = nn.training_step(Last(), nn.cross_entropy, nn.Adam(0.01), traced=traced)
        rng = np.random.default_rng(0)
        losses.append([float(step(rng.standard_normal((2, 7, 6)).astype("f4"), rng.integers(0, 3, 2))["loss"])
                       for _ in range(5)])
    np.testing.assert_allclose(*losses, rtol=1e-6)


def test_dropout_drops_what_it_drops_otherwise():
    losses = []
    for traced in (False, True):
        m = nn.Sequential(nn.Linear(6, 32, rng=0), nn.Dropout(0.5, rng=1), nn.Linear(32, 3, rng=2))
        step = nn.training_step(m, nn.cross_entropy, nn.SGD(0.1), traced=traced)
        losses.append([float(step(x, y)["loss"]) for x, y in batches(5)])
    np.testing.assert_allclose(*losses, rtol=1e-6)


def test_parameters_may_be_written_to_between_steps():
    m = nn.Linear(2, 1, weight=nn.initialisers.ones)
    step = nn.training_step(m, nn.mse_loss, nn.SGD(0.0), traced=True)
    x, y = np.ones((1, 2), "f4"), np.zeros((1, 1), "f4")
    assert float(step(x, y)["loss"]) == 4
    m.weight *= 2
    assert float(step(x, y)["loss"]) == 16
    assert m.weight.tolist() == [[2], [2]]


def test_what_is_replaced_between_steps_is_seen():
    def run(traced):
        m, optimiser = model(), nn.Momentum(0.1)
        step = nn.training_step(m, nn.cross_entropy, optimiser, traced=traced)
        saved, losses = None, []
        for k, batch in enumerate(batches(12)):
            if k == 2:
                saved = {name: la.autodiff.trees.rebuilt(tree, iter([x * 1 for x in la.autodiff.trees.leaves(tree)]))
                         if name != "steps" else tree for name, tree in optimiser.state().items()}
            elif k == 4:
                m.layers[0].weight = la.ones((6, 8), "float32")
            elif k == 6:
                m.layers[1].eval()
            elif k == 8:
                optimiser.load_state(saved)
            elif k == 10:
                optimiser.momentum = 0.5
            losses.append(step(*batch)["loss"])
        return losses, [x.numpy() for x in la.autodiff.trees.leaves([m.parameters(), m.buffers()])]

    (losses, values), (wanted, exact) = run(True), run(False)
    assert losses == wanted
    for got, expected in zip(values, exact, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_what_cannot_be_traced():
    class Noise(nn.Layer):
        def __init__(self):
            self.rng = np.random.default_rng(0)

        def __call__(self, x):
            return x + self.rng.normal(size=x.shape)

    with pytest.raises(TypeError, match=r"layers\.1, Noise, draws random numbers"):
        nn.training_step(nn.Sequential(nn.Linear(2, 2), Noise()), nn.mse_loss, nn.SGD(0.1), traced=True)

    class Replacing(nn.Layer):
        buffer_names = ("mean",)

        def __init__(self):
            self.weight, self.mean = la.ones(2, "f4"), la.zeros(2, "f4")

        def __call__(self, x):
            self.mean = self.mean * 0.5 + x.mean(0)
            return x * self.weight

    m = Replacing()
    step = nn.training_step(m, nn.mse_loss, nn.SGD(0.1), traced=True)
    with pytest.raises(TypeError, match="write to their arrays in place"):
        step(np.ones((1, 2), "f4"), np.ones((1, 2), "f4"))
    assert m.mean.tolist() == [0, 0]

    m, optimiser = model(), nn.Adam()
    before = arrays_of(la.autodiff.trees.leaves(m.parameters()))
    step = nn.training_step(m, lambda y, t: nn.cross_entropy(y, t) if y.sum() > 0 else 0, optimiser, traced=True)
    with pytest.raises(la.TracedValueError):
        step(*batches(1)[0])
    assert optimiser.steps == 0
    for x, y in zip(arrays_of(la.autodiff.trees.leaves(m.parameters())), before, strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_step_that_fails_changes_nothing():
    m = nn.Linear(2, 1, weight=nn.initialisers.ones)
    step = nn.training_step(m, lambda y, t: (y / t).sum(), nn.Momentum(0.1), traced=True)
    x = np.ones((1, 2), "f4")
    with np.errstate(all="raise"):
        first = float(step(x, np.ones((1, 1), "f4"))["loss"])
        weight = m.weight.numpy().copy()
        with pytest.raises(FloatingPointError):
            step(x, np.zeros((1, 1), "f4"))
        np.testing.assert_array_equal(m.weight, weight)
        assert float(step(x, np.ones((1, 1), "f4"))["loss"]) < first
