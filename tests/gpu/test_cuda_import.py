"""Other libraries' arrays on a CUDA device: memory that is shared or copied, its device, rejections."""
import gc
import weakref

import numpy as np
import pytest

import lazyarr as la
from support.cuda_device import DEVICE, DRIVER, same, there
from support.cuda_library import Taken, WithDLPack, WithInterface

VERSION = (1, 0)


WINDOWS = [
    lambda x: x, lambda x: x.T, lambda x: x[1:, ::2], lambda x: x[::-1], lambda x: x[:, ::-2].T, lambda x: x[1],
    lambda x: x[1, 2:3, None], lambda x: x[..., 0:0], lambda x: x[1, 2, ...],
]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("kind", [WithInterface, WithDLPack])
def test_memory_of_others_is_shared(kind, window):
    a = np.arange(24.0).reshape(4, 6)
    given = kind(a.copy(), window)
    x = la.numpy.asarray(given)
    shown = window(a)
    assert (x.shape, x.dtype, x.strides if x.size else ()) == (shown.shape, a.dtype, shown.strides if x.size else ())
    same(x, shown)
    y = x * 2
    before = shown.copy()
    x += 1
    shown += 1
    np.testing.assert_array_equal(given.values(), a)
    if shown.ndim and shown.size:
        x[..., 0], shown[..., 0] = 50, 50
        x[x > 20], shown[shown > 20] = -1, -1
    np.testing.assert_array_equal(given.values(), a)
    given.write(a * 3)
    a *= 3
    same(x, shown)
    same(x + x.sum(), shown + shown.sum())
    same(y, before * 2)


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("is_old", [False, True])
def test_dtypes_of_others(dtype, is_old):
    a = np.arange(6).astype(dtype)
    given = WithDLPack(a)
    given.is_old = is_old
    for x in (la.from_dlpack(given), la.asarray(WithInterface(a))):
        same(x, a)
        same(x[::-1], a[::-1])
    assert given.request["stream"] == DRIVER.stream


@pytest.mark.parametrize("kind", [WithInterface, WithDLPack])
def test_asarray_copies_before_it_writes(kind):
    given = kind(np.arange(5.0))
    x, same_memory = la.asarray(given), la.asarray(given)
    assert Taken(x, max_version=VERSION).tensor.address == given.address
    y = x + 1
    x[1:] *= 2
    x -= 1
    x.__cuda_array_interface__
    x[0] = 7
    assert x.device == DEVICE
    assert x.tolist() == [7, 1, 3, 5, 7]
    same(y, np.arange(1.0, 6))
    same_memory.__cuda_array_interface__
    same_memory += 1
    la.evaluate(same_memory)
    np.testing.assert_array_equal(given.values(), np.arange(5.0))


@pytest.mark.parametrize("kind", [WithInterface, WithDLPack])
def test_array_is_a_copy_on_the_device(kind):
    given = kind(np.arange(5.0))
    copies = [la.array(given), la.asarray(given, copy=True), la.numpy.array(given), la.asarray(given, dtype="f4")]
    if kind is WithDLPack:
        copies.append(la.from_dlpack(given, copy=True))
    given.write(np.zeros(5))
    for x in copies[:3] + copies[4:]:
        same(x, np.arange(5.0))
    assert copies[3].dtype == np.float32
    copies[0] += 1
    assert not given.values().any()
    assert la.array(given, copy=False).device == DEVICE


@pytest.mark.parametrize("kind", [WithInterface, WithDLPack])
def test_arrays_of_others_stay_where_they_are(kind):
    given = kind(np.arange(5.0))
    with la.device("cpu:1"):
        assert la.asarray(given).device == la.array(given).device == DEVICE
        assert la.asarray(given, device="cpu").device == "cpu"


def test_from_dlpack_moves_to_devices():
    given, a = WithDLPack(np.arange(5.0)), np.arange(5.0)
    assert la.from_dlpack(given, device="cpu").device == "cpu"
    assert la.from_dlpack(given, device=DEVICE, copy=False).device == DEVICE
    same(la.from_dlpack(a, device=DEVICE), a)
    same(la.from_dlpack(la.asarray(a), device=DEVICE), a)
    assert la.from_dlpack(there(a), device="cpu").tolist() == a.tolist()
    same(la.from_dlpack(there(a)), a)
    same(la.from_dlpack(there(a), copy=True), a)
    for x in (given, a, there(a)):
        other = DEVICE if x is a else "cpu"
        with pytest.raises(BufferError, match=f"would have to be copied to be on {other}"):
            la.from_dlpack(x, device=other, copy=False)


@pytest.mark.parametrize("kind", [WithInterface, WithDLPack])
def test_read_only_memory_of_others_is_not_written_to(kind):
    given = kind(np.arange(5.0), is_read_only=True)
    x = la.numpy.asarray(given)
    for write_ in (lambda: x.__setitem__(0, 1), lambda: x.__iadd__(1), x.sort, lambda: x.setflags(write=True)):
        with pytest.raises(ValueError, match=r"read-only|WRITEABLE"):
            write_()
    assert x.__cuda_array_interface__["data"] == (given.address, True)
    y = la.asarray(given)
    y += 1
    same(y, np.arange(1.0, 6))
    np.testing.assert_array_equal(given.values(), np.arange(5.0))


def test_arrays_on_memory_of_others_say_so():
    given = WithInterface(np.arange(5.0))
    x = la.numpy.asarray(given)
    assert x.base is given
    assert not x.flags.owndata
    assert there(np.arange(3.0)).base is None


# ---- what is refused -----------------------------------------------------------------------------------


def test_devices_that_there_are_not():
    given = WithDLPack(np.arange(3.0))
    given.device = 2, 7
    for take in (la.from_dlpack, la.asarray, la.array):
        with pytest.raises(ValueError, match="there is no device 'cuda:7'; there are 'cpu'"):
            take(given)


@pytest.mark.parametrize(("extra", "error", "message"), [
    ({"mask": object()}, BufferError, "the array is masked"),
    ({"stream": 0}, ValueError, "there is no stream 0"),
    ({"stream": 3}, RuntimeError, "cuda:0 .* has failed: CUDA_ERROR_INVALID_HANDLE"),
    ({"typestr": ">f8"}, BufferError, "arrays of >f8 cannot be on cuda:0"),
    ({"typestr": "|V8"}, BufferError, r"arrays of \|V8 cannot be on cuda:0"),
    ({"strides": (12,)}, BufferError, "elements that are not aligned"),
    ({"data": (4096, False)}, RuntimeError, "cuda:0 .* has failed: CUDA_ERROR_INVALID_VALUE"),
])
def test_interfaces_that_are_wrong(extra, error, message):
    given = WithInterface(np.arange(3.0))
    given.extra = extra
    with pytest.raises(error, match=message):
        la.asarray(given)


def test_dtypes_that_numpy_has_not():
    given = WithDLPack(np.arange(3.0))
    given.dtype_code = 4, 16    # bfloat16
    alive = weakref.ref(given.memory)
    with pytest.raises(BufferError, match="DLPack's type 4 of 16 bits"):
        la.from_dlpack(given)
    del given
    gc.collect()
    assert alive() is None      # the capsule was given back


def test_capsules_are_taken_once():
    x = there(np.arange(3.0))

    class Twice:
        capsule = x.__dlpack__(max_version=VERSION)

        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, **request):
            return self.capsule

    given = Twice()
    same(la.from_dlpack(given), np.arange(3.0))
    with pytest.raises(ValueError, match="PyCapsule_GetPointer"):
        la.from_dlpack(given)
