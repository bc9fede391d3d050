"""The settings: attributes of `config`.

A setting lives where it is used, mostly in the native core; its attribute knows how to check, read and write it.
"""

import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from lazyarr import cpus
from lazyarr._core import api
from lazyarr._core.frontend import eager
from lazyarr._core.host import allocator, threads, tracebacks
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.host.suggestions import did_you_mean
from lazyarr._core.runtime import memo, plan_cache
from lazyarr.inspect import observers, progress_bar

if TYPE_CHECKING:
    from lazyarr.autotune.settings import Tuning


class Setting(property):
    """An attribute of `Config`: functions that read and write it.

    `check` takes the name and a value and returns the value in the form to write; it raises TypeError or ValueError.
    """

    def __init__(self, check: Callable[[str, Any], Any], get: Callable[[], Any], set: Callable[[Any], None], doc: str):
        super().__init__(lambda config: get(), lambda config, value: set(check(self.name, value)))
        self.check, self.get, self.set = check, get, set
        self.__doc__ = self.doc = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


def _integer(low: int, high: int = 2**62) -> Callable[[str, Any], int]:
    def check(name: str, value: Any) -> int:
        try:
            if isinstance(value, bool):
                raise TypeError
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"config.{name} must be an integer, got {type(value).__name__}") from None
        if not low <= number <= high:
            limit = f"at least {low}" if number < low else f"at most {high}"
            raise ValueError(f"config.{name} must be {limit}, got {number}")
        return number

    return check


def _limit(name: str, value: Any) -> int:
    return 0 if value is None else _integer(0)(name, value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"config.{name} must be True or False, got {type(value).__name__}")
    return value


def _callback(name: str, value: Any) -> Callable[[dict[str, Any]], object] | None:
    if value is not None and not callable(value):
        raise TypeError(f"config.{name} must be callable or None, got {type(value).__name__}")
    return value


_SMALL_WORK = {"auto": 0, "wait": -1, "now": 1}  # and the level in the core


def _small_work(name: str, value: Any) -> str:
    if value not in _SMALL_WORK:
        raise ValueError(f'config.{name} must be "auto", "wait" or "now", got {value!r}')
    return str(value)


def _devices() -> Any:
    from lazyarr.ops import devices  # which few programs need

    return devices


def _choice() -> Any:
    from lazyarr.backends import choice  # which few programs need

    return choice


def _loaded_choice() -> Any:
    return sys.modules.get("lazyarr.backends.choice")


def _backend(name: str, value: Any) -> dict[str, str]:
    found: dict[str, str] = _choice().checked(value)
    return found


# Two settings whose values the core does not give back.
_kept: dict[str, Any] = {"on_evaluate": None, "check_views": False}


def _set_on_evaluate(listener: Callable[[dict[str, Any]], object] | None) -> None:
    if _kept["on_evaluate"] is not None:
        observers.ignore(_kept["on_evaluate"])
    if listener is not None:
        observers.listen(listener)
    _kept["on_evaluate"] = listener


def _set_check_views(on: bool) -> None:
    api.set_check_views(on)
    _kept["check_views"] = on


def _set_exact(on: bool) -> None:
    api.kernels.winograd.set_exact(on)
    memo.clear()


def _offer() -> Any:
    from lazyarr.numpy import offer

    return offer


def _budget(name: str, high: int, doc: str) -> Setting:
    return Setting(_integer(1, high), lambda: api.get_budget()[name],
                   lambda value: api.set_budget(**{name: value}), doc)


