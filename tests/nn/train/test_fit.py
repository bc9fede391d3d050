"""Training: what is measured, when it stops, and going on from a file to the same numbers."""

import contextlib
import functools
import itertools
import json
import os
import signal
import sys
import textwrap
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr._core.runtime import plan_cache
from lazyarr.autodiff.trees import leaves
from lazyarr.nn.train.checkpoint import generators

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3)).astype("f4")
Y = (X @ np.array([1, -2, 3], "f4") > 0).astype(int)


class Noisy(nn.Layer):
    """Two layers, noise between them while it is trained, and a buffer that counts its calls."""

    buffer_names = ("calls",)

    def __init__(self, rng=0):
        self.first, self.last = nn.Linear(3, 8, rng=1), nn.Linear(8, 2, rng=2)
        self.rng = np.random.default_rng(rng)
        self.calls = la.zeros((), int)

    def __call__(self, x):
        x = la.tanh(self.first(x))
        if self.training:
            self.calls += 1
            x = x * la.asarray(self.rng.random(x.shape, "f4") > 0.2)
        return self.last(x)


def loss(outputs, targets):
    logs = outputs - la.logsumexp(outputs, axis=-1, keepdims=True)
    return -(logs * nn.one_hot(targets, 2)).sum(-1).mean()


def loader(seed=3, **options):
    return nn.Loader((X, Y), 16, seed=seed, **{"prefetch": 2, **options})


def train(model, epochs, optimiser=None, data=None, **options):
    optimiser = nn.Momentum(nn.schedules.cosine(0.3, 20)) if optimiser is None else optimiser
    return nn.fit(model, loss, optimiser, loader() if data is None else data, epochs, progress=False, **options)


def values(model):
    return [x.numpy().copy() for x in leaves([model.parameters(), model.buffers()])]


def assert_same(a, b):
    for x, y in zip(a, b, strict=True):
        np.testing.assert_array_equal(x, y)


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
    """A model, a loss that takes these values epoch after epoch, and what the parameter was before each."""
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


# ---- checkpoints ----------------------------------------------------------------------------------------


OPTIMISERS = {"SGD": lambda: nn.SGD(0.1), "Momentum": lambda: nn.Momentum(nn.schedules.cosine(0.3, 20)),
              "Adam": lambda: nn.Adam(0.05), "LAMB": lambda: nn.LAMB(0.05)}


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("stop", [1, 4])
def test_goes_on_to_the_same_bits(optimiser, stop, tmp_path):
    def run(epochs, **options):
        model = Noisy()
        history = nn.fit(model, loss, OPTIMISERS[optimiser](),
                         loader(transform=lambda b, rng: (b[0] + rng.standard_normal((1, 3), "f4"), b[1])), epochs,
                         validation=nn.Loader((X, Y), 7), metrics=[nn.accuracy], early_stopping=50, progress=False,
                         **options)
        return model, history

    want, history = run(7)
    run(stop, checkpoint=tmp_path / "c")
    np.random.default_rng().random()
    got, resumed = run(7, checkpoint=tmp_path / "c", resume=True)
    assert resumed == history
    assert_same(values(got), values(want))


def test_layers_with_state_go_on_to_the_same_bits(tmp_path):
    def model():
        rng = np.random.default_rng(4)
        return nn.Sequential(nn.Linear(3, 16, rng=rng), nn.BatchNorm(16), nn.relu, nn.Dropout(0.3, rng=5),
                             nn.Sequential(nn.Dropout(0.1, rng=6), nn.Linear(16, 2, rng=rng)))

    want, stopped, got = model(), model(), model()
    history = train(want, 6, validation=[(X, Y)])
    assert len(leaves(want.buffers())) >= 2
    train(stopped, 3, validation=[(X, Y)], checkpoint=tmp_path / "c")
    assert train(got, 6, validation=[(X, Y)], checkpoint=tmp_path / "c", resume=True) == history
    assert_same(values(got), values(want))


def test_goes_on_after_an_interruption(tmp_path):
    want = Noisy()
    history = train(want, 6)

    calls = itertools.count()

    def interrupted(y, t):
        if next(calls) == 8:    # amid the third epoch
            signal.raise_signal(signal.SIGINT)
        return loss(y, t)

    model, optimiser = Noisy(), nn.Momentum(nn.schedules.cosine(0.3, 20))
    with pytest.raises(KeyboardInterrupt):
        nn.fit(model, interrupted, optimiser, loader(), 6, progress=False, checkpoint=tmp_path / "c")
    assert all(np.isfinite(x).all() for x in values(model))
    assert nn.load_metadata(tmp_path / "c")["epoch"] == 2
    resumed = train(model, 6, optimiser, checkpoint=tmp_path / "c", resume=True)
    assert resumed == history
    assert_same(values(model), values(want))


