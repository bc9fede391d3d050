"""Ctrl-C during training: it ends after the step, and immediately if pressed again."""

import itertools
import signal

import numpy as np
import pytest

from lazyarr import nn
from support.training import Noisy, assert_same, loader, loss, train, values


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
