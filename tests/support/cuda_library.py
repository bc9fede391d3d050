"""Another library that uses the tests' CUDA device: its arrays, and how it imports arrays of others."""

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
    """Make the device's primary context current, which all libraries share."""
    CUDA.cuCtxPushCurrent_v2(DRIVER._resources.context)
    try:
        yield
    finally:
        CUDA.cuCtxPopCurrent_v2(HANDLE())


def new_stream():
    with context():
        return made(HANDLE, CUDA.cuStreamCreate, libcuda.STREAM_NON_BLOCKING)


def read(address, shape, dtype, strides=None, stream=None):
    """Return an array from device memory, after the work in a stream; strides are non-negative byte strides."""
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
    """Write an array's elements in C order, after the work in a stream."""
    content = np.ascontiguousarray(content)
    with context():
        CUDA.cuMemcpyHtoDAsync_v2(address, content.ctypes.data, content.nbytes, stream)
        if stream is None:      # as for an interface without a stream
            CUDA.cuStreamSynchronize(None)


def copy(target, source, nbytes, stream):
    with context():
        CUDA.cuMemcpyDtoDAsync_v2(target, source, nbytes, stream)


def is_idle(stream):
    """Return whether all work in a stream has finished."""
    query = ctypes.CDLL(ENVIRONMENT["LAZYARR_CUDA"]).cuStreamQuery
    with context():
        return query(HANDLE(stream)) == 0


class Memory:
    """A block of device memory that is freed with its last reference."""

    def __init__(self, content, stream=None):
        with context():
            self.address = made(ADDRESS, CUDA.cuMemAlloc_v2, max(content.nbytes, 1))
        if content.nbytes:
            write(self.address, content, stream)

    def __del__(self):
        with context():
            CUDA.cuMemFree_v2(self.address)


class Array:
    """An array of the library: a view of device memory.

    Parameters
    ----------
    content : ndarray
        Initial content of the memory, in C order.
    window : callable, optional
        Returns the view that this array is of such an array.
    stream : int or None
        Stream in which the library writes.
    """

    def __init__(self, content, window=lambda x: x, stream=None, is_read_only=False):
        content = np.ascontiguousarray(content)
        shown = window(content)
        self.memory, self.stream, self.is_read_only = Memory(content, stream), stream, is_read_only
        self.shape, self.strides, self.dtype = shown.shape, shown.strides, shown.dtype
        self.address = self.memory.address + shown.__array_interface__["data"][0] - content.ctypes.data
        self.content = content

    def values(self):
        """Return all of the memory, regardless of the view."""
        return read(self.memory.address, self.content.shape, self.dtype, stream=self.stream)

    def write(self, content):
        """Write all of the memory."""
        write(self.memory.address, content.astype(self.dtype), self.stream)


class WithInterface(Array):
    """An array with `__cuda_array_interface__`."""

    version, extra = 3, {}

    @property
    def __cuda_array_interface__(self):
        known = {"shape": self.shape, "typestr": self.dtype.str, "strides": self.strides, "version": self.version,
                 "data": (self.address, self.is_read_only)}  # fmt: skip
        if self.version >= 3:
            known["stream"] = self.stream
        return known | self.extra


class WithDLPack(Array):
    """An array with `__dlpack__`."""

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
    """An array that the library imports through DLPack.

    Parameters
    ----------
    x : array
    stream : int or None
        Stream in which it will be read.
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
