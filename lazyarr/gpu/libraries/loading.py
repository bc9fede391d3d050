"""Finds and loads NVIDIA's libraries through ctypes.

They come with Python packages (``pip install "lazyarr[cuda-libraries]"``) or with the CUDA toolkit, and are loaded on
first use.
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

NEWEST, OLDEST = 13, 12  # CUDA versions of libraries searched for outside Python packages


class LibraryError(Exception):
    """Raised if a library function fails.

    Parameters
    ----------
    function : str
    status : str
        Name of the status.
    is_no_room : bool
        Whether memory ran out.
    """

    def __init__(self, function: str, status: str, is_no_room: bool):
        super().__init__(f"{status}, in {function}")
        self.status, self.is_no_room = status, is_no_room


class Refused(Exception):
    """Raised by a library that rejects a call before launching anything: our own kernels run the call."""


@dataclass(frozen=True, eq=False)
class Library:
    """A library.

    Attributes
    ----------
    title : str
    stem : str
        Of its file name.
    lag : int
        How far its version number is behind CUDA's.
    prototypes : mapping
        Argument types of its functions. All return a status, 0 on success.
    statuses : mapping
        Names of other statuses.
    no_room : frozenset of str
        Statuses that mean that memory ran out.
    release : int, optional
        Its version, if that is unrelated to CUDA's.
    built_for : str, optional
        Function that returns the CUDA version of such a library.
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
        """Return the functions, which raise LibraryError on failure; None if the library, or one of them, is missing.

        Parameters
        ----------
        cuda : int
            The driver's CUDA version, which no library may exceed.
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
        """Return the CUDA version that a library was built for."""
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
    """Handles or plans of a library, each used by one call at a time.

    Attributes
    ----------
    library : Library
    make : callable
        ``make(functions, stream)`` returns a handle that launches in a stream.
    destroy : callable
        ``destroy(functions, handle)``.
    """

    library: Library
    make: Callable[[Any, int], Any]
    destroy: Callable[[Any, Any], Any]


def candidates(linux: str, windows: str, cuda: int, lag: int = 0, oldest: int = OLDEST) -> list[str]:
    """Return file names for a library, newest version first.

    Parameters
    ----------
    linux, windows : str
        Its file name, with {} for the version.
    cuda : int
        Newest CUDA version that it may be built for.
    lag : int, optional
        How far its version number is behind CUDA's.
    oldest : int, optional
        Oldest CUDA version that it may be built for.
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
    return [name for _, name in sorted(found, key=lambda pair: -pair[0])]  # packages first within a version


def open_first(names: Iterable[str]) -> ctypes.CDLL | None:
    """Load the first file that can be loaded; None if there is none."""
    for name in names:
        try:
            if sys.platform == "win32" and os.path.isabs(name):
                os.add_dll_directory(os.path.dirname(name))  # for the libraries that it loads
            return ctypes.CDLL(name)
        except OSError:  # missing, or built for another platform
            continue
    return None


def made(kind: Any, function: Any, *arguments: Any) -> Any:
    """Call a function that writes its result through its first argument; return the result."""
    result = kind()
    function(ctypes.byref(result), *arguments)
    return result.value
