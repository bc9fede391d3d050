"""asv_bench/gain.py: all forms of a program agree, lines are counted, tables round-trip and are plotted."""

import importlib
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import lazyarr as la

FOLDER = Path(__file__).parents[1] / "asv_bench"

sys.path.insert(0, str(FOLDER))
try:
    gain, gain_report = map(importlib.import_module, ("gain", "gain_report"))
finally:
    sys.path.remove(str(FOLDER))

SMALL = {case.program: case for case in gain.cases("", ["small"])}


def results(case, library, **options):
    return gain.call(library, gain.load(case.program, library, **options), case.arguments)()


@pytest.mark.parametrize("library", ["lazyarr", "Numba", "JAX"])
@pytest.mark.parametrize("program", SMALL)
def test_forms_agree(program, library):
    if library not in gain.LIBRARIES:
        pytest.skip(f"{library} is not installed")
    case = SMALL[program]
    want = results(case, "NumPy")
    for given in case.arguments:
        if isinstance(given, np.ndarray):
            given.flags.writeable = False  # the next call gets the same
    gain.check(case, library, results(case, library), want)


def test_all_programs_are_measured_and_of_two_sizes():
    assert {path.stem for path in gain.PROGRAMS.glob("*.py")} == {
        f"{program}{ending}" for program in SMALL for ending in ("", "_numba", "_jax")}
    assert [parameters[0] < parameters[1] for _, *parameters in gain.CASES.values()] == [True] * len(SMALL)


def test_lazyarr_runs_the_source_of_numpy():
    run = gain.load("heat", "lazyarr")
    assert run.__globals__["np"] is la.numpy
    assert run.__code__.co_filename == gain.load("heat", "NumPy").__code__.co_filename
    assert gain.load("heat", "NumPy").__globals__["np"] is np


@pytest.mark.skipif("Numba" not in gain.LIBRARIES, reason="Numba is not installed")
def test_serial_forms_of_numba_agree():
    case = SMALL["heat"]
    run = gain.load("heat", "Numba", parallel=False)
    assert not run.targetoptions.get("parallel")
    assert gain.load("heat", "Numba").targetoptions["parallel"]
    gain.check(case, "Numba", gain.call("Numba", run, case.arguments)(), results(case, "NumPy"))


@pytest.mark.parametrize("wrong, message", [
    (lambda want: [], "gives 0 arrays"),
    (lambda want: [want[0][:-1], want[1]], "gives float64"),
    (lambda want: [want[0] * (1 + 1e-4), want[1]], "Not equal to tolerance"),
    (lambda want: [want[0], want[1] ^ 1], "differs"),
])
def test_differences_are_found(wrong, message):
    want = results(SMALL["kmeans"], "NumPy")
    with pytest.raises(AssertionError, match=message):
        gain.check(SMALL["kmeans"], "lazyarr", wrong(want), want)


def test_lines_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(gain, "PROGRAMS", tmp_path)
    before = '"""One."""\nimport numpy as np\n\n\ndef run(x):\n    y = x + 1\n    return y\n'
    after = '"""Two."""\nimport jax\n\ndef run(x):\n    y = x + 1\n    y = y * 1\n    return y\n'
    (tmp_path / "p.py").write_text(before, "utf-8")
    (tmp_path / "p_jax.py").write_text(after, "utf-8")
    assert gain.changed_lines("p", "lazyarr") == 0
    assert gain.changed_lines("p", "JAX") == 2


def rows():
    first, changed = {"lazyarr": 0.01, "JAX": 2.0}, {"lazyarr": 0, "JAX": 7}
    for title, factor in (("Heat", 1.0), ("Black-Scholes", 0.5)):
        for size in gain_report.SIZES:
            times = {"NumPy": 1234.0, "lazyarr": 12.5 * factor, "JAX": 0.25}
            yield gain_report.Row(title, size, f"{size} plate", times, first, changed)


def test_tables_can_be_read_again(tmp_path):
    path = tmp_path / "gain.md"
    path.write_text(gain_report.tables(list(rows())), "utf-8")
    assert gain_report.read(path) == list(rows())


def test_means_are_geometric():
    small, _ = gain_report.means(list(rows()))
    assert small.gain("lazyarr") == pytest.approx(np.sqrt((1234 / 12.5) * (1234 / 6.25)))
    assert small.changed == {"lazyarr": 0, "JAX": 14}


def test_figure_says_what_it_shows(tmp_path):
    pytest.importorskip("matplotlib")
    gain_report.draw(list(rows()), tmp_path / "a.svg")
    gain_report.draw(list(rows()), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    texts = {"".join(element.itertext()).strip() for element in ElementTree.parse(tmp_path / "a.svg").iter()}
    assert {"NumPy", "lazyarr", "JAX", "Heat", "small plate", "lines changed", "14"} <= texts


def test_command_measures(tmp_path, monkeypatch):
    monkeypatch.setattr(gain, "SECONDS", 0.0)
    path = tmp_path / "gain.md"
    monkeypatch.setattr(sys, "argv", ["gain.py", "--quick", "--only", "conjugate", "--table", str(path)])
    gain.main()
    (row,) = gain_report.read(path)
    assert row.title == "Conjugate gradients"
    assert list(row.times) == gain.LIBRARIES
    assert row.changed["lazyarr"] == 0
