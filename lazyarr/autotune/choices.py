"""The measured backends of calls, kept in the file of `store`."""

import importlib.metadata
import warnings

import numpy as np

from lazyarr._version import __version__
from lazyarr.autotune import store
from lazyarr.backends.choice import measured, refresh


def libraries() -> str:
    """The versions that measurements depend on."""
    try:
        scipy = importlib.metadata.version("scipy")
    except importlib.metadata.PackageNotFoundError:
        scipy = "none"
    return f"lazyarr {__version__}, numpy {np.__version__}, scipy {scipy}"


def load() -> None:
    """Have calls computed by the backends that were fastest on this machine, with these libraries."""
    try:
        measured.update(store.found_backends.get(libraries(), {}))
    except ValueError as error:
        warnings.warn(f"lazyarr goes without the backends in {store.path()}: {error}. Write them anew with "
                      "`lazyarr tune --ops`.", RuntimeWarning, stacklevel=2)
    refresh()


def save() -> str:
    """Write all measurements of this process to the file; returns its path.

    Raises
    ------
    OSError
        As `store.write` does.
    """
    return store.write(measured.as_json(), store.BACKENDS, libraries())
