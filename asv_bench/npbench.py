"""The kernels of NPBench, unchanged, with NumPy and with lazyarr, each in a separate process.

    git clone https://github.com/spcl/npbench
    python asv_bench/npbench.py npbench S                   # the small presets; M and L are larger
    python asv_bench/npbench.py npbench M --only 'jacobi|lu'

A process makes fresh arguments, runs the kernel and evaluates its results and arguments, repeatedly for about a second;
the minimum time counts. Results must agree up to rounding. Ratios are NumPy/lazyarr. The suite is by A. N. Ziogas et
al., "NPBench: A Benchmarking Suite for High-Performance NumPy", ICS 2021.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

import numpy as np

ROUNDS = 3


def load(path, by_lazyarr):
    """Load a module of the suite, with `lazyarr.numpy` for NumPy if requested, and what ends the redirection."""
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    end = None
    if by_lazyarr:
        from lazyarr import runner

        end = runner.redirect_imports(lambda importer: importer is module.__dict__)
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), module.__dict__)
    return module, end or (lambda: None)


def arrays_of(results):
    """Return the arrays among results, including those in tuples and lists."""
    if isinstance(results, tuple | list):
        return [array for part in results for array in arrays_of(part)]
    return [results] if hasattr(results, "shape") else []


def evaluated(results, by_lazyarr):
    """Return the arrays among results, evaluated."""
    arrays = arrays_of(results)
    if by_lazyarr:
        import lazyarr

        lazyarr.evaluate(*[array for array in arrays if isinstance(array, lazyarr.LazyArray)])
    return arrays


def arguments(benchmark, module, preset, by_lazyarr):
    """Return fresh arguments of the kernel."""
    known = dict(benchmark["parameters"][preset])
    if benchmark.get("init"):
        (np if not by_lazyarr else module.np).random.seed(0)
        given = [known[name] for name in benchmark["init"]["input_args"]]
        made = getattr(module, benchmark["init"]["func_name"])(*given)
        names = benchmark["init"]["output_args"]
        known.update(zip(names, made if isinstance(made, tuple) else (made,), strict=True))
    found = [known[name] for name in benchmark["input_args"]]
    evaluated(found, by_lazyarr)
    return found


def run(suite, name, preset, by_lazyarr, seconds, target):
    """Time a kernel in this process: print the minimum wall and CPU seconds, and save the results to a file."""
    benchmark = json.loads(suite.joinpath("bench_info", f"{name}.json").read_text(encoding="utf-8"))["benchmark"]
    folder = suite / "npbench" / "benchmarks" / benchmark["relative_path"]
    kernel, end_kernel = load(folder / f"{benchmark['module_name']}_numpy.py", by_lazyarr)
    module, end_module = load(folder / f"{benchmark['module_name']}.py", by_lazyarr)
    wall = cpu = math.inf
    rounds, began = 0, time.perf_counter()
    while rounds < ROUNDS or time.perf_counter() - began < seconds:
        given = arguments(benchmark, module, preset, by_lazyarr)
        start, start_cpu = time.perf_counter(), time.process_time()
        results = getattr(kernel, benchmark["func_name"])(*given)
        results = evaluated([results, given], by_lazyarr)
        wall, cpu = min(wall, time.perf_counter() - start), min(cpu, time.process_time() - start_cpu)
        rounds += 1
    end_module()
    end_kernel()
    np.savez(target, *map(np.asarray, results))
    print(json.dumps([wall, cpu]))


def agree(a, b):
    """Return whether two files of results agree up to rounding."""
    with np.load(a) as want, np.load(b) as got:
        return want.files == got.files and all(
            np.allclose(got[name], want[name], *((1e-3, 1e-3) if want[name].dtype.itemsize <= 4 else (1e-6, 1e-8)),
                        equal_nan=True) for name in want.files)


def side_by_side(suite, name, preset, seconds):
    """Return wall and CPU seconds with NumPy and with lazyarr; AssertionError if results differ or a run fails."""
    with tempfile.TemporaryDirectory() as folder:
        best, files = {}, {}
        for library in ("numpy", "lazyarr") * 2:
            files[library] = f"{folder}/{library}.npz"
            command = [sys.executable, __file__, str(suite), preset, "--kernel", name, "--library", library,
                       "--results", files[library], "--seconds", str(seconds)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise AssertionError(f"{name} fails with {library}:\n{done.stderr}")
            figures = json.loads(done.stdout.splitlines()[-1])
            best[library] = [min(pair) for pair in zip(figures, best.get(library, figures), strict=True)]
        if not agree(*files.values()):
            raise AssertionError(f"{name} gives other results with lazyarr")
        return best["numpy"], best["lazyarr"]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path, help="a checkout of NPBench")
    parser.add_argument("preset", help="the sizes: S, M, L or paper")
    parser.add_argument("--only", metavar="REGEX", default="", help="the kernels whose names match")
    parser.add_argument("--seconds", metavar="S", type=float, default=1, help="how long a process goes on (1)")
    for name in ("--kernel", "--library", "--results"):
        parser.add_argument(name, help=argparse.SUPPRESS)  # for the process of one kernel
    options = parser.parse_args(arguments)
    if options.kernel:
        run(options.suite, options.kernel, options.preset, options.library == "lazyarr", options.seconds,
            options.results)
        return 0
    ratios, failed = [], 0
    print(f"{'kernel':<26}{'NumPy ms':>10}{'lazyarr ms':>12}{'ratio':>8}{'of CPU':>8}")
    for path in sorted(options.suite.joinpath("bench_info").glob("*.json")):
        if not re.search(options.only, path.stem):
            continue
        try:
            (wall, cpu), (lazy_wall, lazy_cpu) = side_by_side(
                options.suite, path.stem, options.preset, options.seconds)
        except AssertionError as error:
            failed += 1
            print(error)
            continue
        ratios.append(wall / lazy_wall)
        times = f"{wall * 1e3:10.2f}{lazy_wall * 1e3:12.2f}"
        print(f"{path.stem:<26}{times}{ratios[-1]:8.2f}{cpu / lazy_cpu:8.2f}", flush=True)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{len(ratios)} kernels, geometric mean {mean:.2f}, {sum(ratio < 1 for ratio in ratios)} below 1.0, "
              f"least {min(ratios):.2f}; {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
