"""NumPy's private modules: their C functions get ndarrays that share the memory of LazyArrays."""
import types

import numpy as np
import numpy._core._multiarray_tests
import pytest

import lazyarr.numpy as xp

TESTS = xp._core._multiarray_tests


def test_private_modules_have_the_names_of_numpys():
    assert isinstance(xp._core, types.ModuleType)
    assert xp._core.__name__ == "numpy._core"
    assert dir(xp._core) == dir(np._core)
    assert vars(xp._core) is vars(np._core)
    assert xp._core.numeric.asarray is np.asarray
    assert xp._core.umath.add is np.add
    assert xp._core.multiarray.array is np.array
    assert xp._core.multiarray.scalar is np._core.multiarray.scalar
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        xp._core.nonsense


def test_what_is_set_is_set_in_numpys_module(monkeypatch):
    monkeypatch.setattr(xp._core.arrayprint, "a_name", 3, raising=False)
    assert np._core.arrayprint.a_name == 3


def test_private_functions_in_c_get_ndarrays():
    x = xp.arange(6.0).reshape(2, 3)
    assert TESTS.internal_overlap(x) == 0
    assert TESTS.array_indexing(0, xp.arange(4), 2) == 2
    assert TESTS.array_indexing.__name__ == "array_indexing"
    assert type("Class", (), {"overlap": TESTS.internal_overlap})().overlap(x) == 0


def test_objects_of_private_functions_write_to_arrays():
    cast = xp._core._multiarray_umath._get_castingimpl(type(np.dtype("f8")), type(np.dtype("f4")))
    source, target = xp.arange(3.0), xp.zeros(3, "f4")
    later = target + 1
    cast._simple_strided_call((source, target))
    assert target.tolist() == [0, 1, 2]
    assert later.tolist() == [1, 1, 1]
    assert repr(cast).startswith("<")
