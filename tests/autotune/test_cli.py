"""``lazyarr tune``: what it measures, prints and writes. No test depends on timings."""

import itertools
import json
import os
import sys

import numpy as np
import pytest

import lazyarr as la
from lazyarr import __main__
from lazyarr._core.host import threads
from lazyarr._version import __version__
from lazyarr.autotune import benchmarks, choices, cli, operations, store
from lazyarr.autotune.parameters import PATH, rounded, rows
from lazyarr.autotune.timer import Timer, mean
from support.script_folder import LAZY, Folder

CASES = operations.cases
LABELS = [label for label, _, _ in itertools.islice(CASES(), 2, 4)]


def hasty(seconds):
    """A timer for which everything takes one tick, and that makes each call as seldom as may be."""
    ticks = itertools.count()
    return Timer(0, lambda: next(ticks) * 1e-5)


@pytest.fixture
def place(tmp_path, monkeypatch):
    path = tmp_path / "tuning.json"
    monkeypatch.setenv(store.VARIABLE, str(path))
    return path


def test_every_number_is_measured_somehow():
    assert sorted(benchmarks.MEASURES) == sorted(name for name in rows() if not name.startswith("ufunc."))
    for name in rows():
        assert callable(benchmarks.measured_how(name).measure)


@pytest.mark.parametrize("options", [[], ["--same-results"]])
def test_tune_writes_what_it_measured(place, capsys, run_python, monkeypatch, options):
    monkeypatch.setattr(cli, "QUICK", (1, 0, 0))
    before = dict(la.config.tuning), threads.get_num_threads()
    with la.config(num_threads=2):
        assert cli.main(["--quick", *options], hasty) == 0
    wanted = [name for name in rows() if not (options and name.startswith(PATH))]
    assert (dict(la.config.tuning), threads.get_num_threads()) == before
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(store.processor())
    assert [line.split()[0] for line in lines[2:-1]] == wanted
    assert lines[-1] == f"written to {place}"
    written = json.loads(place.read_text())["machines"][store.processor()][__version__]
    assert set(wanted) - set(written) <= {"fft.team", "threads.still_spins_ns"}  # which two threads need not tell
    assert set(written) <= set(wanted)
    for name, value in written.items():
        assert rows()[name].checked(value) == value
    assert written["elementwise.tile_bytes"] == rows()["elementwise.tile_bytes"].default  # no size is better
    shown = run_python("import lazyarr as la; t = la.config.tuning; print([n for n in t if t.source(n) == 'tuned'])")
    assert sorted(written) == sorted(eval(shown))


def measure_little(monkeypatch):
    """Measure two numbers alone."""
    few = {name: rows()[name] for name in ("repeat.byte_ns", "ufunc.add_ns")}
    monkeypatch.setattr(cli, "rows", lambda: few)


def test_dry_run_writes_nothing(place, capsys, monkeypatch):
    measure_little(monkeypatch)
    assert cli.main(["--dry-run"], hasty) == 0
    out, errors = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["repeat.byte_ns", "ufunc.add_ns"]
    assert errors.splitlines()[-1] == "lazyarr: measuring, round 4 of 4"
    assert not place.exists()


def test_a_folder_that_cannot_be_written(place, capsys, monkeypatch):
    measure_little(monkeypatch)
    place.write_text("")
    monkeypatch.setenv(store.VARIABLE, str(place / "tuning.json"))
    assert cli.main(["--quick"], hasty) == 1
    assert f"lazyarr: can't write '{place / 'tuning.json'}': " in capsys.readouterr().err


def test_nowhere_to_write(monkeypatch, capsys):
    monkeypatch.setenv(store.VARIABLE, "0")
    with pytest.raises(SystemExit) as caught:
        cli.main(["--quick"], hasty)
    assert caught.value.code == 2
    assert "there is no file to write: LAZYARR_TUNING is 0" in capsys.readouterr().err


def test_one_thread_measures_no_team():
    with la.config(num_threads=1):
        for name in ("threads.worthwhile_ns", "threads.worth_waking_ns", "threads.still_spins_ns", "fft.team"):
            assert benchmarks.measured_how(name).measure(hasty(0)) is None


def test_an_interrupt(place, monkeypatch, capsys):
    def interrupted(timer):
        raise KeyboardInterrupt

    before = dict(la.config.tuning)
    monkeypatch.setitem(benchmarks.MEASURES, "gemm.block_bytes", benchmarks.Measured(interrupted, min))
    assert cli.main(["--quick"], hasty) == 130
    assert capsys.readouterr().err.endswith("lazyarr: interrupted; nothing was written\n")
    assert not place.exists()
    assert dict(la.config.tuning) == before


def test_rounds_choose(monkeypatch):
    values = iter([3.0, 1.0, 2.0])
    monkeypatch.setitem(benchmarks.MEASURES, "repeat.byte_ns", benchmarks.Measured(lambda timer: next(values), min))
    wanted = {"repeat.byte_ns": rows()["repeat.byte_ns"]}
    assert cli.measured(wanted, 3, hasty(0), hasty(0)) == {"repeat.byte_ns": 1.0}


@pytest.mark.parametrize(("name", "value", "expected"), [
    ("pool.byte_ns", 0.0123456, 0.0123), ("pool.byte_ns", 1e9, 10), ("pool.byte_ns", 0, 1e-4),
    ("gemm.block_bytes", 123456.7, 123457), ("gemm.block_bytes", 1, 16384), ("threads.worthwhile_ns", 12345.6, 12300),
])
def test_rounded(name, value, expected):
    assert rounded(rows()[name], value) == expected


