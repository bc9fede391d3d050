"""Settings: checked when set, effective immediately, restored at the end of a block."""

import asyncio
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr import EvaluationForbidden, config, no_evaluation
from lazyarr._core import api
from lazyarr._core.host import allocator, threads
from lazyarr._core.runtime import memo, plan_cache
from lazyarr.config import SETTINGS

# Two values for each setting, different from each other and from the default.
VALUES = {
    "num_threads": (3, 5),
    "budget_nodes": (1000, 2000),
    "budget_bytes": (10_000_000, 20_000_000),
    "budget_work": (1_000_000, 2_000_000),
    "small_work": ("now", "wait"),
    "pool_limit": (0, 1 << 20),
    "memory_limit": (1 << 40, 1 << 41),
    "cache_limit": (1 << 20, 2 << 20),
    "memo_limit": (1 << 20, 2 << 20),
    "async_evaluation": (True, False),
    "check_views": (True, False),
    "debug_nans": (True, False),
    "debug": (True, False),
    "traceback_filtering": (False, True),
    "progress": (True, False),
    "exact": (True, False),
    "fast_math": (True, False),
    "backend": ("numpy", {"matmul": "numpy"}, None),
    "device": ("cpu:1", "cpu"),
    "array_namespace": (False, True),
    "on_evaluate": (print, repr),
}
IN_FORCE = {
    "num_threads": threads.get_num_threads,
    "budget_nodes": lambda: api.get_budget()["nodes"],
    "budget_bytes": lambda: api.get_budget()["bytes"],
    "budget_work": lambda: api.get_budget()["work"],
    "pool_limit": lambda: allocator.get_limits()["pool"],
    "memory_limit": lambda: allocator.get_limits()["memory"],
    "cache_limit": plan_cache.get_cache_limit,
    "memo_limit": memo.get_memo_limit,
}
BYTES = ["budget_bytes", "pool_limit", "memory_limit", "cache_limit", "memo_limit"]


@pytest.fixture(autouse=True)
def settings_stay():
    before = repr(config)
    yield
    assert repr(config) == before


@pytest.fixture
def put_back():
    """Restore settings changed outside blocks."""
    with config(**{setting.name: setting.get() for setting in SETTINGS}):
        yield


def test_every_setting_has_test_values():
    assert [setting.name for setting in SETTINGS] == list(VALUES)


@pytest.mark.parametrize(("name", "values"), VALUES.items())
def test_setting_reads_back(put_back, name, values):
    for value in values:
        setattr(config, name, value)
        assert getattr(config, name) == value
        if name in IN_FORCE:
            assert IN_FORCE[name]() == value


@pytest.mark.parametrize(("name", "values"), VALUES.items())
def test_block_puts_back(name, values):
    before = getattr(config, name)
    with config(**{name: values[0]}):
        assert getattr(config, name) == values[0]
        with config(**{name: values[1]}):
            assert getattr(config, name) == values[1]
        assert getattr(config, name) == values[0]
    assert getattr(config, name) == before


def test_block_puts_back_what_was_set_inside():
    with config(num_threads=3, pool_limit=0):
        config.num_threads = 4
        config.pool_limit = 1 << 20


def test_block_puts_back_after_an_exception():
    with pytest.raises(ZeroDivisionError), config(num_threads=3, check_views=True):
        1 / 0


def test_block_leaves_other_settings_alone(put_back):
    with config(num_threads=3):
        config.budget_nodes = 1234
    assert config.budget_nodes == 1234


def test_decorator():
    @config(num_threads=3)
    def inside():
        return config.num_threads

    assert (inside(), inside()) == (3, 3)
    assert inside.__name__ == "inside"


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("num_threads", 0, ValueError, "config.num_threads must be at least 1, got 0"),
        ("num_threads", 10**6, ValueError, "config.num_threads must be at most 1024, got 1000000"),
        ("num_threads", 2.0, TypeError, "config.num_threads must be an integer, got float"),
        ("num_threads", True, TypeError, "config.num_threads must be an integer, got bool"),
        ("num_threads", None, TypeError, "config.num_threads must be an integer, got NoneType"),
        ("budget_nodes", 0, ValueError, "config.budget_nodes must be at least 1, got 0"),
        ("budget_nodes", 2**31, ValueError, f"config.budget_nodes must be at most {2**31 - 1}, got {2**31}"),
        ("budget_work", "1", TypeError, "config.budget_work must be an integer, got str"),
        ("check_views", 1, TypeError, "config.check_views must be True or False, got int"),
        ("on_evaluate", 1, TypeError, "config.on_evaluate must be callable or None, got int"),
        *((name, -1, ValueError, f"config.{name} must be at least {int('budget' in name)}, got -1") for name in BYTES),
        *((name, 2**70, ValueError, f"config.{name} must be at most {2**62}, got {2**70}") for name in BYTES),
    ],
)
def test_wrong_value(name, value, error, message):
    with pytest.raises(error) as caught:
        setattr(config, name, value)
    assert str(caught.value) == message
    with pytest.raises(error) as caught:
        config(**{"num_threads": 3, name: value})  # before the block begins
    assert str(caught.value) == message


