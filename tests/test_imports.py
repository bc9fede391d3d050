"""Imports only go down: a subpackage imports those listed for it here, and no others."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "lazyarr"

# From the bottom up: a package of the native core or of gpu/, or a file or folder of lazyarr/, and what it may import
# besides itself.
ROOMS = {
    "_version": set(),
    "compat": set(),
    "extension": set(),
    "renamed": set(),
    "user_files": set(),
    "_core.host": {"extension"},
    "_core.ir": {"_core.host"},
    "_core.tile": {"_core.host", "_core.ir"},
    "_core.kernels": {"_core.host", "_core.ir", "_core.tile"},
    "_core.runtime": {"_core.host", "_core.ir", "_core.kernels", "_core.tile"},
    "_core.frontend": {"_core.host", "_core.ir", "_core.kernels", "_core.runtime", "compat"},
    "_core.eager": {"_core.frontend", "_core.host", "_core.ir", "compat"},
    "_core.control": {"_core.frontend", "_core.host", "_core.ir", "_core.kernels", "_core.runtime", "_core.tile"},
    "_core.transforms": {"_core.control", "_core.frontend", "_core.ir", "_core.runtime"},
    "_core.introspect": {"_core.frontend", "_core.host", "_core.ir", "_core.runtime"},
    "_core": {"_core.eager", "_core.frontend", "_core.host", "_core.ir", "_core.kernels", "_core.runtime", "extension"},
    "cpus": set(),
    "ops": {"compat"},
    "backends": {"ops"},
    "compiler": {"ops"},
    "creation": {"ops"},
    "gpu.generator": {"ops"},
    "gpu.calls": {"gpu.generator", "ops"},
    "gpu.libraries": {"gpu.calls", "gpu.generator"},
    "gpu.drivers": {"gpu.calls", "gpu.generator", "gpu.libraries", "user_files"},
    "gpu": {"gpu.drivers"},
    "numpy": {"compat", "ops"},
    "array_api": {"numpy"},
    "autodiff": {"ops"},
    "control": {"autodiff", "numpy", "ops"},
    "tracing": {"autodiff", "control", "numpy", "ops"},
    "safe_json": set(),
    "serialization": {"autodiff", "ops", "safe_json", "user_files"},
    "nn": {"autodiff", "control", "numpy", "ops", "renamed", "serialization", "tracing"},
    "inspect": {"compiler", "ops"},
    "rules": {"compiler", "creation", "inspect"},
    "runtime": {"inspect", "ops"},
    "autotune": {"_version", "backends", "creation", "inspect", "nn", "numpy", "ops", "serialization",
                 "user_files"},
    "symbolic": {"autodiff", "autotune", "backends", "compiler", "control", "creation", "inspect", "nn", "numpy",
                 "ops", "safe_json", "serialization", "tracing", "user_files"},
    "config": {"autotune", "backends", "cpus", "inspect", "numpy", "ops"},
    "doctor": {"_version", "autotune", "config", "cpus", "inspect", "user_files"},
    "launch": set(),  # runs in fresh processes, one of which is to load NumPy alone
    "adapters": {"ops"},
    "runner": {"adapters", "config", "inspect", "launch", "numpy"},
    "ipython": {"adapters", "inspect", "numpy", "runner"},
    "later": {"array_api", "autodiff", "autotune", "backends", "compiler", "config", "control", "creation", "doctor",
              "inspect", "nn", "numpy", "ops", "renamed", "rules", "runtime", "symbolic", "tracing"},
    "__init__": {"_version", "array_api", "autodiff", "autotune", "backends", "config", "control", "creation",
                 "doctor", "inspect", "ipython", "later", "nn", "numpy", "ops", "rules", "runtime", "symbolic",
                 "tracing"},
    "compare": {"launch"},  # for its types; at run time its own process has the standard library alone
    "__main__": {"_version", "autotune", "compare", "doctor", "launch", "ops", "runner"},
    "stubs": {"numpy", "ops", "runtime", "symbolic"},  # for type checkers alone: every stub may import it
}
DIVIDED = ("_core", "gpu")  # whose packages are rooms of their own
CORE = {room for room in ROOMS if room.partition(".")[0] == "_core"}  # open to all that is not part of it
NATIVE_IMPORT = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+c?import\s+\(?\s*([\w., *]*)|c?import\s+([\w., ]+))", re.MULTILINE
)


def room_of(path):
    room, *inner = path.relative_to(PACKAGE).parts
    return f"{room}.{inner[0]}" if room in DIVIDED and inner[1:] else room.removesuffix(path.suffix)


def sources():
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".pyi", ".pyx", ".pxd"))


def python_imports(text):
    """Yield (module, names) for each import statement, including those inside functions."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), tuple(alias.name for alias in node.names)


