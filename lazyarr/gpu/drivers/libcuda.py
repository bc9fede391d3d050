"""NVIDIA's driver library through ctypes. It comes with the graphics driver and is loaded at run time.

`PROTOTYPES` lists the functions that lazyarr calls under their exported names, with the suffix where CUDA's header
renames a function by a macro. The oldest driver that has all of them is CUDA 11.2's; kernels need CUDA 12's.
"""

import ctypes
import functools
import os
import sys
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from types import SimpleNamespace
from typing import Any

from lazyarr._core.runtime.launch_queue import graph_functions
from lazyarr.gpu.libraries.loading import made

VARIABLE = "LAZYARR_CUDA"
"""The environment variable that names another file of the library."""

LEAST_VERSION = 12000
"""The oldest driver whose kernels are tried, as `cuDriverGetVersion` counts: 1000 * major + 10 * minor."""

# Handles of contexts, streams, events, modules, functions and pools are pointers; devices are ints; device addresses
# have 64 bits.
DEVICE, ADDRESS, HANDLE = c_int, c_uint64, c_void_p

PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),  # flags, 0
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(DEVICE), c_int),  # ordinal
    "cuDeviceGetName": (c_char_p, c_int, DEVICE),  # buffer, its length
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, DEVICE),  # value, attribute
    "cuDeviceGetDefaultMemPool": (POINTER(HANDLE), DEVICE),
    "cuDevicePrimaryCtxRetain": (POINTER(HANDLE), DEVICE),
    "cuCtxPushCurrent_v2": (HANDLE,),
    "cuCtxPopCurrent_v2": (POINTER(HANDLE),),
    "cuCtxSynchronize": (),
    "cuMemPoolSetAttribute": (HANDLE, c_int, c_void_p),  # pool, attribute, pointer to its value
    "cuMemPoolTrimTo": (HANDLE, c_size_t),  # pool, bytes to keep
    "cuMemAllocAsync": (POINTER(ADDRESS), c_size_t, HANDLE),  # address, bytes, stream
    "cuMemFreeAsync": (ADDRESS, HANDLE),
    "cuMemAlloc_v2": (POINTER(ADDRESS), c_size_t),
    "cuMemFree_v2": (ADDRESS,),
    "cuPointerGetAttribute": (c_void_p, c_int, ADDRESS),  # pointer to the value, attribute, address
    "cuMemHostAlloc": (POINTER(c_void_p), c_size_t, c_uint),  # address, bytes, flags
    "cuMemcpyHtoDAsync_v2": (ADDRESS, c_void_p, c_size_t, HANDLE),  # target, source, bytes, stream
    "cuMemcpyDtoHAsync_v2": (c_void_p, ADDRESS, c_size_t, HANDLE),
    "cuMemcpyDtoDAsync_v2": (ADDRESS, ADDRESS, c_size_t, HANDLE),
    "cuStreamCreate": (POINTER(HANDLE), c_uint),  # flags
    "cuStreamSynchronize": (HANDLE,),
    "cuStreamQuery": (HANDLE,),
    "cuStreamWaitEvent": (HANDLE, HANDLE, c_uint),  # stream, event, flags
    "cuEventCreate": (POINTER(HANDLE), c_uint),  # flags
    "cuEventRecord": (HANDLE, HANDLE),  # event, stream
    "cuEventSynchronize": (HANDLE,),
    "cuModuleLoadDataEx": (POINTER(HANDLE), c_char_p, c_uint, POINTER(c_int), POINTER(c_void_p)),  # image, options
    "cuModuleGetFunction": (POINTER(HANDLE), HANDLE, c_char_p),
    "cuModuleUnload": (HANDLE,),
    "cuLaunchKernel": (HANDLE, *6 * (c_uint,), c_uint, HANDLE, POINTER(c_void_p), POINTER(c_void_p)),
    # function; grid x, y, z; block x, y, z; bytes of shared memory; stream; pointers to the arguments; None
    "cuGraphCreate": (POINTER(HANDLE), c_uint),  # flags, 0
    "cuGraphAddKernelNode_v2": (POINTER(HANDLE), HANDLE, POINTER(HANDLE), c_size_t, c_void_p),
    # node, graph; nodes that it depends on, their number; CUDA_KERNEL_NODE_PARAMS
    "cuGraphInstantiateWithFlags": (POINTER(HANDLE), HANDLE, c_uint64),  # executable graph, graph, flags
    "cuGraphExecKernelNodeSetParams_v2": (HANDLE, HANDLE, c_void_p),  # executable graph, node, CUDA_KERNEL_NODE_PARAMS
    "cuGraphLaunch": (HANDLE, HANDLE),  # executable graph, stream
    "cuGraphDestroy": (HANDLE,),
    "cuGraphExecDestroy": (HANDLE,),
}
"""Types of the arguments of the functions. All return a `CUresult`, 0 if they succeed."""

QUICK = {"cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2"}
"""Functions that never wait: they are called with the GIL, as giving it up may cost more than they take."""

OPTIONAL = set(graph_functions)
"""Functions that a driver may lack."""

UNCHECKED = {"cuGetErrorName", "cuGetErrorString", "cuCtxPopCurrent_v2", "cuStreamQuery"}
"""Functions that raise nothing: a context that was pushed can be popped, whatever kernels have done meanwhile."""

