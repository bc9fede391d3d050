"""`nditer` reads and writes lazy arrays."""

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
