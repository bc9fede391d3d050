"""The programs in examples/ print the same text whether Python runs them or ``python -m lazyarr`` does."""

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

# Arguments that make each program small. A program without a row here fails its test.
SMALL = {
    "black_scholes": ["20000"],
    "heat": ["50"],
    "hillshade": ["4"],
    "kmeans": ["4", "2"],
    "photo": ["1"],
}
SMALL_PROGRAMS = {
    "cavity": ["21", "20", "10"],
    "cholesky": ["60"],
    "conjugate_gradient": ["30", "100"],
    "floyd_warshall": ["50"],
    "gram_schmidt": ["60", "40"],
    "heat": ["40", "50"],
    "histogram_equalisation": ["1"],
    "kmeans": ["1000", "5", "6"],
    "life": ["40", "30"],
    "lu": ["50"],
    "mandelbrot": ["60", "40"],
    "nbody": ["20", "10"],
    "softmax_regression": ["40"],
    "wave": ["40", "50"],
}


def each(scripts):
    return pytest.mark.parametrize("script", sorted(scripts), ids=lambda script: script.stem)


every_example = each(EXAMPLES.glob("*.py"))
every_program = each(EXAMPLES.glob("programs/*.py"))


def output_of(command, directory):
    """Standard output of a Python command line; fails with the command's own errors if it exits with any."""
    result = subprocess.run(
        [sys.executable, *command], cwd=directory, capture_output=True, text=True, encoding="utf-8", timeout=240
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def imported_packages(script):
    """Top-level names of the packages that a script imports."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_there_are_examples():
    assert {script.stem for script in EXAMPLES.glob("*.py")} == set(SMALL)
    assert {script.stem for script in EXAMPLES.glob("programs/*.py")} == set(SMALL_PROGRAMS)


@each(EXAMPLES.rglob("*.py"))
def test_is_a_plain_numpy_program(script):
    packages = set(imported_packages(script))
    assert "numpy" in packages
    assert "lazyarr" not in packages


# Both run in an empty directory, where Python finds lazyarr as it is installed and not as it lies in the checkout.
@every_example
def test_prints_the_same_with_lazyarr(script, tmp_path):
    program = [str(script), *SMALL[script.stem]]
    expected = output_of(program, tmp_path)
    assert expected.strip()
    assert output_of(["-m", "lazyarr", *program], tmp_path) == expected


@every_example
def test_says_what_is_wrong_with_its_argument(script, tmp_path):
    command = [sys.executable, str(script), "0"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=240)
    assert result.returncode == 2
    assert "must be at least" in result.stderr
    assert "Traceback" not in result.stderr


# NumPy's side runs in this process, which spares it the start of an interpreter.
@every_program
def test_classical_program_prints_the_same_with_lazyarr(script, tmp_path, monkeypatch, capsys):
    program = [str(script), *SMALL_PROGRAMS[script.stem]]
    monkeypatch.setattr(sys, "argv", program)
    runpy.run_path(program[0], run_name="__main__")
    expected = capsys.readouterr().out
    assert expected.strip()
    assert output_of(["-m", "lazyarr", *program], tmp_path) == expected
