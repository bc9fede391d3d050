"""PoCL, the tests' OpenCL, patched to compile quickly and to support processors newer than its LLVM.

Three quarters of the pip package's compile time go into OpenCL's header, mostly vectors and images, so it is replaced
by one without them. Its LLVM, of 2022, calls an unknown processor "generic", for which clang refuses to compile: the
driver here names the processor's x86-64 level instead.
"""

import atexit
import ctypes
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

DRIVER = Path(__file__).with_name("driver.c")
COMPILER = shutil.which(os.environ.get("CC") or "cc")
DECLARATION = re.compile(r"^\w[^;{}#]*\b__ovld\b[^;{}#]*;\n", re.MULTILINE)
VECTOR = r"\bu?(char|short|int|long|half|float|double)(2|3|4|8|16)\b"
UNUSED = re.compile(VECTOR + r"|\bimage|event_t|\b(convert|native|half|intel_sub)_")


def set_up():
    """Set environment variables for this process and its children; call this before devices are discovered."""
    os.environ.setdefault("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable")  # compiles in a third to two thirds of the time
    packages = [importlib.util.find_spec(name) for name in ("pyopencl", "pocl_binary_distribution")]
    if "OCL_ICD_VENDORS" not in os.environ and all(packages):
        os.environ["OCL_ICD_VENDORS"] = str(_build([Path(package.origin).parent for package in packages]))


def _build(packages):
    """Return a driver with its own header beside it; everything else links to the packages' files."""
    folder = Path(tempfile.mkdtemp(prefix="pocl_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    libraries, data = [folder / package.name / ".libs" for package in packages]
    for package, made in zip(packages, (libraries, data), strict=True):
        shutil.copytree(package / ".libs", made, copy_function=os.symlink)
    header = data / "share/pocl/include/opencl-c.h"
    text = header.read_text()
    header.unlink()
    header.write_text(DECLARATION.sub(lambda found: "" if UNUSED.search(found[0]) else found[0], text))
    library = next(libraries.glob("libpocl-*.so"))
    cpu_name = ctypes.CDLL(str(library)).pocl_get_llvm_cpu_name
    cpu_name.restype = ctypes.c_char_p
    if cpu_name() != b"generic" or platform.machine() != "x86_64" or COMPILER is None:
        return library
    driver = libraries / "driver.so"
    subprocess.run([COMPILER, "-shared", "-fPIC", DRIVER, "-o", driver, library, f"-Wl,-rpath,{libraries}"], check=True)
    return driver
