"""The properties of ufuncs are stated in their rows: nothing outside `ops` and the native kernels is keyed by name.

A table is a set, list, tuple or dictionary in which at least two, and half of all, elements or keys are ufuncs, or a
string that lists them; a comparison with one ufunc is a table of one row. Ufuncs appear by name or as `np.<ufunc>`.
Calls of ufuncs are no tables, nor are a module's exports (`__all__`), nor values that are unpacked to separate names.
"""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

PACKAGE = Path(__file__).parents[1] / "lazyarr"
UFUNCS = {name: obj for name, obj in vars(np).items() if isinstance(obj, np.ufunc)}
NAMES = {ufunc.__name__ for ufunc in UFUNCS.values()}


def is_exempt(path):
    """Return whether a file may know ufuncs: the rows themselves, and the kernels, in C or in Python strings."""
    return path.relative_to(PACKAGE).parts[0] in ("ops", "gpu")


def sources(*suffixes):
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in suffixes and not is_exempt(path))


def ufuncs_in(text):
    """Count the ufuncs that a string lists, if it lists nothing else."""
    words = text.split()
    return len(words) if words and NAMES.issuperset(words) else 0


def is_keyed_by_ufuncs(counts):
    """Return whether elements or keys, given the number of ufuncs in each, make a table."""
    return sum(counts) > 1 and 2 * sum(map(bool, counts)) >= len(counts)


def count(node):
    """Count the ufuncs that an expression names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return ufuncs_in(node.value)
    is_of_numpy = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np"
    return int(is_of_numpy and node.attr in UFUNCS)


def says_mode(node):
    """Return whether this is a mode of `np.errstate` with the name of a ufunc."""
    return isinstance(node, ast.Constant) and node.value == "log"


def exempt_nodes(tree):
    """Return exported names, and values that are unpacked."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Tuple) or (isinstance(target, ast.Name) and target.id == "__all__"):
                yield from ast.walk(node.value)


def tables_in_python(text):
    """Yield the lines of tables keyed by ufuncs."""
    tree = ast.parse(text)
    exempt = {*exempt_nodes(tree)}
    for node in ast.walk(tree):
        if node in exempt:
            continue
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            found = is_keyed_by_ufuncs([*map(count, node.elts)])
        elif isinstance(node, ast.Dict):
            found = is_keyed_by_ufuncs([count(key) for key in node.keys if key is not None])
        elif isinstance(node, ast.Compare):
            found = any(count(side) and not says_mode(side) for side in [node.left, *node.comparators])
        else:
            found = isinstance(node, ast.Constant) and isinstance(node.value, str) and ufuncs_in(node.value) > 1
        if found:
            yield node.lineno


STRING = r'b?"(\w+)"'
UFUNC = r"\bnp\.(\w+)\b(?![.(\[])"
NAMED = re.compile(rf"(\w+)\s*=\s*(?:<PyObject\*>\s*|find_ufunc\()?{UFUNC}")
COMPARED = re.compile(rf"(?:==|!=|\bis(?:\s+not)?)\s+(?:{STRING}|{UFUNC}|(\w+)\b)")
BRACKETS = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]", re.DOTALL)


def tables_in_cython(text):
    """Yield the same for Cython, which ast cannot parse, from innermost brackets, ignoring comments."""
    text = re.sub(r'"""(?:.|\n)*?"""', lambda found: "\n" * found[0].count("\n"), text)
    text = re.sub(r"#.*", "", text)
    named = {name for name, ufunc in NAMED.findall(text) if ufunc in UFUNCS}
    for found in COMPARED.finditer(text):
        string, ufunc, name = found.groups()
        if (string in NAMES and string != "log") or ufunc in UFUNCS or name in named:
            yield 1 + text.count("\n", 0, found.start())
    for found in BRACKETS.finditer(text):
        keys = re.findall(rf"(?:[{{(\[,]|^)\s*(?:{STRING}|{UFUNC})\s*(?=[,:}})\]])", found[0])
        called = found[0][0] == "(" and re.match(r"[\w\])]", text[found.start() - 1:found.start()])
        if not called and sum(string in NAMES or ufunc in UFUNCS for string, ufunc in keys) > 1:
            yield 1 + text.count("\n", 0, found.start())
    for found in re.finditer(r'"([\w\s]+)"', text):
        if ufuncs_in(found[1]) > 1:
            yield 1 + text.count("\n", 0, found.start())


@pytest.mark.parametrize("path", sources(".py"), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_table_in_python(path):
    assert [*tables_in_python(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("path", sources(".pyx", ".pxd"), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_table_in_cython(path):
    assert [*tables_in_cython(path.read_text(encoding="utf-8"))] == []


TABLES = [
    'X = {"add", "multiply"}', 'X = frozenset(["minimum", "maximum"])', "X = [np.add, np.subtract]",
    'X = {"add": 1, "multiply": 2}', 'if name in ("add", "multiply"): pass', 'if name == "add": pass',
    "if ufunc is np.add: pass", 'X = "add subtract".split()',
]
NO_TABLES = ["x = np.add(np.multiply(a, b), c)", 'add_rule("add", rule)', "x = (np.add(a, b), np.multiply(a, b))"]


@pytest.mark.parametrize("text", TABLES)
@pytest.mark.parametrize("finder", [tables_in_python, tables_in_cython])
def test_a_table_is_found(finder, text):
    assert {*finder(text)} == {1}


@pytest.mark.parametrize("text", NO_TABLES)
@pytest.mark.parametrize("finder", [tables_in_python, tables_in_cython])
def test_use_is_no_table(finder, text):
    assert [*finder(text)] == []


def test_tables_are_found_over_several_lines_and_by_another_name():
    assert [*tables_in_cython("_x = [\n    np.add,\n    np.multiply]\n")] == [1]
    assert [*tables_in_cython("cdef Ufunc* _add = find_ufunc(np.add)\nif u is _add:\n    pass\n")] == [2]
    assert [*tables_in_cython('"""\nadd is "add".\n"""\nx = 1  # == "add"\n')] == []


@pytest.mark.parametrize("text", ['__all__ = ["add", "multiply"]', "add, times = np.add, np.multiply"])
def test_what_is_exported_or_unpacked_is_no_table(text):
    assert [*tables_in_python(text)] == []
