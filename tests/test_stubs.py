"""The stubs from tests/generate_stubs.py: up to date, with every public name, all of them typed."""

import ast
from pathlib import Path

import generate_stubs
import numpy as np
import pytest

import lazyarr
from support.static_checks import are_stubs_of_this_numpy

PACKAGE = Path(__file__).parents[1] / "lazyarr"
GENERATED = sorted(path for path in PACKAGE.rglob("*.pyi")
                   if path.read_text(encoding="utf-8").startswith("# Written by "))
# Results that cannot be typed.
ANY = {
    "load",      # an array, an archive of arrays, or any object from a pickle
    "identity",  # of a ufunc: a number, a truth value or None
}


def tree(path):
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))


def offered(path):
    """Return the names that a stub defines or re-exports."""
    found = set()
    for statement in tree(path).body:
        if isinstance(statement, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in statement.names}
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found.add(statement.name)
        elif isinstance(statement, ast.AnnAssign):
            found.add(statement.target.id)
    return found


@pytest.mark.skipif(not are_stubs_of_this_numpy(), reason="the stubs are those of another NumPy")
def test_generated_files_are_what_the_command_writes():
    written = generate_stubs.files()
    assert {path.relative_to(PACKAGE).as_posix() for path in GENERATED} == set(written)
    for path, text in written.items():
        now = (PACKAGE / path).read_text(encoding="utf-8")
        assert text == now, f"{path}: run `python tests/generate_stubs.py`"


@pytest.mark.parametrize(("path", "module"), [
    ("stubs/names.pyi", np), ("numpy/linalg.pyi", np.linalg), ("numpy/fft.pyi", np.fft),
    ("numpy/random.pyi", np.random), ("numpy/char.pyi", np.char), ("numpy/rec.pyi", np.rec),
    ("numpy/lib/__init__.pyi", np.lib),
    ("numpy/polynomial.pyi", np.polynomial), ("numpy/testing.pyi", np.testing), ("numpy/ctypeslib.pyi", np.ctypeslib),
])
def test_every_public_name_of_numpy_is_typed(path, module):
    missing = set(generate_stubs.names(module)) - offered(path)
    assert missing - (generate_stubs.OTHERS if module is np else set()) == set()


def test_every_name_in_the_namespace_is_there():
    [names] = [ast.literal_eval(statement.value) for statement in tree("numpy/__init__.pyi").body
               if isinstance(statement, ast.Assign)]
    assert [name for name in names if not hasattr(lazyarr.numpy, name)] == []
    assert set(generate_stubs.names(np)) <= set(names)


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_name_is_any(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            assert node.returns is not None, node.name
            assert ast.unparse(node.returns) not in ("Any", "_Any") or node.name in ANY, node.name
            arguments = node.args
            untyped = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
                       if argument.annotation is None and argument.arg != "self"]
            assert untyped == [], node.name
        elif isinstance(node, ast.AnnAssign):
            assert ast.unparse(node.annotation) not in ("Any", "_Any"), ast.unparse(node)
