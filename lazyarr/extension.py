"""The native modules of a package and its subpackages share one file, `_native`, which loads faster than one file each.

CPython finds a module's init function in a file by the last part of the module's name, so the finder only has to name
the file.
"""
import importlib
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec

# Per package whose modules were imported: its file, or "", and the names of the modules in it.
_files: dict[str, tuple[str, frozenset[str]]] = {}


class _Finder:
    """A finder of native modules. It comes first, before files that older builds left beside the sources."""

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
        spec.has_location = True  # sets the module's `__file__`
        return spec


def _file_of(package):
    """Return the file of a package's native modules, and their names within it."""
    try:
        native = importlib.import_module(f"lazyarr.{package}._native")
    except ModuleNotFoundError:
        return "", frozenset()
    return native.__file__, frozenset(native.MODULES.split())


sys.meta_path.insert(0, _Finder)
