"""The programs in examples/programs/: their `main`, run with NumPy and with lazyarr in turns in one process.

Run directly, ``python asv_bench/benchmarks/programs.py [PROGRAM...]`` prints a table of all programs or of some.
"""

import contextlib
import gc
import io
import sys
import time
import types
from pathlib import Path

import numpy as np

from lazyarr import runner

PROGRAMS = Path(__file__).resolve().parents[2] / "examples" / "programs"
NAMES = tuple(sorted(path.stem for path in PROGRAMS.glob("*.py")))

ROUNDS = 3


def load(name, lazy):
    """Load a program as a module, with imports of NumPy redirected as by the runner if `lazy`."""
    path = PROGRAMS / f"{name}.py"
    module = types.ModuleType(name)
    module.__file__ = str(path)
    end = runner.redirect_imports(lambda importer: importer.get("__file__") == str(path)) if lazy else None
    try:
        exec(compile(path.read_text(encoding="utf-8"), path, "exec"), module.__dict__)
    finally:
        if end is not None:
            end()
    return module


def timed(module, *arguments):
    """Return the wall time of a program's `main`, and its output."""
    gc.collect()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        began = time.perf_counter()
        module.main(*arguments)
        seconds = time.perf_counter() - began
    return seconds, output.getvalue()


def side_by_side(name, rounds=ROUNDS):
    """Return the best wall times with NumPy and with lazyarr; both must print the same."""
    modules = load(name, lazy=False), load(name, lazy=True)
    runs = [[timed(module) for module in modules] for _ in range(rounds)]
    if len({output for pair in runs for _, output in pair}) > 1:
        raise AssertionError(f"{name} prints something else with lazyarr")
    return tuple(min(seconds for seconds, _ in column) for column in zip(*runs, strict=True))


class Programs:
    """The speedup of a program with lazyarr, without interpreter start-up and imports."""

    params = NAMES
    param_names = ("program",)
    timeout = 300
    turns = ROUNDS

    def track_speedup(self, program):
        with_numpy, with_lazyarr = side_by_side(program, self.turns)
        return with_numpy / with_lazyarr

    track_speedup.unit = "NumPy/lazyarr"


def main(names):
    ratios = []
    print(f"{'program':<24}{'NumPy s':>10}{'lazyarr s':>11}{'ratio':>8}")
    for name in names or NAMES:
        with_numpy, with_lazyarr = side_by_side(name)
        ratios.append(with_numpy / with_lazyarr)
        print(f"{name:<24}{with_numpy:10.3f}{with_lazyarr:11.3f}{ratios[-1]:8.2f}", flush=True)
    print(f"{'geometric mean':<24}{np.exp(np.mean(np.log(ratios))):29.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
