"""Gufuncs that are not public in NumPy, with `axis`, `axes` and `keepdims`."""

import numpy as np
import numpy._core._umath_tests as others
import pytest

import lazyarr as la

CALLS = {
    "inner1d": lambda x, **kwargs: others.inner1d(x, x, **kwargs),
    "innerwt": lambda x, **kwargs: others.innerwt(x, x, x, **kwargs),
    "cross1d": lambda x, **kwargs: others.cross1d(x, x + 1, **kwargs),
    "cumsum": lambda x, **kwargs: others.cumsum(x, **kwargs),
    "conv1d_full": lambda x, **kwargs: others.conv1d_full(x, x, **kwargs),
    "euclidean_pdist": lambda x, **kwargs: others.euclidean_pdist(x, **kwargs),
    "matrix_multiply": lambda x, **kwargs: others.matrix_multiply(x, x, **kwargs),
    "vecdot": lambda x, **kwargs: np.vecdot(x, x, **kwargs),
}
KEYWORDS = [{}, {"axis": 0}, {"axis": 1}, {"axis": -4}, {"keepdims": True}, {"axis": 0, "keepdims": True},
            {"axes": [0, 1]}, {"axes": [0, 1, 0]}, {"axes": [1, 1, ()]}, {"axes": [(0, 1), (1, 2), (0, 1)]}]


def outcome(call, x, kwargs):
    try:
        result = np.asarray(call(x, **kwargs))
    except Exception as error:
        return type(error), str(error)
    return result.dtype, result.shape, result.tolist()


@pytest.mark.parametrize("kwargs", KEYWORDS, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_gufuncs(name, kwargs):
    x = np.arange(27.0).reshape(3, 3, 3) % 5
    assert outcome(CALLS[name], la.array(x), kwargs) == outcome(CALLS[name], x, kwargs)
