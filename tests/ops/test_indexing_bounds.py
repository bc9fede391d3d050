"""Index arrays with evaluated values are checked immediately."""

import numpy as np
import pytest

import lazyarr as la

EXTREMES = [-6, -5, -1, 0, 4, 5, np.iinfo(np.int64).min, np.iinfo(np.int64).max]


def evaluated_on_devices(array):
    """On the host the error comes before there is an array."""
    if la.config.device != "cpu":
        array.numpy()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("value", EXTREMES)
def test_as_numpy(value, dtype):
    info = np.iinfo(dtype)
    if not info.min <= value <= info.max:
        pytest.skip("no value of this type")
    x = np.arange(5.0)
    for size in (1, 2, 17, 100):
        for place in {0, size // 2, size - 1}:
            index = np.zeros(size, dtype)
            index[place] = value
            for i in (index, index[::-1], np.repeat(index, 2)[::2]):
                try:
                    expected = x[i]
                except IndexError:
                    with pytest.raises(IndexError):
                        evaluated_on_devices(la.asarray(x)[la.asarray(i)])
                else:
                    np.testing.assert_array_equal(la.asarray(x)[la.asarray(i)].numpy(), expected)
