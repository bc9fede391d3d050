"""The settings: attributes of `config`.

A setting lives where it is used, mostly in the native core; its attribute knows how to check, read and write it.
"""

import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, _GeneratorContextManager, contextmanager
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
    """An attribute of `Config`: functions that read and write it, and the unit of its value.

    `check` takes the name and a value and returns the value in the form to write; it raises TypeError or ValueError.
    """

    def __init__(self, check: Callable[[str, Any], Any], get: Callable[[], Any], set: Callable[[Any], None], doc: str,
                 unit: str = ""):
        super().__init__(lambda config: get(), lambda config, value: set(check(self.name, value)))
        self.check, self.get, self.set, self.unit = check, get, set, unit
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
    if not isinstance(value, str) or value not in _SMALL_WORK:
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


# Settings that the core cannot read back.
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


def _budget(name: str, high: int, doc: str, unit: str) -> Setting:
    return Setting(_integer(1, high), lambda: api.get_budget()[name],
                   lambda value: api.set_budget(**{name: value}), doc, unit)


class Config:
    """The settings of the package. They hold for the whole process, in all threads.

    ``config.name = value`` changes a setting. ``with config(name=value, ...):`` changes it until the end of the block,
    which restores the earlier values, also after an exception; blocks nest. ``@config(name=value)`` does the same
    around each call of a function. ``config.tuning`` holds the numbers that depend on the machine.

    Raises
    ------
    TypeError, ValueError
        If a setting cannot have the value; nothing is changed.
    AttributeError
        If there is no such setting; in a call, TypeError.

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
                          "The number of threads that an evaluation may use. The default is OMP_NUM_THREADS, or else "
                          "the number of cores that affinity and the control group's quota leave to the process.",
                          "threads")
    budget_nodes = _budget("nodes", 2**31 - 1, "The number of pending operations above which everything pending is "
                                               "evaluated.", "operations")
    budget_bytes = _budget("bytes", 2**62,
                           "The memory that pending operations may keep alive through their inputs before everything "
                           "pending is evaluated. Inputs that nothing else refers to may take a 64th of it, or as much "
                           "as the results.", "bytes")
    budget_work = _budget("work", 2**62, "The size of all pending results together above which everything pending is "
                                         "evaluated.", "bytes")
    small_work = Setting(_small_work,
                         lambda: next(word for word, level in _SMALL_WORK.items() if level == eager.get_small_work()),
                         lambda value: eager.set_small_work(_SMALL_WORK[value]),
                         "Which operations on small evaluated arrays run at once: \"auto\" for those of "
                         "`lazyarr.numpy`, \"now\" for all, \"wait\" for none.")
    pool_limit = Setting(_integer(0), lambda: allocator.get_limits()["pool"], allocator.set_pool_limit,
                         "The amount of released memory that is kept for reuse. The default depends on the machine's "
                         "memory.", "bytes")
    memory_limit = Setting(_limit, lambda: allocator.get_limits()["memory"] or None,
                           lambda value: allocator.set_memory_limit(value or 0),
                           "The memory that all results together may take; an evaluation that needs more raises "
                           "MemoryError. None for no limit.", "bytes")
    cache_limit = Setting(_integer(0), plan_cache.get_cache_limit, plan_cache.set_cache_limit,
                          "The memory that cached plans may take; the least recently used are dropped first.", "bytes")
    memo_limit = Setting(_integer(0), memo.get_memo_limit, memo.set_memo_limit,
                         "The memory that kept results of costly operations, such as inv(a), may take. A kept result "
                         "is reused when the same operation is applied to the same arrays and nothing was written to "
                         "them meanwhile; the least recently used are dropped first. 0 keeps none.", "bytes")
    async_evaluation = Setting(_flag, api.get_async, api.set_async,
                               "Whether lazyarr.evaluate returns at once and computes on another thread, as "
                               "lazyarr.evaluate_async does. Reading a value waits for the running evaluation only, "
                               "not for those that have not begun, and raises its error.")
    check_views = Setting(_flag, lambda: _kept["check_views"], _set_check_views,
                          "Whether to raise an error if an ndarray shared by asarray was written to while a result "
                          "that reads it was pending.")
    debug_nans = Setting(_flag, api.get_debug_nans, api.set_debug_nans,
                         "Whether an evaluation raises FloatingPointError at the first operation, also inside a loop, "
                         "that produces a NaN from operands without any. Nothing is fused then.")
    debug = Setting(_flag, api.get_debug, api.set_debug,
                    "Whether `explain` and its drawings show the line of the program that made each operation, and "
                    "errors quote the line as well as its number.")
    traceback_filtering = Setting(_flag, tracebacks.get_filtering, tracebacks.set_filtering,
                                  "Whether tracebacks end at the program's own lines, leaving out frames of lazyarr, "
                                  "of what it calls in NumPy and the standard library, and errors that it handled. The "
                                  "default is False in debug builds, or what the environment variable "
                                  "LAZYARR_TRACEBACK_FILTERING, 0 or 1, says.")
    progress = Setting(_flag, progress_bar.is_shown, progress_bar.show,
                       "Whether an evaluation that takes longer than a second shows a progress bar, on stderr or below "
                       "the cell of a notebook: steps done, the operations of the running step, and the round of the "
                       "running loop. Outside of notebooks it needs tqdm; without it, ImportError is raised.")
    exact = Setting(_flag, lambda: api.kernels.winograd.get_exact(), _set_exact,
                    "Whether to use only kernels whose errors are like those of plain summation and, on devices, only "
                    "functions with NumPy's bits. False also allows Winograd's algorithm for float32 convolutions with "
                    "3 x 3 taps, and a device's own functions, such as tan.")
    fast_math = Setting(_flag, api.get_fast_math, api.set_fast_math,
                        "Whether plans may use rewrite rules that change rounding, NaN, signs of zero and warnings of "
                        "floats, such as x for exp(log(x)). It also computes the variance of a whole array in one "
                        "pass, products of several matrices in the cheapest order, and sums of broadcast arrays as "
                        "multiples.")
    backend = Setting(_backend, lambda: _loaded_choice().in_force() if _loaded_choice() else None,
                      lambda value: _choice().put_in_force(value),
                      "The backend for calls such as matrix products, FFTs and sorts, used where it accepts the call: "
                      "a name, or a mapping from operations to names (\"*\" for all others). None uses the one that is "
                      "expected or was measured to be fastest. See `lazyarr.backends`.")
    device = Setting(lambda _, name: _devices().checked(name), lambda: _devices().default(),
                     lambda name: _devices().set_default(name),
                     "The name of the device on which new arrays are made, as in a block of `lazyarr.device`, unless "
                     "they are smaller than `config.tuning[\"path.device_bytes\"]`. Large results of operations on "
                     "small arrays are made there, too.")
    array_namespace = Setting(_flag, lambda: _offer().is_offered(), lambda on: _offer().set_offered(on),
                              "Whether arrays have `__array_namespace__`, through which libraries find "
                              "`lazyarr.array_api`. Without it, libraries that also know NumPy's protocols use those.")
    on_evaluate = Setting(_callback, lambda: _kept["on_evaluate"], _set_on_evaluate,
                          "A function that is called after each evaluation with a dict that describes it, or None. Its "
                          "keys: steps, ops, fused, bytes, seconds, hit (whether the plan was cached), kinds (of the "
                          "steps), opaque (names of NumPy calls), device (its name), began (in seconds of "
                          "time.perf_counter) and timeline. The timeline has for each step its name, start, duration, "
                          "the number of the thread that ran it (0 for the evaluating thread), and for each thread of "
                          "its team number, start and duration; it is empty where a nested evaluation ran some of the "
                          "steps. A copy between devices has a record of its own, with the kind \"copy\", the device "
                          "of the result, and a thread with a name.")

    @api_boundary
    def __call__(self, **values: Any) -> _GeneratorContextManager[None]:
        """Change settings inside a ``with`` block, or during each call of a decorated function."""
        for name in values:
            if name not in _BY_NAME:
                raise TypeError(_no_setting(name))
        return _changed([(_BY_NAME[name], _BY_NAME[name].check(name, value)) for name, value in values.items()])

    @property
    def tuning(self) -> "Tuning":
        """The numbers by which lazyarr decides what is faster on this machine, as a mapping."""
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
    """Forbid evaluation inside a ``with`` block: reading a value raises `EvaluationForbidden`.

    Other threads, and tasks that were started outside the block, may evaluate meanwhile.

    Raises
    ------
    EvaluationForbidden
        If a value is needed inside the block. The arrays stay usable.

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
def backend(name: str, ops: str | Iterable[str] | None = None) -> _GeneratorContextManager[None]:
    """Use a backend inside a ``with`` block, or during each call of a decorated function.

    Calls that the backend does not implement or accept run as without it. Inside the block small arrays stay pending,
    too, so that the backend also gets their calls. Like all settings it holds for the whole process: blocks of several
    threads should not overlap. With `config.exact`, backends that may round differently are not used.

    Parameters
    ----------
    name : str
        A name that `lazyarr.backends.known` lists; ``"native"`` or ``"numpy"``, whichever a call uses by default; or
        ``"reference"``, which computes each operation by NumPy's function, one after the other. Together with `ops` or
        with other backends, ``"reference"`` applies to calls only.
    ops : str or iterable of str, optional
        The operations to use it for; all by default.

    Raises
    ------
    ValueError
        If the backend or an operation is unknown.

    See Also
    --------
    lazyarr.backends.register : add a backend

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> a = la.asarray(np.ones((3, 3)))
    >>> with la.backend("numpy", ops="matmul"):
    ...     print(la.explain(a @ a).steps[0].operations)
    ('matmul [numpy]',)
    """
    if not (ops is None or isinstance(ops, Iterable)):
        raise TypeError(f"backend: ops must be names of operations, got {type(ops).__name__}")
    wanted = ["*"] if ops is None else [ops] if isinstance(ops, str) else [*ops]
    return _asked_for(_choice().checked(dict.fromkeys(wanted, name)), ops is None)


@contextmanager
def _asked_for(wanted: dict[str, str], alone: bool) -> Iterator[None]:
    value = wanted if alone else _choice().as_mapping(config.backend) | wanted
    with _changed([(_BY_NAME["backend"], value)]):
        yield


threads.set_num_threads(cpus.default_threads())
