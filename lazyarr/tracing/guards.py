"""Guards: a graph is valid while the traced function's global and closure variables refer to the same objects."""
import functools
import inspect
import types

from lazyarr._core.control.signature import first_rebound, referent


class Guards:
    """The objects that variables of functions refer to now, including those of functions found this way.

    Parameters
    ----------
    *functions : callable
        Of a wrapper, such as a method or a partial call, the wrapped Python function counts.
    """

    def __init__(self, *functions):
        self._found: list[tuple[str, types.CellType | dict, object]] = []  # name, cell or globals, object
        seen, stack = set(), [*functions]
        while stack:
            function = _python_function(stack.pop())
            if not _is_python(function) or id(function) in seen or _is_ours(function):
                continue
            seen.add(id(function))
            before = len(self._found)
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
                self._found.append((name, cell, referent(name, cell)))
            for name in _names(function.__code__):
                if name in function.__globals__:
                    self._found.append((name, function.__globals__, function.__globals__[name]))
            stack += [value for _, _, value in self._found[before:]]

    def changed(self):
        """Return the first variable that refers to another object now, or None."""
        return first_rebound(self._found)


def _python_function(function):
    """Return the function behind a method, a partial call or a wrapper."""
    function = getattr(function, "__func__", function)
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.unwrap(function, stop=_is_python) if callable(function) else function


def _is_python(function):
    return isinstance(function, types.FunctionType)


def _names(code):
    """Yield the names that code, nested functions included, may look up in globals."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_ours(function):
    package = __name__.partition(".")[0]
    return function.__module__ is not None and function.__module__.partition(".")[0] in (package, "numpy")
