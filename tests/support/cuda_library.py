"""Another library that uses the CUDA device of the tests: its arrays, and what it takes from others."""

import contextlib
import ctypes
from ctypes import byref

import numpy as np

from lazyarr._core.host import dlpack
from lazyarr.gpu.drivers import libcuda
from lazyarr.gpu.drivers.libcuda import ADDRESS, HANDLE
from lazyarr.gpu.libraries.loading import made
from support.cuda_device import CUDA, DRIVER, ENVIRONMENT

CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


@contextlib.contextmanager
def context():
    """The device's primary context, which all libraries use."""
    CUDA.cuCtxPushCurrent_v2(DRIVER._resources.context)
    try:
        yield
    finally:
        CUDA.cuCtxPopCurrent_v2(HANDLE())


def new_stream():
    with context():
        return made(HANDLE, CUDA.cuStreamCreate, libcuda.STREAM_NON_BLOCKING)


def read(address, shape, dtype, strides=None, stream=None):
    """What lies in memory of the device once a stream has come to it; strides are in bytes, and not negative."""
    whole = np.empty(shape, dtype)
    strides = whole.strides if strides is None else strides
    nbytes = whole.size and sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) + whole.itemsize
    content = np.empty(nbytes, np.uint8)
    if nbytes:
        with context():
            CUDA.cuMemcpyDtoHAsync_v2(content.ctypes.data, address, nbytes, stream)
            CUDA.cuStreamSynchronize(stream)
    return np.ndarray(shape, dtype, content, 0, strides).copy()


def write(address, content, stream=None):
    """Write an array's elements, in C order, once a stream has come to it."""
    content = np.ascontiguousarray(content)
    with context():
        CUDA.cuMemcpyHtoDAsync_v2(address, content.ctypes.data, content.nbytes, stream)
        if stream is None:      # as an interface without a stream says
            CUDA.cuStreamSynchronize(None)


def copy(target, source, nbytes, stream):
    with context():
        CUDA.cuMemcpyDtoDAsync_v2(target, source, nbytes, stream)


def is_idle(stream):
    """Whether all that was launched in a stream has ended."""
    query = ctypes.CDLL(ENVIRONMENT["LAZYARR_CUDA"]).cuStreamQuery
    with context():
        return query(HANDLE(stream)) == 0


class Memory:
    """A block that is freed with the last reference."""

    def __init__(self, content, stream=None):
        with context():
            self.address = made(ADDRESS, CUDA.cuMemAlloc_v2, max(content.nbytes, 1))
        if content.nbytes:
            write(self.address, content, stream)

    def __del__(self):
        with context():
            CUDA.cuMemFree_v2(self.address)


class Array:
    """An array of the library's: a window on the memory of an ndarray's elements.

    Parameters
    ----------
    content : ndarray
        What the memory begins with, in C order.
    window : callable, optional
        Returns a view of such an array: the part that this one shows.
    stream : int or None
        Where the library writes.
    """

    def __init__(self, content, window=lambda x: x, stream=None, is_read_only=False):
        content = np.ascontiguousarray(content)
        shown = window(content)
        self.memory, self.stream, self.is_read_only = Memory(content, stream), stream, is_read_only
        self.shape, self.strides, self.dtype = shown.shape, shown.strides, shown.dtype
        self.address = self.memory.address + shown.__array_interface__["data"][0] - content.ctypes.data
        self.content = content

    def values(self):
        """All of the memory, whatever the window."""
        return read(self.memory.address, self.content.shape, self.dtype, stream=self.stream)

    def write(self, content):
        """Write to all of the memory."""
        write(self.memory.address, content.astype(self.dtype), self.stream)


class WithInterface(Array):
    """One that other libraries ask for its `__cuda_array_interface__`."""

    version, extra = 3, {}

    @property
    def __cuda_array_interface__(self):
        known = {"shape": self.shape, "typestr": self.dtype.str, "strides": self.strides, "version": self.version,
                 "data": (self.address, self.is_read_only)}  # fmt: skip
        if self.version >= 3:
            known["stream"] = self.stream
        return known | self.extra


class WithDLPack(Array):
    """One that other libraries ask for capsules."""

    device, dtype_code, is_old = (2, 0), None, False

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **request):
        if self.is_old and "max_version" in request:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.request = request
        event = HANDLE()
        with context():
            CUDA.cuEventCreate(byref(event), libcuda.EVENT_DISABLE_TIMING)
            CUDA.cuEventRecord(event, self.stream)
            CUDA.cuStreamWaitEvent(request["stream"], event, 0)
        code = self.dtype_code or (CODES[self.dtype.kind], 8 * self.dtype.itemsize)
        return dlpack.new_capsule(
            self, self.address, self.shape, tuple(step // self.dtype.itemsize for step in self.strides), code,
            self.device, int(self.is_read_only), not self.is_old)


class Taken:
    """What the library takes from another one, by DLPack.

    Parameters
    ----------
    x : array
    stream : int or None
        The stream in which it will be read.
    """

    def __init__(self, x, stream=None, **request):
        assert x.__dlpack_device__() == (2, 0)
        self.stream = stream
        self.tensor = dlpack.take(x.__dlpack__(stream=stream, **request))
        assert self.tensor.device == (2, 0)
        code, bits, _ = self.tensor.dtype
        self.dtype = np.dtype(f"{next(kind for kind in CODES if CODES[kind] == code)}{bits // 8}")

    def values(self, stream=None):
        strides = tuple(step * self.dtype.itemsize for step in self.tensor.strides)
        return read(self.tensor.address, self.tensor.shape, self.dtype, strides, stream or self.stream)
