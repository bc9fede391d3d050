"""Hypothesis profiles, a leak check around each test, evaluation records, fresh processes."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import hypothesis
import pytest

os.environ["LAZYARR_TUNING"] = "0"  # tests must not depend on the machine's tuning
os.environ["LAZYARR_KERNELS"] = "0"  # nor on its cached kernels
os.environ.setdefault("LAZYARR_MOCK_RACES", "1")  # the CUDA mock fails launches with data races

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.ir import node
from lazyarr._core.runtime import plan_cache
from lazyarr._core.transforms import vjp
from lazyarr.control import cached_scan
from support import pocl

# "standard" draws the same examples in each run, so that a pull request fails only by its own fault; the "long" profile
# and fuzz.py explore new ones.
SLOW = [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large]
hypothesis.settings.register_profile(
    "standard", max_examples=100, deadline=None, derandomize=True, suppress_health_check=SLOW)
hypothesis.settings.register_profile(
    "debug", max_examples=20, deadline=None, derandomize=True, suppress_health_check=SLOW)
hypothesis.settings.register_profile("long", max_examples=5000, deadline=None, suppress_health_check=SLOW)
hypothesis.settings.load_profile("standard")

pocl.set_up()
if "LAZYARR_DEVICE" in os.environ:  # to test operations on another device
    la.config.tuning["path.device_bytes"] = 1
    la.config.device = os.environ["LAZYARR_DEVICE"]
    la.config.exact = True  # bits are compared

# Free-threaded CPython 3.13 never frees classes, nor what they hold, once a thread has run; a plain ndarray leaks as
# well.
CLASSES_ARE_IMMORTAL = bool(sysconfig.get_config_var("Py_GIL_DISABLED")) and sys.version_info < (3, 14)


def in_use():
    """Count live buffers and nodes, after clearing the caches of plans and scans, which may hold some."""
    plan_cache.clear()
    cached_scan._cache.clear()
    return {"live_bytes": allocator.stats()["live_bytes"], "live_blocks": allocator.stats()["live_blocks"],
            "nodes": node.stats()["live"], "pending": node.stats()["pending"]}


def evaluate_what_is_pending():
    """Evaluate the arrays that NumPy still references, so that no later test does."""
    with la.config(budget_nodes=1):
        for _ in range(4):
            la.ones(1) + 1


def grown(before):
    now = in_use()
    return {name: now[name] - before[name] for name in now if now[name] > before[name]}


def pytest_runtest_setup(item):
    if la.config.device != "cpu" and (mark := item.get_closest_marker("host_only")):
        pytest.skip(mark.args[0])


@pytest.fixture(autouse=True, scope="module")
def collections_are_quick():
    """Freeze live objects before a file of tests, so that garbage collections skip them.

    Otherwise each of the many collections traverses all modules and all that pytest keeps of earlier tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_leaked(request):
    """Fail a test that leaves more live buffers or nodes than before."""
    failures = request.session.testsfailed
    before = in_use()
    yield
    assert not vjp.is_history_kept()
    if CLASSES_ARE_IMMORTAL:
        return
    if request.node.get_closest_marker("numpy_leaks"):
        evaluate_what_is_pending()
        return
    if request.session.testsfailed > failures:
        return  # the traceback keeps the test's variables alive
    if grown(before) and la.config.device != "cpu":     # reports flags that an exception has left unread
        (la.zeros(1, device=la.config.device) + 1).numpy()
    for generation in range(3):  # youngest objects first, as a full collection is slow
        if not grown(before):
            return
        gc.collect(generation)
    assert not grown(before)


@pytest.fixture
def settled():
    """Evaluate pending work with plans that are found, so that earlier tests do not affect when evaluations happen.

    After repeated plan misses, which tests cause by clearing the plans, evaluation comes earlier.
    """
    evaluate_what_is_pending()


@pytest.fixture
def evaluations(settled):
    """Return the records of all evaluations during the test, in order."""
    records = []
    with la.config(on_evaluate=records.append):
        yield records


@pytest.fixture
def start_python(tmp_path):
    """Start a fresh interpreter on Python text; it finds this lazyarr and the modules of tests/."""
    processes = []
    path = [str(Path(la.__file__).parents[1]), str(Path(__file__).parent)]

    def start(code, **environment):
        script = tmp_path / f"script{len(processes)}.py"
        script.write_text(textwrap.dedent(code), encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, str(script)], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path), **environment}, start_new_session=True)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        if hasattr(os, "killpg"):  # forked children hold the pipes open
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def three_threads():
    with la.config(num_threads=3):
        yield


@pytest.fixture
def run_python(start_python):
    """Run Python text in a fresh interpreter and return its output; fail if it fails or hangs."""
    def run(code, timeout=120, **environment):
        process = start_python(code, **environment)
        output, errors = process.communicate(timeout=timeout)
        assert process.returncode == 0, f"exit status {process.returncode}\n{output}\n{errors}"
        return output

    return run
