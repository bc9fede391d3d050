"""Imports go down only: a room of the package imports the rooms listed for it here, and no other."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "lazyarr"

# From the bottom up: a file or folder of lazyarr/ and what it may import, besides itself.
ROOMS = {
    "_version": set(),
    "compat": set(),
    "extension": set(),
    "_core": {"compat", "extension"},
    "cpus": set(),
    "ops": {"_core", "compat"},
    "graph": {"_core", "ops"},
    "creation": {"_core", "ops"},
    "numpy": {"_core", "compat", "ops"},
    "array_api": {"_core", "numpy"},
    "autodiff": {"_core", "ops"},
    "control": {"_core", "ops", "autodiff", "numpy"},
    "nn": {"_core", "ops", "autodiff", "control", "numpy"},
    "inspect": {"_core", "ops", "graph"},
    "symbolic": {"_core", "ops", "autodiff", "control", "creation", "graph", "inspect", "nn", "numpy"},
    "tuning": {"_core", "_version", "creation", "nn", "numpy", "ops"},
    "config": {"_core", "cpus", "inspect", "numpy", "tuning"},
    "launch": set(),  # runs in fresh processes, one of which is to load NumPy alone
    "adapters": {"_core", "ops"},
    "runner": {"adapters", "config", "inspect", "launch", "numpy"},
    "ipython": {"adapters", "numpy", "runner"},
    "later": {"_core", "array_api", "autodiff", "control", "creation", "graph", "inspect", "nn", "numpy", "ops",
              "symbolic", "tuning"},
    "__init__": {"_core", "_version", "array_api", "autodiff", "config", "control", "creation", "graph",
                 "inspect", "ipython", "later", "nn", "numpy", "ops", "symbolic", "tuning"},
    "compare": {"launch"},  # for its types; at run time its own process has the standard library alone
    "__main__": {"_version", "compare", "launch", "runner", "tuning"},
}
NATIVE_IMPORT = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+c?import\s+\(?\s*([\w., *]*)|c?import\s+([\w., ]+))", re.MULTILINE
)


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(path.suffix)


def sources():
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".pyi", ".pyx", ".pxd"))


def python_imports(text):
    """Yield (module, names) for each import statement, those inside functions included."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), tuple(alias.name for alias in node.names)


def native_imports(text):
    """The same for Cython, which ast cannot parse; of names in parentheses it sees the first line."""
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
        elif rest:
            yield rest[0]
        else:
            yield from (name if name in ROOMS else "__init__" for name in names or ["__init__"])


def forbidden(room, imports):
    return sorted(set(imported_rooms(imports)) - ROOMS[room] - {room})


def test_table_lists_lower_rooms_only():
    order = list(ROOMS)
    for room, below in ROOMS.items():
        assert below <= set(order[: order.index(room)]), room


def test_every_room_is_in_the_table():
    assert {room_of(path) for path in sources()} <= set(ROOMS)


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_down(path):
    imports = python_imports if path.suffix in (".py", ".pyi") else native_imports
    assert forbidden(room_of(path), imports(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy as np", []),
        ("from lazyarr._core.node import stats", []),
        ("from lazyarr import _core", []),
        ("import lazyarr", ["__init__"]),
        ("from lazyarr import asarray", ["__init__"]),
        ("def f():\n    from lazyarr.graph import schedule", ["graph"]),
        ("import os, lazyarr.runner", ["runner"]),
    ],
)
@pytest.mark.parametrize("reader", [python_imports, native_imports])
def test_an_import_upwards_is_found(reader, text, expected):
    assert forbidden("_core", reader(text)) == expected


def test_an_upward_cimport_is_found():
    text = "cimport numpy as cnp\nfrom lazyarr._core.node cimport (\n    Node)\nfrom lazyarr.ops.x cimport y\n"
    assert forbidden("_core", native_imports(text)) == ["ops"]


def test_a_relative_import_is_refused():
    with pytest.raises(AssertionError, match="relative import"):
        forbidden("_core", python_imports("from ..graph import schedule"))
