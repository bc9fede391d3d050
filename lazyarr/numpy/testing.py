"""`numpy.testing`, whose comparisons see the values of LazyArrays."""
import functools as _functools

from lazyarr._core.host.api_boundary import api_boundary as _api_boundary
from lazyarr.numpy.namespace import deferred as _deferred
from lazyarr.ops.operands import values as _values

_COMPARING = """
    assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_almost_equal_nulp
    assert_array_compare assert_array_equal assert_array_less assert_array_max_ulp assert_equal
""".split()


def _of_values(function):
    @_api_boundary
    @_functools.wraps(function)
    def public(*args, **kwargs):
        return function(*_values(args), **_values(kwargs))

    return public


def _load():
    from numpy import testing

    for name, obj in vars(testing).items():
        if not name.startswith("__") or name == "__all__":
            globals()[name] = _of_values(obj) if name in _COMPARING else obj


__getattr__, __dir__ = _deferred(globals(), _load)
