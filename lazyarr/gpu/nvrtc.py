"""NVIDIA's run-time compiler: from CUDA C to PTX. It needs no driver and no device.

The library comes with the CUDA toolkit, or with ``pip install nvidia-cuda-nvrtc``.
"""

import ctypes
import ctypes.util
import functools
import importlib.util
from pathlib import Path
from typing import Any

OPTIONS = ("--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false")
"""With which each operation is rounded once."""


class CompileError(Exception):
    """Raised for a text that does not compile, with the compiler's messages."""


@functools.cache
def library() -> ctypes.CDLL | None:
    """Return the compiler's library, or None if there is none."""
    package = importlib.util.find_spec("nvidia")
    folders = [] if package is None else [*(package.submodule_search_locations or ())]
    files = sorted(path for folder in folders for path in Path(folder).rglob("libnvrtc.so.*"))
    names = [*map(str, files), ctypes.util.find_library("nvrtc")]
    for name in filter(None, names):
        try:
            return ctypes.CDLL(name)
        except OSError:  # of another platform, or without what it needs
            continue
    return None


def compile_ptx(text: str, architecture: str) -> bytes:
    """Compile a text.

    Parameters
    ----------
    text : str
    architecture : str
        ``"compute_90"``, for instance.

    Returns
    -------
    bytes
        PTX.

    Raises
    ------
    CompileError
        If it has mistakes.
    RuntimeError
        If the compiler is missing or cannot be started.
    """
    nvrtc = library()
    if nvrtc is None:
        raise RuntimeError("NVRTC was not found: pip install nvidia-cuda-nvrtc")
    program = ctypes.c_void_p()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None))
    try:
        options = [option.encode() for option in (f"--gpu-architecture={architecture}", *OPTIONS)]
        if nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)):
            raise CompileError(_read(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program).decode())
        return _read(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _read(get_size: Any, get: Any, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _check(get_size(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _check(get(program, text))
    return text.value


def _check(result: int) -> None:
    if result:
        raise RuntimeError(f"NVRTC failed with error {result}")
