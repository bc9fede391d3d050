"""Training resumes from a file with the same bits, however it ended, and damaged files do no harm."""

import contextlib
import signal
import textwrap
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.autodiff.trees import leaves
from lazyarr.nn.train.checkpoint import generators
from support.training import Noisy, X, Y, assert_same, loader, loss, train, values

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
        import itertools, os, signal
        from lazyarr import nn
        from support.training import Noisy, loader, loss, train
        def run(epochs, **options):
            model = Noisy()
            return train(model, epochs, **options), model
    """)
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
