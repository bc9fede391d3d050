"""Device arrays passed to host code: readers get a copy, and for writers the array moves to the host."""

import ctypes
import hashlib
import io

import numpy as np
import pytest

import lazyarr as la

VALUES = np.arange(6.0)


@pytest.fixture(params=["cpu:1", "opencl:0"])
def device(request):
    if request.param not in la.devices():
        pytest.skip("there is no OpenCL device")
    return request.param


@pytest.fixture(params=["array", "view", "pending", "fetched"])
def make(request, device):
    """Return a function that makes an array of `VALUES` on the device."""
    def make():
        if request.param == "view":
            return la.arange(12.0).to_device(device)[::2] / 2
        x = la.asarray(VALUES).to_device(device)
        if request.param == "pending":
            return x * 2 - VALUES
        la.evaluate(x)
        if request.param == "fetched":
            x.numpy()
        return x

    return make


def get_buffer(x):
    """Request a writeable buffer."""
    buffer = (ctypes.c_char * 200)()    # room for a Py_buffer
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(buffer), 1)
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))


POINTERS = {
    "ctypes": lambda x: x.ctypes,
    "ndpointer": lambda x: la.numpy.ctypeslib.ndpointer("f8").from_param(x),
    "buffer": get_buffer,
    "readinto": lambda x: io.BytesIO(VALUES.tobytes()).readinto(x),
    "frombuffer": np.frombuffer,
    "ndarray": lambda x: np.ndarray(6, float, x),
}


@pytest.mark.parametrize("name", POINTERS)
def test_what_may_write_to_an_array_finds_it_on_the_host(make, device, name):
    x = make()
    if not x.flags.c_contiguous and name not in ("ctypes", "ndpointer"):
        pytest.skip("such buffers are contiguous")
    y = x * 2
    assert y.device == device
    POINTERS[name](x)
    assert x.device == "cpu"
    np.testing.assert_array_equal(x.numpy(), VALUES)
    ctypes.memset(x.ctypes.data, 0, 8)
    assert x[0] == 0
    np.testing.assert_array_equal(y.numpy(), VALUES * 2)


@pytest.mark.parametrize("write", [
    lambda x: memoryview(x).__setitem__(0, 5.0), lambda x: x.data.__setitem__(0, 5.0),
    lambda x: np.ctypeslib.as_ctypes(x), lambda x: (ctypes.c_double * 6).from_buffer(x)])
def test_what_asks_to_read_cannot_write(make, write):
    x = make()
    with pytest.raises(TypeError):
        write(x)
    np.testing.assert_array_equal((x + 0).numpy(), VALUES)


@pytest.mark.parametrize("look", [
    np.asarray, np.asanyarray, lambda x: np.from_dlpack(x),
    lambda x: np.asarray(Interface(x)), lambda x: np.asarray(Structure(x)), lambda x: np.asarray(x.data),
    lambda x: np.asarray(memoryview(x))])
def test_what_reads_gets_a_read_only_copy(make, look):
    x = make()
    found = look(x)
    assert type(found) is np.ndarray
    assert not found.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 5
    x += 1
    other = (x * 2).numpy(), x.numpy()      # which may have the memory of what is freed
    np.testing.assert_array_equal(found, VALUES)
    del other
    np.testing.assert_array_equal((x + 0).numpy(), VALUES + 1)


@pytest.mark.parametrize("look", [np.frombuffer, lambda x: np.ndarray(6, float, x)])
def test_memory_of_the_host_stays_where_code_that_keeps_the_array_found_it(look):
    x = la.asarray(VALUES) * 1
    found = look(x)
    for _ in range(2):
        y = x * 2
        x[:] = y + 1
        np.testing.assert_array_equal(found, x)
    found[0] = 5
    assert x[0] == 5


class Interface:
    """An array with NumPy's array interface."""

    def __init__(self, x):
        self.__array_interface__ = x.__array_interface__


class Structure:
    def __init__(self, x):
        self.__array_struct__ = x.__array_struct__


def test_what_numpy_promises_to_be_writable_is_a_copy_of_its_own(make):
    x = make()
    for copy in (np.array(x), x.__array__(copy=True), np.require(x, requirements="W"), np.array(memoryview(x))):
        assert copy.flags.writeable
        copy[:] = 7
        np.testing.assert_array_equal(x.numpy(), VALUES)
        np.testing.assert_array_equal((x + 0).numpy(), VALUES)


def test_readers_of_bytes_need_no_copy_by_hand(make, tmp_path):
    x = make()
    content = VALUES.tobytes()
    assert hashlib.sha1(x).digest() == hashlib.sha1(content).digest()
    assert (bytes(x), x.tobytes(), b"".join([x])) == (content, content, content)
    with open(tmp_path / "file", "wb") as file:
        file.write(x)
    x.tofile(tmp_path / "other")
    assert (tmp_path / "file").read_bytes() == (tmp_path / "other").read_bytes() == content
    assert (ctypes.c_double * 6).from_buffer_copy(x)[:] == VALUES.tolist()
    view = memoryview(x)
    assert (view.readonly, view.format, view.tolist()) == (True, "d", VALUES.tolist())
    np.testing.assert_array_equal((x + 0).numpy(), VALUES)
