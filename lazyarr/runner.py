"""Runs a plain NumPy script as the main program, with its NumPy replaced by `lazyarr.numpy`.

Which NumPy an import gives depends on who imports: the user's own files get `lazyarr.numpy`, every other module
the real one, which it may have been compiled for. So `sys.modules` keeps the real NumPy, and the two functions
through which Python code imports are replaced by ones that look at the importing module. Start reading at `run`.
"""

import atexit
import builtins
import functools
import importlib
import importlib.machinery
import io
import os
import site
import sys
import sysconfig
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy

import lazyarr.numpy
from lazyarr.inspect.profile import profile


def read_source(script: str) -> bytes:
    """The text of a script; OSError if it cannot be read."""
    with io.open_code(os.path.abspath(script)) as file:
        return file.read()


def run(script: str, source: bytes, arguments: Sequence[str], profiled: bool = False) -> int:
    """Run a script as ``__main__`` and return the exit status of this process.

    Parameters
    ----------
    script : str
        Its path, which becomes ``sys.argv[0]``; its folder becomes ``sys.path[0]``.
    source : bytes
        Its text, as `read_source` gives it.
    arguments : sequence of str
        The rest of ``sys.argv``.
    profiled : bool
        Print at exit, to stderr, what was evaluated.

    Returns
    -------
    int
        0; or 1 after an uncaught exception, 130 if that was a KeyboardInterrupt, with the traceback printed.

    Raises
    ------
    SystemExit
        If the script does; Python derives the exit status from it.
    """
    path = os.path.abspath(script)
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    sys.argv = [script, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    redirect_imports(lambda importer: file_of(importer) == path or is_users_own(file_of(importer)))
    if profiled:
        _print_profile_at_exit()
    try:
        exec(compile(source, path, "exec", dont_inherit=True), main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        _leave_out_own_frames(error)
        sys.excepthook(type(error), error, error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


# ---- Whose NumPy? ----


def redirect_imports(by_user: Callable[[Mapping[str, Any]], bool]) -> Callable[[], None]:
    """From now on, imports of NumPy by the user give `lazyarr.numpy`.

    Parameters
    ----------
    by_user : callable
        Whether the code that imports is the user's, told from its global variables.

    Returns
    -------
    callable
        Ends it.
    """
    import_statement, import_function = builtins.__import__, importlib.import_module

    @functools.wraps(import_statement)
    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        module = import_statement(name, globals, locals, fromlist, level)
        if level == 0 and is_numpy(name) and by_user(sys._getframe(1).f_globals if globals is None else globals):
            return counterpart(name if fromlist else "numpy")
        return module

    @functools.wraps(import_function)
    def import_module(name, package=None):
        module = import_function(name, package)
        return counterpart(name) if is_numpy(name) and by_user(sys._getframe(1).f_globals) else module

    def end() -> None:
        builtins.__import__ = import_statement
        importlib.import_module = import_function

    builtins.__import__ = __import__
    importlib.import_module = import_module
    return end


def is_numpy(name: str) -> bool:
    """Whether this is the absolute name of NumPy or of one of its modules."""
    return name == "numpy" or name.startswith("numpy.")


def counterpart(name: str) -> Any:
    """What stands for an imported module of NumPy in `lazyarr.numpy`; the module itself if nothing does."""
    found: Any = lazyarr.numpy
    for part in name.split(".")[1:]:
        try:
            found = getattr(found, part)
        except AttributeError:
            return sys.modules[name]
    return found


def file_of(importer: Mapping[str, Any]) -> str | None:
    """The file of a module, from its global variables."""
    return importer.get("__file__")


@functools.cache
def is_users_own(path: str | None) -> bool:
    """Whether there is a file and it belongs neither to the standard library nor to an installed package."""
    if path is None:
        return False
    path = os.path.normcase(os.path.realpath(path))
    return not path.startswith(_foreign_folders()) and {"site-packages", "dist-packages"}.isdisjoint(Path(path).parts)


@functools.cache
def _foreign_folders() -> tuple[str, ...]:
    folders = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [*site.getsitepackages(), site.getusersitepackages()]
    # Wherever NumPy was installed to, its neighbours were installed too; and lazyarr may run from a checkout.
    folders += [os.path.dirname(os.path.dirname(numpy.__file__)), os.path.dirname(__file__)]
    return tuple(os.path.join(os.path.normcase(os.path.realpath(folder)), "") for folder in folders)


# ---- What the user sees ----


def _print_profile_at_exit() -> None:
    block = profile()
    collected = block.__enter__()
    process = os.getpid()

    def finish() -> None:
        block.__exit__(None, None, None)
        if os.getpid() == process:  # and not a forked child of the script
            print(f"lazyarr profile\n{collected}", file=sys.stderr)

    # Functions registered later, by the script, run earlier.
    atexit.register(finish)


def _leave_out_own_frames(error: BaseException) -> None:
    """Cut the frames of this file out of the tracebacks of an exception and of all that led to it."""
    own = run.__code__.co_filename
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
            if entry.tb_frame.f_code.co_filename != own:
                kept.append(entry)
            entry = entry.tb_next
        following = None
        for entry in reversed(kept):
            entry.tb_next = following
            following = entry
        error.__traceback__ = following
        related = (error.__cause__, error.__context__, *getattr(error, "exceptions", ()))
        todo += [other for other in related if other is not None]
