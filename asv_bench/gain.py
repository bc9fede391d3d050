"""What NumPy users gain: programs with NumPy, unchanged with lazyarr, and rewritten for Numba and JAX.

    python asv_bench/gain.py [--figure docs/gain.svg] [--table docs/gain.md] [--quick] [--only REGEX]
    python asv_bench/gain.py --read docs/gain.md --figure docs/gain.svg

A program is three files in `gain/`: NumPy's source, which lazyarr also runs, with imports redirected by the runner, and
versions that users of Numba and of JAX would write. Results are compared with NumPy's before anything is timed. All
versions run in one process in turns, on all cores, with a pause before each turn; a time is the median of the rounds,
from arrays in memory to results in memory. Numba's is the better of the same source with and without `parallel=True`.
The first call, in which Numba and JAX compile, is excluded: its extra time has its own column.

Numba starts its threads before lazyarr is loaded, for the reason given in `peers.py` for PyTorch.
"""
# ruff: noqa: E402 - for the reason above

import argparse
import dataclasses
import difflib
import platform
import re
import statistics
import sys
import time
from pathlib import Path
from unittest import mock

from optional import optional

numba, jax = optional("numba"), optional("jax")
if numba:
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)  # starts the threads
if jax:
    jax.config.update("jax_enable_x64", True)

import gain_report
import npbench
import numpy as np
from gain_report import SIZES, Row
from timing import side_by_side

import lazyarr as la

PROGRAMS = Path(__file__).with_name("gain")
PEERS = [name for name, module in (("Numba", numba), ("JAX", jax)) if module]
LIBRARIES = ["NumPy", "lazyarr", *PEERS]
SERIAL = "Numba without threads"
ROUNDS, SECONDS, PAUSE = 7, 0.05, 0.05  # OpenBLAS spins for 2**26 ticks, some 20 ms, before its threads sleep
HEADING = """# What NumPy programs gain

What `python asv_bench/gain.py` prints: real programs by NumPy, by lazyarr from the same source without a change, and
rewritten for Numba and for JAX as their users would, in the files of `asv_bench/gain/`. Each gives what NumPy gives
before it is timed; all run in one process in turns, and a time is the median of the rounds. The first call, in which
Numba and JAX compile, is apart. Numba's is the better of the same source with and without `parallel=True`; all numbers
are float64.
"""


# ---- The cases ----


@dataclasses.dataclass
class Case:
    """A program with its arguments: of a few hundred to a few thousand elements, or of millions."""

    program: str
    title: str
    size: str
    text: str
    arguments: tuple


def heat(n, steps):
    plate = np.zeros((n, n))
    plate[0] = 100
    return f"{n:,} x {n:,}, {steps} steps", (plate, steps)


def black_scholes(n):
    rng = np.random.default_rng(0)
    arrays = rng.uniform(10, 50, n), rng.uniform(10, 50, n), rng.uniform(0.2, 2, n)
    return f"{n:,} options", (*arrays, 0.02, 0.3)


def kmeans(n, dims, k, steps):
    rng = np.random.default_rng(0)
    centres = rng.uniform(-10, 10, (k, dims))
    points = centres[rng.integers(k, size=n)] + rng.normal(size=(n, dims))
    return f"{n:,} points in {dims}-D, {k} clusters", (points, points[:k] + 0.1 * centres, steps)


def nbody(n, steps):
    rng = np.random.default_rng(0)
    mass = rng.uniform(1, 2, (n, 1)) / n
    return f"{n:,} bodies, {steps} steps", (rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), mass, steps)


def mandelbrot(width, height, most):
    x, y = np.linspace(-2.2, 0.8, width), np.linspace(-1.2, 1.2, height)
    return f"{width:,} x {height:,}, {most} iterations", (x, y, most)


def softmax_regression(n, dims, classes, steps):
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(n, dims))
    targets = np.eye(classes)[np.argmax(samples @ rng.normal(size=(dims, classes)), axis=1)]
    return f"{n:,} samples, {classes} classes", (samples, targets, np.zeros((dims, classes)), steps)


def moving_statistics(n, days):
    steps = np.random.default_rng(0).normal(0, 0.01, n)
    return f"{n:,} prices, windows of {days}", (100 * np.exp(np.cumsum(steps)), days)


