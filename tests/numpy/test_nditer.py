"""`nditer` reads and writes lazy arrays."""

import ctypes

import numpy as np
import pytest

import lazyarr as la
from support.lazy_helpers import assert_same, both


def doubled(xp, x):
    with xp.nditer(x, op_flags=["readwrite"]) as iterator:
        for element in iterator:
            element[...] = 2 * element


@pytest.mark.parametrize("window", [np.s_[...], np.s_[1:, ::2], np.s_[::-1, 1]])
def test_writing(window):
    x, lx = both()
    before, y = lx, lx + 1
    doubled(np, x[window])
    doubled(la, lx[window])
    assert_same(lx, x)
    assert before is lx
    assert_same(y, both()[0] + 1)


@pytest.mark.parametrize("dtype", [">f4", object, "S3", "M8[s]"])
def test_writing_of_other_types(dtype):
    x = np.arange(3).astype(dtype)
    lx = la.array(x)
    for xp, array in [(np, x), (la, lx)]:
        with xp.nditer(array, ["refs_ok"], op_flags=["readwrite"]) as iterator:
            for element in iterator:
                element[...] = x[2]
    assert_same(lx, x)


def test_what_shared_the_memory_keeps_its_values():
    x, lx = both()
    copy, array = lx.copy(), lx.numpy()
    doubled(la, lx)
    np.testing.assert_array_equal(array, x)
    assert_same(copy, x)


def test_several_operands():
    def program(xp, x):
        out = xp.zeros((4, 5))
        iterator = xp.nditer([x, out, None], ["buffered"], [["readonly"], ["writeonly"], ["writeonly", "allocate"]],
                             op_dtypes=["f4", "f8", "f8"], casting="unsafe")
        with iterator:
            for a, b, c in iterator:
                b[...] = a * 2
                c[...] = a * 3
            return out, iterator.operands[2]

    x, lx = both()
    for want, got in zip(program(np, x), program(la, lx), strict=True):
        assert_same(la.asarray(got), want)


@pytest.mark.parametrize("arguments", [
    {"op_flags": "readwrite"}, {"op_flags": [["readwrite"], ["readwrite"]]}, {"op_flags": [["nonsense"]]},
    {"flags": ["nonsense"]},
])
def test_errors_are_numpys(arguments):
    x, lx = both()
    with pytest.raises(Exception) as want:  # noqa: PT011 - compared below
        np.nditer(x, **arguments)
    with pytest.raises(type(want.value)) as got:
        la.nditer(lx, **arguments)
    assert str(got.value) == str(want.value)


def test_a_read_only_array_cannot_be_written_to():
    x = la.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        la.nditer(x, op_flags=["readwrite"])


@pytest.mark.parametrize("dtype", ["float64", "M8[M]", "U3"])
@pytest.mark.parametrize("key", [0, -1, 5, [7], "a", (0, 0)])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 2), ()])
def test_wrong_indices_of_flat_raise_what_numpy_raises(shape, key, dtype):
    def errors(x):
        raised = []
        for use in (lambda: x.flat[key], lambda: x.flat.__setitem__(key, np.zeros((), dtype)[()])):
            try:
                use()
                raised.append(None)
            except Exception as error:
                raised.append((type(error), str(error)))
        return raised

    assert errors(la.array(np.zeros(shape, dtype))) == errors(np.zeros(shape, dtype))


def on_device(values):
    return la.array(values).to_device("cpu:1")


def test_writing_to_arrays_on_devices():
    x = on_device(np.arange(6.0).reshape(2, 3))
    view, y = x[1], x + 1
    doubled(la, x)
    np.testing.assert_array_equal(x, np.arange(6.0).reshape(2, 3) * 2)
    np.testing.assert_array_equal(view, [6, 8, 10])
    np.testing.assert_array_equal(y, np.arange(1.0, 7).reshape(2, 3))
    assert x.device == view.device == "cpu"
    iterator = la.nditer(x[0], op_flags=["writeonly"])
    for element in iterator:
        element[...] = 7
    np.testing.assert_array_equal(x + 1, [[8, 8, 8], [7, 9, 11]])


def test_reading_leaves_arrays_on_devices():
    x = on_device([1.0, 2.0])
    assert [float(element) for element in la.nditer(x)] == [1, 2]
    assert x.device == "cpu:1"


def test_pointers_to_arrays_on_devices_are_to_their_memory_on_the_host():
    x = on_device([1.0, 2.0])
    x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))[0] = 9
    np.testing.assert_array_equal(x, [9, 2])
    np.testing.assert_array_equal(x + 1, [10, 3])
