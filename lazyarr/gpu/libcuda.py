"""NVIDIA's driver library by ctypes: it comes with the driver of the graphics card, and is opened at run time.

`PROTOTYPES` has the functions that lazyarr calls, under the names that the library exports: where CUDA's header renames
a function by a macro, that is the name with the suffix. The oldest driver that has all of them is that of CUDA 11.2;
kernels need one of CUDA 12.
"""

import ctypes
import functools
import os
import sys
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

VARIABLE = "LAZYARR_CUDA"
"""The environment variable that names another file of the library."""

LEAST_VERSION = 12000
"""The oldest driver whose kernels are tried, as `cuDriverGetVersion` counts: 1000 * major + 10 * minor."""

# Handles of contexts, streams, events, modules, functions and pools are pointers; devices are ints, and addresses in
# the memory of a device are 64 bits wide.
DEVICE, ADDRESS, HANDLE = c_int, c_uint64, c_void_p

PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),  # flags, 0
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(DEVICE), c_int),  # ordinal
    "cuDeviceGetName": (c_char_p, c_int, DEVICE),  # text, its length
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, DEVICE),  # value, attribute
    "cuDeviceGetDefaultMemPool": (POINTER(HANDLE), DEVICE),
    "cuDevicePrimaryCtxRetain": (POINTER(HANDLE), DEVICE),
    "cuCtxPushCurrent_v2": (HANDLE,),
    "cuCtxPopCurrent_v2": (POINTER(HANDLE),),
    "cuMemPoolSetAttribute": (HANDLE, c_int, c_void_p),  # pool, attribute, pointer to its value
    "cuMemPoolTrimTo": (HANDLE, c_size_t),  # pool, bytes to keep
    "cuMemAllocAsync": (POINTER(ADDRESS), c_size_t, HANDLE),  # address, bytes, stream
    "cuMemFreeAsync": (ADDRESS, HANDLE),
    "cuMemAlloc_v2": (POINTER(ADDRESS), c_size_t),
    "cuMemFree_v2": (ADDRESS,),
    "cuMemHostAlloc": (POINTER(c_void_p), c_size_t, c_uint),  # address, bytes, flags
    "cuMemcpyHtoDAsync_v2": (ADDRESS, c_void_p, c_size_t, HANDLE),  # target, source, bytes, stream
    "cuMemcpyDtoHAsync_v2": (c_void_p, ADDRESS, c_size_t, HANDLE),
    "cuMemcpyDtoDAsync_v2": (ADDRESS, ADDRESS, c_size_t, HANDLE),
    "cuMemsetD32Async": (ADDRESS, c_uint, c_size_t, HANDLE),  # address, value, count of values, stream
    "cuStreamCreate": (POINTER(HANDLE), c_uint),  # flags
    "cuStreamSynchronize": (HANDLE,),
    "cuStreamWaitEvent": (HANDLE, HANDLE, c_uint),  # stream, event, flags
    "cuEventCreate": (POINTER(HANDLE), c_uint),  # flags
    "cuEventRecord": (HANDLE, HANDLE),  # event, stream
    "cuEventQuery": (HANDLE,),
    "cuEventSynchronize": (HANDLE,),
    "cuModuleLoadDataEx": (POINTER(HANDLE), c_char_p, c_uint, POINTER(c_int), POINTER(c_void_p)),  # image, options
    "cuModuleGetFunction": (POINTER(HANDLE), HANDLE, c_char_p),
    "cuModuleUnload": (HANDLE,),
    "cuLaunchKernel": (HANDLE, *6 * (c_uint,), c_uint, HANDLE, POINTER(c_void_p), POINTER(c_void_p)),
    # function; grid x, y, z; block x, y, z; bytes of shared memory; stream; pointers to the arguments; None
}
"""Types of the arguments of the functions. All return a `CUresult`, 0 if they succeed."""

QUICK = {"cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuEventRecord", "cuStreamWaitEvent", "cuEventQuery"}
"""Functions that never wait: they are called with the GIL, as giving it up may cost more than they take."""

# constants of cuda.h
COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR, MEMORY_POOLS_SUPPORTED = 75, 76, 115  # CU_DEVICE_ATTRIBUTE_*
RELEASE_THRESHOLD = 4  # CU_MEMPOOL_ATTR_*
STREAM_NON_BLOCKING = 1  # CU_STREAM_*
EVENT_DISABLE_TIMING = 2  # CU_EVENT_*
MEMHOSTALLOC_PORTABLE = 1  # CU_MEMHOSTALLOC_*
