"""A selection of NumPy's own tests passes with lazyarr.numpy in place of NumPy, except for listed tests."""

import numpy as np
import numpys_own
import pytest


@pytest.mark.skipif(np.__version__ != "2.4.6", reason="the tests that fail are listed for another version of NumPy")
@pytest.mark.timeout(900)   # the first one runs all
@pytest.mark.parametrize("file", numpys_own.listed())
def test_numpys_own_tests_pass(file):
    new, _, count = numpys_own.differences(file, [*numpys_own.listed()])
    assert count > 0
    assert not new