def conjugate_gradient(n, steps):
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(n, n // 2))
    return f"{n:,} unknowns, {steps} steps", (factor @ factor.T / n + np.eye(n), rng.normal(size=n), steps)


CASES = {  # titles, and parameters of the small and the large case
    heat: ("Heat equation", (64, 50), (2_048, 10)),
    moving_statistics: ("Moving statistics", (1_000, 20), (2_000_000, 20)),
    black_scholes: ("Black-Scholes", (1_000,), (4_000_000,)),
    nbody: ("N-body", (64, 10), (2_000, 2)),
    kmeans: ("k-means", (400, 2, 5, 10), (500_000, 4, 8, 3)),
    softmax_regression: ("Softmax regression", (200, 10, 3, 20), (200_000, 32, 10, 5)),
    mandelbrot: ("Mandelbrot set", (64, 48, 50), (2_400, 1_800, 50)),
    conjugate_gradient: ("Conjugate gradients", (100, 20), (3_000, 20)),
}


def cases(pattern, sizes):
    """Yield the cases of the programs whose names match."""
    for make, (title, *parameters) in CASES.items():
        if re.search(pattern, make.__name__):
            for size, chosen in zip(SIZES, parameters, strict=True):
                if size in sizes:
                    yield Case(make.__name__, title, size, *make(*chosen))


# ---- The forms of a program ----


def source(program, library):
    """Return the path of the source that a library runs."""
    ending = "" if library in ("NumPy", "lazyarr") else f"_{library.lower()}"
    return PROGRAMS / f"{program}{ending}.py"


def load(program, library, parallel=True):
    """Return the function of a program, not yet compiled; Numba's is single-threaded unless `parallel`."""

    def serial(*functions, parallel=False, **options):
        return compiled(*functions, **options)

    path = source(program, library)
    if library == "Numba" and not parallel:
        compiled = numba.njit
        with mock.patch.object(numba, "njit", serial):
            return npbench.load(path, by_lazyarr=False)[0].run
    module, end = npbench.load(path, by_lazyarr=library == "lazyarr")
    end()
    return module.run


def call(library, run, arguments):
    """Return a function of no arguments that runs a program to completion and returns a list of its results."""
    convert = {"lazyarr": la.numpy.array, "JAX": jax and jax.numpy.asarray}.get(library, np.asarray)
    arguments = [convert(value) if isinstance(value, np.ndarray) else value for value in arguments]
    if library == "JAX":
        return lambda: npbench.arrays_of(jax.block_until_ready(run(*arguments)))
    if library == "lazyarr":
        return lambda: [array.numpy() for array in npbench.evaluated(run(*arguments), by_lazyarr=True)]
    return lambda: npbench.arrays_of(run(*arguments))


def first_call(function):
    """Return the seconds of a call, and its result."""
    began = time.perf_counter()
    results = function()
    return time.perf_counter() - began, results


def check(case, library, got, want):
    """Fail unless results equal NumPy's up to rounding, after which one count in ten thousand may differ."""
    assert len(got) == len(want), f"{case.program}: {library} gives {len(got)} arrays, NumPy {len(want)}"
    for one, other in zip(map(np.asarray, got), want, strict=True):
        name = f"{case.program}, {case.size}: {library}"
        assert (one.shape, one.dtype) == (other.shape, other.dtype), f"{name} gives {one.dtype}{one.shape}"
        if other.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * np.abs(other).max(), err_msg=name)
        else:
            assert np.mean(one != other) <= 1e-4, f"{name} differs"


def ready(case):
    """Return {library: a checked call}, and {library: seconds of the first call}."""
    calls, first = {}, {}
    for name in [*LIBRARIES, *[SERIAL] * ("Numba" in LIBRARIES)]:
        library = "Numba" if name == SERIAL else name
        calls[name] = call(library, load(case.program, library, parallel=name != SERIAL), case.arguments)
        first[name], results = first_call(calls[name])
        if library == "NumPy":
            want = results
        check(case, library, results, want)
    return calls, first


def changed_lines(program, library):
    """Count the lines of NumPy's source that were changed, removed or added, ignoring docstrings and blank lines."""
    old, new = (
        [line for line in source(program, name).read_text("utf-8").splitlines()[1:] if line.strip()]
        for name in ("NumPy", library)
    )
    edits = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(i_end - i, j_end - j) for kind, i, i_end, j, j_end in edits if kind != "equal")


# ---- Measuring ----


def measure(case, rounds):
    calls, first = ready(case)
    samples = side_by_side(calls, rounds, SECONDS, PAUSE)
    times = {name: statistics.median(samples[name]) for name in calls}
    if SERIAL in times:
        serial, began = times.pop(SERIAL), first.pop(SERIAL)
        if serial < times["Numba"]:
            times["Numba"], first["Numba"] = serial, began
    return Row(
        case.title, case.size, case.text, {name: 1e3 * seconds for name, seconds in times.items()},
        {name: max(0.0, first[name] - times[name]) for name in LIBRARIES[1:]},
        {name: changed_lines(case.program, name) for name in LIBRARIES[1:]},
    )


# ---- The command ----


def surroundings():
    """Describe in a sentence what the numbers depend on."""
    vectors = "with" if numba and numba.config.USING_SVML else "without"
    versions = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    versions += [f"Numba {numba.__version__} {vectors} SVML"] if numba else []
    versions += [f"JAX {jax.__version__}"] if jax else []
    return f"{la.config.num_threads} threads; {', '.join(versions)}."


def warm_up():
    """Let Numba and JAX load their compilers."""
    if numba:
        numba.njit(parallel=True)(lambda x: x + 1)(np.ones(3))
    if jax:
        jax.jit(lambda x: x + 1)(np.ones(3))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", metavar="PATH", help="where to write the figure")
    parser.add_argument("--table", metavar="PATH", help="where to write the tables, in place of standard output")
    parser.add_argument("--quick", action="store_true", help="one round of the small sizes: does it still work?")
    parser.add_argument("--only", metavar="REGEX", default="", help="the programs whose names match")
    parser.add_argument("--read", metavar="PATH", help="measure nothing, take the numbers from tables in this file")
    options = parser.parse_args()
    if options.read:
        rows = gain_report.read(options.read)
    else:
        rows = []
        warm_up()
        for case in cases(options.only, SIZES[:1] if options.quick else SIZES):
            print(case.program, case.size, file=sys.stderr, flush=True)
            rows.append(measure(case, 1 if options.quick else ROUNDS))
        if not rows:
            parser.error(f"no program matches {options.only}")
        text = f"{HEADING}\n{surroundings()}\n\n{gain_report.tables(rows)}"
        if options.table:
            Path(options.table).write_text(text, "utf-8")
        else:
            print(text, end="")
    if options.figure:
        gain_report.draw(rows, options.figure)


if __name__ == "__main__":
    main()
