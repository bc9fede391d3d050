"""scikit-learn and SciPy with array API dispatch: lazy input gives lazy output, with NumPy's values."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import lazyarr as la
from support import array_api_dispatch, lazy_helpers


def test_the_namespace_is_found_without_a_look():
    compat = pytest.importorskip("array_api_compat")
    x = lazy_helpers.pending([[1.0, 2.0]])
    with la.no_evaluation():
        assert compat.array_namespace(x, x.sum()) is la.array_api
        assert compat.is_array_api_obj(x)
        assert not compat.is_numpy_array(x)
        assert not compat.is_numpy_array(x.sum())
        assert (compat.size(x), compat.device(x), compat.to_device(x, "cpu") is x) == (2, "cpu", True)


@pytest.fixture(scope="module")
def told():
    """What each line gave, in a process where SciPy's dispatch is on."""
    pytest.importorskip("scipy")
    pytest.importorskip("sklearn")
    command = [sys.executable, Path(array_api_dispatch.__file__)]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=240)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("line", array_api_dispatch.SCIKIT_LEARN + array_api_dispatch.SCIPY)
def test_what_comes_in_lazy_goes_out_lazy(line, told):
    assert told[line] == "LazyArray"


@pytest.mark.parametrize("line", array_api_dispatch.CONVERTED)
def test_what_is_not_dispatched_gives_numpys_values(line, told):
    assert told[line] in ("float", "float64", "ndarray")


@pytest.mark.parametrize("line", array_api_dispatch.MIXED)
def test_two_namespaces_are_refused(line, told):
    assert "Multiple namespaces" in told[line]
