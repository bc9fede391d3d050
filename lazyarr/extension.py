"""The native modules of a package and those below it lie in one file, `_native`, which loads faster than one for each.

CPython finds the function that makes a module in a file by the last part of the module's name. So all it takes is to
say which file that is.
"""
import importlib
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec

# Of each package whose modules were asked for: its file, empty without one, and the names of the modules in it.
_files: dict[str, tuple[str, frozenset[str]]] = {}


class _Finder:
    """Finds native modules. It comes first, before what older builds may have left beside the sources."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        parts = name.split(".", 2)
        if parts[0] != "lazyarr" or len(parts) < 3 or parts[2] == "_native":
            return None
        _, package, module = parts
        if package not in _files:
            _files[package] = _file_of(package)
        file, modules = _files[package]
        if module not in modules:
            return None
        spec = ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)
        spec.has_location = True  # the module's `__file__`
        return spec


def _file_of(package):
    """The file of a package's native modules and their names within it."""
    try:
        native = importlib.import_module(f"lazyarr.{package}._native")
    except ModuleNotFoundError:
        return "", frozenset()
    return native.__file__, frozenset(native.MODULES.split())


sys.meta_path.insert(0, _Finder)
