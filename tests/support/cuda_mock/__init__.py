"""A mock of NVIDIA's driver library and of NVRTC, which runs CUDA kernels on the processor.

It is compiled once by the machine's C++ compiler. `docs/gpu.md` says what it checks.
"""

import atexit
import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lazyarr.gpu.drivers.libcuda import HANDLE, PROTOTYPES

SOURCES = Path(__file__).parent
COMPILER = shutil.which(os.environ.get("CXX") or "c++") if sys.platform == "linux" else None
_FLAGS = ("-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread")
# As nvrtc.cpp compiles kernels, or the compiler does not take the header.
_SHIM_FLAGS = ("-std=c++17", "-O1", "-w", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off",
               "-fno-math-errno", "-x", "c++-header")  # fmt: skip


@functools.cache
def build():
    """Compile the mock; return the folder of libcuda.so and libnvrtc.so, which lasts as long as the process."""
    folder = Path(tempfile.mkdtemp(prefix="cuda_mock_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for header in ("shim.h", "interface.h"):
        shutil.copy(SOURCES / header, folder)
    macros = (f'-DFOLDER="{folder}"', f'-DCOMPILER="{COMPILER}"')
    commands = [
        (*_FLAGS, *macros, SOURCES / "nvrtc.cpp", "-o", folder / "libnvrtc.so"),
        (*_FLAGS, SOURCES / "libcuda.cpp", "-o", folder / "libcuda.so", "-ldl"),
        (*_SHIM_FLAGS, folder / "shim.h", "-o", folder / "shim.h.gch"),
    ]
    for command in commands:
        subprocess.run([COMPILER, *command], check=True)
    return folder


@functools.cache
def library(name):
    """Compile the mock of another of NVIDIA's libraries; return its path."""
    path = build() / f"{name}.so"
    subprocess.run([COMPILER, *_FLAGS, SOURCES / f"{name}.cpp", "-o", path, build() / "libcuda.so"], check=True)
    return str(path)


def environment():
    """Return the variables by which lazyarr finds the mock."""
    return {"LAZYARR_CUDA": str(build() / "libcuda.so"), "LAZYARR_NVRTC": str(build() / "libnvrtc.so")}


class CudaFailure(Exception):
    """Raised for a result that is not success: its number."""


def _check(result, function, arguments):
    if result:
        raise CudaFailure(result)
    return result


@functools.cache
def libcuda():
    """Return a copy of the mock of the driver library: it shares no state with the one that lazyarr uses.

    Its functions raise CudaFailure. Those for tests begin with `mock_`.
    """
    library = ctypes.CDLL(shutil.copy(build() / "libcuda.so", build() / "libcuda_copy.so"))
    for name, types in {**PROTOTYPES, "cuEventQuery": (HANDLE,)}.items():  # which tests alone call
        function = getattr(library, name)
        function.argtypes, function.errcheck = types, _check
    library.mock_fail.argtypes = ctypes.c_char_p, ctypes.c_int, ctypes.c_int
    library.mock_hold.argtypes = ctypes.c_void_p, ctypes.c_int
    library.mock_set_memory.argtypes = (ctypes.c_size_t,)
    library.mock_count.argtypes, library.mock_count.restype = (ctypes.c_char_p,), ctypes.c_long
    return library


@functools.cache
def libnvrtc():
    """Return the mock of NVRTC."""
    return ctypes.CDLL(str(build() / "libnvrtc.so"))
