"""Base class of device drivers: kernel caches, reasons for missing kernels, fork checks, device names in errors."""
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
    """Raised for a kernel that does not compile, with the compiler's messages."""


def on_device(method):
    """Run a method between `Driver._enter` and `_leave`, and name the device in errors of its library."""
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
    """Return a kernel, or raise NoKernel with the reason."""
    if isinstance(found, str):
        raise NoKernel(found)
    return found


class Reused:
    """Objects that calls use exclusively, and then return: a signal handler may make a call in the middle of another.

    Parameters
    ----------
    make : callable
        Returns a new object.
    """

    def __init__(self, make):
        self._make, self._idle = make, []

    def take(self):
        """Return an object that no other call uses."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._make()

    def give_back(self, used):
        """Return an object for reuse."""
        self._idle.append(used)


class Compiled(Reused):
    """A compiled kernel, with argument buffers for each concurrent launch.

    Attributes
    ----------
    functions : frozenset of str
        The device's own math functions that it uses.
    nstatus : int
        Number of status words that it writes.
    """

    def __init__(self, make):
        super().__init__(make)
        self.functions: frozenset[str] = frozenset()
        self.nstatus = 0


class Driver:
    """Memory, copies and kernels of a device: the base of all drivers.

    A subclass adds `allocate`, `read`, `write`, `copy`, `launch` and `has_ended`.

    Parameters
    ----------
    name : str
        Name of the device in lazyarr.
    model : str
        The vendor's name of it.
    dialect : Dialect

    Attributes
    ----------
    library_error : type or tuple of types
        Exceptions raised by the device's libraries.
    host_steps : Counter
        Steps that ran on the host instead, by name and reason.
    own_functions : Counter
        Uses of the device's own math functions by kernels, by operation.
    library_calls : Counter
        Calls run by a vendor's library, by name and library.
    status_unit : int
        Alignment of a launch's status words, in words.
    clear_status : list
        Unused blocks of status words, all 0.
    tables : dict
        Cache of `table`.
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
        self._made = {}                 # resources, once created
        # kernels by text, kept alive by programs
        self._built: weakref.WeakValueDictionary[str, Compiled] = weakref.WeakValueDictionary()
        # kernels of calls, and those that combine partial results of folds; needs no lock, see `functools.lru_cache`
        self._of_text = functools.lru_cache(MOST_KERNELS)(self._make_of_text)
        self._of_fold = functools.lru_cache(MOST_KERNELS)(self._make_of_fold)

    @property
    def _resources(self):
        """The device's resources. Created without a lock, as a signal handler may interrupt: the first ones stay."""
        if os.getpid() != self._process:
            raise RuntimeError(f"{self.name} cannot be used in a forked child: start processes by 'spawn'")
        if not self._made:
            self._made.setdefault("all", self._make_resources())
        return self._made["all"]

    def _make_resources(self):
        """Create the device's resources."""
        raise NotImplementedError

    def _compile(self, kernel):
        """Compile a kernel; return a `Compiled`, or raise CompileError."""
        raise NotImplementedError

    def _enter(self):
        """Prepare the calling thread for library calls."""

    def _leave(self):
        """Undo `_enter`."""

    def _failure(self, error):
        """Return the exception to raise for a library error."""
        return RuntimeError(f"{self.name} ({self._model}) has failed: {error}")

    def _no_room(self, what):
        return MemoryError(f"{self.name} has no room for {what}")

    # ---- memory ----------------------------------------------------------------------------------------

    def workspace(self, nbytes):
        """Return a workspace block, evicting values from the device if need be, or raise MemoryError."""
        return device_memory.allocate(self, nbytes)

    def table(self, key, make):
        """Return a block with the array that ``make()`` returns, cached by a key."""
        return device_memory.table(self, key, make)

    # ---- kernels ---------------------------------------------------------------------------------------

    def kernel(self, program, *form):
        """Return the kernel of a tile program, ready to launch; raise NoKernel if there is none."""
        key = (self, *form)
        found = program.kernels.get(key)
        if found is None:
            found = program.kernels[key] = self._built_or_reason(lambda: generate(program, Form(*form), self._dialect))
        compiled = _checked(found)
        if compiled.functions:
            self.own_functions.update(compiled.functions)
        return compiled

    def combining_kernel(self, fold, kept, reported_flags):
        """Return the kernel that combines the partial results of a fold."""
        return _checked(self._of_fold(fold.op, fold.dtypes, kept, reported_flags))

    def _make_of_fold(self, op, dtypes, kept, reported_flags):
        return self._built_or_reason(lambda: generate_combine(op, dtypes, self._dialect, kept, reported_flags))

    def find_call(self, call):
        """Return the function of driver and call that runs a call on the device; raise NoKernel if there is none."""
        if len(call.results) > 1:
            raise NoKernel("several results")
        return rows.find(call)

    def kernel_of_text(self, text, name, nstatus=0, parameter_bytes=0):
        """Compile a text in the dialect of `lazyarr.gpu.generator.dialects`, or raise NoKernel; kernels are cached."""
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
        """Return a compiled kernel, or the reason why there is none."""
        try:
            return self._build(make())
        except NoKernel as error:
            return str(error)

    def _build(self, kernel):
        """Compile a kernel, unless it is cached."""
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
        """Submit queued launches to the device; most drivers queue none."""

    def count_host_step(self, name, reason):
        """Count a step that ran on the host."""
        self.host_steps[name, reason] += 1
