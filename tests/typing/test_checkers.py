"""Type checkers accept the files beside this one, and find the mistakes in examples/typed_program.py.

The stubs match the run time, except for the names in stubtest.txt.
"""

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from support.static_checks import are_stubs_of_this_numpy, run

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLE = ROOT / "examples" / "typed_program.py"
PLANTED = {number for number, line in enumerate(EXAMPLE.read_text(encoding="utf-8").split("\n"), start=1)
           if "# error: " in line}
SHARED = HERE.parent / "support" / "typed_arrays.py"
ALLOWED = HERE / "stubtest.txt"
MYPY = ["mypy", "--strict", "--follow-imports=silent", "--no-warn-unused-configs", "--config-file="]


def needs(checker):
    return pytest.mark.skipif(importlib.util.find_spec(checker) is None, reason=f"needs {checker}")


@pytest.fixture
def pyright(tmp_path):
    """Return a function that runs pyright, in its strict mode, on a file and returns the lines with errors."""
    def lines(path):
        shutil.copy(path, tmp_path)
        settings = {"include": [path.name], "typeCheckingMode": "strict", "extraPaths": [str(ROOT)],
                    "reportMissingModuleSource": False}
        (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        printed, _ = run("pyright", "--project", str(tmp_path), "--pythonpath", sys.executable, "--outputjson")
        try:
            found = json.loads("\n".join(printed[next(at for at, line in enumerate(printed) if line == "{"):]))
        except (StopIteration, ValueError):
            pytest.skip("pyright cannot be had: it fetches its own program when it runs first")
        assert found["summary"]["filesAnalyzed"] == 1
        return {each["range"]["start"]["line"] + 1: each["message"] for each in found["generalDiagnostics"]
                if each["severity"] == "error"}
    return lines


@needs("mypy")
def test_mypy_infers_the_types_that_are_stated():
    # The folder of cached results is kept: most of the time goes to NumPy's stubs.
    files = [str(path) for path in (SHARED, *sorted(HERE.glob("test_*.py"))) if path != Path(__file__)]
    assert len(files) > 7
    printed, passed = run(*MYPY, *files)
    assert passed, "\n".join(printed)


@needs("mypy")
def test_mypy_finds_the_mistakes():
    printed, passed = run(*MYPY, str(EXAMPLE))
    assert not passed
    found = {int(at[1]) for line in printed if (at := re.search(r"typed_program\.py:(\d+): error:", line))}
    assert found == PLANTED, "\n".join(printed)


def test_five_mistakes_are_planted():
    assert len(PLANTED) == 5


@needs("pyright")
def test_pyright_finds_the_mistakes(pyright):
    found = pyright(EXAMPLE)
    assert set(found) == PLANTED, found


@needs("mypy")
@pytest.mark.skipif(not are_stubs_of_this_numpy(), reason="the stubs are those of another NumPy")
def test_stubs_say_what_is_there_at_run_time():
    # Cython's own attributes, and how native types and parameters are marked, do not concern who uses them.
    options = ["--ignore-missing-stub", "--ignore-positional-only", "--ignore-disjoint-bases"]
    if sys.version_info >= (3, 12):
        options.append("--ignore-unused-allowlist")  # __buffer__ is there
    printed, passed = run("mypy.stubtest", "lazyarr", "--concise", f"--mypy-config-file={ROOT / 'pyproject.toml'}",
                          f"--allowlist={ALLOWED}", *options)
    assert passed, "\n".join(printed)
