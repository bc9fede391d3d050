"""Small NumPy programs as users write them, in `programs/`, with NumPy and with lazyarr in fresh processes.

    python asv_bench/programs.py                       # all
    python asv_bench/programs.py --only 'rnn|kalman'   # those whose names match
    python asv_bench/programs.py --rounds 5            # the best of five runs each, in turns

Both must print the same. Times are measured in the process, from its first import to its end, excluding its imports;
CPU time is that of all threads, and memory is the peak resident set. Ratios are NumPy/lazyarr.
"""

import argparse
import importlib.util
import math
import re
import sys
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")
HEADER = (
    f"{'wall time, CPU time (s)':<24}{'NumPy':>9}{'lazyarr':>11}{'ratio':>7}{'NumPy':>9}{'lazyarr':>8}{'ratio':>7}"
    f"{'MiB':>8}{'MiB':>7}{'ratio':>7}"
)


def _compare():
    """Load the module `lazyarr.compare` without lazyarr: on Linux a process inherits its parent's peak memory."""
    package = importlib.util.find_spec("lazyarr")
    specification = importlib.util.spec_from_file_location("compare", Path(package.origin).with_name("compare.py"))
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


compare = _compare()


def side_by_side(path, rounds, *arguments):
    """Return the best runs with NumPy and with lazyarr; raise AssertionError if one fails or outputs differ."""
    stdin = compare.Stdin()
    runs = {"numpy": [], "lazyarr": []}
    for _ in range(rounds):
        for library, done in runs.items():
            run = compare.execute([sys.executable], library, ["script", str(path), *arguments], stdin, quiet=True)
            if run.status:
                raise AssertionError(f"{path.stem} fails with {library}:\n{run.errors.decode(errors='replace')}")
            done.append(run)
        reference, other = (done[-1].output for done in runs.values())
        if reference != other:
            lines = compare.difference(reference, other)
            raise AssertionError("\n".join([f"{path.stem} prints something else with lazyarr", *lines]))
    return tuple(compare.best(done) for done in runs.values())


def row(name, figures):
    """Format a line of the table: NumPy's, lazyarr's and the ratio, for wall time, CPU time and memory."""
    (wall, lazy_wall), (cpu, lazy_cpu), (peak, lazy_peak) = figures
    return (
        f"{name:<24}{wall:9.3f}{lazy_wall:11.3f}{wall / lazy_wall:7.2f}"
        f"{cpu:9.3f}{lazy_cpu:8.3f}{cpu / lazy_cpu:7.2f}"
        f"{peak / 2**20:8.1f}{lazy_peak / 2**20:7.1f}{peak / lazy_peak:7.2f}"
    )


def mean(ratios):
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="REGEX", default="", help="the programs whose names match")
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="runs with each; the best counts (3)")
    options = parser.parse_args(arguments)
    ratios, failed = {}, 0
    print(HEADER)
    for path in sorted(PROGRAMS.glob("*.py")):
        if not re.search(options.only, path.stem):
            continue
        try:
            numpy, lazyarr = side_by_side(path, options.rounds)
        except AssertionError as error:
            failed += 1
            print(error, flush=True)
            continue
        figures = list(
            zip((numpy.outside, numpy.cpu, numpy.peak), (lazyarr.outside, lazyarr.cpu, lazyarr.peak), strict=True)
        )
        ratios[path.stem] = [with_numpy / with_lazyarr for with_numpy, with_lazyarr in figures]
        print(row(path.stem, figures), flush=True)
    if ratios:
        wall, cpu, memory = map(mean, zip(*ratios.values(), strict=True))
        worst = min(ratios, key=lambda name: ratios[name][0])
        print(
            f"{len(ratios)} programs, geometric means: time {wall:.2f}, CPU {cpu:.2f}, memory {memory:.2f}; "
            f"worst {ratios[worst][0]:.2f} ({worst}); {failed} failed"
        )
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
