"""``lazyarr doctor`` and `lazyarr.show_versions`: the environment, what makes lazyarr slow in it, and what to do.

`examine` gathers facts, `advice` draws conclusions, and `report` formats both.
"""
import argparse
import contextlib
import importlib
import importlib.metadata
import math
import os
import platform
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lazyarr import cpus, user_files
from lazyarr._core import api as core
from lazyarr._core import kernels
from lazyarr._core.host import threads
from lazyarr._version import __version__
from lazyarr.autotune import store
from lazyarr.config import SETTINGS, config
from lazyarr.inspect import formatting

PACKAGES = ("scipy", "threadpoolctl", "pyopencl", "nvidia-cuda-nvrtc", "onednn-cpu-gomp", "opt-einsum", "safetensors",
            "tqdm", "Cython", "ipython")
"""Optional dependencies, and other packages that matter in bug reports."""

DEFAULTS: dict[str, Any] = {
    "budget_nodes": 400, "budget_bytes": 1 << 29, "budget_work": 12 << 30, "small_work": "auto",
    "memory_limit": None, "cache_limit": 64 << 20, "memo_limit": 0, "async_evaluation": False, "check_views": False,
    "debug_nans": False, "debug": False, "traceback_filtering": not core.DEBUG, "progress": False, "exact": False,
    "fast_math": False, "backend": None, "device": "cpu", "array_namespace": True, "on_evaluate": None,
}
"""Default settings, except those that depend on the machine: `num_threads` and `pool_limit`."""

VARIABLES = ("OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_WAIT_POLICY", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
             "LAZYARR_DEVICE", "LAZYARR_TUNING", "LAZYARR_KERNELS", "LAZYARR_CUDA", "LAZYARR_NVRTC",
             "LAZYARR_TRACEBACK_FILTERING")
"""Environment variables that affect speed or output."""

_VECTORS = ("128 bits", "256 bits (AVX2, FMA)", "512 bits (AVX-512)")
_X86 = ("x86_64", "AMD64", "i686")


class Blas(NamedTuple):
    """A loaded BLAS library."""

    name: str
    version: str
    threads: int | None


class Facts(NamedTuple):
    """Facts on this machine and process."""

    processor: str
    machine: str
    vectors: int
    """The width that products use: 0, 1 or 2 for 128, 256 and 512 bits."""
    cores: int
    """Of the machine."""
    affinity: int
    """Those that this process may run on."""
    quota: float
    """The cores' worth of time that control groups grant; infinity for no limit."""
    threads: int
    openmp: bool
    debug: bool
    """Whether this is a debug build."""
    blas: tuple[Blas, ...]
    devices: tuple[str, ...]
    missing: str
    """Why there are no others."""
    settings: dict[str, Any]
    """Those that differ from the defaults."""
    variables: dict[str, str]
    tuning: str | None
    """The file of measured numbers, where there may be one."""
    measured: int
    """How many numbers of it are in force."""
    tuned: float | None
    """When it was written."""
    cache: str | None
    """The folder of files that are kept."""


class Advice(NamedTuple):
    """A cause of slowness, and its remedy."""

    problem: str
    remedy: str


def examine() -> Facts:
    """Gather the facts; this looks for devices."""
    width = kernels.gemm.set_width(2)
    kernels.gemm.set_width(width)
    place = store.path()
    tuned = None
    if place is not None:
        with contextlib.suppress(OSError):
            tuned = os.path.getmtime(place)
    devices = tuple(core.device_table.names())
    missing = ""
    try:
        core.device_table.number_of("")
    except ValueError as error:
        missing = "; ".join(str(error).split("; ")[2:])
    return Facts(
        processor=store.processor(), machine=platform.machine(), vectors=width, cores=os.cpu_count() or 1,
        affinity=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        quota=cpus.cgroup_quota(), threads=config.num_threads, openmp=threads.OPENMP, debug=core.DEBUG,
        blas=tuple(_blas()), devices=devices, missing=missing, settings=changed_settings(),
        variables={name: os.environ[name] for name in VARIABLES if name in os.environ},
        tuning=place, measured=len(store.found), tuned=tuned, cache=user_files.cache_folder())


