"""``python -m lazyarr tune``: measure every number of the table on this machine and keep them for later imports."""

import argparse
import sys
from collections.abc import Callable, Iterator

from lazyarr.tuning import store
from lazyarr.tuning.measures import measure_of
from lazyarr.tuning.table import COST, Row, rounded, rows
from lazyarr.tuning.timer import Timer
from lazyarr.tuning.values import format_line

DESCRIPTION = """\
Measure how lazyarr runs fastest on this machine and keep that in a file of the user's cache folder, which imports read
from then on. Results of programs do not depend on it. Let the machine do nothing else meanwhile."""

EPILOG = f"""\
{store.VARIABLE}=PATH names another file to write and to read, {store.VARIABLE}=0 has imports go without.
lazyarr.config.tuning shows what is in force. A script named tune is run as ./tune or tune.py."""

WIDTHS = [24, 12, 12, 7, 8]


def main(arguments: list[str], timer_of: Callable[[float], Timer] = Timer) -> int:
    """Run the command line and return its exit status: 1 if the file cannot be written."""
    parser = argparse.ArgumentParser("python -m lazyarr tune", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--dry-run", action="store_true", help="print what was measured, write nothing")
    parser.add_argument("--quick", action="store_true", help="take some fifteen seconds instead of fifty")
    options = parser.parse_args(arguments)
    if not options.dry_run and store.path() is None:
        parser.error(f"there is no file to write: {store.VARIABLE} is 0, or there is no cache folder; use --dry-run")
    print(store.processor())
    print(format_line(["name", "default", "measured", "unit", "measured/default"], WIDTHS), flush=True)
    found = {}
    for row, value in measured(timer_of(0.1 if options.quick else 0.3), timer_of(0.025 if options.quick else 0.1)):
        shown = ["", ""] if value is None else [f"{value:.6g}", f"{value / row.default:.2f}"]
        line = [row.name, f"{row.default:.6g}", shown[0] or "unknown", row.unit, shown[1]]
        print(format_line(line, WIDTHS), flush=True)
        if value is not None:
            found[row.name] = value
    if options.dry_run:
        return 0
    try:
        print(f"written to {store.write(found)}")
    except OSError as error:
        print(f"lazyarr: can't write {store.path()!r}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def measured(timer: Timer, timer_of_costs: Timer) -> Iterator[tuple[Row, float | None]]:
    """Each row with its value for this machine, None where that cannot be told; at the end all is as it was."""
    before = {row: row.get() for row in rows().values()}
    try:
        for row in before:
            row.set(row.default)
        for row in before:
            value = measure_of(row.name)(timer_of_costs if row.name.startswith(COST) else timer)
            if value is not None:
                value = rounded(row, value)
                row.set(value)
            yield row, value
    finally:
        for row, value in before.items():
            row.set(value)
