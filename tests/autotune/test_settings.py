"""`la.config.tuning`: what it shows, what may be set, and that settings take effect."""

import math

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr._core.host import threads, tunables
from lazyarr.autotune.parameters import rows

tuning = la.config.tuning
NAMES = sorted({name for name in rows() if not name.startswith("ufunc.")} | {"ufunc.add_ns", "ufunc.power_ns"})


@pytest.fixture(autouse=True)
def values_stay():
    before = dict(tuning), repr(tuning)
    yield
    tuning.reset()
    assert (dict(tuning), repr(tuning)) == before


def test_what_is_declared_has_a_row():
    assert set(tunables.declared()) == {name for name in rows() if not name.startswith("ufunc.")}


def test_every_elementwise_ufunc_has_a_cost():
    assert {"ufunc.sin_ns", "ufunc.add_ns", "ufunc.divmod_ns"} <= set(tuning)
    assert "ufunc.matmul_ns" not in tuning


def test_defaults_lie_within_the_bounds():
    for row in rows().values():
        assert row.checked(row.default) == row.default, row.name
        assert row.doc.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_reads_back(name):
    row = rows()[name]
    for value in (row.low, row.high):
        tuning[name] = value
        assert tuning[name] == value
        assert tuning.source(name) == "set"
        assert type(tuning[name]) is type(row.default)
    tuning.reset(name)
    assert (tuning[name], tuning.source(name)) == (row.default, "default")


def test_block_puts_back():
    tuning["pool.byte_ns"] = 0.5
    with tuning({"pool.byte_ns": 1, "fft.team": 3}):
        assert (tuning["pool.byte_ns"], tuning["fft.team"]) == (1, 3)
        with pytest.raises(ZeroDivisionError), tuning({"pool.byte_ns": 2}):
            1 / 0
        assert tuning["pool.byte_ns"] == 1
    assert (tuning["pool.byte_ns"], tuning.source("pool.byte_ns")) == (0.5, "set")
    assert tuning.source("fft.team") == "default"


def test_decorator():
    @tuning({"fft.team": 7})
    def inside():
        return tuning["fft.team"]

    assert (inside(), inside(), tuning["fft.team"] == 7) == (7, 7, False)


def test_integers_of_numpy():
    tuning.update({"fft.team": np.int64(5), "pool.byte_ns": np.float32(0.5), "matmul.tile_term_ns": 1})
    assert (tuning["fft.team"], tuning["pool.byte_ns"], tuning["matmul.tile_term_ns"]) == (5, 0.5, 1.0)


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("pool.byte_ns", "1", TypeError, "tuning['pool.byte_ns'] must be a number, got str"),
        ("pool.byte_ns", None, TypeError, "tuning['pool.byte_ns'] must be a number, got NoneType"),
        ("pool.byte_ns", True, TypeError, "tuning['pool.byte_ns'] must be a number, got bool"),
        ("pool.byte_ns", 0, ValueError, "tuning['pool.byte_ns'] must be from 0.0001 to 10 ns, got 0"),
        ("pool.byte_ns", math.nan, ValueError, "tuning['pool.byte_ns'] must be from 0.0001 to 10 ns, got nan"),
        ("pool.byte_ns", math.inf, ValueError, "tuning['pool.byte_ns'] must be from 0.0001 to 10 ns, got inf"),
        ("fft.team", 2.0, TypeError, "tuning['fft.team'] must be an integer, got float"),
        ("fft.team", 10**400, ValueError, f"tuning['fft.team'] must be from 2 to 1024 threads, got {10**400}"),
        ("gemm.block_bytes", -1, ValueError, "tuning['gemm.block_bytes'] must be from 16384 to 4194304 bytes, got -1"),
        ("pool.bytes_ns", 1, KeyError, "tuning has no number 'pool.bytes_ns'; did you mean 'pool.byte_ns'?"),
        ("?", 1, KeyError, "tuning has no number '?'; repr(lazyarr.config.tuning) lists them"),
    ],
)
def test_wrong_value(name, value, error, message):
    with pytest.raises(error) as caught:
        tuning[name] = value
    assert caught.value.args == (message,)
    with pytest.raises(error):
        tuning.update({"repeat.byte_ns": 1.0, name: value})
    with pytest.raises(error):
        tuning({"repeat.byte_ns": 1.0, name: value})  # before the block begins
    assert tuning.source("repeat.byte_ns") == "default"


@pytest.mark.parametrize("operation", [tuning.__getitem__, tuning.source, tuning.reset])
def test_unknown_name(operation):
    with pytest.raises(KeyError, match="tuning has no number 'x'"):
        operation("x")


def test_no_mapping():
    with pytest.raises(TypeError, match="tuning takes a mapping of names to numbers, got list"):
        tuning([("fft.team", 3)])


def test_repr():
    tuning["fft.team"] = 9
    head, *lines = repr(tuning).splitlines()
    assert head.split() == ["name", "value", "default", "unit", "source"]
    assert [line.split()[0] for line in lines] == list(tuning)
    assert next(line.split() for line in lines if "fft.team" in line) == ["fft.team", "9", "4", "threads", "set"]


def test_config_cannot_replace_it():
    with pytest.raises(AttributeError, match=r"config\.tuning cannot be replaced"):
        la.config.tuning = {}
    with pytest.raises(TypeError, match="config has no setting 'tuning'"):
        la.config(tuning={})


# ---- in force ----

X = np.ones((1, 8, 8, 4))
PROBLEMS = {
    "matmul.tile_term_ns": lambda: la.asarray(X[0, 0]) @ la.asarray(X[0, 0].T.copy()),
    "conv.tile_term_ns": lambda: nn.conv2d(X, np.ones((3, 3, 4, 5))),
    "conv.weights_read": lambda: nn.conv2d(X, np.ones((3, 3, 1, 4)), groups=4),
    "pool.byte_ns": lambda: nn.max_pool2d(X, 2),
    "repeat.byte_ns": lambda: la.repeat(la.asarray(X), 3, axis=1),
    "ufunc.exp_ns": lambda: np.exp(la.asarray(X)),
}


def estimate(name):
    before = threads.estimated_ns()
    PROBLEMS[name]().numpy()
    return threads.estimated_ns() - before


@pytest.mark.parametrize("name", PROBLEMS)
def test_costs_count(name):
    before = estimate(name)  # which leaves a plan
    tuning[name] = 5 * tuning[name]
    assert estimate(name) == pytest.approx(5 * before, rel=1e-3)
