"""``lazyarr tune``: measure every number of the table on this machine and keep the results for later imports."""

import argparse
import sys
from collections.abc import Callable, Mapping

from lazyarr._core import kernels
from lazyarr._core.host import threads
from lazyarr.autotune import store
from lazyarr.autotune.benchmarks import measured_how
from lazyarr.autotune.parameters import COST, PATH, Row, rounded, rows
from lazyarr.autotune.settings import tuning
from lazyarr.autotune.timer import Timer
from lazyarr.inspect import formatting

DESCRIPTION = """\
Measure what is fastest on this machine and store it in the user's cache folder, where later imports of lazyarr read
it. It may change the rounding of results, with --same-results not even that. The machine should be idle meanwhile."""

EPILOG = f"""\
{store.VARIABLE}=PATH names another file to write and read; with {store.VARIABLE}=0, imports read none.
lazyarr.config.tuning shows the current numbers. A script named tune is run as ./tune or tune.py."""

# Rounds over all numbers; seconds per comparison in a round, and per cost, of which there are many.
QUICK = (2, 0.05, 0.012)
FULL = (4, 0.15, 0.04)
_SECONDS_OF_CALL = 0.3


def main(arguments: list[str], timer_of: Callable[[float], Timer] = Timer) -> int:
    """Run the command line and return its exit status: 1 if the file cannot be written, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser("lazyarr tune", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--dry-run", action="store_true", help="print the results but do not write them")
    parser.add_argument("--quick", action="store_true", help="take about fifteen seconds instead of fifty")
    parser.add_argument("--same-results", action="store_true", help="skip the numbers that choose between "
                        "implementations that round differently")
    parser.add_argument("--ops", action="store_true", help="measure the backends of calls instead (matrix products, "
                        "convolutions, sorts, FFTs, linear algebra) and store the fastest ones")
    options = parser.parse_args(arguments)
    if not options.dry_run and store.path() is None:
        parser.error(f"there is no file to write: {store.VARIABLE} is 0, or there is no cache folder; use --dry-run")
    if options.ops:
        return _backends(options)
    chosen = {name: row for name, row in rows().items() if not (options.same_results and name.startswith(PATH))}
    rounds, seconds, seconds_of_cost = QUICK if options.quick else FULL
    try:
        found = measured(chosen, rounds, timer_of(seconds), timer_of(seconds_of_cost))
    except KeyboardInterrupt:
        print("lazyarr: interrupted; nothing was written", file=sys.stderr)
        return 130
    lines = [("name", "measured", "default", "unit", "measured/default")]
    for row in chosen.values():
        value = found.get(row.name)
        shown = ("not measured", "") if value is None else (f"{value:.6g}", f"{value / row.default:.2f}")
        lines.append((row.name, shown[0], f"{row.default:.6g}", row.unit, shown[1]))
    print(f"{store.processor()}, {threads.get_num_threads()} threads")
    print(formatting.table(lines, "<>><<"))
    return 0 if options.dry_run else _written(lambda: store.write(found))


def _written(write: Callable[[], str]) -> int:
    try:
        print(f"written to {write()}")
    except OSError as error:
        print(f"lazyarr: can't write {store.path()!r}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


def _backends(options: argparse.Namespace) -> int:
    """Measure the backends of calls that are not in the file yet."""
    from lazyarr.autotune import choices, operations

    before = kernels.winograd.get_exact()
    kernels.winograd.set_exact(before or options.same_results)
    lines = [("call", "backend", "time", "others")]
    try:
        for label, taken in operations.measured(_SECONDS_OF_CALL / (3 if options.quick else 1)):
            if taken:
                (best, seconds), *others = sorted(taken.items(), key=lambda pair: pair[1])
                lines.append((label, best, formatting.seconds(seconds),
                              ", ".join([f"{name} {formatting.seconds(other)}" for name, other in others])))
    except KeyboardInterrupt:
        print("lazyarr: interrupted; nothing was written", file=sys.stderr)
        return 130
    finally:
        kernels.winograd.set_exact(before)
    print(f"{store.processor()}, {threads.get_num_threads()} threads, {choices.libraries()}")
    print(formatting.table(lines, "<<><") if lines[1:] else "All calls are in the file.")
    return 0 if options.dry_run or not lines[1:] else _written(choices.save)


def measured(wanted: Mapping[str, Row], rounds: int, timer: Timer, timer_of_costs: Timer) -> dict[str, float]:
    """Measure each requested parameter over several rounds."""
    results: dict[str, list[float]] = {name: [] for name in wanted}
    with tuning({row.name: row.default for row in rows().values()}):
        for number in range(rounds):
            print(f"lazyarr: measuring, round {number + 1} of {rounds}", file=sys.stderr)
            for name, values in results.items():
                value = measured_how(name).measure(timer_of_costs if name.startswith(COST) else timer)
                values += [] if value is None else [value]
    chosen = {name: measured_how(name).choose(values) for name, values in results.items() if values}
    return {name: rounded(wanted[name], value) for name, value in chosen.items()}
