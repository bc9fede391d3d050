"""The command line: ``python -m lazyarr [--compare] [--profile] SCRIPT.py [ARGS]`` and ``python -m lazyarr tune``."""

import argparse
import sys

from lazyarr import compare, runner
from lazyarr._version import __version__

DESCRIPTION = """\
Run a plain NumPy script with "import numpy" in your own files resolved to lazyarr.numpy. Packages from site-packages
and the standard library keep the real NumPy."""

EPILOG = """\
"python -m lazyarr tune" measures which way is faster on this machine; a script of that name is ./tune. The exit
status is the script's: 1 after an uncaught exception, 130 after Ctrl-C; 2 if the script cannot be read."""


def main(arguments: list[str]) -> int:
    """Run the command line `arguments` and return the exit status; SystemExit of the script passes through."""
    if arguments[:1] == ["tune"]:
        from lazyarr.tuning import command

        return command.main(arguments[1:])
    parser = argparse.ArgumentParser("python -m lazyarr", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument(
        "--compare",
        action="store_true",
        help="run the script twice in fresh processes, first with NumPy, then with lazyarr; require the same printed "
        "output, and print wall time and peak memory of both",
    )
    parser.add_argument(
        "--profile",
        action="store_true",
        help="print to stderr at the end what was evaluated and what fell back to NumPy",
    )
    parser.add_argument("--version", action="version", version=f"lazyarr {__version__}")
    parser.add_argument("script", metavar="SCRIPT.py")
    parser.add_argument("arguments", metavar="ARGS", nargs="*", help="passed on to the script")
    # Everything after the script's name belongs to the script, options included.
    own = next((i + 1 for i, argument in enumerate(arguments) if not argument.startswith("-")), len(arguments))
    options = parser.parse_args(arguments[:own])
    try:
        source = runner.read_source(options.script)
    except OSError as error:
        print(f"lazyarr: can't read {options.script!r}: {error.strerror}", file=sys.stderr)
        return 2
    if options.compare:
        return compare.start(options.script, arguments[own:], options.profile)
    return runner.run(options.script, source, arguments[own:], options.profile)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
