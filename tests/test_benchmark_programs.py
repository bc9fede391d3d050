"""The programs of asv_bench/programs/ print the same with lazyarr as with NumPy."""

import contextlib
import importlib.util
import io
import sys
from pathlib import Path

import pytest

from lazyarr import runner

FOLDER = Path(__file__).parents[1] / "asv_bench"
PROGRAMS = sorted(FOLDER.joinpath("programs").glob("*.py"))
FEW = "3"  # instead of the number of steps, samples, frames ... that each program takes as its argument


def printed(path, lazy):
    """Return a program's output, when it runs in this process with few steps."""
    names = {"__name__": "__main__", "__file__": str(path)}
    end = runner.redirect_imports(lambda importer: importer is names) if lazy else lambda: None
    try:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(path.read_text(encoding="utf-8"), path, "exec"), names)
    finally:
        end()
    assert names["np"].__name__ == ("lazyarr.numpy" if lazy else "numpy")
    return output.getvalue()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_same_output(path, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(path), FEW])
    expected = printed(path, lazy=False)
    assert expected
    assert printed(path, lazy=True) == expected


@pytest.fixture(scope="module")
def command():
    specification = importlib.util.spec_from_file_location("programs_command", FOLDER / "programs.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_command(command, capsys):
    assert command.main(["--only", "^kmeans$|^sudoku$", "--rounds", "1"]) == 0
    _, first, second, total = capsys.readouterr().out.splitlines()
    assert [first.split()[0], second.split()[0]] == ["kmeans", "sudoku"]
    assert total.startswith("2 programs, geometric means: time ")


def test_command_tells_of_failures(command, capsys, tmp_path, monkeypatch):
    tmp_path.joinpath("differs.py").write_text("import numpy\nprint(numpy.__name__)\n")
    tmp_path.joinpath("fails.py").write_text("import numpy\n1 / 0\n")
    monkeypatch.setattr(command, "PROGRAMS", tmp_path)
    assert command.main(["--rounds", "1"]) == 2
    output = capsys.readouterr().out
    assert "differs prints something else with lazyarr" in output
    assert "fails fails with numpy" in output
    assert "ZeroDivisionError" in output
