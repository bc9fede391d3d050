"""One-hot vectors."""

import numpy as np
import pytest

import lazyarr as la


@pytest.mark.parametrize("index", ["i1", "u1", "i4", "i8", "u8", ">i4"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "D", "?", "i2", "f2"])
def test_against_a_loop(index, dtype):
    rng = np.random.default_rng(0)
    for shape in [(), (7,), (3, 4), (0, 2)]:
        x = rng.integers(0 if index[0] == "u" else -3, 9, shape).astype(index)
        for count in (0, 1, 6, 300):
            for axis in range(-len(shape) - 1, len(shape) + 1):
                expected = np.zeros((*shape, count), dtype)
                for place in np.ndindex(shape):
                    if 0 <= x[place] < count:
                        expected[(*place, x[place])] = 1
                got = la.nn.one_hot(la.asarray(x), count, dtype=dtype, axis=axis).numpy()
                expected = np.moveaxis(expected, -1, axis)
                assert got.dtype == expected.dtype
                np.testing.assert_array_equal(got, expected)


def test_float32_by_default_and_lazy():
    with la.no_evaluation():
        y = la.nn.one_hot(la.arange(3) + 1, 4)
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y.numpy(), np.eye(4)[1:])


def test_wrong_arguments():
    with pytest.raises(TypeError, match="integers"):
        la.nn.one_hot(np.ones(3), 3)
    with pytest.raises(TypeError, match="integers"):
        la.nn.one_hot(np.ones(3, bool), 3)
    with pytest.raises(TypeError, match="dtype"):
        la.nn.one_hot(np.ones(3, int), 3, dtype="U3")
    with pytest.raises(ValueError, match="negative"):
        la.nn.one_hot(np.ones(3, int), -1)
    with pytest.raises(np.exceptions.AxisError):
        la.nn.one_hot(np.ones(3, int), 3, axis=2)
