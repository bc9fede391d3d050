"""What all tests share: Hypothesis profiles, a leak check around each test, evaluation records, fresh processes."""

import gc
import os
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import hypothesis
import pytest

os.environ["LAZYARR_TUNING"] = "0"  # what a developer's machine was tuned to is no part of a test
os.environ["LAZYARR_KERNELS"] = "0"  # nor are kernels that it compiled
os.environ.setdefault("LAZYARR_MOCK_RACES", "1")  # the mock of CUDA fails launches whose threads race

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.ir import node
from lazyarr._core.runtime import plan_cache
from lazyarr._core.transforms import vjp
from lazyarr.control import cached_scan
from support import pocl

# "standard" draws the same examples in each run, so that a pull request fails by its own fault alone; new ground is
# broken by the "long" profile and by fuzz.py.
SLOW = [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large]
hypothesis.settings.register_profile(
    "standard", max_examples=100, deadline=None, derandomize=True, suppress_health_check=SLOW)
hypothesis.settings.register_profile(
    "debug", max_examples=20, deadline=None, derandomize=True, suppress_health_check=SLOW)
hypothesis.settings.register_profile("long", max_examples=5000, deadline=None, suppress_health_check=SLOW)
hypothesis.settings.load_profile("standard")

pocl.set_up()
if "LAZYARR_DEVICE" in os.environ:  # to try tests of operations on another device
    la.config.tuning["path.device_bytes"] = 1
    la.config.device = os.environ["LAZYARR_DEVICE"]
    la.config.exact = True  # bits are compared

# Free-threaded CPython 3.13 frees no class, nor what it holds, once a thread has run; a plain ndarray leaks alike.
CLASSES_ARE_IMMORTAL = bool(sysconfig.get_config_var("Py_GIL_DISABLED")) and sys.version_info < (3, 14)


def in_use():
    """Buffers and nodes that are alive. Plans and scans that are known may keep some: they are forgotten first."""
    plan_cache.clear()
    cached_scan._cache.clear()
    return {"live_bytes": allocator.stats()["live_bytes"], "live_blocks": allocator.stats()["live_blocks"],
            "nodes": node.stats()["live"], "pending": node.stats()["pending"]}


def evaluate_what_is_pending():
    """Flush the arrays that NumPy keeps, so that no later test does."""
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
    """What is alive before a file of tests is no garbage of theirs: let collections, of which there are many, pass it.

    Without this each walks all modules and all that pytest keeps about earlier tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_leaked(request):
    """Fail a test after which more buffers or nodes are alive than before it."""
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
    if grown(before) and la.config.device != "cpu":     # flags that an exception has left unread are reported now
        (la.zeros(1, device=la.config.device) + 1).numpy()
    for generation in range(3):  # the youngest objects first: a whole collection takes long
        if not grown(before):
            return
        gc.collect(generation)
    assert not grown(before)


@pytest.fixture
def settled():
    """Evaluate what is pending in plans that are found, so that evaluations are not placed by what earlier tests did.

    Where plans were missed again and again, as tests make them by forgetting all plans, evaluations come earlier.
    """
    evaluate_what_is_pending()


@pytest.fixture
def evaluations(settled):
    """The records of all evaluations during the test, in order."""
    records = []
    with la.config(on_evaluate=records.append):
        yield records


@pytest.fixture
def start_python(tmp_path):
    """Start a fresh interpreter on a text of Python; it finds this lazyarr and the modules of tests/."""
    processes = []
    path = [str(Path(la.__file__).parents[1]), str(Path(__file__).parent)]

    def start(code, **environment):
        script = tmp_path / f"script{len(processes)}.py"
        script.write_text(textwrap.dedent(code), encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, str(script)], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path), **environment})
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def three_threads():
    with la.config(num_threads=3):
        yield


@pytest.fixture
def run_python(start_python):
    """Run a text of Python in a fresh interpreter and return what it prints; fail where it fails or hangs."""
    def run(code, timeout=120, **environment):
        process = start_python(code, **environment)
        output, errors = process.communicate(timeout=timeout)
        assert process.returncode == 0, f"exit status {process.returncode}\n{output}\n{errors}"
        return output

    return run