@pytest.mark.parametrize("integer", [np.int64(3), np.uint8(3), np.array(3)])
def test_integers_of_all_kinds(integer):
    with config(num_threads=integer):
        assert config.num_threads == 3


def test_unknown_setting():
    with pytest.raises(AttributeError, match=r"config has no setting 'threads'; did you mean 'num_threads'\?"):
        config.threads = 1
    with pytest.raises(TypeError, match=r"config has no setting 'threads'; did you mean 'num_threads'\?"):
        config(threads=1)
    with pytest.raises(AttributeError):
        config.threads


def test_settings_are_documented():
    for setting in SETTINGS:
        assert getattr(type(config), setting.name).__doc__ == setting.doc
    assert dir(config) == sorted([*VALUES, "tuning"])
    assert repr(config).splitlines()[0] == f"num_threads = {config.num_threads}"


# ---- What the settings do ----


@pytest.mark.parametrize("variables", [{"OMP_NUM_THREADS": "3"}, {}])
def test_threads_at_first(run_python, monkeypatch, variables):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    code = "import lazyarr as la; from lazyarr import cpus; print(la.config.num_threads, cpus.default_threads())"
    at_first, default = map(int, run_python(code, **variables).split())
    assert at_first == default
    assert at_first == (3 if variables else default)


def test_memory_limit():
    x = la.array(np.ones(1000))
    with config(memory_limit=allocator.stats()["live_bytes"] + 4000):
        y = x + 1
        with pytest.raises(MemoryError):
            y.numpy()
    assert y.numpy()[0] == 2


@pytest.mark.parametrize("none", [None, 0])
def test_no_memory_limit(none):
    with config(memory_limit=1 << 40), config(memory_limit=none):
        assert config.memory_limit is None
        assert allocator.get_limits()["memory"] == 0


def test_on_evaluate_sees_each_evaluation():
    records = []
    with config(on_evaluate=records.append):
        x = la.array(np.ones(10)) + 1
        assert records == []
        x.numpy()
        x.numpy()
        assert len(records) == 1
    (x + 1).numpy()
    assert len(records) == 1
    assert set(records[0]) == {"steps", "ops", "fused", "bytes", "seconds", "hit", "opaque", "kinds", "began",
                               "timeline", "device"}
    assert records[0]["device"] == "cpu"
    [(name, began, seconds, thread, shares)] = records[0]["timeline"]
    assert (name, thread, shares) == ("add", 0, ())
    assert records[0]["began"] <= began <= began + seconds <= records[0]["began"] + records[0]["seconds"]


def test_on_evaluate_beside_a_profile():
    records = []
    with config(on_evaluate=records.append), la.profile() as collected, config(on_evaluate=None):
        (la.array(np.ones(10)) + 1).numpy()
    assert (len(records), collected.evaluations) == (0, 1)


# ---- no_evaluation ----


def test_no_evaluation():
    x = la.array(np.ones(3)) + 1
    with no_evaluation():
        y = x * 2
        with pytest.raises(EvaluationForbidden):
            float(y[0])
    assert float(y[0]) == 4


def test_no_evaluation_nests_and_ends_after_an_exception():
    x = la.array(np.ones(3)) + 1
    with no_evaluation():
        with pytest.raises(ZeroDivisionError), no_evaluation():
            1 / 0
        with pytest.raises(EvaluationForbidden):
            x.numpy()
    assert x.numpy()[0] == 2


def test_no_evaluation_is_a_matter_of_the_thread():
    values = []
    with no_evaluation():
        thread = threading.Thread(target=lambda: values.append((la.array([1.0]) + 1).tolist()))
        thread.start()
        thread.join()
        with pytest.raises(EvaluationForbidden):
            (la.array([1.0]) + 1).numpy()
    assert values == [[2.0]]


def test_no_evaluation_is_a_matter_of_the_task():
    async def look():
        await asyncio.sleep(0)
        try:
            return (la.array([1.0]) + 1).tolist()
        except EvaluationForbidden:
            return "forbidden"

    async def main():
        before = asyncio.create_task(look())
        with no_evaluation():
            inside = asyncio.create_task(look())
            await before
            await inside
            later = asyncio.create_task(look())
        return before.result(), inside.result(), await later

    assert asyncio.run(main()) == ([2.0], "forbidden", [2.0])


def test_evaluated_values_may_be_looked_at():
    x = la.array(np.ones(3)) + 1
    x.numpy()
    with no_evaluation():
        assert x.numpy()[0] == 2


def test_evaluation_forbidden_is_a_runtime_error():
    assert issubclass(EvaluationForbidden, RuntimeError)
