"""scikit-learn and SciPy with array API dispatch on: what comes in lazy goes out lazy, with NumPy's values."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from libraries import dispatch

pytest.importorskip("scipy")
pytest.importorskip("sklearn")
pytest.importorskip("array_api_compat")


@pytest.fixture(scope="module")
def told():
    """What each line gave, in a process where SciPy's dispatch is on."""
    result = subprocess.run([sys.executable, Path(dispatch.__file__)], capture_output=True, encoding="utf-8", timeout=240)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("line", dispatch.SCIKIT_LEARN + dispatch.SCIPY)
def test_what_comes_in_lazy_goes_out_lazy(line, told):
    assert told[line] == "LazyArray"


@pytest.mark.parametrize("line", dispatch.CONVERTED)
def test_what_is_not_dispatched_gives_numpys_values(line, told):
    assert told[line] in ("float", "float64", "ndarray")


@pytest.mark.parametrize("line", dispatch.MIXED)
def test_two_namespaces_are_refused(line, told):
    assert "Multiple namespaces" in told[line]


@pytest.mark.parametrize("line", dispatch.READ_ONLY)
def test_compiled_code_that_wants_to_write_is_refused(line, told):
    assert "read-only" in told[line]
