"""The base of device drivers: kernels by text, reasons for missing ones, fork checks, device names in errors."""
import functools
import os
import weakref
from collections import Counter
from typing import Any

from lazyarr._core.host import device_memory
from lazyarr._core.runtime.device_call import NoKernel
from lazyarr.gpu.calls import rows
from lazyarr.gpu.generator.helpers import needed
from lazyarr.gpu.generator.tile_kernels import Form, Kernel, generate, generate_combine

MOST_KERNELS = 256
"""How many kernels of calls a driver keeps, those that were used last; and as many that combine parts of folds."""


class CompileError(Exception):
    """Raised for a text that does not compile, with the compiler's messages."""


def on_device(method):
    """Have a method run as `Driver._enter` says; errors of the device's library that it raises name the device."""
    @functools.wraps(method)
    def named(self, *args):
        try:
            self._enter()
            try:
                return method(self, *args)
            finally:
                self._leave()
        except self.library_error as error:
            raise self._failure(error) from error

    return named


def _checked(found):
    """Return a kernel, or raise NoKernel with its reason."""
    if isinstance(found, str):
        raise NoKernel(found)
    return found


class Reused:
    """What calls use, one at a time, and then others: a signal handler may make a call in the middle of another.

    Parameters
    ----------
    make : callable
        Returns what a call needs.
    """

    def __init__(self, make):
        self._make, self._idle = make, []

    def take(self):
        """Return what no other call uses."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._make()

    def give_back(self, used):
        """Keep it for the next call."""
        self._idle.append(used)


class Compiled(Reused):
    """A compiled kernel, with arguments for each launch that is being made.

    Attributes
    ----------
    functions : frozenset of str
        Of the device's own, by which it computes.
    nstatus : int
        Status words that it writes.
    """

    def __init__(self, make):
        super().__init__(make)
        self.functions: frozenset[str] = frozenset()
        self.nstatus = 0


class Driver:
    """Memory, copies and kernels of a device: the base of all drivers.

    One of its own has `allocate`, `read`, `write`, `copy`, `launch` and `has_ended` as well.

    Parameters
    ----------
    name : str
        What lazyarr calls the device.
    model : str
        What its vendor calls it.
    dialect : Dialect

    Attributes
    ----------
    library_error : type or tuple of types
        The exceptions that the device's libraries raise.
    host_steps : Counter
        Steps that ran on the host instead, by name and reason.
    own_functions : Counter
        How often kernels have computed operations by functions of the device's own, by name.
    library_calls : Counter
        Calls that a vendor's library has made, by name and library.
    status_unit : int
        Alignment of a launch's status words, in words.
    clear_status : list
        Blocks of status words that are all 0 and that no evaluation uses.
    tables : dict
        What `table` keeps on the device.
    """

    library_error: type[Exception] | tuple[type[Exception], ...]
    status_unit: int

    def __init__(self, name, model, dialect):
        self.name, self._model, self._dialect = name, model, dialect
        self.host_steps: Counter[tuple[str, str]] = Counter()
        self.own_functions: Counter[str] = Counter()
        self.library_calls: Counter[tuple[str, str]] = Counter()
        self.clear_status: list[Any] = []
        self.tables: dict[Any, Any] = {}
        self._process = os.getpid()
        self._made = {}                 # resources, once there are any
        # kernels, by text; programs keep theirs
        self._built: weakref.WeakValueDictionary[str, Compiled] = weakref.WeakValueDictionary()
        # kernels of calls, and those that combine parts of folds; without a lock, see `functools.lru_cache`
        self._of_text = functools.lru_cache(MOST_KERNELS)(self._make_of_text)
        self._of_fold = functools.lru_cache(MOST_KERNELS)(self._make_of_fold)

    @property
    def _resources(self):
        """What the device is used by. Made without a lock, as a signal handler may come in between: the first stays."""
        if os.getpid() != self._process:
            raise RuntimeError(f"{self.name} cannot be used in a forked child: start processes by 'spawn'")
        if not self._made:
            self._made.setdefault("all", self._make_resources())
        return self._made["all"]

    def _make_resources(self):
        """Make what the device is used by."""
        raise NotImplementedError

    def _compile(self, kernel):
        """Compile a kernel; return a `Compiled`, or raise CompileError."""
        raise NotImplementedError

    def _enter(self):
        """Prepare the calling thread for calls of the library."""

    def _leave(self):
        """Undo `_enter`."""

    def _failure(self, error):
        """Return the exception to raise for an error of the library."""
        return RuntimeError(f"{self.name} ({self._model}) has failed: {error}")

    def _no_room(self, what):
        return MemoryError(f"{self.name} has no room for {what}")

    # ---- memory ----------------------------------------------------------------------------------------

    def workspace(self, nbytes):
        """Return a block for a call, for which values leave the device if need be; MemoryError if there is no room."""
        return device_memory.allocate(self, nbytes)

    def table(self, key, make):
        """Return a block with the array that ``make()`` returns; a later call finds it there by the key."""
        return device_memory.table(self, key, make)

    # ---- kernels ---------------------------------------------------------------------------------------

    def kernel(self, program, *form):
        """Return the kernel of a tile program, to launch; raises NoKernel if there is none."""
        key = (self, *form)
        found = program.kernels.get(key)
        if found is None:
            found = program.kernels[key] = self._built_or_reason(lambda: generate(program, Form(*form), self._dialect))
        compiled = _checked(found)
        if compiled.functions:
            self.own_functions.update(compiled.functions)
        return compiled

    def combining_kernel(self, fold, kept, reported_flags):
        """Return the kernel that folds the parts of a fold's results."""
        return _checked(self._of_fold(fold.op, fold.dtypes, kept, reported_flags))

    def _make_of_fold(self, op, dtypes, kept, reported_flags):
        return self._built_or_reason(lambda: generate_combine(op, dtypes, self._dialect, kept, reported_flags))

    def find_call(self, call):
        """Return the function of driver and call that makes a call on the device; raise NoKernel if there is none."""
        if len(call.results) > 1:
            raise NoKernel("several results")
        return rows.find(call)

    def kernel_of_text(self, text, name, nstatus=0, parameter_bytes=0):
        """Return the kernel of a text in the words of `lazyarr.gpu.generator.dialects`, or raise NoKernel."""
        return _checked(self._of_text(text, name, nstatus, parameter_bytes))

    def _make_of_text(self, text, name, nstatus, parameter_bytes):
        def make():
            if not self._dialect.has_double and ("f64" in text or "c128" in text):
                raise NoKernel("float64, which the device does not have")
            if not self._dialect.has_float_denormals and "f32" in text:
                raise NoKernel("float32, of which the device takes subnormal numbers for 0")
            if parameter_bytes > self._dialect.parameter_bytes:
                raise NoKernel(f"a kernel of {parameter_bytes} bytes of parameters; the device takes "
                               f"{self._dialect.parameter_bytes}")
            helpers = needed(text)
            return Kernel("\n".join([self._dialect.spellings(helpers + text), helpers, text]), name, nstatus)

        return self._built_or_reason(make)

    def _built_or_reason(self, make):
        """Return a built kernel, or the reason why there is none."""
        try:
            return self._build(make())
        except NoKernel as error:
            return str(error)

    def _build(self, kernel):
        """Compile a kernel, unless that was done."""
        built = self._built.get(kernel.text)
        if built is None:
            try:
                built = self._compile(kernel)
            except CompileError as error:
                message = (f"{self.name} ({self._model}) cannot compile a kernel of lazyarr. Another version of its "
                           f"driver may; what .to_device('cpu') returns needs none: {error}\n{kernel.text}")
                raise RuntimeError(message) from error
            built.functions, built.nstatus = kernel.functions, kernel.nstatus
            self._built[kernel.text] = built
        return built

    def submit(self):
        """Submit queued launches to the device; most drivers have done so."""

    def count_host_step(self, name, reason):
        """Count a step that ran on the host."""
        self.host_steps[name, reason] += 1