class Config:
    """The settings of the package. They hold for the whole process, all threads included.

    ``config.name = value`` sets one for good; ``with config(name=value, ...):`` until the end of the block, where
    every setting named is put back to what it was, also after an exception. Blocks nest; ``@config(name=value)``
    does the same around each call of a function. ``config.tuning`` holds the numbers that depend on the machine.

    Raises
    ------
    TypeError, ValueError
        For a value that a setting cannot have; nothing is changed then.
    AttributeError
        For a name that is not a setting; TypeError in a call.

    Examples
    --------
    >>> before = la.config.num_threads
    >>> with la.config(num_threads=1):
    ...     la.config.num_threads
    1
    >>> la.config.num_threads == before
    True
    """

    __slots__ = ()

    num_threads = Setting(_integer(1, 1024),  # OpenMP ends the process when the system refuses it a thread
                          threads.get_num_threads, threads.set_num_threads,
                          "Threads that an evaluation may use. At first OMP_NUM_THREADS, else the cores that affinity "
                          "and the control group's quota leave to the process.")
    budget_nodes = _budget("nodes", 2**31 - 1, "Pending operations; with more, all that is pending is evaluated.")
    budget_bytes = _budget("bytes", 2**62,
                           "Bytes taken since the last evaluation to keep inputs of pending operations; likewise. A "
                           "64th of it, or as much as the results take, may be inputs that nothing else refers to.")
    budget_work = _budget("work", 2**62, "Bytes of the results of pending operations; likewise.")
    small_work = Setting(_small_work,
                         lambda: next(word for word, level in _SMALL_WORK.items() if level == eager.get_small_work()),
                         lambda value: eager.set_small_work(_SMALL_WORK[value]),
                         "Whether operations on small evaluated arrays run where they are written: \"auto\" for those "
                         "of the drop-in face, \"now\" for all, \"wait\" for none.")
    pool_limit = Setting(_integer(0), lambda: allocator.get_limits()["pool"], allocator.set_pool_limit,
                         "Bytes of released memory that are kept for reuse.")
    memory_limit = Setting(_limit, lambda: allocator.get_limits()["memory"] or None,
                           lambda value: allocator.set_memory_limit(value or 0),
                           "Bytes of results that may exist at once; an evaluation that needs more raises "
                           "MemoryError. None for no limit.")
    cache_limit = Setting(_integer(0), plan_cache.get_cache_limit, plan_cache.set_cache_limit,
                          "Bytes that cached plans may take; those not used for longest go first.")
    memo_limit = Setting(_integer(0), memo.get_memo_limit, memo.set_memo_limit,
                         "Bytes that results of costly operations may take which are kept for later evaluations: what "
                         "is computed again from arrays that were not written to meanwhile, such as inv(a), is not "
                         "computed again. Those not used for longest go first. 0, the default, for none.")
    async_evaluation = Setting(_flag, api.get_async, api.set_async,
                               "Whether lazyarr.evaluate begins to compute on another thread instead of waiting, as "
                               "lazyarr.evaluate_async does. A look at a value waits for the evaluation that runs, not "
                               "for those that have not begun. An error is raised at the look.")
    check_views = Setting(_flag, lambda: _kept["check_views"], _set_check_views,
                          "Whether a write to an array shared by asarray, made before its value was used, is detected "
                          "and raised.")
    debug_nans = Setting(_flag, api.get_debug_nans, api.set_debug_nans,
                         "Whether an evaluation looks through each operation's result, inside loops too, and raises "
                         "FloatingPointError at the first one that makes a NaN of operands without any. Nothing is "
                         "fused then.")
    debug = Setting(_flag, api.get_debug, api.set_debug,
                    "Whether `explain`, its drawings and pages say which line of the program made each operation, and "
                    "errors quote the line besides its number.")
    traceback_filtering = Setting(_flag, tracebacks.get_filtering, tracebacks.set_filtering,
                                  "Whether tracebacks end at the program's own lines: frames of lazyarr, and of what "
                                  "it calls of NumPy and the standard library, are left out of errors, and so are "
                                  "errors that it handled. True at first, but False in debug builds, unless the "
                                  "environment variable LAZYARR_TRACEBACK_FILTERING is 0 or 1.")
    progress = Setting(_flag, progress_bar.is_shown, progress_bar.show,
                       "Whether an evaluation that takes longer than a second shows a bar, on stderr or below the "
                       "cell of a notebook: steps done of steps in all, the operations of the one that runs, and in "
                       "which round of a loop it is. Outside of notebooks it needs tqdm; without it, ImportError.")
    exact = Setting(_flag, lambda: api.kernels.winograd.get_exact(), _set_exact,
                    "Whether only kernels with errors like those of plain summation run, and on devices only functions "
                    "with NumPy's bits. By default more run: Winograd's convolution of float32 with 3 x 3 taps, and "
                    "functions that a device computes by itself, such as tan.")
    fast_math = Setting(_flag, api.get_fast_math, api.set_fast_math,
                        "Whether plans are also made with rewrite rules that may change rounding, NaN, signs of zero "
                        "and warnings of floats, such as exp(log(x)) as x; the variance of all elements of an array "
                        "is computed in one pass, products of several matrices in the cheapest order, and sums of "
                        "what was broadcast as multiples.")
    backend = Setting(_backend, lambda: _loaded_choice().in_force() if _loaded_choice() else None,
                      lambda value: _choice().put_in_force(value),
                      "Which backend computes calls such as products, transforms and sorts, where it has a row that "
                      "accepts the call: a name, a mapping of operations to names (\"*\" for all others), or None for "
                      "what is expected or was measured to be fastest. See lazyarr.backends.")
    device = Setting(lambda _, name: _devices().checked(name), lambda: _devices().default(),
                     lambda name: _devices().set_default(name),
                     "The device on which functions that make arrays make them, as in a block of lazyarr.device, but "
                     "for those of fewer bytes than tuning's \"path.device_bytes\"; and large results of operations "
                     "on small arrays: a name, \"cpu\" at first.")
    array_namespace = Setting(_flag, lambda: _offer().is_offered(), lambda on: _offer().set_offered(on),
                              "Whether arrays have `__array_namespace__`, by which libraries find "
                              "`lazyarr.array_api`. Without it, libraries that know NumPy's protocols as well go by "
                              "these.")
    on_evaluate = Setting(_callback, lambda: _kept["on_evaluate"], _set_on_evaluate,
                          "Called with a dict that describes each evaluation after it: steps, ops, fused, bytes, "
                          "seconds, hit (whether the plan was cached), kinds (of the steps), opaque (names of NumPy "
                          "calls), device (the name of that which computes), began (in seconds of time.perf_counter) "
                          "and timeline (of each step its name, when it began, how long it took, the number of the "
                          "thread that ran it, 0 for the one that evaluates, and the same of each thread of its teams: "
                          "number, when its work began, how long it took; empty where an evaluation inside ran some of "
                          "the steps). A copy between devices has a record of its own, whose kind is \"copy\", whose "
                          "device is that of the result, and whose thread has a name. None for nothing.")

    @api_boundary
    def __call__(self, **values: Any) -> AbstractContextManager[None]:
        """Change some settings for the length of a ``with`` block, or of each call of a decorated function."""
        for name in values:
            if name not in _BY_NAME:
                raise TypeError(_no_setting(name))
        return _changed([(_BY_NAME[name], _BY_NAME[name].check(name, value)) for name, value in values.items()])

    @property
    def tuning(self) -> "Tuning":
        """The numbers by which lazyarr decides which way is faster on this machine, as a mapping."""
        from lazyarr.autotune.settings import tuning  # few programs need the table

        return tuning

    @api_boundary
    def __setattr__(self, name: str, value: Any) -> None:
        if name == "tuning":
            raise AttributeError("config.tuning cannot be replaced; set config.tuning[name]")
        if name not in _BY_NAME:
            raise AttributeError(_no_setting(name))
        object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        return [*_BY_NAME, "tuning"]

    def __repr__(self) -> str:
        return "\n".join(f"{setting.name} = {setting.get()!r}" for setting in SETTINGS)

    def _repr_html_(self) -> str:
        from lazyarr.inspect import markup  # which notebooks need

        rows = [(setting.name, repr(setting.get()), setting.doc) for setting in SETTINGS]
        return markup.panel("Settings", markup.table("Settings of lazyarr, which hold for the whole process",
                                                     ("name", "value", "what it decides"), rows, "<<<"))


