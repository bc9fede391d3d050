"""NumPy's own tests, run with lazyarr.numpy in place of NumPy.

    python tests/numpys_own.py _core/tests/test_indexing.py [further files, relative to the folder of NumPy]

runs the files of the installed NumPy in one process, and prints which tests fail without being listed in
`numpys_own.txt`, and which are listed but pass. A line of that list names a file, starred if it is run with lazyarr's
tests, or a test that fails, with the reason and the number of parameter sets. Imports of `numpy` in NumPy's tests
folders get lazyarr's module of that name; all others, including those in NumPy's own modules, get the real one.
"""

import builtins
import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import numpy as np

NUMPY = Path(np.__file__).parent
LISTED = Path(__file__).with_suffix(".txt")
_LOG = "LAZYARR_NUMPYS_OWN"


# ---- in the process of the tests: a pytest plugin ---------------------------------------------------------


def _is_test(names):
    file = Path((names or {}).get("__file__") or "")
    return file.parent.name == "tests" and file.is_relative_to(NUMPY)


def _counterpart(name):
    """Return lazyarr's counterpart of a NumPy module, or the module itself if there is none."""
    if name == "numpy.ma.testutils":
        return _comparing_values(sys.modules[name])
    found = importlib.import_module("lazyarr.numpy")
    for part in name.split(".")[1:]:
        if not hasattr(found, part):
            return sys.modules[name]
        found = getattr(found, part)
    return found


def _comparing_values(module):
    """Wrap a module's assertions, which only support NumPy's arrays, to get the values of others."""
    from lazyarr.ops.operands import values

    def of_values(function):
        return lambda *args, **kwargs: function(*values(args), **values(kwargs))

    return types.SimpleNamespace(**{
        name: of_values(found) if name.startswith("assert_") else found for name, found in vars(module).items()})


def _redirect():
    statement = builtins.__import__

    @functools.wraps(statement)
    def imported(name, globals=None, locals=None, fromlist=(), level=0):
        found = statement(name, globals, locals, fromlist, level)
        if level == 0 and name.partition(".")[0] == "numpy" and _is_test(globals):
            return _counterpart(name if fromlist else "numpy")
        return found

    builtins.__import__ = imported


def pytest_runtest_logreport(report):
    if report.failed or report.when == "call":
        with open(os.environ[_LOG], "a") as log:
            log.write(json.dumps([report.nodeid, report.outcome]) + "\n")


if _LOG in os.environ:
    _redirect()


# ---- in the parent process ----------------------------------------------------------------------------------


def listed(selected=True):
    """Return by file the tests that are known to fail, with the reason and the number of parameter sets.

    With `selected`, only for the files that are run with lazyarr's tests.
    """
    found, tests = {}, {}
    for line in LISTED.read_text().splitlines():
        if line.startswith(" "):
            name, reason, count = line.split()
            tests[name] = reason, int(count)
        elif not line.startswith("#"):
            file, _, star = line.partition(" ")
            tests = {}
            if star or not selected:
                found[file] = tests
    return found


def reasons():
    """Return the explanations of the reasons in the list."""
    lines = [line[4:].split(maxsplit=1) for line in LISTED.read_text().splitlines() if line.startswith("#   ")]
    return dict(lines)


@functools.cache
def outcomes(*files):
    """Return by file and name, without parameters, whether all tests pass."""
    passes = {file: {} for file in files}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        log.touch()
        path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = os.environ | {_LOG: str(log), "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "numpys_own", "-p", "no:cacheprovider", "--timeout=120",
             f"--rootdir={NUMPY}", f"--confcutdir={NUMPY}", "-c", os.devnull, "-m", "not slow",
             "--assert=plain", "--tb=no",  # tracebacks are not needed, and take a quarter of the time
             *[str(NUMPY / file) for file in files]],
            env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for nodeid, outcome in map(json.loads, log.read_text().splitlines()):
            file, _, name = nodeid.partition("[")[0].partition("::")
            passes[file][name] = passes[file].get(name, True) and outcome != "failed"
    return passes


def differences(file, files):
    """Return the tests of a file that fail without being listed, and those listed that pass."""
    passes, known = outcomes(*files)[file], listed(selected=False).get(file, {})
    failing = {name for name, good in passes.items() if not good}
    return sorted(failing - known.keys()), sorted(known.keys() - failing), len(passes)


if __name__ == "__main__":
    files = sys.argv[1:] or [*listed()]
    for file in files:
        new, gone, count = differences(file, files)
        print(f"{file} ({count} tests)", *[f"    {name}" for name in new], sep="\n")
        if gone:
            print("  listed, but not failing:", *gone)
