"""asv_bench/instructions.py: its calls do the same with both libraries, and its counts add up."""

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

import lazyarr.numpy

PATH = Path(__file__).parents[1] / "asv_bench" / "instructions.py"


@pytest.fixture(scope="module")
def command():
    specification = importlib.util.spec_from_file_location("instructions", PATH)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_calls_do_the_same(command):
    for statement in command.calls():
        values = []
        for library in (np, lazyarr.numpy):
            names = {"np": library, "numbers": command.NUMBERS}
            names |= {name: eval(text, {"np": library}) for name, text in command.ARRAYS.items()}
            exec(statement, names)
            values.append(np.asarray(names[command._result(statement)]))
        np.testing.assert_allclose(*values, err_msg=statement)


def test_what_the_counted_process_prints(command, capsys):
    statements = command.calls("sum|out=")
    for library in ("numpy", "lazyarr"):
        command.count(library, statements)
        assert [line[1:] for line in capsys.readouterr().out.splitlines()] == [command.EMPTY, *statements]


def test_without_valgrind(command, capsys, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert command.main([]) == 2
    assert "there is no valgrind" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")
def test_counts_repeat(command):
    counts, pending = command.counted("numpy", r"x \+ y|len\(x\)")
    again, _ = command.counted("numpy", r"x \+ y|len\(x\)")
    assert counts == pytest.approx(again, abs=50)
    assert 0 < counts["r = len(x)"] < counts["r = x + y"]
    assert not pending


@pytest.mark.parametrize(("lazily", "status"), [(90.0, 0), (110.0, 1)])
def test_fails_if_a_call_takes_more(command, capsys, monkeypatch, lazily, status):
    counts = {"numpy": ({"r = len(x)": 100.0}, set()), "lazyarr": ({"r = len(x)": lazily}, {"r = len(x)"})}
    monkeypatch.setattr(command, "counted", lambda library, only: counts[library])
    monkeypatch.setattr(shutil, "which", lambda name: name)
    assert command.main([]) == status
    output = capsys.readouterr().out
    assert ("more than NumPy" in output) == bool(status)
    assert "* left pending" in output
