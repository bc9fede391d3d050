"""`numpy.testing`, whose comparisons see the values of LazyArrays."""
import functools as _functools

from numpy import testing as _testing

from lazyarr.ops.operands import values as _values

_COMPARING = """
    assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_almost_equal_nulp
    assert_array_compare assert_array_equal assert_array_less assert_array_max_ulp assert_equal
""".split()


def _of_values(function):
    @_functools.wraps(function)
    def public(*args, **kwargs):
        return function(*_values(args), **_values(kwargs))

    return public


for _name in _COMPARING:
    globals()[_name] = _of_values(getattr(_testing, _name))

__all__ = _testing.__all__


def __getattr__(name):
    return getattr(_testing, name)


def __dir__():
    return dir(_testing)