SETTINGS = tuple(row for row in vars(Config).values() if isinstance(row, Setting))
_BY_NAME = {setting.name: setting for setting in SETTINGS}


def _no_setting(name: str) -> str:
    hint = did_you_mean(name, _BY_NAME) or f"; the settings are {', '.join(_BY_NAME)}"
    return f"config has no setting {name!r}{hint}"


@contextmanager
def _changed(changes: list[tuple[Setting, Any]]) -> Iterator[None]:
    with ExitStack() as restored:
        for setting, value in changes:
            restored.callback(setting.set, setting.get())
            setting.set(value)
        yield


config = Config()


@contextmanager
def no_evaluation() -> Iterator[None]:
    """Forbid evaluations inside a ``with`` block: an attempt raises.

    Other threads may evaluate meanwhile, and so may tasks that were begun outside the block.

    Raises
    ------
    EvaluationForbidden
        Where a value is evaluated inside the block. The arrays stay usable.

    Examples
    --------
    >>> x = la.ones(3)
    >>> with la.no_evaluation():
    ...     y = x + 1
    >>> print(y)
    [2. 2. 2.]
    """
    block = api.forbid()
    try:
        yield
    finally:
        api.allow(block)


@api_boundary
def backend(name: str, ops: str | Iterable[str] | None = None) -> AbstractContextManager[None]:
    """Ask for a backend for the length of a ``with`` block, or of each call of a decorated function.

    Calls that it has no row for, or does not accept, go on as without it. Meanwhile small arrays wait, too, so that
    their calls are asked for as well. Like all settings it holds for the whole process, so that blocks of several
    threads should not overlap. With `config.exact`, those that may round differently do not run.

    Parameters
    ----------
    name : str
        ``"native"`` or ``"numpy"`` is what a call is built with, ``"reference"`` is NumPy's function for each
        operation, one after the other (asked for single operations, or together with others, for calls alone); see
        `lazyarr.backends.known` for others.
    ops : str or iterable of str, optional
        The operations it is asked for; all by default.

    Raises
    ------
    ValueError
        For a name or an operation that is not known.

    See Also
    --------
    lazyarr.backends.register : adds one

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> a = la.asarray(np.ones((3, 3)))
    >>> with la.backend("numpy", ops="matmul"):
    ...     print(la.explain(a @ a).steps[0].operations)
    ('matmul [numpy]',)
    """
    wanted = ["*"] if ops is None else [ops] if isinstance(ops, str) else [*ops]
    return _asked_for(_choice().checked(dict.fromkeys(wanted, name)), ops is None)


@contextmanager
def _asked_for(wanted: dict[str, str], alone: bool) -> Iterator[None]:
    value = wanted if alone else _choice().as_mapping(config.backend) | wanted
    with _changed([(_BY_NAME["backend"], value)]):
        yield


threads.set_num_threads(cpus.default_threads())
