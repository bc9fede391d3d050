"""Measured backends of calls, kept in the file of `store`."""

import importlib.metadata
import warnings

import numpy as np

from lazyarr._version import __version__
from lazyarr.autotune import store
from lazyarr.backends.choice import measured, refresh
from lazyarr.backends.libdnnl import PACKAGE


def libraries() -> str:
    """Return the library versions that measurements depend on."""
    found = [f"lazyarr {__version__}", f"numpy {np.__version__}"]
    for package in ("scipy", PACKAGE):
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def load() -> None:
    """Use the backends that were fastest on this machine with these library versions."""
    try:
        measured.update(store.found_backends.get(libraries(), {}))
    except ValueError as error:
        warnings.warn(f"lazyarr goes without the backends in {store.path()}: {error}. Write them anew with "
                      "`lazyarr tune --ops`.", RuntimeWarning, stacklevel=2)
    refresh()


def save() -> str:
    """Write all measurements of this process to the file and return its path.

    Raises
    ------
    OSError
        As `store.write` does.
    """
    return store.write(measured.as_json(), store.BACKENDS, libraries())
