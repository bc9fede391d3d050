"""The native core, in Cython and C: arrays, graph nodes, plans, tile programs, kernels, threads and memory.

The core imports nothing of lazyarr above it. From the bottom up, each sub-package importing only those above its line:

    host        memory, threads, floating-point status, tunable numbers
    ir          nodes, their inner loops, the fingerprint of a graph
    tile        tile programs: fused elementwise chains, reductions and scans
    kernels     everything else that is native: products, convolutions, sorting, gathering
    runtime     plan cache, evaluation, memory plan, execution of steps
    frontend    LazyArray: operators, ufuncs and indexing, eager or recorded
    eager       native forms of NumPy functions for small arrays
    control     sub-graphs, loops and branches
    transforms  derivatives and batching
    introspect  plans without execution, pending operations
    api         the door through which the layers above build graphs

`simd/` holds small C headers: inner loops of our own, matrix tiles, status flags, atomics. The headers have no state
but the engine's (`engine.h`), which one module includes.

Three resources have exactly one gate each, because two would contradict each other: threads (`host.threads`), memory
for results (`host.allocator`) and NumPy's inner loops (`ir.inner_loops`).

The layers above reach the core through `api`; past that door they use settings and statistics only. They hand functions
to the core at import: `install` adds Python methods to `LazyArray`, `set_hook` registers what the core calls back for
(`frontend.hooks` lists the hooks). Each sub-package describes itself in its docstring; docs/architecture.md has the
glossary, the path of an expression, and who owns and locks what.

This file also sets GNU OpenMP's spin time before the library is loaded, see below.
"""
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
