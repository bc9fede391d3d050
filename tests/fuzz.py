"""Runs random programs with NumPy and with lazyarr and reports those that differ.

``python tests/fuzz.py --programs 100000 --seed 0`` prints each failure in its shortest form, and how to run it again.
Exit status 1 if there was one.
"""

import argparse
import random
import sys
import time

import numpy as np

import lazyarr as la
from lazyarr._core.ir import fingerprint, inner_loops
from lazyarr._core.runtime import memo
from lazyarr._core.tile import tiling
from lazyarr.gpu.calls import rows, scans
from lazyarr.ops import scattering
from support import pocl, program_runner
from support.program_grammar import statements


def evaluate(*arrays):
    la.evaluate(*[array for array in arrays if isinstance(array, la.LazyArray)])


class Mixed:
    """A namespace of NumPy's names, drawn both from lazyarr, which defers, and from lazyarr.numpy, which runs small
    work eagerly.
    """

    def __init__(self, seed):
        self._source = random.Random(seed)

    def __getattr__(self, name):
        return getattr(self._source.choice((la, la.numpy)), name)


FACES = {"lazyarr": lambda seed: la, "lazyarr.numpy": lambda seed: la.numpy, "both": Mixed}


def write(seed, large, repeats):
    """Return program number `seed` and its check options: lengths and settings vary with the seed.

    With `repeats`, many lines are duplicated, and each is evaluated immediately.
    """
    source = random.Random(seed)
    length = source.choice((4, 8, 16) if large else (4, 8, 16, 16, 32, 64))
    options = {"warn": "subset"}
    on_host = la.config.device == "cpu"
    kinds = None if on_host else [kind for kind in statements.KINDS if kind != "lent"]  # devices lend read-only
    if source.random() < 0.2:
        options, kinds = {"warn": "equal"}, statements.PURE_KINDS
    budget = source.choice((None, None, 1, 3, 10))
    settings = {} if budget is None else {"budget_nodes": budget}
    if large:  # more threads than cores are preempted in more places
        settings["num_threads"] = source.choice((1, 2, 2, 3, 7))
    lines = statements.write(source, length, kinds, large)
    if not on_host:  # a device copies where NumPy returns a view of a temporary; zeros differ in order there
        lines = [line.replace("= xp.linspace(", "= +xp.linspace(") for line in lines if ".sort(" not in line]
    if repeats:
        lines = [line for line in lines for _ in range(source.choice((1, 2, 2)))]
        settings["budget_nodes"] = 1
    settings["small_work"] = source.choice(("auto", "auto", "auto", "now"))
    return lines, options, settings, source.choice([*FACES])


def problem_of(seed, large, repeats=False):
    """Return a minimal description of what goes wrong with program number `seed`, or None."""
    lines, options, settings, face = write(seed, large, repeats)

    def fails(lines):
        with np.errstate(all="warn"), la.config(**settings):
            return program_runner.disagrees(lines, FACES[face](seed), evaluate, **options)

    problem = fails(lines)
    if not problem or (la.config.device != "cpu" and "raised IndexError" in problem):  # indices are checked later there
        return None
    shortest = fails(program_runner.minimise(lines, fails)) or problem
    return f"{shortest}\n  {face}, settings: {settings}, {options}"


def split_work():
    """Use several threads in most loops, by raising their cost estimates and shrinking blocks, and in all kernel
    writes.
    """
    la.ones(1)  # the first array initialises the ufunc tables
    for ufunc in {function for function in vars(np).values() if isinstance(function, np.ufunc)}:
        inner_loops.set_cost(ufunc, 100)
    tiling.set_tile_bytes(1024)
    scattering.LEAST = scattering.LEAST_QUICK = 1


def leave_long_running_sums():
    """Run cumulative sums on the host, because devices add in another order than NumPy."""
    row = rows.ROWS["add.accumulate"]

    def refusal(call):
        is_long = call.operands[0].shape[call.function.keywords["axis"]] > scans.CHUNK
        return "another order" if is_long and call.result.dtype.kind in "fc" else row.refusal(call)

    rows.ROWS["add.accumulate"] = row._replace(refusal=refusal)


def keep_all_results():
    """Make the memo keep whatever it recognises, as if everything were costly."""
    memo.set_enabled(True, True)
    la.config.memo_limit = 64 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=10_000, help="how many to run")
    parser.add_argument("--seed", type=int, default=0, help="number of the first")
    parser.add_argument("--failures", type=int, default=10, help="stop after so many")
    parser.add_argument("--large", action="store_true", help="larger arrays, and more threads")
    parser.add_argument("--device", default="cpu", help="where arrays are made, such as opencl:0")
    parser.add_argument("--memo", action="store_true", help="keep results for later evaluations, and repeat lines")
    options = parser.parse_args()
    pocl.set_up()
    if options.device != "cpu":
        la.config.tuning["path.device_bytes"] = 1
        leave_long_running_sums()
    la.config.device = options.device
    la.config.exact = options.device != "cpu"     # bits are compared
    fingerprint.set_least_cut(1)  # also push slices of small arrays
    if options.memo:
        keep_all_results()
    if options.large:
        split_work()
    failures, start, shown = 0, time.monotonic(), time.monotonic()
    for seed in range(options.seed, options.seed + options.programs):
        if (problem := problem_of(seed, options.large, options.memo)) is not None:
            failures += 1
            asked = " --large" * options.large + " --memo" * options.memo
            asked += "" if options.device == "cpu" else f" --device {options.device}"
            print(f"--programs 1 --seed {seed}{asked}\n  {problem}\n", flush=True)
            if failures == options.failures:
                break
        if time.monotonic() - shown > 30:
            shown = time.monotonic()
            print(f"{seed - options.seed + 1} programs, {failures} failures, {shown - start:.0f} s", flush=True)
    print(f"{seed - options.seed + 1} programs, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
