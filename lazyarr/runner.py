"""Runs a plain NumPy program as the main program, with its NumPy replaced by `lazyarr.numpy`.

Which NumPy an import returns depends on the importer: the user's own files get `lazyarr.numpy`, every other module the
real NumPy, for which it may have been compiled. So `sys.modules` keeps the real NumPy, and the two functions through
which Python code imports are replaced by ones that check the importing module. Start reading at `run`.
"""

import atexit
import builtins
import functools
import importlib
import os
import site
import sys
import sysconfig
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy

import lazyarr.numpy
from lazyarr import adapters, config, launch
from lazyarr.numpy.namespace import submodule, why_not


def run(program: launch.Program, profiled: bool = False) -> int:
    """Run a program as `lazyarr.launch.run` does, with its NumPy replaced.

    If `profiled`, print a profile of the evaluations to stderr at exit.
    """

    def prepare(main: types.ModuleType) -> None:
        def by_user(importer: Mapping[str, Any]) -> bool:
            return importer is main.__dict__ or is_users_own(importer.get("__file__"))

        redirect_imports(by_user)
        _adapt_libraries()
        config.device = os.environ.get("LAZYARR_DEVICE") or "cpu"
        sys.excepthook = _with_advice(sys.excepthook)
        if profiled:
            _print_profile_at_exit()

    return launch.run(program, prepare)


def _with_advice(show: Callable[..., object]) -> Callable[..., object]:
    """Make an exception hook name the replacement of a removed NumPy name, as NumPy does."""

    @functools.wraps(show)
    def excepthook(kind, error, trace):
        if isinstance(error, AttributeError) and error.obj is lazyarr.numpy:
            error.args = (why_not(error.name, "numpy"),)
            if not str(error).startswith("module"):  # the message has advice
                error.name = None
        show(kind, error, trace)

    return excepthook


# ---- Whose NumPy? ----


def redirect_imports(by_user: Callable[[Mapping[str, Any]], bool]) -> Callable[[], None]:
    """Redirect the user's imports of NumPy to `lazyarr.numpy`; return a function that ends it.

    `by_user` decides from the global variables of importing code whether it is the user's.
    """
    import_statement, import_function = builtins.__import__, importlib.import_module

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        module = import_statement(name, globals, locals, fromlist, level)
        if level == 0 and is_numpy(name) and by_user(sys._getframe(1).f_globals if globals is None else globals):
            return counterpart(name if fromlist else "numpy")
        return module

    __import__.__code__ = __import__.__code__.replace(co_filename=launch.IMPORT_FILE)

    @functools.wraps(import_function)
    def import_module(name, package=None):
        module = import_function(name, package)
        return counterpart(name) if is_numpy(name) and by_user(sys._getframe(1).f_globals) else module

    def end() -> None:
        builtins.__import__ = import_statement
        importlib.import_module = import_function

    builtins.__import__ = functools.wraps(import_statement)(__import__)
    importlib.import_module = import_module
    return end


def is_numpy(name: str) -> bool:
    """Return whether this is the absolute name of NumPy or one of its modules."""
    return name == "numpy" or name.startswith("numpy.")


def counterpart(name: str) -> Any:
    """Return the counterpart of an imported NumPy module in `lazyarr.numpy`, or the module itself."""
    found: Any = lazyarr.numpy
    path = "numpy"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        if not hasattr(found, part):  # importing a submodule sets it in its parent
            setattr(found, part, submodule(path))
        found = getattr(found, part)
    return found


@functools.cache
def is_users_own(path: str | None) -> bool:
    """Return whether a file exists and belongs neither to the standard library nor to an installed package."""
    if path is None:
        return False
    path = os.path.normcase(os.path.realpath(path))
    folders = path.split(os.sep)
    return not path.startswith(_foreign_folders()) and {"site-packages", "dist-packages"}.isdisjoint(folders)


@functools.cache
def _foreign_folders() -> tuple[str, ...]:
    folders = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [*site.getsitepackages(), site.getusersitepackages()]
    # Packages beside NumPy are installed; lazyarr itself may run from a checkout.
    folders += [os.path.dirname(os.path.dirname(numpy.__file__)), os.path.dirname(__file__)]
    return tuple(os.path.join(os.path.normcase(os.path.realpath(folder)), "") for folder in folders)


def _adapt_libraries() -> None:
    # If xarray finds `__array_namespace__`, it indexes by the standard, which supports less than NumPy's protocols.
    if not adapters.follows_standard():
        config.array_namespace = False
    adapters.when_imported("multiprocessing.spawn", _tell_spawned)
    adapters.when_imported("multiprocessing.forkserver", _preload_nothing)
    adapters.adapt_libraries()


# ---- Processes that the program spawns ----


class _Beginning:
    """An object whose unpickling starts a spawned process, before the program's main module is imported."""

    def __reduce__(self):
        return _begin_spawned, ()


def _begin_spawned() -> None:
    redirect_imports(lambda importer: is_users_own(importer.get("__file__")))
    _adapt_libraries()


def _tell_spawned(spawn: Any) -> None:
    """Make processes that multiprocessing spawns redirect imports as this one does; forked ones inherit that.

    An object is added to their preparation data whose unpickling redirects the imports.
    """
    prepared = spawn.get_preparation_data
    spawn.get_preparation_data = lambda name: prepared(name) | {"lazyarr": _Beginning()}


def _preload_nothing(forkserver: Any) -> None:
    """Make the fork server leave the main module to its processes, which redirect imports before importing it."""
    forkserver.set_forkserver_preload([])


# ---- What the user sees ----


def _print_profile_at_exit() -> None:
    from lazyarr.inspect.profile import profile

    block = profile()
    collected = block.__enter__()
    process = os.getpid()

    def finish() -> None:
        block.__exit__(None, None, None)
        if os.getpid() == process:  # not in a forked child
            print(f"lazyarr profile\n{collected}", file=sys.stderr)

    # Functions that the script registers later run earlier.
    atexit.register(finish)
