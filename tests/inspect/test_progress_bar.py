"""The bar of config.progress: shown only for long evaluations, and removed afterwards."""

import sys
import time

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api

pytest.importorskip("tqdm")


def call(function, x):
    """A step that calls a function on its way."""
    def through(values):
        function()
        return values + 1

    return api.opaque(getattr(function, "__name__", "call"), through, [x], x.shape, x.dtype)


def nap():
    time.sleep(1.1)


def interrupt():
    raise KeyboardInterrupt


def fail():
    raise ValueError("no")


def start():
    return la.asarray(np.zeros(3))


def is_cleared(shown):
    return shown.endswith("\r") and not shown.rsplit("\r", 2)[1].strip()


@pytest.fixture(autouse=True)
def on():
    with la.config(progress=True):
        yield


def test_a_long_evaluation_shows_its_steps(capsys):
    def the_last():
        pass

    x = call(the_last, call(nap, call(list, start())))
    x.numpy()
    shown = capsys.readouterr().err
    assert "2/3" in shown
    assert ", the_last]" in shown
    assert "1/3" not in shown  # that early there was no bar
    assert is_cleared(shown)


def test_short_ones_show_nothing(capsys):
    for _ in range(3):
        call(lambda: time.sleep(0.4), call(list, start())).numpy()
    assert capsys.readouterr().err == ""


def test_off_it_shows_nothing(capsys):
    with la.config(progress=False):
        call(list, call(nap, start())).numpy()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("ending, error", [(fail, ValueError), (interrupt, KeyboardInterrupt)])
def test_errors_and_interrupts_close_the_bar(capsys, ending, error):
    before = call(nap, start())
    x = call(ending, before)
    with pytest.raises(error):
        x.numpy()
    shown = capsys.readouterr().err
    assert f", {ending.__name__}]" in shown
    assert is_cleared(shown)
    assert before.numpy()[0] == 1  # and the arrays are usable
    call(list, before).numpy()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("rounds, text", [
    (lambda body, x: la.fori_loop(0, 8, lambda i, y: body(y), x), "round 8 of 8]"),
    (lambda body, x: la.while_loop(lambda y: y[0] < 8, body, x), "round 8]"),
])
def test_loops_show_their_rounds(capsys, rounds, text):
    def inner(x):
        return la.fori_loop(0, 1000, lambda i, y: y + 0, x)  # the outermost loop is shown

    x = rounds(lambda y: inner(call(lambda: time.sleep(0.2), y)), start())
    assert x.numpy()[0] == 8
    shown = capsys.readouterr().err
    assert text in shown
    assert "of 1,000" not in shown
    assert is_cleared(shown)


def test_evaluations_within_a_step_keep_to_themselves(capsys):
    def within():
        call(list, call(nap, start())).numpy()

    call(list, call(within, call(list, start()))).numpy()
    shown = capsys.readouterr().err
    assert "2/3" in shown
    assert "/2" not in shown
    assert is_cleared(shown)


def test_needs_tqdm():
    with la.config(progress=False), pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "tqdm", None)
        with pytest.raises(ImportError, match=r"config.progress .* pip install 'lazyarr\[nn\]'"):
            la.config.progress = True
        before = la.config.num_threads
        with pytest.raises(ImportError), la.config(num_threads=before + 1, progress=True):
            pass
        assert (la.config.progress, la.config.num_threads) == (False, before)


def test_a_bar_that_fails_leaves_the_arrays_usable(monkeypatch):
    class Full:
        def write(self, text):
            raise OSError("no space")

    x = call(list, call(nap, start()))
    monkeypatch.setattr(sys, "stderr", Full())
    with pytest.raises(OSError, match="no space"):
        x.numpy()
    monkeypatch.undo()
    assert x.numpy()[0] == 2
