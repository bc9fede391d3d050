"""Training: what is measured, when it stops, and rejected input."""

import functools
import itertools
import json
import sys
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr._core.runtime import plan_cache
from support.training import Noisy, X, Y, assert_same, loader, loss, train, values


def test_learns_and_tells_how():
    model = Noisy()
    history = train(model, 30, metrics=[nn.accuracy], validation=[(X, Y)])
    assert set(history) == {"loss", "accuracy", "validation_loss", "validation_accuracy"}
    assert {len(listed) for listed in history.values()} == {30}
    assert all(type(value) is float for value in itertools.chain(*history.values()))
    assert history["validation_accuracy"][-1] > 0.9
    assert history["loss"][-1] < history["loss"][0] / 2
    assert history["validation_loss"][-1] == pytest.approx(float(loss(model.eval()(X), Y)), rel=1e-5)
    assert json.loads(json.dumps(history)) == history


def test_means_weigh_rows():
    model = nn.Linear(1, 1, weight=nn.initialisers.zeros)
    batches = [(np.zeros((3, 1), "f4"), np.full((3, 1), 1, "f4")), (np.zeros((1, 1), "f4"), np.full((1, 1), 5, "f4"))]
    history = nn.fit(model, lambda y, t: (t - y).mean(), nn.SGD(0.0), batches, 1, progress=False,
                     metrics={"most": lambda y, t: t.max()})
    assert history == {"loss": [2.0], "most": [2.0]}


def test_a_step_is_one_plan(evaluations):
    model, optimiser = Noisy(), nn.Adam(nn.schedules.exponential(0.1, 0.99))
    step = nn.training_step(model, loss, optimiser, metrics=[nn.accuracy],
                            clip=lambda tree: nn.clip_by_global_norm(tree, 1.0))
    batches = [(la.asarray(X[k:k + 16]), la.asarray(Y[k:k + 16])) for k in range(10)]
    for k, (x, y) in enumerate(batches):
        misses = plan_cache.stats()["misses"]
        del evaluations[:]
        found = step(x, y)
        assert len(evaluations) == 1
        assert k < 2 or plan_cache.stats()["misses"] == misses
        with la.no_evaluation():
            assert float(found["loss"]) > 0
            assert 0 <= float(found["accuracy"]) <= 1
            values(model)
            [x.numpy() for x in optimiser.arrays()]
    assert int(model.calls) == 10


def test_a_step_of_many_operations_is_one_plan(evaluations):
    class Deep(nn.Layer):
        def __init__(self):
            self.factor = la.ones(3)

        def __call__(self, x):
            for _ in range(40):
                x = la.tanh(x * self.factor)
            return x

    budget = la.config.budget_nodes
    with la.config(budget_nodes=30):
        step = nn.training_step(Deep(), nn.mse_loss, nn.SGD(0.1))
        step(la.ones((2, 3)), la.zeros((2, 3)))
        assert len(evaluations) == 1
        assert la.config.budget_nodes == 30
    assert la.config.budget_nodes == budget


def test_modes_come_back():
    model = Noisy()
    model.last.eval()
    seen = []
    model.first.register = None
    train(model, 1, validation=[(X, Y)], metrics={"mode": lambda y, t: seen.append(model.training) or y.sum()})
    assert seen == [True, True, True, False]
    assert (model.training, model.last.training) == (True, False)


def test_clipping_sees_the_gradients():
    model = nn.Linear(3, 2, rng=0)
    before = values(model)
    train(model, 1, clip=lambda tree: nn.clip_by_value(tree, 0, 0))
    assert_same(values(model), before)


@pytest.mark.parametrize("outputs, targets, want", [
    ([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]], [1, 1, 1], 2 / 3),
    ([[0.1, 0.9], [0.8, 0.2]], [[0, 1], [1, 0]], 1.0),
    ([[[0.1, 0.9], [0.8, 0.2]]], [[0, 0]], 0.5),
])
def test_accuracy(outputs, targets, want):
    assert float(nn.accuracy(la.array(outputs), la.array(targets))) == pytest.approx(want)


# ---- early stopping -------------------------------------------------------------------------------------


def scripted(losses):
    """Return a model, a loss with these values in successive epochs, and the list of parameters before each."""
    model = nn.Linear(1, 1, weight=nn.initialisers.zeros, bias=False)
    steps = iter(losses)

    def f(y, t):
        return y.sum() * 0 + model.weight.sum() + next(steps) - model.weight.sum()

    return model, f


@pytest.mark.parametrize("losses, patience, change, epochs", [
    ([3, 2, 1, 1, 1, 1], 2, 0.0, 5),
    ([3, 2, 2.5, 1, 2, 2, 2], 2, 0.0, 6),
    ([3, 2.9, 2.8, 2.7], 2, 0.15, 4),
    ([3, 2.9, 2.88, 2.87], 2, 0.15, 3),
    ([float("nan"), 3, float("nan"), float("nan"), 1], 2, 0.0, 4),
    ([3, 2, 1], 5, 0.0, 3),
])
def test_stops_when_nothing_becomes_better(losses, patience, change, epochs):
    model, f = scripted(losses)
    history = nn.fit(model, f, nn.SGD(0.1), [(np.ones((1, 1), "f4"), np.ones(1))], len(losses), progress=False,
                     early_stopping=nn.EarlyStopping(patience, change=change))
    assert len(history["loss"]) == epochs


