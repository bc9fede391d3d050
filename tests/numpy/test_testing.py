"""`numpy.testing` compares lazy arrays."""

import numpy as np
import pytest

import lazyarr as la


def pending():
    return la.arange(3.0) + 1


def test_equal_arrays():
    la.testing.assert_equal(pending(), [1, 2, 3])
    la.testing.assert_equal({"a": [pending()]}, {"a": [pending()]})
    la.testing.assert_almost_equal(pending(), pending())
    la.testing.assert_allclose(actual=pending(), desired=pending())


@pytest.mark.parametrize("name", ["assert_equal", "assert_almost_equal", "assert_array_equal", "assert_allclose"])
def test_different_arrays(name):
    with pytest.raises(AssertionError) as got:
        getattr(la.testing, name)(pending(), [1.0, 2.0, 4.0])
    with pytest.raises(AssertionError) as want:
        getattr(np.testing, name)(np.arange(3.0) + 1, [1.0, 2.0, 4.0])
    assert str(got.value) == str(want.value)


def test_everything_else_is_numpys_own():
    assert la.testing.assert_raises is np.testing.assert_raises
    assert {name for name in dir(np.testing) if not name.startswith("_")} <= set(dir(la.testing))
    with pytest.raises(AttributeError, match="nonsense"):
        la.testing.nonsense
