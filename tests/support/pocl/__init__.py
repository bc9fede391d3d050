"""PoCL, the OpenCL of tests: compiles quickly, and for processors that are newer than its LLVM.

The LLVM of the pip package is of 2022. It calls a processor that it does not know "generic", and then refuses to
compile for that. A driver that is built here tells PoCL the processor's x86-64 level instead.
"""

import atexit
import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("driver.c")
COMPILER = shutil.which(os.environ.get("CC") or "cc")


def set_up():
    """Set variables for this process and those that it starts; call it before anything looks for devices."""
    os.environ.setdefault("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable")  # compiles in a third to two thirds of the time
    library = _find_library()
    if library is None or "OCL_ICD_VENDORS" in os.environ:
        return
    cpu_name = ctypes.CDLL(str(library)).pocl_get_llvm_cpu_name
    cpu_name.restype = ctypes.c_char_p
    if cpu_name() == b"generic" and platform.machine() == "x86_64" and COMPILER is not None:
        os.environ["OCL_ICD_VENDORS"] = str(_build_driver(library))


def _find_library():
    """Return the pip package's library, None where there is none."""
    pyopencl = importlib.util.find_spec("pyopencl")
    return pyopencl and next(Path(pyopencl.origin).parent.glob(".libs/libpocl-*.so"), None)


def _build_driver(library):
    folder = Path(tempfile.mkdtemp(prefix="pocl_driver_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    driver = folder / "driver.so"
    subprocess.run([COMPILER, "-shared", "-fPIC", SOURCE, "-o", driver, library, f"-Wl,-rpath,{library.parent}"],
                   check=True)  # fmt: skip
    return driver
