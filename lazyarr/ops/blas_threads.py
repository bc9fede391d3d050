"""The number of threads that NumPy's and SciPy's BLAS use."""
import ctypes
import functools
import sys
from pathlib import Path

import numpy as np


def limit(threads):
    """Set the process's number of threads, unless `threads` is None; return the old one, or None without OpenBLAS."""
    found = _functions(np)
    if not found:
        return None
    if "scipy.linalg" in sys.modules:
        found += _functions(sys.modules["scipy"])
    before = found[0][0]()
    if threads is not None:
        for _, set_threads in found:
            set_threads(threads)
    return before


@functools.cache
def _functions(package):
    """Return the functions that get and set the number of threads of the OpenBLAS that a wheel ships, if any."""
    place = Path(package.__file__).parent
    found = []
    for path in [*place.parent.glob(f"{place.name}.libs/*openblas*"), *place.glob(".dylibs/*openblas*")]:
        library = ctypes.CDLL(str(path))
        for prefix in ("scipy_openblas", "openblas"):
            for suffix in ("64_", ""):
                names = f"{prefix}_get_num_threads{suffix}", f"{prefix}_set_num_threads{suffix}"
                if hasattr(library, names[0]) and hasattr(library, names[1]):
                    found.append(tuple(getattr(library, name) for name in names))
    return tuple(found[:1])