def test_an_interruption_waits_for_the_end_of_a_step():
    want = Noisy()
    optimiser = nn.SGD(0.1)
    step = nn.training_step(want, loss, optimiser)
    for (x, y), _ in zip(loader(), range(2), strict=False):
        step(x, y)

    calls = itertools.count()

    def interrupted(y, t):
        if next(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return loss(y, t)

    model = Noisy()
    with pytest.raises(KeyboardInterrupt):
        nn.fit(model, interrupted, nn.SGD(0.1), loader(), 1, progress=False)
    assert next(calls) == 2
    assert_same(values(model), values(want))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interruption_does_not_wait():
    seen = []

    def impatient(y, t):
        signal.raise_signal(signal.SIGINT)
        seen.append("waits")
        signal.raise_signal(signal.SIGINT)
        seen.append("never")

    model = Noisy()
    with pytest.raises(KeyboardInterrupt):
        nn.fit(model, impatient, nn.SGD(0.1), loader(), 1, progress=False)
    assert seen == ["waits"]
    assert all(np.isfinite(x).all() for x in values(model))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interruptions_belong_to_who_has_a_handler(monkeypatch):
    seen = []
    before = signal.signal(signal.SIGINT, lambda *args: seen.append("own"))
    try:
        nn.fit(Noisy(), lambda y, t: signal.raise_signal(signal.SIGINT) or loss(y, t), nn.SGD(0.1), loader(), 1,
               progress=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == ["own"] * 3


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


@pytest.mark.parametrize("delay", [0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08])
def test_goes_on_after_an_interruption_at_any_time(delay, tmp_path):
    want, model = Noisy(), Noisy()
    history = train(want, 25)
    main = threading.main_thread().ident
    timer = threading.Timer(delay, lambda: signal.pthread_kill(main, signal.SIGINT))
    with contextlib.suppress(KeyboardInterrupt):
        try:
            timer.start()
            train(model, 25, checkpoint=tmp_path / "c")
        finally:
            timer.join()
    assert all(np.isfinite(x).all() for x in values(model))
    resumed = Noisy()
    assert train(resumed, 25, checkpoint=tmp_path / "c", resume=True) == history
    assert_same(values(resumed), values(want))
    assert "lazyarr.nn.Loader" not in [thread.name for thread in threading.enumerate()]


def test_checkpoints_come_every_so_many_epochs_and_at_the_end(tmp_path):
    epochs = []

    class Watched(nn.Loader):
        def __iter__(self):
            path = tmp_path / "c"
            epochs.append(nn.load_metadata(path)["epoch"] if path.exists() else None)
            return super().__iter__()

    train(Noisy(), 5, data=Watched((X, Y), 16), checkpoint=tmp_path / "c", checkpoint_every=2)
    assert epochs == [None, None, 2, 2, 4]
    assert nn.load_metadata(tmp_path / "c")["epoch"] == 5


def test_a_training_that_is_done_is_not_gone_on_with(tmp_path):
    model = Noisy()
    history = train(model, 20, checkpoint=tmp_path / "c", early_stopping=nn.EarlyStopping(2, change=10))
    assert len(history["loss"]) == 3
    other = Noisy()
    assert train(other, 20, checkpoint=tmp_path / "c", resume=True,
                 early_stopping=nn.EarlyStopping(2, change=10)) == history
    assert_same(values(other), values(model))


def test_a_checkpoint_can_be_loaded_as_a_layer(tmp_path):
    model, other = Noisy(), Noisy()
    train(model, 2, checkpoint=tmp_path / "c")
    nn.load(tmp_path / "c", other)
    assert_same(values(other), values(model))


@pytest.mark.parametrize("generator", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_generators_of_all_kinds_go_on(generator, tmp_path):
    one, two = Noisy(np.random.Generator(generator(1))), Noisy(np.random.Generator(generator(2)))
    train(one, 1, checkpoint=tmp_path / "c")
    train(two, 1, checkpoint=tmp_path / "c", resume=True)
    np.testing.assert_array_equal(one.rng.random(4), two.rng.random(4))


def test_finds_the_generators_of_layers_within():
    class Outer(nn.Layer):
        def __init__(self):
            self.parts = [Noisy(), {"a": Noisy()}]

    assert list(generators(Outer())) == ["parts.0.rng", "parts.1.a.rng"]


def test_a_checkpoint_of_another_training_changes_nothing(tmp_path):
    class Wide(nn.Layer):
        def __init__(self):
            self.first, self.rng = nn.Linear(3, 2, rng=0), np.random.default_rng(0)

        __call__ = None

    train(Noisy(), 1, checkpoint=tmp_path / "c")
    before, optimiser = values(wide := Wide()), nn.Momentum(0.1)
    drawn = wide.rng.bit_generator.state
    with pytest.raises(ValueError, match=r"parameter first\.weight has shape|there is no|is missing"):
        train(wide, 2, optimiser, checkpoint=tmp_path / "c", resume=True)
    assert_same(values(wide), before)
    assert optimiser.state() == {"steps": 0}
    assert wide.rng.bit_generator.state == drawn
    twister, before = Noisy(), values(Noisy())
    twister.rng = np.random.Generator(np.random.MT19937(0))
    with pytest.raises(ValueError, match=r"has the state of a PCG64 for rng, this training has a MT19937"):
        train(twister, 2, optimiser, checkpoint=tmp_path / "c", resume=True)
    assert optimiser.state() == {"steps": 0}
    assert_same(values(twister), before)
    with pytest.raises(ValueError, match=r"has the generators \['rng'\], this training has \[\]"):
        train(nn.Linear(3, 2), 2, checkpoint=tmp_path / "c", resume=True)
    with pytest.raises(ValueError, match=r"has the early stopping \[\], this training has"):
        train(Noisy(), 2, checkpoint=tmp_path / "c", resume=True, early_stopping=3)
    with pytest.raises(ValueError, match=r"has the loaders \['data'\], this training has \[\]"):
        train(Noisy(), 2, data=[(X, Y)], checkpoint=tmp_path / "c", resume=True)
    nn.save(tmp_path / "c", Noisy())
    with pytest.raises(ValueError, match="no checkpoint of fit"):
        train(Noisy(), 2, checkpoint=tmp_path / "c", resume=True)


@pytest.mark.parametrize("damage", [
    lambda tree, notes: tree.pop("optimiser"),
    lambda tree, notes: tree.pop("best"),
    lambda tree, notes: tree.update(optimiser=la.ones(3)),
    lambda tree, notes: tree["parameters"].pop("last"),
    lambda tree, notes: notes.update(loaders={}),
    lambda tree, notes: notes.update(epoch=7),
    lambda tree, notes: notes["history"].clear(),
    lambda tree, notes: notes["generators"]["rng"].pop("state"),
    lambda tree, notes: notes["generators"]["rng"].update(uinteger=2**40),
    lambda tree, notes: notes["loaders"]["data"].pop("seed"),
    lambda tree, notes: notes["loaders"]["data"].update(seed="three"),
    lambda tree, notes: notes["loaders"]["data"].update(position=99),
    lambda tree, notes: notes["stopping"].pop("waited"),
    lambda tree, notes: notes["stopping"].update(value="best"),
])
def test_a_damaged_checkpoint_changes_nothing(damage, tmp_path):
    train(Noisy(), 2, checkpoint=tmp_path / "c", early_stopping=3)
    tree, notes = nn.load(tmp_path / "c"), nn.load_metadata(tmp_path / "c")
    damage(tree, notes)
    nn.save(tmp_path / "c", tree, notes)
    model, optimiser, data = Noisy(5), nn.Momentum(0.1), loader()
    before = values(model), model.rng.bit_generator.state, data.state()
    with pytest.raises(ValueError, match=r"fit: .* (is damaged|no checkpoint|has the)|parameter last.*missing"):
        train(model, 3, optimiser, data, checkpoint=tmp_path / "c", resume=True, early_stopping=3)
    assert_same(values(model), before[0])
    assert (model.rng.bit_generator.state, data.state(), optimiser.state()) == (*before[1:], {"steps": 0})


def test_a_killed_training_goes_on_to_the_same_bits(tmp_path, run_python, start_python):
    code = textwrap.dedent("""
        import os, signal, sys
        import lazyarr as la
        from lazyarr import nn
        sys.path.insert(0, {folder!r})
        from test_fit import *
        def run(epochs, **options):
            model = Noisy()
            return train(model, epochs, **options), model
    """).format(folder=os.path.dirname(__file__))
    path = str(tmp_path / "c")
    killed = start_python(code + textwrap.dedent(f"""
        calls = itertools.count()
        def dying(y, t):
            if next(calls) == 10:
                os.kill(os.getpid(), signal.SIGKILL)
            return loss(y, t)
        nn.fit(Noisy(), dying, nn.Momentum(nn.schedules.cosine(0.3, 20)), loader(), 6, checkpoint={path!r})
    """))
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    printed = run_python(code + f"print(run(6, checkpoint={path!r}, resume=True)[0]['loss'])")
    assert printed.strip() == str(train(Noisy(), 6)["loss"])


# ---- progress and wrong input ---------------------------------------------------------------------------


def test_shows_a_bar(capsys):
    nn.fit(Noisy(), loss, nn.SGD(0.1), loader(), 2, metrics=[nn.accuracy])
    shown = capsys.readouterr().err
    assert "epoch 1/2" in shown
    assert "epoch 2/2: 100%" in shown
    assert "3/3" in shown
    assert "loss 0." in shown
    assert "accuracy 0." in shown


def test_says_which_package_shows_the_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match=r"pip install 'lazyarr\[nn\]', or say progress=False"):
        nn.fit(Noisy(), loss, nn.SGD(0.1), loader(), 2)
    train(Noisy(), 1)


@pytest.mark.parametrize("options, error, words", [
    ({"data": []}, ValueError, "the data gave no batches in epoch 1"),
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
