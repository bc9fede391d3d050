import inspect
import re
import typing

import pytest

import lazyarr as la
from lazyarr.nn.docstrings import documented, of_each_rank

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
    @of_each_rank(result="[{space}] of {ndim}, {taps}, {result_space}: {size}, {4s}")
    def f_nd(*, _rank=0, x=0):
        """Over {axes}.

        Returns
        -------
        {result}
        """
        return _rank

    f1d, f2d, _ = f_nd
    assert str(inspect.signature(f2d)) == "(*, x=0)"
    assert (f1d(), f2d(), f2d.__name__, f2d.__qualname__) == (1, 2, "f2d", "f2d")
    assert f2d.__doc__.splitlines() == [
        "Over two spatial axes.", "", "Returns", "-------", "[H, W] of 4, R, S, H', W': int or tuple of int, 4, 4"]


def test_what_has_no_docstring_stays_without():
    def f():
        pass

    assert documented("Returns\n-------\n", name="x")(f).__doc__ is None


def test_functions_of_each_rank_keep_their_annotations():
    hints = typing.get_type_hints(la.nn.conv2d)
    assert [*hints] == ["x", "w", "stride", "padding", "dilation", "groups", "return"]
    assert hints["groups"] is typing.SupportsIndex


@pytest.mark.parametrize("function, args, kwargs, words", [
    (la.nn.conv2d, (1, 2, 3), {}, "conv2d() takes 2 positional arguments but 3 were given"),
    (la.nn.conv_transpose3d, (1,), {}, "conv_transpose3d() missing 1 required positional argument: 'w'"),
    (la.nn.adaptive_avg_pool1d, (1, 2, 3), {}, "adaptive_avg_pool1d() takes 2 positional arguments but 3 were given"),
    (la.nn.max_pool1d, (), {}, "max_pool1d() missing 2 required positional arguments: 'x' and 'window'"),
    (la.nn.avg_pool2d, (1, 2), {"strides": 1}, "avg_pool2d() got an unexpected keyword argument 'strides'"),
    (la.nn.grad.conv1d_input, (1, 2, 3, 4), {"stride": 2},
     "conv1d_input() takes 3 positional arguments but 4 positional arguments (and 1 keyword-only argument) were given"),
])
def test_errors_of_functions_of_each_rank_count_their_own_arguments(function, args, kwargs, words):
    with pytest.raises(TypeError, match=re.escape(words)):
        function(*args, **kwargs)


def test_functions_of_each_rank_call_nothing_in_between():
    assert la.nn.conv1d.__code__ is la.nn.conv2d.__code__
    x = la.ones((1, 4, 4, 3))
    assert la.nn.conv2d(w=la.ones((3, 3, 3, 6)), x=x).shape == (1, 2, 2, 6)
