"""The command line: ``lazyarr [OPTIONS] SCRIPT.py [ARGS]``, ``lazyarr tune`` and ``lazyarr doctor``.

``python -m lazyarr`` does the same.
"""

import os
import sys

from lazyarr._version import __version__
from lazyarr.launch import Program, read_source

_VARIABLE = "LAZYARR_DEVICE"

USAGE = """\
lazyarr [--compare] [--profile] [--device NAME] SCRIPT.py [ARGS]
       lazyarr [--compare] [--profile] [--device NAME] -m MODULE [ARGS]
       lazyarr [--compare] [--profile] [--device NAME] -c CODE [ARGS]
       lazyarr tune | doctor [--help]"""

DESCRIPTION = """\
Run a NumPy program with lazyarr: in your own files, "import numpy" imports lazyarr.numpy. The standard library and
packages from site-packages keep the real NumPy."""

EPILOG = """\
commands:
  lazyarr tune          measure what is fastest on this machine and store the result
  lazyarr doctor        print versions, hardware and settings, and how to make lazyarr faster here

examples:
  lazyarr simulation.py --steps 100           run a script with its own options
  lazyarr --compare simulation.py             compare output and time with NumPy's
  lazyarr --profile -m package.module         run a module and print a profile

A script named tune or doctor is run as ./tune or ./doctor. The exit status is the program's: 1 after an uncaught
exception, 130 after Ctrl-C; 2 if the script cannot be read."""


def main() -> int:
    """Run the command line and return the exit status; SystemExit of the program passes through."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["tune"]:
        from lazyarr.autotune import cli

        return cli.main(arguments[1:])
    if arguments[:1] == ["doctor"]:
        from lazyarr import doctor

        return doctor.main(arguments[1:])
    if arguments and not arguments[0].startswith("-"):
        program, compared, profiled = Program("script", arguments[0], arguments[1:]), False, False
    else:
        program, compared, profiled = _parsed(arguments)
    try:
        if program.kind == "script":
            read_source(program.target)
    except OSError as error:
        print(f"lazyarr: can't read {program.target!r}: {error.strerror}", file=sys.stderr)
        return 2
    if os.environ.get(_VARIABLE):
        try:
            os.environ[_VARIABLE] = _checked_device(os.environ[_VARIABLE])
        except ValueError as error:
            print(f"lazyarr: {_VARIABLE}: {error}", file=sys.stderr)
            return 2
    if compared:
        from lazyarr import compare

        return compare.start(program, profiled)
    from lazyarr import runner

    return runner.run(program, profiled)


def _parsed(arguments: list[str]) -> tuple[Program, bool, bool]:
    """Return the program, whether to compare, and whether to profile; a lone script skips the parser (8 ms)."""
    import argparse

    parser = argparse.ArgumentParser("lazyarr", USAGE, DESCRIPTION, EPILOG, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", action="store_true", help="run the program alternately with NumPy and lazyarr, "
                        "several times each, in fresh processes; fail if they print different output; show the best "
                        "time and the memory of each")
    parser.add_argument("--profile", action="store_true",
                        help="at the end, print to stderr what was evaluated and what fell back to NumPy")
    parser.add_argument("--device", metavar="NAME", help="the device on which new arrays are made and operations "
                        "run, such as opencl:0; lazyarr.devices() lists them")
    parser.add_argument("--version", action="version", version=f"lazyarr {__version__}")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module, as python -m does")
    parser.add_argument("-c", dest="code", metavar="CODE", help="run a string of code, as python -c does")
    parser.add_argument("script", metavar="SCRIPT.py", nargs="?")
    parser.add_argument("arguments", metavar="ARGS", nargs="*", help="passed on to the program")
    own = _own(arguments)
    options, unknown = parser.parse_known_args(arguments[:own])
    if unknown:
        from lazyarr._core.host.suggestions import did_you_mean

        hint = did_you_mean(unknown[0], ("--compare", "--device", "--help", "--profile", "--version"))
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    if options.device is not None:
        try:
            os.environ[_VARIABLE] = _checked_device(options.device)  # for the process that runs the program
        except ValueError as error:
            parser.error(str(error))
    given = {"script": options.script, "module": options.module, "code": options.code}
    named = [(kind, target) for kind, target in given.items() if target is not None]
    if not named:
        parser.error("a script, -m MODULE or -c CODE is required")
    return Program(*named[0], arguments[own:]), options.compare, options.profile


def _checked_device(name: str) -> str:
    """Return the device of this name; raise ValueError if there is none."""
    from lazyarr.ops import devices

    device: str = devices.checked(name)
    return device


def _own(arguments: list[str]) -> int:
    """Return how many arguments are lazyarr's; all after the program's name belong to the program."""
    for i, argument in enumerate(arguments):
        if i and arguments[i - 1] == "--device":
            continue
        if argument in ("-m", "-c"):
            return i + 2
        if argument.startswith(("-m", "-c")) or not argument.startswith("-"):
            return i + 1
    return len(arguments)


if __name__ == "__main__":
    sys.exit(main())
