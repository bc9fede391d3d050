"""NVIDIA's run-time compiler of CUDA C to machine code or PTX. It needs no driver and no device.

The library comes with the CUDA toolkit, or with ``pip install nvidia-cuda-nvrtc``.
"""

import ctypes
import functools
import os
from typing import Any

from lazyarr.gpu.drivers.driver import CompileError
from lazyarr.gpu.libraries.loading import candidates, open_first

VARIABLE = "LAZYARR_NVRTC"
"""The environment variable that names another file of the library."""

OPTIONS = ("--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false")
"""With which each operation is rounded once."""

_COMPILATION_FAILED = 6  # NVRTC_ERROR_COMPILATION


@functools.cache
def library(newest: int = 99) -> ctypes.CDLL | None:
    """Return the compiler's library, or None if it is not installed.

    Parameters
    ----------
    newest : int, optional
        The driver's CUDA version: it does not load the output of newer compilers.
    """
    chosen = os.environ.get(VARIABLE)
    return open_first([chosen] if chosen else candidates("libnvrtc.so.{}", "nvrtc64_{}0_0.dll", newest))


def version(nvrtc: ctypes.CDLL) -> tuple[int, int]:
    """Return a compiler's version."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(nvrtc, nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return major.value, minor.value


def architectures(nvrtc: ctypes.CDLL) -> list[int]:
    """Return the architectures for which a compiler emits machine code, in ascending order: 90 is sm_90."""
    count = ctypes.c_int()
    _check(nvrtc, nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    found = (ctypes.c_int * count.value)()
    _check(nvrtc, nvrtc.nvrtcGetSupportedArchs(found))
    return list(found)


def compile_ptx(text: str, architecture: str, nvrtc: ctypes.CDLL | None = None) -> bytes:
    """Compile CUDA C to PTX, which drivers compile for newer devices.

    Parameters
    ----------
    text : str
    architecture : str
        For instance ``"compute_90"``.
    nvrtc : ctypes.CDLL, optional
        By default the newest installed.

    Returns
    -------
    bytes

    Raises
    ------
    CompileError
        If the text has errors.
    RuntimeError
        If the compiler is missing or cannot be started.
    """
    return _compile(text, architecture, nvrtc, "PTX")


def compile_cubin(text: str, architecture: str, nvrtc: ctypes.CDLL | None = None) -> bytes:
    """Compile CUDA C to machine code, like `compile_ptx`; the architecture is for instance ``"sm_90"``."""
    return _compile(text, architecture, nvrtc, "CUBIN")


def _compile(text: str, architecture: str, nvrtc: ctypes.CDLL | None, result: str) -> bytes:
    nvrtc = nvrtc or library()
    if nvrtc is None:
        raise RuntimeError("NVRTC was not found: pip install nvidia-cuda-nvrtc")
    program = ctypes.c_void_p()
    _check(nvrtc, nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None))
    try:
        options = [option.encode() for option in (f"--gpu-architecture={architecture}", *OPTIONS)]
        failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        if failed == _COMPILATION_FAILED:
            raise CompileError(_read(nvrtc, program, "ProgramLog").rstrip(b"\0").decode(errors="replace"))
        _check(nvrtc, failed)
        return _read(nvrtc, program, result)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _read(nvrtc: Any, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    found = ctypes.create_string_buffer(size.value)
    _check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}")(program, found))
    return found.raw


def _check(nvrtc: Any, result: int) -> None:
    if result:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        raise RuntimeError(f"NVRTC has failed: {nvrtc.nvrtcGetErrorString(result).decode()}")
