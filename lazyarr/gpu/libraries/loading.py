"""NVIDIA's libraries by ctypes: where they are, and their functions.

They come with packages of Python (``pip install "lazyarr[cuda-libraries]"``) or with the CUDA toolkit, and are opened
at the first use.
"""

import ctypes
import functools
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lazyarr._core.runtime.device_fallback import warn_later

NEWEST, OLDEST = 13, 12  # versions of CUDA whose libraries are looked for outside of Python's packages


class LibraryError(Exception):
    """Raised for a status of a library's function that is not success.

    Parameters
    ----------
    function : str
    status : str
        Its name.
    is_no_room : bool
        Whether memory is missing.
    """

    def __init__(self, function: str, status: str, is_no_room: bool):
        super().__init__(f"{status}, in {function}")
        self.status, self.is_no_room = status, is_no_room


class Refused(Exception):
    """Raised for a call that a library cannot make after all, before anything was launched: our kernels make it."""


@dataclass(frozen=True, eq=False)
class Library:
    """A library.

    Attributes
    ----------
    title : str
    stem : str
        Of its file's name.
    lag : int
        How much older its version is than that of CUDA.
    prototypes : mapping
        Types of the arguments of its functions. All return a status, 0 if they succeed.
    statuses : mapping
        Names of other statuses.
    no_room : frozenset of str
        Those of them that say that memory is missing.
    release : int, optional
        Its version, if that has nothing to do with CUDA's.
    built_for : str, optional
        The function that says for which version of CUDA such a library is.
    """

    title: str
    stem: str
    lag: int
    prototypes: Mapping[str, tuple[Any, ...]]
    statuses: Mapping[int, str]
    no_room: frozenset[str]
    release: int | None = None
    built_for: str = ""

    @functools.cache  # noqa: B019 - there are few libraries, and they stay
    def functions(self, cuda: int) -> SimpleNamespace | None:
        """Return the functions, which raise LibraryError; None if the library is not installed, or lacks one of them.

        Parameters
        ----------
        cuda : int
            The version of CUDA that the driver is for, which no library may exceed.
        """
        lag, oldest = (self.lag, OLDEST) if self.release is None else (cuda - self.release, cuda)
        opened = open_first(candidates(f"lib{self.stem}.so.{{}}", f"{self.stem}64_{{}}.dll", cuda, lag, oldest))
        if opened is None or (self.built_for and self._cuda_of(opened) > cuda):
            return None
        found = SimpleNamespace()
        for name, types in self.prototypes.items():
            function = getattr(opened, name, None)
            if function is None:
                warn_later(f"{self.title} is not used: {opened._name} is too old, as it has no {name}")
                return None
            function.argtypes, function.restype, function.errcheck = types, ctypes.c_int, self._check
            setattr(found, name, function)
        return found

    def _cuda_of(self, opened: ctypes.CDLL) -> int:
        """Return the version of CUDA that a library is for."""
        function = opened[self.built_for]
        function.restype = ctypes.c_size_t
        return int(function()) // 1000

    def _check(self, result: int, function: Any, arguments: tuple[Any, ...]) -> int:
        if result:
            status = self.statuses.get(result, f"status {result}")
            raise LibraryError(function.__name__, status, status in self.no_room)
        return result


@dataclass(frozen=True, eq=False)
class Handles:
    """What a library is used by: a handle, or a plan. One call at a time uses it.

    Attributes
    ----------
    library : Library
    make : callable
        ``make(functions, stream)`` returns one whose work runs in a stream.
    destroy : callable
        ``destroy(functions, handle)``.
    """

    library: Library
    make: Callable[[Any, int], Any]
    destroy: Callable[[Any, Any], Any]


def candidates(linux: str, windows: str, cuda: int, lag: int = 0, oldest: int = OLDEST) -> list[str]:
    """Return the files that may be a library, those of newer versions first.

    Parameters
    ----------
    linux, windows : str
        The name of its file, with {} for the version.
    cuda : int
        The newest version of CUDA that it may be for.
    lag : int, optional
        How much older the library's own version is.
    oldest : int, optional
        The oldest version of CUDA that it may be for.
    """
    template = windows if sys.platform == "win32" else linux
    pattern = re.compile(re.escape(template).replace(r"\{\}", r"(\d+)"))
    package = importlib.util.find_spec("nvidia")
    folders = [] if package is None else [*(package.submodule_search_locations or ())]
    found = []
    for folder in folders:
        for path in sorted(Path(folder).rglob(template.format("*"))):
            match = pattern.fullmatch(path.name)
            if match and oldest <= int(match[1]) + lag <= cuda:
                found.append((int(match[1]), str(path)))
    for version in range(oldest, max(min(NEWEST, cuda), oldest) + 1):
        found.append((version - lag, template.format(version - lag)))
    return [name for _, name in sorted(found, key=lambda pair: -pair[0])]  # of one version, those of packages first


def open_first(names: Iterable[str]) -> ctypes.CDLL | None:
    """Open the first file that can be opened, None if there is none."""
    for name in names:
        try:
            if sys.platform == "win32" and os.path.isabs(name):
                os.add_dll_directory(os.path.dirname(name))  # of other libraries, which it opens
            return ctypes.CDLL(name)
        except OSError:  # there is none, or it is of another platform
            continue
    return None


def made(kind: Any, function: Any, *arguments: Any) -> Any:
    """Call a function that writes its result to its first argument; return that."""
    result = kind()
    function(ctypes.byref(result), *arguments)
    return result.value
