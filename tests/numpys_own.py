"""NumPy's own tests, run with lazyarr.numpy in NumPy's place.

    python tests/numpys_own.py _core/tests/test_indexing.py [further files, below the folder of NumPy]

runs the files as they lie in the installed NumPy, in one process, and prints which tests fail and are not listed in
`numpys_own.txt`, and which are listed and pass. There, a line names a file, with a star if it is run with lazyarr's
tests, or a test that fails and, after its name, why and with how many sets of parameters. What imports `numpy` in a
tests folder of NumPy's gets lazyarr's module of that name; everything else, NumPy's own modules included, keeps the
real one.
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


# ---- in the process of the tests: a plugin of pytest ------------------------------------------------------


def _is_test(names):
    file = Path((names or {}).get("__file__") or "")
    return file.parent.name == "tests" and file.is_relative_to(NUMPY)


def _counterpart(name):
    """lazyarr's module for one of NumPy's; NumPy's own where there is none."""
    if name == "numpy.ma.testutils":
        return _comparing_values(sys.modules[name])
    found = importlib.import_module("lazyarr.numpy")
    for part in name.split(".")[1:]:
        if not hasattr(found, part):
            return sys.modules[name]
        found = getattr(found, part)
    return found


def _comparing_values(module):
    """The assertions of a module, which know no arrays but NumPy's, given the values of others."""
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


# ---- the process that starts them -------------------------------------------------------------------------


def listed(selected=True):
    """By file, the names of its tests that are known to fail, why, and with how many sets of parameters.

    With `selected`, only the files that are run with lazyarr's tests.
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
    """What the reasons in the list mean."""
    lines = [line[4:].split(maxsplit=1) for line in LISTED.read_text().splitlines() if line.startswith("#   ")]
    return dict(lines)


@functools.cache
def outcomes(*files):
    """By file and name, without parameters, whether all tests pass."""
    passes = {file: {} for file in files}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        log.touch()
        path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = os.environ | {_LOG: str(log), "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "numpys_own", "-p", "no:cacheprovider", "--timeout=120",
             f"--rootdir={NUMPY}", f"--confcutdir={NUMPY}", "-c", os.devnull, "-m", "not slow",
             "--assert=plain", "--tb=no",  # nobody reads why a test fails, which takes a quarter of the time
             *[str(NUMPY / file) for file in files]],
            env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for nodeid, outcome in map(json.loads, log.read_text().splitlines()):
            file, _, name = nodeid.partition("[")[0].partition("::")
            passes[file][name] = passes[file].get(name, True) and outcome != "failed"
    return passes


def differences(file, files):
    """The tests of one of the files that fail and are not listed, and those that are listed and do not fail."""
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
