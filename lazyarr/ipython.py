"""The extension of IPython and Jupyter: after ``%load_ext lazyarr``, the NumPy of the cells is `lazyarr.numpy`.

Imports are redirected as the runner does it: those typed in cells and those in the user's own files, from now on. What
a cell has imported from NumPy before is put in terms of `lazyarr.numpy` under the same names. Arrays stay what they
are. Nothing here imports IPython.
"""

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy

import lazyarr.numpy
from lazyarr import adapters, runner

# Modules of NumPy that have a lazy counterpart; all else in its namespace is shared.
PAIRS = tuple((getattr(numpy, name), getattr(lazyarr.numpy, name)) for name in ("linalg", "fft", "random"))
PAIRS = ((numpy, lazyarr.numpy), *PAIRS)

_end_redirection: Callable[[], None] | None = None


def load(shell: Any) -> None:
    """Make the NumPy of the shell's cells lazy."""
    global _end_redirection
    if _end_redirection is not None:
        return

    def by_user(importer: Mapping[str, Any]) -> bool:
        # The shell replaces its namespace at times, so it is asked each time.
        return importer is shell.user_ns or importer is shell.user_global_ns or \
            runner.is_users_own(importer.get("__file__"))

    _end_redirection = runner.redirect_imports(by_user)
    rebind(shell.user_ns, PAIRS)
    adapters.adapt_libraries()


def unload(shell: Any) -> None:
    """Undo `load`: every name in the cells that stands for something of `lazyarr.numpy` stands for NumPy's."""
    global _end_redirection
    if _end_redirection is None:
        return
    _end_redirection()
    _end_redirection = None
    rebind(shell.user_ns, [(real, lazy) for lazy, real in PAIRS])


def rebind(namespace: dict[str, Any], pairs: Iterable[tuple[ModuleType, ModuleType]]) -> None:
    """Replace what a namespace has from the first module of each pair by the same of the second: itself, its functions.

    Examples
    --------
    >>> names = {"np": np, "tangent": np.tan, "pi": np.pi}
    >>> rebind(names, PAIRS)
    >>> names["np"].__name__, names["tangent"] is lazyarr.numpy.tan, names["pi"] is np.pi
    ('lazyarr.numpy', True, True)
    """
    for name, value in list(namespace.items()):
        if name.startswith("_"):  # what the shell keeps for itself: outputs, inputs
            continue
        for source, target in pairs:
            if value is source:
                namespace[name] = target
            elif callable(value):
                known_as = getattr(value, "__name__", None)
                if isinstance(known_as, str) and getattr(source, known_as, None) is value:
                    namespace[name] = getattr(target, known_as)