def test_stops_by_another_value_which_is_to_be_great():
    seen = iter([0.1, 0.5, 0.4, 0.3, 0.9])
    history = nn.fit(nn.Linear(3, 2, rng=0), loss, nn.SGD(0.1), [(X, Y)], 5, progress=False,
                     metrics={"score": lambda y, t: la.array(next(seen))},
                     early_stopping=nn.EarlyStopping(2, "score", greatest=True))
    assert history["score"] == [0.1, 0.5, 0.4, 0.3]


def test_the_best_parameters_are_restored():
    kept = []
    model = Noisy()

    def score(y, t):
        if not model.training:
            kept.append(values(model))
        return la.array([0.0, 5.0, 7.0, 6.0, 3.0][len(kept) - 1] if kept else 0.0)

    train(model, 9, metrics={"score": score}, validation=[(X, Y)],
          early_stopping=nn.EarlyStopping(2, "validation_score", greatest=True))
    assert len(kept) == 5
    assert_same(values(model), kept[2])


def test_early_stopping_begins_anew_with_each_training():
    stopping = nn.EarlyStopping(2, change=10)
    for _ in range(2):
        assert len(train(Noisy(), 9, early_stopping=stopping)["loss"]) == 3


def test_early_stopping_refuses():
    with pytest.raises(ValueError, match="precision is not in the history, which has loss"):
        train(Noisy(), 3, early_stopping=nn.EarlyStopping(2, "precision"))
    with pytest.raises(ValueError, match="patience must be positive"):
        train(Noisy(), 3, early_stopping=0)


def test_trains_in_threads():
    budget = la.config.budget_nodes
    want, results = train(Noisy(), 5), []
    threads = [threading.Thread(target=lambda: results.append(train(Noisy(), 5))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [want] * 3
    assert la.config.budget_nodes == budget


# ---- progress and invalid input -------------------------------------------------------------------------


def test_shows_a_bar(capsys):
    nn.fit(Noisy(), loss, nn.SGD(0.1), loader(), 2, metrics=[nn.accuracy])
    shown = capsys.readouterr().err
    assert "epoch 1/2" in shown
    assert "epoch 2/2: 100%" in shown
    assert "3/3" in shown
    assert "loss 0." in shown
    assert "accuracy 0." in shown


def test_closes_the_bar_if_the_data_cannot_be_looped_over(monkeypatch):
    import tqdm

    made = []

    class Bar(tqdm.tqdm):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            made.append(self)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    with pytest.raises(TypeError, match="not iterable"):
        nn.fit(Noisy(), loss, nn.SGD(0.1), 3, 1)
    assert [bar.disable for bar in made] == [True]  # as it is once closed


def test_says_which_package_shows_the_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match=r"pip install 'lazyarr\[nn\]', or say progress=False"):
        nn.fit(Noisy(), loss, nn.SGD(0.1), loader(), 2)
    train(Noisy(), 1)


@pytest.mark.parametrize("options, error, words", [
    ({"data": []}, ValueError, "the data gave no batches in epoch 1$"),
    ({"data": iter([(X, Y)])}, ValueError, "no batches in epoch 2; each epoch is a loop over it"),
    ({"validation": []}, ValueError, "validate: the data gave no batches"),
    ({"resume": True}, ValueError, "resume needs a checkpoint"),
    ({"metrics": {"loss": nn.accuracy}}, ValueError, "loss is the name of the loss"),
    ({"metrics": [nn.accuracy, nn.accuracy]}, ValueError, "two of accuracy, accuracy have one name"),
    ({"metrics": [functools.partial(nn.accuracy)]}, TypeError, "metrics: partial has no name; give a dict"),
    ({"optimiser": nn.SGD}, TypeError, "training_step: optimiser must be an Optimiser, got type"),
    ({"checkpoint": "nowhere/x"}, FileNotFoundError, "there is no folder .*nowhere"),
    ({"checkpoint": "/"}, IsADirectoryError, "save: / is a folder"),
    ({"checkpoint": ""}, IsADirectoryError, "is a folder"),
    ({"checkpoint": "x", "checkpoint_every": 0}, ValueError, "checkpoint_every must be positive"),
])
def test_refuses(options, error, words):
    with pytest.raises(error, match=words):
        train(nn.Linear(3, 2, rng=0), 2, **options)


def test_takes_layers_alone():
    with pytest.raises(TypeError, match="model must be a Layer"):
        nn.training_step(lambda x: x, loss, nn.SGD(0.1))
