"""Runs a script, a module or a string as the main program, like Python's command line, and optionally times it.

`lazyarr.runner` and the processes of `lazyarr.compare` start programs here. The latter run this file by itself, as one
of them must have NumPy without lazyarr. So it imports only the standard library, and at the top only modules that do
not in turn import the likes of `inspect`, as files beside this one have such names, too.
"""

import atexit
import builtins
import importlib
import importlib.machinery
import io
import os
import sys
import time
import types
from collections.abc import Callable, Sequence
from importlib import _bootstrap
from typing import Any, NamedTuple

IMPORT_FILE = "<importlib._bootstrap of lazyarr>"
"""File of the function that imports. Warnings skip frames whose files have these two words, up to the statement."""
OWN_FILES = {IMPORT_FILE, *(os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
                            for name in ("launch.py", "runner.py"))}
"""Files whose frames are cut out of tracebacks."""


class Program(NamedTuple):
    """A program to run as ``__main__``."""

    kind: str
    """``"script"``, ``"module"`` or ``"code"``."""
    target: str
    """The script's path, the module's name, or the code."""
    arguments: Sequence[str]
    """The rest of ``sys.argv``."""


def read_source(script: str) -> bytes:
    """Return the text of a script; raise OSError if it cannot be read."""
    with io.open_code(os.path.abspath(script)) as file:
        return file.read()


def run(program: Program, prepare: Callable[[types.ModuleType], None] | None = None) -> int:
    """Run a program as ``__main__``, with ``sys.argv`` and ``sys.path[0]`` set as Python does.

    `prepare` is called with the module ``__main__`` before the program starts. Return the exit status: 0; or, after
    printing the traceback, 1 for an uncaught exception and 130 for a KeyboardInterrupt.

    Raises
    ------
    OSError
        If a script cannot be read.
    SystemExit
        If the program raises it; Python derives the exit status from it.
    """
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    execute, name, folder = {"script": _script, "module": _module, "code": _code}[program.kind](program.target, main)
    sys.modules["__main__"] = main
    sys.argv = [name, *program.arguments]
    if not sys.flags.safe_path:
        sys.path[0] = folder
    if prepare is not None:
        prepare(main)
    try:
        execute()
    except SystemExit:
        raise
    except BaseException as error:
        _leave_out_own_frames(error)
        sys.excepthook(type(error), error, error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


# What a kind of program runs, its sys.argv[0] and its sys.path[0].
Started = tuple[Callable[[], object], str, str]


def _script(script: str, main: types.ModuleType) -> Started:
    source, path = read_source(script), os.path.abspath(script)
    main.__file__ = path
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    folder = os.path.dirname(os.path.realpath(path))
    return lambda: exec(compile(source, path, "exec", dont_inherit=True), main.__dict__), script, folder


def _module(name: str, main: types.ModuleType) -> Started:
    import runpy

    # The interpreter itself calls this function for -m.
    return lambda: runpy._run_module_as_main(name), "-m", os.getcwd()  # type: ignore[attr-defined]


def _code(text: str, main: types.ModuleType) -> Started:
    main.__loader__ = importlib.machinery.BuiltinImporter
    if sys.version_info >= (3, 13):  # tracebacks show lines of the text
        import linecache

        linecache.cache["<string>"] = len(text), None, text.splitlines(keepends=True), "<string>"
    return lambda: exec(compile(text + "\n", "<string>", "exec", dont_inherit=True), main.__dict__), "-c", ""


def _leave_out_own_frames(error: BaseException) -> None:
    """Cut the frames of `OWN_FILES` out of the tracebacks of an exception and of all related exceptions."""
    seen: set[int] = set()
    todo = [error]
    while todo:
        error = todo.pop()
        if id(error) in seen:
            continue
        seen.add(id(error))
        kept = []
        entry = error.__traceback__
        while entry is not None:
            if entry.tb_frame.f_code.co_filename not in OWN_FILES:
                kept.append(entry)
            entry = entry.tb_next
        following = None
        for entry in reversed(kept):
            entry.tb_next = following
            following = entry
        error.__traceback__ = following
        related = (error.__cause__, error.__context__, *getattr(error, "exceptions", ()))
        todo += [other for other in related if other is not None]


# ---- Timing ----


def report_times(path: str) -> None:
    """Write to `path`, at exit, the wall and CPU time in seconds from now on, without imports.

    Imports that NumPy and lazyarr defer to first use count as the program's time.
    """
    process, begun, importing = os.getpid(), _now(), [0.0, 0.0]
    system: Any = _bootstrap
    find_and_load = system._find_and_load  # loads modules for all importers
    depth = 0

    def timed(*arguments: Any) -> types.ModuleType:
        nonlocal depth
        if depth or _asked_by_library(sys._getframe(1)):
            return find_and_load(*arguments)
        start = _now()
        depth += 1
        try:
            return find_and_load(*arguments)
        finally:
            depth -= 1
            for i, (before, after) in enumerate(zip(start, _now(), strict=True)):
                importing[i] += after - before

    def finish() -> None:
        if os.getpid() == process:  # not in a forked child
            seconds = [now - start - off for now, start, off in zip(_now(), begun, importing, strict=True)]
            with open(path, "w", encoding="ascii") as file:
                print(*seconds, file=file)

    # Python hides frames of the import system in tracebacks by the name of their file.
    timed.__code__ = timed.__code__.replace(co_filename=find_and_load.__code__.co_filename)
    system._find_and_load = timed
    atexit.register(finish)  # runs after functions that the program registers


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _asked_by_library(frame: types.FrameType | None) -> bool:
    """Return whether an import statement is in NumPy or lazyarr."""
    while frame is not None and frame.f_code.co_filename in OWN_FILES:
        frame = frame.f_back
    name = frame.f_globals.get("__name__", "") if frame is not None else ""
    return isinstance(name, str) and name.partition(".")[0] in ("numpy", "lazyarr")


def main(report: str, library: str, kind: str, target: str, *arguments: str) -> int:
    """Run a program with ``"numpy"``, ``"lazyarr"`` or ``"profiled"`` lazyarr, and report its times."""
    report_times(report)
    program = Program(kind, target, arguments)
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd()  # replaces this file's folder
    if library == "numpy":
        return run(program)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, package)
    runner = importlib.import_module("lazyarr.runner")
    sys.path.remove(package)
    return runner.run(program, profiled=library == "profiled")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
