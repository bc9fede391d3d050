"""Decisions made from timings, tested with made-up ones."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import threads
from lazyarr.autotune import benchmarks
from lazyarr.autotune.parameters import rows
from lazyarr.autotune.timer import Timer


class Told(Timer):
    """A timer that is told what calls take; it makes each call once, and notes what `watched` was during it."""

    def __init__(self, answers, watched="fft.team"):
        super().__init__(0)
        self.answers = iter(answers)
        self.watched = watched
        self.seen = []

    def best(self, *calls, least=3):
        for call in calls:
            call()
            self.seen.append(la.config.tuning[self.watched])
        return next(self.answers)

    def usual(self, *calls, before, least=41):
        before()
        return self.best(*calls)


@pytest.fixture(autouse=True)
def numbers_stay():
    before = dict(la.config.tuning)
    with la.config(num_threads=2):
        yield
    assert dict(la.config.tuning) == before


def measure(name, timer):
    return benchmarks.measured_how(name).measure(timer)


@pytest.mark.parametrize("name", ["threads.worthwhile_ns", "threads.worth_waking_ns"])
def test_what_sharing_loses(name):
    # nothing takes 2 us, and so does sharing it; a step of 10 us more takes 9 us, 2 more than half of it
    assert measure(name, Told([[2e-6, 2e-6, 12e-6, 9e-6]])) == pytest.approx(5000)
    assert measure(name, Told([[2e-6, 2e-6, 12e-6, 1e-6]])) > 0  # noise


@pytest.mark.parametrize(("end", "expected"), [(30e-6, 25629), (1, 4987885), (0, None)])
def test_how_long_a_team_spins(monkeypatch, end, expected):
    monkeypatch.setattr(threads, "time_team", lambda team, times, gap: [1e-6 if gap < end or not gap else 9e-6] * times)
    assert measure("threads.still_spins_ns", Timer(0)) == (expected and pytest.approx(expected, rel=1e-4))


def test_the_fastest_size():
    name = "elementwise.tile_bytes"
    default, smaller = rows()[name].default, 8 << 10
    sizes = 12  # the default first
    flat, better = [1.0] * sizes, [1.0, 0.9] + [1.0] * (sizes - 2)
    timer = Told([better] * 4, name)
    assert measure(name, timer) == smaller
    assert timer.seen[:2] == [default, smaller]
    assert measure(name, Told([flat] * 4)) == default
    assert measure(name, Told([better, flat, flat, flat])) == default  # not clearly


@pytest.mark.parametrize("name", ["elementwise.stream_bytes", "elementwise.bypass_bytes"])
def test_from_which_size_on_a_way_pays(name, monkeypatch):
    monkeypatch.setattr(benchmarks, "_random", lambda size, dtype="float32": la.ones(8))
    largest = 24 if name == "elementwise.stream_bytes" else 23
    default = rows()[name].default
    pays, even, does_not = [1.0, 0.5], [1.0, 0.99], [1.0, 1.01]
    timer = Told([pays, even, pays, does_not], name)
    assert measure(name, timer) == pytest.approx(0.7 * 12 * 2 ** (largest - 2))
    assert timer.seen == [benchmarks.NEVER, 0] * 4
    assert measure(name, Told([pays, does_not])) == pytest.approx(0.7 * 12 * 2**largest)
    assert measure(name, Told([does_not])) == default
    assert measure(name, Told([even] * 10)) == default


@pytest.mark.parametrize(("name", "direct"), [
    ("conv.tile_term_ns", True), ("conv.weights_read", True), ("winograd.tile_term_ns", False)])
def test_costs_of_convolutions_are_those_of_one_path(name, direct, monkeypatch):
    def noted(self, *problems):
        seen = [la.config.tuning["path.winograd"] for problem in problems]
        assert seen == [getattr(rows()["path.winograd"], "low" if direct else "high")] * 2
        return [1.0, 1.0]

    monkeypatch.setattr(Timer, "errors_of_estimates", noted)
    measure(name, Timer(0))


@pytest.mark.parametrize("name", ["path.blas_products", "path.scipy_fft", "path.einsum"])
def test_from_which_size_on_another_path_pays(name, monkeypatch):
    monkeypatch.setattr(benchmarks, "_random", lambda shape, dtype="float32": la.ones((8, 8)))
    largest = {"path.blas_products": 29, "path.scipy_fft": 19, "path.einsum": 18}[name]
    timer = Told([[1.0, 0.5], [1.0, 0.9], [1.0, 1.01]], name)
    assert measure(name, timer) == pytest.approx(0.7 * 2 ** (largest - 1))
    assert timer.seen == [benchmarks.NEVER, 0] * 3
    assert measure(name, Told([[1.0, 1.01]])) == rows()[name].default


@pytest.mark.parametrize("name", ["path.winograd", "path.joined"])
def test_below_which_estimate_another_path_pays(name, monkeypatch):
    """Where it takes a quarter longer than estimated, the estimate has to be a quarter lower."""
    monkeypatch.setattr(benchmarks, "_convolved", lambda *_: lambda: None)
    estimates = []
    first_worthwhile = benchmarks._first_worthwhile

    def noted(timer, name, problems):
        estimates[:] = [estimate for estimate, _ in problems]
        timer.answers = iter([[1.0, 1.25 * estimate] for estimate in estimates])
        return first_worthwhile(timer, name, problems)

    monkeypatch.setattr(benchmarks, "_first_worthwhile", noted)
    timer = Told([], name)
    assert measure(name, timer) == pytest.approx(benchmarks.CLEARLY / 1.25)
    assert timer.seen == [rows()[name].low, rows()[name].high] * 4
    assert 0.1 < min(estimates) < max(estimates) < 1.2


def test_a_cost_of_float32_and_float64():
    # 32,768 - 4,096 elements in 28.672 us are 1 ns each; float64 takes four times as long, twice what its size says
    timer = Told([[1e-6, 29.672e-6], [1e-6, (1 + 4 * 28.672) * 1e-6]])
    assert measure("ufunc.exp_ns", timer) == pytest.approx(np.sqrt(2))


def test_a_cost_of_integers_alone():
    assert measure("ufunc.gcd_ns", Told([[0, 28.672e-6], [0, 2 * 28.672e-6]])) == pytest.approx(1)


def test_costs_of_kernels_are_corrected(monkeypatch):
    monkeypatch.setattr(Timer, "errors_of_estimates", lambda self, *problems: [4.0] * (len(problems) - 1) + [1.0])
    for name in ("matmul.tile_term_ns", "conv.tile_term_ns", "winograd.tile_term_ns", "pool.byte_ns", "repeat.byte_ns"):
        assert measure(name, Timer(0)) == pytest.approx(2 * rows()[name].default)
    assert measure("conv.weights_read", Timer(0)) == pytest.approx(rows()["conv.weights_read"].default / 4)


@pytest.mark.parametrize(("scipys", "threads", "expected"), [(0.9, 2, 2), (0.99, 2, None), (0.99, 5, 6)])
def test_team_of_transforms(scipys, threads, expected):
    with la.config(num_threads=threads):
        assert measure("fft.team", Told([[1.0, scipys] * 3] * 4)) == expected


def test_a_device_that_fails_is_not_measured(monkeypatch, capsys):
    class Accelerator(str):
        def startswith(self, prefix):
            return False

    def fail(*_):
        raise RuntimeError("cpu:1: it is lost")

    monkeypatch.setattr(benchmarks.device_table, "names", lambda: ["cpu", Accelerator("cpu:1")])
    monkeypatch.setattr(Timer, "best", fail)
    assert measure("path.device_bytes", Timer(0)) is None
    assert capsys.readouterr().err == "lazyarr: path.device_bytes cannot be measured: cpu:1: it is lost\n"