def changed_settings() -> dict[str, Any]:
    """Return the settings that differ from their defaults, by name, without `pool_limit`."""
    defaults = {"num_threads": cpus.default_threads(), **DEFAULTS}
    values = {setting.name: setting.get() for setting in SETTINGS}
    return {name: value for name, value in values.items() if name in defaults and value != defaults[name]}


def _blas() -> Iterator[Blas]:
    """Return the BLAS libraries that threadpoolctl finds; without it, the one that NumPy was built with."""
    try:
        threadpoolctl: Any = importlib.import_module("threadpoolctl")
    except ImportError:
        built: Any = np.show_config(mode="dicts")
        found = built.get("Build Dependencies", {}).get("blas", {})
        yield Blas(found.get("name", "unknown"), found.get("version", "unknown"), None)
        return
    for library in threadpoolctl.threadpool_info():
        if library["user_api"] == "blas":
            yield Blas(library["internal_api"], library["version"] or "unknown", library["num_threads"])


def advice(facts: Facts) -> list[Advice]:
    """Return the causes of slowness, the most costly first."""
    usable = max(1, math.ceil(min(facts.affinity, facts.quota)))
    found = []
    if facts.debug:
        found.append(Advice("This is a debug build, several times slower than a release.",
                            "Build without LAZYARR_DEBUG: pip install lazyarr"))
    if not facts.openmp:
        found.append(Advice("lazyarr was built without OpenMP, so it uses one core.",
                            "Install a wheel, or build with OpenMP: gcc has it; on macOS, brew install libomp"))
    if facts.threads < usable and facts.openmp:
        why = " (OMP_NUM_THREADS)" if "OMP_NUM_THREADS" in facts.variables else ""
        found.append(Advice(f"lazyarr uses {formatting.count(facts.threads, 'thread')}{why} of {usable} possible ones.",
                            f"lazyarr.config.num_threads = {usable}, or unset OMP_NUM_THREADS"))
    if facts.threads > usable:
        found.append(Advice(f"lazyarr uses {facts.threads} threads, but may run on "
                            f"{formatting.count(usable, 'core')} only: threads wait for each other.",
                            f"lazyarr.config.num_threads = {usable}, or unset OMP_NUM_THREADS"))
    if facts.quota < facts.affinity:
        found.append(Advice(f"A container or batch system limits this process to {facts.quota:g} of {facts.affinity} "
                            "cores.", "Request more: docker run --cpus, resources.limits.cpu, --cpus-per-task"))
    if facts.affinity < facts.cores:
        found.append(Advice(f"This process may run on {facts.affinity} of the machine's {facts.cores} cores.",
                            "Start it with another affinity (taskset, numactl), or ask the batch system for more"))
    if facts.machine in _X86 and facts.vectors == 0:
        found.append(Advice("The processor has no AVX2, so vectors have 128 bits.",
                            "In a virtual machine, configure the hypervisor to expose the host's processor"))
    for library in facts.blas:
        if library.threads == 1 and usable > 1:
            found.append(Advice(f"{library.name}, which computes NumPy's linear algebra, uses one thread.",
                                "Unset OPENBLAS_NUM_THREADS, MKL_NUM_THREADS and OMP_NUM_THREADS, and install NumPy "
                                "from PyPI or conda-forge"))
    if any(library.threads is None for library in facts.blas):
        found.append(Advice("The number of BLAS threads is unknown.", "pip install threadpoolctl"))
    for name, cost in (("debug_nans", "nothing is fused"), ("check_views", "shared arrays are compared"),
                       ("on_evaluate", "each evaluation is described")):
        if name in facts.settings:
            found.append(Advice(f"With config.{name} {cost}.", f"lazyarr.config.{name} = {DEFAULTS[name]}"))
    if facts.settings.get("backend") == {"*": "reference"}:
        found.append(Advice('With config.backend = "reference" each operation is NumPy\'s.',
                            "lazyarr.config.backend = None"))
    if not facts.measured:
        reason = "LAZYARR_TUNING is 0" if facts.tuning is None else "nothing was measured on this machine"
        found.append(Advice(f"lazyarr uses default tuning: {reason}.",
                            "Run `lazyarr tune` while the machine is idle; it takes a minute"))
    return found


