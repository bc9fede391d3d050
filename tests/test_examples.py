"""The programs in examples/ print the same when run by Python and by the command ``lazyarr``.

Those that train networks, and the typed one, import lazyarr themselves and run unchanged. Those of the gallery have a
separate test.
"""

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

# Constants that make each program small. A program without a row here fails its test.
SMALL = {
    "black_scholes": ["20000"],
    "heat": ["50"],
    "hillshade": ["4"],
    "kmeans": ["4", "2"],
    "photo": ["1"],
    "programs/cavity": ["21", "20", "10"],
    "programs/cholesky": ["60"],
    "programs/conjugate_gradient": ["30", "100"],
    "programs/floyd_warshall": ["50"],
    "programs/gram_schmidt": ["60", "40"],
    "programs/heat": ["40", "50"],
    "programs/histogram_equalisation": ["1"],
    "programs/kmeans": ["1000", "5", "6"],
    "programs/lattice_boltzmann": ["40", "20", "10"],
    "programs/life": ["40", "30"],
    "programs/lu": ["50"],
    "programs/mandelbrot": ["60", "40"],
    "programs/nbody": ["20", "10"],
    "programs/softmax_regression": ["40"],
    "programs/wave": ["40", "50"],
}
# Programs that train networks: small arguments, and the last line of their output.
TRAINING = {
    "char_lstm": (["3"], r"(?s).*step +3: loss 4\.\d+, .*\nThe .{299,}"),
    "mnist_like": (["2"], r"(?s).*iteration +2: loss \d.*\n6434634 parameters, \d+ ms an iteration, .* images read\n"),
    "train_digits": (["2"], r"(?s)epoch +1: loss 2\.\d+, .*\n22602 parameters, .* % read at the end\n"),
}


def name_of(script):
    return script.relative_to(EXAMPLES).with_suffix("").as_posix()


def found(pattern):
    return [script for script in sorted(EXAMPLES.glob(pattern))
            if script.parent != EXAMPLES / "gallery" and script.name != "typed_program.py"]


def each(pattern, training=False):
    scripts = [script for script in found(pattern) if training or name_of(script) not in TRAINING]
    return pytest.mark.parametrize("script", scripts, ids=name_of)


def run_here(monkeypatch, script, *arguments):
    """Run a program with NumPy in this process, to save the start of an interpreter."""
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    runpy.run_path(str(script), run_name="__main__")


def test_typed_program_fits_a_line(monkeypatch, capsys):
    run_here(monkeypatch, EXAMPLES / "typed_program.py")
    assert re.fullmatch(r"slope 3\.0\d, offset -0\.[45]\d, loss 0\.01\d\n", capsys.readouterr().out)


def imported_packages(script):
    """Return the top-level names of the packages that a script imports."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_there_are_examples():
    assert {name_of(script) for script in found("**/*.py")} == {*SMALL, *TRAINING}


@each("**/*.py")
def test_is_a_plain_numpy_program(script):
    packages = set(imported_packages(script))
    assert "numpy" in packages
    assert "lazyarr" not in packages


# lazyarr runs in an empty directory, where Python finds the installed package, not the checkout.
@each("**/*.py")
def test_prints_the_same_with_lazyarr(script, tmp_path, monkeypatch, capsys):
    run_here(monkeypatch, script, *SMALL[name_of(script)])
    expected = capsys.readouterr().out
    assert expected.strip()
    result = subprocess.run([sys.executable, "-m", "lazyarr", str(script), *SMALL[name_of(script)]], cwd=tmp_path,
                            capture_output=True, text=True, encoding="utf-8", timeout=240)
    assert result.returncode == 0, result.stderr
    assert result.stdout == expected


@pytest.mark.parametrize("name", TRAINING)
def test_trains(name, monkeypatch, capsys):
    arguments, printed = TRAINING[name]
    run_here(monkeypatch, EXAMPLES / f"{name}.py", *arguments)
    assert re.fullmatch(printed, capsys.readouterr().out)


def test_goes_on_with_a_training(monkeypatch, capsys, tmp_path):
    script, checkpoint = EXAMPLES / "train_digits.py", str(tmp_path / "checkpoint")
    for _ in range(2):    # the second finds that nothing is left to do
        run_here(monkeypatch, script, "2", "--checkpoint", checkpoint)
    first, second = (text for text in re.split(r"(?<=end\n)", capsys.readouterr().out) if text)
    assert first == second


@each("*.py", training=True)
def test_says_what_is_wrong_with_its_argument(script, monkeypatch, capsys):
    with pytest.raises(SystemExit) as ended:
        run_here(monkeypatch, script, "0")
    assert ended.value.code == 2
    assert "must be at least" in capsys.readouterr().err