# ---- the timer ----


class Clock:
    """A clock that only `work` moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def work(self, *seconds):
        """Return a call that takes so many seconds, by turns."""
        turns = itertools.cycle(seconds)

        def call():
            self.now += next(turns)

        return call


def test_best_takes_turns():
    clock, order = Clock(), []
    slow, fast = clock.work(3, 5), clock.work(2)
    timer = Timer(0, clock)
    assert timer.best(lambda: (order.append("s"), slow()), lambda: (order.append("f"), fast())) == [3, 2]
    assert "".join(order) == "sf" * 4  # one that does not count, three that do


def test_best_uses_its_time():
    clock = Clock()
    Timer(100, clock).best(clock.work(1))
    assert clock.now == 101


def test_usual_is_the_median_and_leaves_out_what_comes_before():
    clock = Clock()
    assert Timer(0, clock).usual(clock.work(1, 2, 50), before=clock.work(7), least=9) == [2]


def test_errors_of_estimates():
    clock = Clock()
    wait = clock.work(2e-6)

    def problem():
        wait()
        return np.exp(la.ones(1000, "float32"))

    with la.config.tuning({"ufunc.exp_ns": 0.5}):
        before = threads.estimated_ns()
        problem().numpy()
        estimate = threads.estimated_ns() - before
        assert Timer(0, clock).errors_of_estimates(problem) == [pytest.approx(2000 / estimate)]


def test_mean():
    assert mean([1, 100]) == pytest.approx(10)


# ---- the command line ----


@pytest.fixture
def folder(tmp_path):
    with Folder(tmp_path) as folder:
        yield folder


def test_main_passes_arguments_on(monkeypatch):
    monkeypatch.setattr(cli, "main", lambda arguments: arguments)
    monkeypatch.setattr(sys, "argv", ["lazyarr", "tune", "--quick", "x"])
    assert __main__.main() == ["--quick", "x"]


def test_scripts_named_tune_still_run(folder):
    folder.write(tune="import numpy, sys\nprint(numpy.__name__, sys.argv[1:])")
    os.link(folder.path / "tune.py", folder.path / "tune")
    for script in ("tune.py", os.path.join(".", "tune")):
        assert folder.printed(*LAZY, script, "--quick") == ["lazyarr.numpy ['--quick']"]
    assert folder.printed(*LAZY, "tune", "--help")[0].startswith("usage: lazyarr tune [-h] [--dry-run]")


@pytest.mark.skipif(os.name != "posix", reason="needs modes of files")
def test_a_folder_that_all_may_write_to(place, capsys, monkeypatch):
    measure_little(monkeypatch)
    place.parent.mkdir(exist_ok=True)
    place.parent.chmod(0o777)
    assert cli.main(["--quick"], hasty) == 1
    assert f"can't write '{place}': all users may write to the folder {place.parent}" in capsys.readouterr().err
    assert not place.exists()


def test_backends_are_measured_once(place, capsys, monkeypatch, run_python):
    monkeypatch.setattr(operations, "cases", lambda: itertools.islice(CASES(), 2, 4))
    monkeypatch.setattr(cli, "_SECONDS_OF_CALL", 0)
    la.backends.forget()
    try:
        assert cli.main(["--ops"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split("  ")[0] for line in lines[1:]] == ["call", *LABELS, f"written to {place}"]
        assert cli.main(["--ops", "--quick"]) == 0
        assert "All calls are in the file." in capsys.readouterr().out
        (written,) = json.loads(place.read_text())["backends"][store.processor()].values()
        assert len([name for shapes in written.values() for name in shapes.values()]) == 2
        shown = run_python("""
            import lazyarr as la
            from lazyarr.backends.choice import measured
            la.asarray(0.0)
            print(measured.as_json())""")
        assert eval(shown) == written
    finally:
        la.backends.forget()


def test_backends_of_other_libraries_are_not_read(place, run_python, monkeypatch):
    store.write({"matmul": {"1": "numpy"}}, store.BACKENDS, "lazyarr 0, numpy 1, scipy none")
    code = """
        import warnings
        import lazyarr as la
        from lazyarr.backends.choice import measured
        with warnings.catch_warnings(record=True) as caught:
            la.asarray(0.0)
        print(len(measured), ["goes without the backends" in str(w.message) for w in caught])"""
    assert run_python(code) == "0 []\n"
    store.write({"matmul": {"one": "numpy"}}, store.BACKENDS, choices.libraries())
    assert run_python(code) == "0 [True]\n"


def test_all_calls_have_backends_to_measure():
    assert len([*CASES()]) == 60
    for _, function, arrays in CASES():
        assert isinstance(operations.result(function, arrays), la.LazyArray)


def test_same_results_leaves_out_what_rounds_differently(place, capsys, monkeypatch):
    monkeypatch.setattr(operations, "cases", lambda: (
        case for case in CASES() if "x50000" in case[0] or "inv" in case[0]))
    la.backends.forget()
    try:
        assert cli.main(["--ops", "--same-results", "--quick"]) == 0
        assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:-1]] == ["sort", "argsort"]
    finally:
        la.backends.forget()