def versions() -> list[tuple[str, str]]:
    """Return names and versions of lazyarr, Python, NumPy and installed packages that matter."""
    found = [("lazyarr", __version__), ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
             ("system", platform.platform()), ("NumPy", np.__version__)]
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append((name, importlib.metadata.version(name)))
    return found


def show_versions() -> None:
    """Print the versions of lazyarr, Python, NumPy and optional dependencies, for bug reports.

    See Also
    --------
    config : settings

    Notes
    -----
    ``lazyarr doctor`` on the command line prints more: threads, devices, settings, and what makes programs slow.

    Examples
    --------
    >>> la.show_versions()  # doctest: +ELLIPSIS
    lazyarr ...
    """
    print(formatting.table(versions(), "<<"))


def report(facts: Facts) -> str:
    """Return the facts and the advice as text."""
    quota = "no limit" if math.isinf(facts.quota) else f"{facts.quota:g} cores' time"
    when = "" if facts.tuned is None else f", written {time.strftime('%Y-%m-%d %H:%M', time.localtime(facts.tuned))}"
    parts = [
        ("Versions", versions()),
        ("Processor", [("name", facts.processor), ("vectors of matrix products", _VECTORS[facts.vectors]),
                       ("NumPy's instruction sets", _numpy_vectors())]),
        ("Threads", [("lazyarr", f"{facts.threads}, {'by OpenMP' if facts.openmp else 'without OpenMP'}"),
                     ("cores", f"{facts.cores}, {facts.affinity} of them for this process; control group: {quota}"),
                     *[(f"BLAS: {library.name} {library.version}",
                        "unknown" if library.threads is None else str(library.threads)) for library in facts.blas]]),
        ("Devices", [("found", ", ".join(facts.devices)), *([("others", facts.missing)] if facts.missing else [])]),
        ("Settings", [(f"config.{name}", f"{value!r}") for name, value in facts.settings.items()]
         or [("config", "all defaults")]),
        ("Environment", [*facts.variables.items()] or [("variables", "none set")]),
        ("Tuning", [("numbers", f"{facts.measured} measured{when}" if facts.measured else "defaults"),
                    ("file", facts.tuning or "none")]),
        ("Cache", [("folder", _folder(facts.cache))]),
    ]
    lines = []
    for title, rows in parts:
        lines += [title, *[f"  {line}" for line in formatting.table(rows, "<<").splitlines()], ""]
    found = advice(facts)
    lines.append("What makes lazyarr slower here" if found else "Nothing was found that makes lazyarr slower")
    for number, (problem, remedy) in enumerate(found, 1):
        lines += [f"  {number}. {problem}", f"     -> {remedy}"]
    return "\n".join(lines)


def _numpy_vectors() -> str:
    features = getattr(np._core._multiarray_umath, "__cpu_features__", {})  # type: ignore[attr-defined]
    shown = [name for name in ("SSE42", "AVX", "FMA3", "AVX2", "AVX512F", "AVX512_SKX", "NEON", "ASIMD", "SVE", "VSX",
                               "RVV") if features.get(name)]
    return " ".join(shown) or "unknown"


def _folder(path: str | None) -> str:
    """Return the path of a folder with its size."""
    if path is None:
        return "none: this user has no cache folder"
    size = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.path.getsize(os.path.join(folder, name))
    return f"{path}, {formatting.nbytes(size)}" if os.path.isdir(path) else f"{path}, does not exist yet"


def main(arguments: list[str]) -> int:
    """Run ``lazyarr doctor`` and return its exit status."""
    parser = argparse.ArgumentParser("lazyarr doctor", description="Print versions, processor, threads, BLAS, devices, "
                                     "settings, tuning and files, then what makes lazyarr slower on this machine, "
                                     "and what to do about it.")
    parser.parse_args(arguments)
    print(report(examine()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
