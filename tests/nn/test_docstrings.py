import inspect
import re

import pytest

import lazyarr as la
from lazyarr.nn.docstrings import documented, documented_by_rank

PUBLIC = [getattr(namespace, name) for namespace in (la.nn, la.nn.grad) for name in namespace.__all__]
BY_RANK = [f for f in PUBLIC if inspect.isfunction(f) and re.search(r"[123]d", f.__name__)]


@pytest.mark.parametrize("what", PUBLIC, ids=lambda what: what.__name__)
def test_nothing_is_left_to_fill_in(what):
    assert re.findall(r"\{\w+\}", what.__doc__) == []


@pytest.mark.parametrize("function", BY_RANK, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_functions_of_each_rank_are_documented_in_full(function):
    titles = re.findall(r"^(\w+)\n-+$", function.__doc__, re.MULTILINE)
    assert titles == ["Parameters", "Returns", "Raises", "Examples"]
    parameters = re.search(r"Parameters\n-+\n(.*?)\n\nReturns", function.__doc__, re.DOTALL)[1]
    names = [name for names in re.findall(r"^(\S[^:\n]*)", parameters, re.MULTILINE) for name in names.split(", ")]
    assert sorted([name.strip() for name in names]) == sorted(inspect.signature(function).parameters)


def test_axes_are_named_by_rank():
    def f():
        """One line.

        Examples
        --------
        >>> f()
        """

    documented_by_rank(2, "Returns\n-------\n[{space}] of {ndim}, {taps}, {result_space}: {size}\n")(f)
    assert f.__doc__ == ("One line.\n\nReturns\n-------\n[H, W] of 4, R, S, H', W': int or tuple of int\n\n"
                         "Examples\n--------\n>>> f()")


def test_what_has_no_docstring_stays_without():
    def f():
        pass

    assert documented("Returns\n-------\n", name="x")(f).__doc__ is None
