"""The examples in NumPy's docstrings print the same with lazyarr as with NumPy."""

import doctest

import docstrings
import numpy as np
import pytest

from lazyarr.runner import counterpart

SHOWN = """
>>> import numpy as np
>>> type(np.zeros(2))
<class 'numpy.ndarray'>
>>> np.set_printoptions(precision=2)
>>> np.linalg.norm(np.ones(2))
np.float64(1.41)
>>> np.ones(2).nonsense
Traceback (most recent call last):
AttributeError: 'numpy.ndarray' object has no attribute 'nonsense'
"""


def test_examples_run_with_lazyarr():
    examples = doctest.DocTestParser().get_examples(SHOWN)
    printed = docstrings.run(examples, counterpart)
    assert "LazyArray" in printed[1]
    assert docstrings.spelled(printed[1]) == "<class 'numpy.ndarray'>"
    assert [docstrings._passes(*pair) for pair in zip(examples, printed, strict=True)] == [
        True, False, True, False, True]  # the class has another name, and a scalar prints all its digits
    assert np.get_printoptions()["precision"] == 8


def test_examples_print_what_they_print_with_numpy():
    counted = [r for r in docstrings.results() if r.passes]
    differing = {(r.name, r.number): f"\n>>> {r.source}NumPy:\n{r.numpy}\nlazyarr:\n{r.lazyarr}"
                 for r in counted if not r.same}
    assert len(counted) > 3000
    assert len(differing) <= 0.03 * len(counted)
    if np.__version__ != docstrings.NUMPY:
        pytest.skip("the exceptions are listed for another version of NumPy")
    listed = docstrings.exceptions()
    assert not differing.keys() - listed.keys(), [differing[key] for key in differing.keys() - listed.keys()]
    assert not listed.keys() - differing.keys(), "listed, but not different"
