"""The native core: graph nodes, lazy arrays, tile programs, plans, buffers and threads."""
import os

import lazyarr.extension  # finds the native modules

# GNU OpenMP reads its settings when it is loaded, which importing `threads` does. By default a thread that has run out
# of work spins for milliseconds, on a core that NumPy's BLAS wants for the next step; a few ten microseconds bridge
# the gap between two evaluations in a loop. The variable is put back at once: what is loaded later from another file
# has settings of its own. A library that shares this one has these, unless it was imported first.
_before = os.environ.get("GOMP_SPINCOUNT")
os.environ.setdefault("GOMP_SPINCOUNT", "10000")
try:
    import lazyarr._core.host.threads  # loads GNU OpenMP
except ModuleNotFoundError as error:
    if error.name != "lazyarr._core.host.threads":
        raise
    folder = os.path.dirname(lazyarr.__path__[0])
    raise ImportError(f"lazyarr is not built in {folder}: run `python setup.py build_ext --inplace` there. "
                      "An installed lazyarr is found from other folders, and by the command `lazyarr`") from None
finally:
    if _before is None:
        del os.environ["GOMP_SPINCOUNT"]
