"""Mocks of NVIDIA's driver library and NVRTC that run CUDA kernels on the CPU.

The machine's C++ compiler builds them; the output is cached in the user's cache folder. `docs/gpu_testing.md` describes
their checks.
"""

import atexit
import contextlib
import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lazyarr import user_files
from lazyarr.gpu.drivers.libcuda import HANDLE, PROTOTYPES

SOURCES = Path(__file__).parent
COMPILER = shutil.which(os.environ.get("CXX") or "c++") if sys.platform == "linux" else None
_FLAGS = ("-std=c++17", "-O1", "-w", "-fPIC", "-fvisibility=hidden")
# For kernels, and for their precompiled header.
_KERNEL_FLAGS = (*_FLAGS, "-fno-strict-aliasing", "-ffp-contract=off", "-fno-math-errno")
_RACE_FLAGS = ("-fsanitize=thread", "-g1", "-DMOCK_RACES")
_LIBRARY_FLAGS = (*_FLAGS, "-shared", "-pthread")
_UNUSED_FOR = 14 * 24 * 3600    # seconds after which an unused folder is removed


def _compile(*arguments):
    subprocess.run([COMPILER, *arguments], check=True)


def _folder():
    """Return the build folder for these sources and this compiler.

    It is a temporary folder of the process if the user has no cache folder.
    """
    version = subprocess.run([COMPILER, "--version"], capture_output=True, check=True).stdout
    settings = repr((COMPILER, _KERNEL_FLAGS, _RACE_FLAGS)).encode()
    parts = [version, settings, *(source.read_bytes() for source in sorted(SOURCES.glob("*.*")))]
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    cache = user_files.cache_folder()
    with contextlib.suppress(OSError):
        if cache is not None:
            kept = Path(cache) / "cuda_mock"
            kept.mkdir(mode=0o700, parents=True, exist_ok=True)
            for other in kept.iterdir():
                if time.time() - other.stat().st_mtime > _UNUSED_FOR:
                    shutil.rmtree(other, ignore_errors=True)
            return kept / digest
    folder = Path(tempfile.mkdtemp(prefix="cuda_mock_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder / digest


@functools.cache
def build():
    """Build libcuda.so and libnvrtc.so, and return their folder, which also caches compiled kernels.

    The folder is shared between processes and runs, because compilation would take most of the tests' time.
    """
    folder = _folder()
    if folder.exists():
        os.utime(folder)
        return folder
    made = Path(tempfile.mkdtemp(prefix="making_", dir=folder.parent))
    (made / "races").mkdir()
    macros = [f'-D{name}="{value}"' for name, value in (
        ("FOLDER", folder), ("COMPILER", COMPILER), ("FLAGS", " ".join(_KERNEL_FLAGS)),
        ("RACE_FLAGS", " ".join(_RACE_FLAGS)))]  # fmt: skip
    _compile(*_LIBRARY_FLAGS, *macros, SOURCES / "nvrtc.cpp", "-o", made / "libnvrtc.so")
    _compile(*_LIBRARY_FLAGS, SOURCES / "libcuda.cpp", "-o", made / "libcuda.so", "-ldl")
    shutil.copy(made / "libcuda.so", made / "libcuda_copy.so")
    for part, flags in ((made, ()), (made / "races", _RACE_FLAGS)):
        for header in ("shim.h", "interface.h"):
            shutil.copy(SOURCES / header, part)
        _compile(*_KERNEL_FLAGS, *flags, "-x", "c++-header", part / "shim.h", "-o", part / "shim.h.gch")
    try:
        made.rename(folder)
    except OSError:     # another process was faster
        shutil.rmtree(made)
    return folder


@functools.cache
def library(name):
    """Build the mock of another NVIDIA library; return its path."""
    path = build() / f"{name}.so"
    if not path.exists():
        made = path.with_suffix(f".{os.getpid()}")
        _compile(*_LIBRARY_FLAGS, SOURCES / f"{name}.cpp", "-o", made, build() / "libcuda.so")
        made.rename(path)
    return str(path)


def environment():
    """Return the environment variables that make lazyarr load the mocks."""
    return {"LAZYARR_CUDA": str(build() / "libcuda.so"), "LAZYARR_NVRTC": str(build() / "libnvrtc.so")}


class CudaFailure(Exception):
    """Raised if a function fails, with its error code."""


def _check(result, function, arguments):
    if result:
        raise CudaFailure(result)
    return result


@functools.cache
def libcuda():
    """Return a copy of the driver mock that shares no state with the one that lazyarr uses.

    Its functions raise CudaFailure. The names of functions for tests begin with `mock_`.
    """
    library = ctypes.CDLL(str(build() / "libcuda_copy.so"))
    for name, types in {**PROTOTYPES, "cuEventQuery": (HANDLE,)}.items():  # the last one is only for tests
        function = getattr(library, name)
        function.argtypes, function.errcheck = types, _check
    library.mock_fail.argtypes = ctypes.c_char_p, ctypes.c_int, ctypes.c_int
    library.mock_hold.argtypes = ctypes.c_void_p, ctypes.c_int
    library.mock_set_memory.argtypes = (ctypes.c_size_t,)
    library.mock_race.restype = ctypes.c_char_p
    library.mock_count.argtypes, library.mock_count.restype = (ctypes.c_char_p,), ctypes.c_long
    return library


@functools.cache
def libnvrtc():
    """Return the mock of NVRTC."""
    return ctypes.CDLL(str(build() / "libnvrtc.so"))
