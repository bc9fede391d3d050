"""Runs random programs with the rewrites of graphs and without them: bits and warnings must be the same.

``python tests/rewrites.py --programs 10000 --seed 0`` prints the programs that differ. Exit status 1 if there was one.
"""

import argparse
import contextlib
import random
import sys
import warnings
from collections import Counter

import numpy as np

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.ir import fingerprint
from lazyarr._core.ir.graph_ir import Graph
from lazyarr._core.runtime import plan_cache
from lazyarr.compiler import pipeline as compiling
from lazyarr.compiler.pipeline import compile_graph
from lazyarr.compiler.schedule import UPDATE, schedule
from lazyarr.compiler.view_rewrites import repeats
from support import sample_values
from support.program_grammar import statements


def compile_as_written(described):
    """Run only the passes that are mandatory."""
    plain = [node._replace(attr=0) if node.kind == UPDATE else node for node in described]
    return schedule(repeats(Graph(plain))), [], []


@contextlib.contextmanager
def passes(function, least_cut=1):
    """Make plans with a function, and push slices that cut this much; the plan cache starts empty."""
    plan_cache.clear()
    api.set_hook("schedule", function)
    before = fingerprint.set_least_cut(least_cut)
    try:
        yield
    finally:
        api.set_hook("schedule", compiling.compile_graph)
        fingerprint.set_least_cut(before)
        plan_cache.clear()


def run(lines):
    """Return what a program shows and leaves, by name, and its warnings with their counts."""
    shown, evaluate = [], la.evaluate
    variables = {"xp": la, "np": np, "make": sample_values.make, "show": lambda value: shown.append(told(value)),
                 "look": lambda *arrays: evaluate(*[x for x in arrays if isinstance(x, la.LazyArray)])}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for line in lines:
            try:
                exec(line, variables)
            except Exception as error:
                shown.append(repr(error))
        names = [name for name in variables if name[0] in "vt" and name[1:].isdigit()]
        results = {name: told(variables[name]) for name in names}
    return results, shown, Counter((warning.category, str(warning.message)) for warning in caught)


def told(value):
    """Return everything observable about a value."""
    try:
        array = np.asarray(value)
    except Exception as error:
        return repr(error)
    if array.dtype.char in "gGO":  # the padding of long doubles is undefined
        return array.dtype, array.shape, [repr(element) for element in array.ravel()]
    return array.dtype, array.shape, array.tobytes()


def difference(lines):
    """Describe what the rewrites change about a program, or return None."""
    with np.errstate(all="warn"):
        with passes(compile_as_written, sys.maxsize):
            expected = run(lines)
        with passes(compile_graph):
            got = run(lines)
    for what, a, b in zip(("results", "what is shown", "warnings"), expected, got, strict=True):
        if a != b:
            return f"{what} differ: {a} as written, {b} rewritten"
    return None


def program(seed):
    source = random.Random(seed)
    length = source.choice((8, 16, 32))
    return statements.write(source, length, statements.PURE_KINDS if source.random() < 0.5 else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=10_000, help="how many to run")
    parser.add_argument("--seed", type=int, default=0, help="number of the first")
    options = parser.parse_args()
    failures = 0
    for seed in range(options.seed, options.seed + options.programs):
        if (problem := difference(program(seed))) is not None:
            failures += 1
            print(f"--programs 1 --seed {seed}: {problem}\n  " + "\n  ".join(program(seed)), flush=True)
    print(f"{options.programs} programs, {failures} differ")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
