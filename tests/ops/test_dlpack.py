"""DLPack: what each kind of consumer gets, what is rejected, and that memory lives as long as it is shared."""

import ctypes
import gc

import numpy as np
import pytest

import lazyarr as la
from support.call_outcomes import outcome

REQUESTS = [
    {}, {"max_version": (1, 0)}, {"max_version": (0, 8)}, {"max_version": (2, 0)}, {"max_version": None},
    {"copy": True}, {"copy": False}, {"copy": True, "max_version": (1, 0)}, {"copy": False, "max_version": (1, 0)},
    {"dl_device": (1, 0)}, {"dl_device": None}, {"stream": None},
    # what NumPy has not got either
    {"dl_device": (2, 0)}, {"dl_device": (2, 0), "max_version": (1, 0)}, {"dl_device": (2, 0), "copy": True},
    {"dl_device": (1, 1)}, {"stream": 1}, {"stream": 1, "max_version": (1, 0)},
    # what makes no sense
    {"max_version": 1}, {"max_version": (1,)}, {"max_version": "1.0"}, {"copy": "x"}, {"dl_device": "cpu"},
    {"bogus": 1},
]
DTYPES = ["?", "i1", "u8", "f2", "f4", "f8", "g", "F", "D", "G", ">f8", "U3", "S2", "O", "M8[D]", [("a", "i4")]]


def pending(dtype=float):
    return la.arange(6).astype(dtype).reshape(2, 3) * 2


class Consumer:
    """What a library's from_dlpack gets, for NumPy to look at; an old one knows no versions."""

    def __init__(self, array, **request):
        self.capsule = array.__dlpack__(**request)

    def __dlpack__(self, **request):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


def write_first(lent, value):
    """Write as a consumer may that is told nothing; NumPy itself takes such memory for read-only."""
    ctypes.c_double.from_address(lent.ctypes.data).value = value


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_request(request_):
    want = outcome(lambda: np.ones((2, 3)).__dlpack__(**request_))
    x = pending()
    assert outcome(lambda: x.__dlpack__(**request_)) == want
    if want[0] == "result":
        np.testing.assert_array_equal(np.from_dlpack(Consumer(x, **request_)), x.numpy())


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_request_of_a_read_only_array(request_):
    x, y = np.ones((2, 3)), pending()
    x.flags.writeable = y.flags.writeable = False
    assert outcome(lambda: y.__dlpack__(**request_)) == outcome(lambda: x.__dlpack__(**request_))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtype(dtype):
    x = np.zeros(3, dtype)
    for namespace in (np, la):
        want = outcome(lambda namespace=namespace: namespace.from_dlpack(x))
        assert outcome(lambda namespace=namespace: namespace.from_dlpack(la.zeros(3, dtype))) == want


def test_what_is_refused_evaluates_nothing():
    x = pending()
    with la.no_evaluation():
        with pytest.raises(BufferError, match="unsupported device"):
            x.__dlpack__(dl_device=(2, 0))
        with pytest.raises((RuntimeError, ValueError), match="stream"):  # the latter since NumPy 2.5
            x.__dlpack__(stream=7)
        with pytest.raises(BufferError, match="DLPack only supports"):
            la.zeros(3, "M8[s]").__dlpack__()
        with pytest.raises(la.EvaluationForbidden):
            x.__dlpack__()
        assert x.__dlpack_device__() == np.ones(3).__dlpack_device__()


@pytest.mark.parametrize("view", [
    lambda x: x.T, lambda x: x[::-1, ::2], lambda x: x[1], lambda x: x[:0], lambda x: x[..., None], lambda x: x[1, ...],
])
def test_layout_is_kept(view):
    want = np.from_dlpack(view(np.arange(6.0).reshape(2, 3) * 2))
    for got in (np.from_dlpack(view(pending())), la.from_dlpack(view(pending()))):
        assert (got.shape, got.strides) == (want.shape, want.strides)
        np.testing.assert_array_equal(np.asarray(got), want)
    want = np.from_dlpack(view(np.arange(6.0).reshape(2, 3)), copy=True)
    got = la.from_dlpack(view(pending()), copy=True)
    assert got.shape == want.shape
    assert got.strides == want.strides or not got.size


def test_a_consumer_that_knows_read_only_memory_shares_it():
    x = pending()
    lent = np.from_dlpack(x)
    assert not lent.flags.writeable
    assert np.shares_memory(lent, x.numpy())
    assert np.from_dlpack(x, copy=True).flags.writeable


def test_an_older_consumer_gets_memory_of_its_own():
    x = pending()
    lent = np.from_dlpack(Consumer(x))
    write_first(lent, -1.0)
    assert lent[0, 0] == -1
    assert x.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_an_older_consumer_that_wants_no_copy_writes_to_the_array_alone():
    x = pending()
    la.evaluate(x)
    copy, value = x.copy(), x.numpy()
    lent = np.from_dlpack(Consumer(x, copy=False))
    write_first(lent, -1.0)
    assert x.tolist() == [[-1, 2, 4], [6, 8, 10]]
    assert copy.tolist() == value.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_lent_memory_keeps_its_values():
    x = pending()
    lent = np.from_dlpack(x)
    x += 100
    assert x.tolist() == [[100, 102, 104], [106, 108, 110]]
    del x
    gc.collect()
    assert lent.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_scalars_are_arrays_without_axes():
    # NumPy's own scalars have no DLPack; the standard knows no scalars
    total = pending().sum()
    assert np.from_dlpack(total).tolist() == 30
    assert np.from_dlpack(Consumer(total)).tolist() == 30
    taken = la.from_dlpack(total)
    taken += 1
    assert (float(taken), float(total)) == (31, 30)


# from_dlpack

def program(xp):
    x = xp.arange(6.0).reshape(2, 3)
    y, z = xp.from_dlpack(x), xp.from_dlpack(x, copy=True)
    y[0, 0] = 7
    x[1] = 5
    z[0] = 9
    return [np.asarray(a).tolist() for a in (x, y, z)]


def test_a_lazy_array_gives_a_view_or_a_copy():
    assert program(la) == program(la.array_api) == program(np)
    x = pending()
    with la.no_evaluation():
        assert la.from_dlpack(x).base is x
        assert la.from_dlpack(x, copy=True).base is None


def test_a_view_of_a_read_only_array_is_read_only():
    x = pending()
    x.flags.writeable = False
    assert not la.from_dlpack(x).flags.writeable
    assert la.from_dlpack(x, copy=True).flags.writeable


def test_memory_of_others_is_shared():
    memory = np.arange(3.0)
    x = la.from_dlpack(memory)
    assert np.shares_memory(np.asarray(x), memory)
    y = x * 1
    x += 1
    memory[0] = 7
    assert (memory.tolist(), x.tolist(), y.tolist()) == ([7, 2, 3], [7, 2, 3], [0, 1, 2])
    assert not np.shares_memory(np.asarray(la.from_dlpack(memory, copy=True)), memory)
    memory.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        la.from_dlpack(memory)[0] = 1


@pytest.mark.parametrize("call", [
    lambda xp, x: xp.from_dlpack(x, device="gpu"), lambda xp, x: xp.from_dlpack(x, copy="x"),
    lambda xp, x: xp.from_dlpack([1, 2]), lambda xp, x: xp.from_dlpack(3.0), lambda xp, x: xp.from_dlpack(),
    lambda xp, x: xp.from_dlpack(x, "cpu"),
])
def test_wrong_calls(call):
    want = outcome(lambda: call(np, np.ones(3)))
    assert want[0] == "error"
    assert outcome(lambda: call(la, la.ones(3) + 1)) == want