# constants of cuda.h
CAPABILITY_MAJOR, CAPABILITY_MINOR, MEMORY_POOLS_SUPPORTED = 75, 76, 115  # CU_DEVICE_ATTRIBUTE_*
DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_*
RELEASE_THRESHOLD = 4  # CU_MEMPOOL_ATTR_*
STREAM_NON_BLOCKING = 1  # CU_STREAM_*
EVENT_DISABLE_TIMING = 2  # CU_EVENT_*
MEMHOSTALLOC_PORTABLE = 1  # CU_MEMHOSTALLOC_*

# values of CUresult
OUT_OF_MEMORY, NOT_READY = 2, 600
LOST = {214, 220, 226, 700, 702, 709, 710, *range(714, 720), 721}
"""Errors after which a process cannot use the device any more."""
_NEWER_THAN_DRIVER = "the compiler does not fit the driver: update the driver, or pip install nvidia-cuda-nvrtc-cu12"
_FAILED_KERNEL = "a kernel has failed, and with it all that this process has on the device: start the process anew"
ADVICE = {
    34: "the library is a stub for linking: remove the folder 'stubs' from LD_LIBRARY_PATH",
    46: "another process may have the device for itself: see nvidia-smi",
    100: "see whether nvidia-smi lists a device, and what CUDA_VISIBLE_DEVICES says",
    200: _NEWER_THAN_DRIVER,
    209: _NEWER_THAN_DRIVER,
    214: "the memory of the device has an error that cannot be corrected: see nvidia-smi -q",
    222: _NEWER_THAN_DRIVER,
    **dict.fromkeys((700, 710, *range(714, 720)), _FAILED_KERNEL),
    702: "a kernel took longer than the system allows: start the process anew",
    802: "the system is still starting, or nvidia-fabricmanager does not run",
    803: "the driver was updated while the system ran: restart the system",
    804: "the driver is older than its library: restart the system, or update the driver",
    999: "see the system's log for messages of the driver (Xid)",
}
"""What to do about an error, by its number."""


class Unavailable(Exception):
    """Raised if CUDA devices cannot be used; the message says what to install or update."""


class CudaError(Exception):
    """Raised if a function of the driver fails.

    Parameters
    ----------
    code : int
    function : str

    Attributes
    ----------
    code : int
    is_no_room : bool
        Whether memory ran out.
    """

    def __init__(self, code: int, function: str):
        advice = f" ({ADVICE[code]})" if code in ADVICE else ""
        super().__init__(f"{_described(code)}{advice}, in {function}")
        self.code, self.is_no_room = code, code == OUT_OF_MEMORY


def _described(code: int) -> str:
    name, text = c_char_p(), c_char_p()
    library().cuGetErrorName(code, name)
    library().cuGetErrorString(code, text)
    parts = [part.value.decode() for part in (name, text) if part.value]  # empty if the driver is newer
    return ": ".join(parts) or f"error {code}"


def _check(result: int, function: Any, arguments: tuple[Any, ...]) -> int:
    if result:
        raise CudaError(result, function.__name__)
    return result


@functools.cache
def library() -> SimpleNamespace:
    """Return the functions of `PROTOTYPES`; all but a few raise CudaError on failure.

    Raises
    ------
    Unavailable
        If the driver is missing or too old.
    """
    name = os.environ.get(VARIABLE) or ("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    try:
        plain, quick = ctypes.CDLL(name), ctypes.PyDLL(name)
    except OSError as error:
        raise Unavailable(f"NVIDIA's driver is not installed: {error}") from error
    functions = SimpleNamespace()
    for function_name, types in PROTOTYPES.items():
        try:
            function = getattr(quick if function_name in QUICK else plain, function_name)
        except AttributeError as error:
            if function_name in OPTIONAL:
                continue
            raise Unavailable(f"NVIDIA's driver is too old: it has no {function_name}") from error
        function.argtypes, function.restype = types, c_int
        if function_name not in UNCHECKED:
            function.errcheck = _check
        setattr(functions, function_name, function)
    return functions


def addresses(*names: str) -> dict[str, int]:
    """Return the addresses of those functions that exist, by name."""
    found = {name: getattr(library(), name, None) for name in names}
    return {name: ctypes.cast(function, c_void_p).value or 0 for name, function in found.items() if function}


def devices() -> tuple[int, list[int]]:
    """Return the driver's major CUDA version and its devices.

    Raises
    ------
    Unavailable
        If the driver is unusable or too old.
    """
    cuda = library()
    try:
        cuda.cuInit(0)
        version = made(c_int, cuda.cuDriverGetVersion)
        found = [made(DEVICE, cuda.cuDeviceGet, number) for number in range(made(c_int, cuda.cuDeviceGetCount))]
    except CudaError as error:
        raise Unavailable(f"NVIDIA's driver cannot be used: {error}") from error
    if version < LEAST_VERSION:
        raise Unavailable(f"NVIDIA's driver is too old: it is for CUDA {_version_text(version)}, and must be for CUDA "
                          f"{_version_text(LEAST_VERSION)} or later")  # fmt: skip
    return version // 1000, found


def _version_text(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"