def native_imports(text):
    """Yield the same for Cython, which ast cannot parse; of names in parentheses only the first line."""
    for module, names, modules in NATIVE_IMPORT.findall(text):
        if module:
            yield module, tuple(name.split()[0] for name in names.split(",") if name.strip())
        else:
            yield from ((name.split()[0], ()) for name in modules.split(",") if name.strip())


def imported_rooms(imports):
    for module, names in imports:
        package, *rest = module.split(".")
        if package != "lazyarr":
            assert package or not rest, f"relative import of {module}: say lazyarr.<room>, which shows the direction"
        elif rest[:1] and rest[0] in DIVIDED:
            inner = (f"{rest[0]}.{name}" for name in rest[1:2] or names)
            yield from {name if name in ROOMS else rest[0] for name in inner}
        elif rest:
            yield rest[0]
        else:
            yield from (name if name in ROOMS else "__init__" for name in names or ["__init__"])


def forbidden(room, imports):
    return sorted(set(imported_rooms(imports)) - ROOMS[room] - {room} - (set() if room in CORE else CORE))


def test_table_lists_lower_rooms_only():
    order = list(ROOMS)
    for room, below in ROOMS.items():
        assert below <= set(order[: order.index(room)]), room


def test_every_room_is_in_the_table():
    assert {room_of(path) for path in sources()} <= set(ROOMS)


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_down(path):
    imports = python_imports if path.suffix in (".py", ".pyi") else native_imports
    found = forbidden(room_of(path), imports(path.read_text(encoding="utf-8")))
    assert [room for room in found if path.suffix != ".pyi" or room != "stubs"] == []


def circles(imports):
    """Return sets of modules that import each other, given each module's imports, by Tarjan's algorithm."""
    number, lowest, path, found = {}, {}, [], []

    def visit(module):
        number[module] = lowest[module] = len(number)
        path.append(module)
        for other in imports[module]:
            if other not in number:
                visit(other)
            if other in path:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == number[module]:
            at = path.index(module)
            if path[at + 1:]:
                found.append(set(path[at:]))
            del path[at:]

    for module in imports:
        if module not in number:
            visit(module)
    return found


def native_modules():
    """Return each native module's imports of other ones, by name, ignoring the type that all of them use."""
    found = {}
    for path in sources():
        if path.suffix in (".pyx", ".pxd") and room_of(path) in CORE:
            imported = found.setdefault(path.stem, set())
            imported |= {module.rpartition(".")[2] for module, names in native_imports(path.read_text(encoding="utf-8"))
                         if module.startswith("lazyarr._core.") and names != ("LazyArray",)} - {path.stem}
    return {module: imported & set(found) for module, imported in found.items()}


def test_native_modules_import_no_circles():
    assert circles(native_modules()) == []


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}}) == [{"b", "c"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy as np", []),
        ("from lazyarr._core.ir.node import stats", []),
        ("from lazyarr import _core", ["_core"]),
        ("import lazyarr", ["__init__"]),
        ("from lazyarr import asarray", ["__init__"]),
        ("def f():\n    from lazyarr.graph import schedule", ["graph"]),
        ("import os, lazyarr.runner", ["runner"]),
    ],
)
@pytest.mark.parametrize("reader", [python_imports, native_imports])
def test_an_import_upwards_is_found(reader, text, expected):
    assert forbidden("_core.tile", reader(text)) == expected


def test_an_upward_cimport_is_found():
    text = "cimport numpy\nfrom lazyarr._core.ir.node cimport (\n    Node)\nfrom lazyarr._core.tile.x cimport y\n"
    assert forbidden("_core.ir", native_imports(text)) == ["_core.tile"]


def test_a_relative_import_is_refused():
    with pytest.raises(AssertionError, match="relative import"):
        forbidden("_core", python_imports("from ..compiler import schedule"))
