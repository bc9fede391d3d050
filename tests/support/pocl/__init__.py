"""PoCL, the OpenCL of tests, so that it compiles quickly, and for processors that are newer than its LLVM.

Of the time that the pip package takes to compile a kernel, three quarters go into reading OpenCL's header, most of
which is about vectors and images: here it reads one without them. And its LLVM, of 2022, names an unknown processor
"generic", for which clang refuses to compile: the driver here gives it the processor's x86-64 level.
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
    """Set variables for this process and those that it starts; call it before anything looks for devices."""
    os.environ.setdefault("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable")  # compiles in a third to two thirds of the time
    packages = [importlib.util.find_spec(name) for name in ("pyopencl", "pocl_binary_distribution")]
    if "OCL_ICD_VENDORS" not in os.environ and all(packages):
        os.environ["OCL_ICD_VENDORS"] = str(_build([Path(package.origin).parent for package in packages]))


def _build(packages):
    """Return a driver that finds a header of its own beside it; all else are links to the packages' files."""
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
