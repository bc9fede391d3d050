"""Bindings of oneDNN's C library: memory layouts, and primitives that run on arrays.

It comes with the package `onednn-cpu-gomp` and is loaded at first use. Functions are those of ``dnnl.h``, version 3,
their names without the prefix.
"""
from __future__ import annotations

import ctypes
import functools
import importlib.metadata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

PACKAGE = "onednn-cpu-gomp"
MOST_AXES = 12
MOST = 2**30  # of an extent, a stride, a padding: the library computes with C's int in places

# Values of enumerations and macros of dnnl_types.h.
FORWARD, DIRECT = 64, 1
SOURCE, RESULT, WEIGHTS, SOURCE_GRADIENT, RESULT_GRADIENT, WEIGHTS_GRADIENT = 1, 17, 33, 129, 145, 161
_SCRATCHPAD, _LAYOUT_OF_ARGUMENT = 80, 255
_FLOAT32, _ANY_LAYOUT, _CPU, _IN_ORDER, _USER_SCRATCHPAD = 3, 1, 1, 1, 1
_OUT_OF_MEMORY = 1


@functools.cache
def path() -> str | None:
    """Return the path of the library; None without the package."""
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((str(file.locate()) for file in files if file.name == "libdnnl.so.3"), None)


def check_installed() -> None:
    """Raise ImportError without the package."""
    if path() is None:
        raise ImportError(f"the backend onednn needs the package {PACKAGE}, for Linux on x86-64: "
                          "pip install 'lazyarr[onednn]'")


class Library:
    """The loaded library, with the state that all primitives share."""

    def __init__(self) -> None:
        check_installed()
        try:
            self._functions = ctypes.CDLL(str(path()))
        except OSError as error:
            raise ImportError(f"the library of {PACKAGE} cannot be loaded: {error}") from error
        self.function("status2str").restype = ctypes.c_char_p
        self.function("memory_desc_get_size").restype = ctypes.c_size_t
        self.function("primitive_desc_query_md").restype = ctypes.c_void_p
        # Found through the library, they are those of the OpenMP that it is linked with.
        self.get_threads = self._functions.omp_get_max_threads
        self.set_threads = self._functions.omp_set_num_threads

    def function(self, name: str) -> Any:
        """Return a function of the library."""
        return getattr(self._functions, f"dnnl_{name}")

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function that returns a status; raise MemoryError or RuntimeError if it fails."""
        status = self.function(name)(*arguments)
        if status:
            what = f"oneDNN: dnnl_{name} returned {self.function('status2str')(status).decode()}"
            raise MemoryError(what) if status == _OUT_OF_MEMORY else RuntimeError(what)


@functools.cache
def library() -> Library:
    """Return the library, loaded once."""
    return Library()


class Made:
    """An object created by the library, destroyed with its last reference; usable as an argument of its functions.

    Parameters
    ----------
    create, kind : str
        The name of the function that creates it, and its name in that which destroys it.
    *arguments
        Arguments of the first function.
    """

    __slots__ = ("_as_parameter_", "_destroy")

    def __init__(self, create: str, kind: str, *arguments: Any) -> None:
        handle = ctypes.c_void_p()
        self._destroy = None
        library().call(create, ctypes.byref(handle), *arguments)
        self._as_parameter_ = handle
        self._destroy = library().function(f"{kind}_destroy")

    def __del__(self) -> None:
        if self._destroy is not None:
            self._destroy(self)


@functools.cache
def engine() -> Made:
    """The processor."""
    return Made("engine_create", "engine", _CPU, ctypes.c_size_t(0))


@functools.cache
def _stream() -> Made:
    return Made("stream_create", "stream", engine(), _IN_ORDER)


@functools.cache
def _options() -> Made:
    """Return the attributes of all primitives: user-provided workspace, as their own belongs to the creating thread."""
    made = Made("primitive_attr_create", "primitive_attr")
    library().call("primitive_attr_set_scratchpad_mode", made, _USER_SCRATCHPAD)
    return made


@contextmanager
def team(threads: int) -> Iterator[None]:
    """Set the number of threads of oneDNN's primitives for calls of this thread."""
    before = library().get_threads()
    library().set_threads(threads)
    try:
        yield
    finally:
        library().set_threads(before)


def in_c(values: tuple[int, ...]) -> Any:
    """Return a C array of extents or strides."""
    return (ctypes.c_int64 * MOST_AXES)(*values)


def layout(shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> Made:
    """Return the layout of a float32 array, with strides in elements; without strides, the primitive chooses it."""
    if strides is None:
        return Made("memory_desc_create_with_tag", "memory_desc", len(shape), in_c(shape), _FLOAT32, _ANY_LAYOUT)
    return Made("memory_desc_create_with_strides", "memory_desc", len(shape), in_c(shape), _FLOAT32, in_c(strides))


def described(kind: str, *arguments: Any) -> Made:
    """Return the descriptor of a primitive; the options come last."""
    return Made(f"{kind}_primitive_desc_create", "primitive_desc", *arguments, _options())


class _Argument(ctypes.Structure):
    _fields_ = (("role", ctypes.c_int), ("memory", ctypes.c_void_p))


class Primitive:
    """A computation on arrays of fixed layouts by a fixed number of threads; several threads may run it at a time.

    Parameters
    ----------
    description : Made
    *roles : int
        The roles of its arguments.
    """

    def __init__(self, description: Made, *roles: int) -> None:
        self._description, self._roles = description, (*roles, _SCRATCHPAD)
        self._made = Made("primitive_create", "primitive", description)
        self._layouts = [self.layout(role) for role in self._roles]
        self._workspace = self.nbytes(_SCRATCHPAD)

    def layout(self, role: int) -> Any:
        """Return the layout of an argument, which the description keeps alive."""
        return ctypes.c_void_p(library().function("primitive_desc_query_md")(
            self._description, _LAYOUT_OF_ARGUMENT, role))

    def nbytes(self, role: int) -> int:
        """Return the size of an argument, in bytes."""
        return int(library().function("memory_desc_get_size")(self.layout(role)))

    def run(self, *arrays: np.ndarray) -> None:
        """Compute on the memory of arrays, one for each role."""
        arrays = (*arrays, np.empty(self._workspace, np.uint8))
        memories = [Made("memory_create", "memory", found, engine(), ctypes.c_void_p(array.ctypes.data))
                    for found, array in zip(self._layouts, arrays, strict=True)]
        arguments = (_Argument * len(arrays))(*[
            _Argument(role, memory._as_parameter_) for role, memory in zip(self._roles, memories, strict=True)])
        library().call("primitive_execute", self._made, _stream(), len(arrays), arguments)
        library().call("stream_wait", _stream())


def converter(source: Any, result: Any) -> Primitive | None:
    """Return a primitive that copies an array from one layout to another; None if they are equal."""
    if library().function("memory_desc_equal")(source, result):
        return None
    return Primitive(described("reorder", source, engine(), result, engine()), SOURCE, RESULT)
