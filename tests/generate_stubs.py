"""Writes the stubs of lazyarr's counterparts of NumPy: see lazyarr/stubs/__init__.py.

    python tests/generate_stubs.py

Signatures are taken from the installed NumPy's stubs; results are lazy arrays.
"""

import ast
import collections
import re
from pathlib import Path

import numpy as np

import lazyarr
from lazyarr._core.frontend.function import Function
from support.numpy_stubs import Module, Needed, converted, functions
from support.stub_overrides import EXTRA, MODULE, MORE, OVERRIDES, RANDOM
from support.stub_text import GENERATED, SILENT, operators, signature, ufunc_names, ufuncs

PACKAGE = Path(__file__).parents[1] / "lazyarr"
FACE = lazyarr.numpy
# Modules of NumPy with their own stubs that have the same objects, or functions that return ndarrays.
SAME = ("char", "ctypeslib", "polynomial", "rec", "testing")
# Not part of NumPy's interface, or removed in NumPy 2.5.
LEFT_OUT = {"ctypes", "test", "row_stack"}
# Modules that exist once something has imported them.
IMPORTED = {"recfunctions"}
# Names under which lazyarr has something else.
OTHERS = {"var"}
OWN_MODULES = {"fft", "lib", "linalg", "random", *SAME}


def names(module):
    """Return a module's public names that lazyarr replaces, without its own submodules."""
    stated = module.__all__ if module is np.char else dir(module)   # includes its imports, since NumPy 2.5
    return [name for name in stated if not name.startswith("_") and name not in LEFT_OUT | IMPORTED]


def family(module):
    """Return the file for the functions of a NumPy module."""
    _, _, name = module.partition("numpy.")
    return name.replace("_core._", "core_").replace("lib._", "lib_").removesuffix("_impl").removeprefix("_").replace(
        ".", "_")


def one_function(needed, home, name, overloads, indent=0, place=""):
    """Return the text of a function's stub, by its override if there is one."""
    override = OVERRIDES.get(place + name, OVERRIDES.get(name))
    if override is not None:
        rows = override
        for parameters, result in rows:
            needed.renamed(home, ast.parse(signature("f", parameters, result, overloaded=False)))
    else:
        rows = converted(home, overloads, needed)
        more = MORE.get(name, [])
        for parameters, result in more:
            needed.renamed(home, ast.parse(signature("f", parameters, result, overloaded=False)))
        rows[:0] = more
    return "".join(signature(name, list(parameters), result, indent, len(rows) > 1) for parameters, result in rows)


def of_functions(found, place=""):
    """Return the text of a file with the functions {name: (module, overloads)}, of a submodule if `place` names it."""
    needed = Needed()
    texts = []
    for name, (home, overloads) in sorted(found.items()):
        if len(overloads) > 1 or name in OVERRIDES:
            needed.imports["overload"] = "typing"
        texts.append(one_function(needed, home, name, overloads, place=place))
    return GENERATED + SILENT + needed.head() + "\n" + "\n".join(texts)


def face_functions(module, path):
    """Return a module's functions that build graphs, {name: (module, overloads)}."""
    def found(name):
        try:
            return functions(path, name)
        except LookupError:
            if name not in OVERRIDES:
                raise
            return Module.named(path), []

    return {name: found(name) for name in names(module) if isinstance(getattr(module, name), Function)}


def namespace():
    """Yield path and text of each file for NumPy's main namespace."""
    by_family = collections.defaultdict(dict)
    for name, found in face_functions(FACE, "numpy").items():
        by_family[family(found[0].name) if found[0].name != "numpy" else "core_multiarray"][name] = found
    lines = [GENERATED, SILENT]
    for place, found in sorted(by_family.items()):
        yield f"stubs/{place}.pyi", of_functions(found)
        lines.append(exported(f"lazyarr.stubs.{place}", found))
    lines.append(exported("numpy", others()))
    lines.append(exported("lazyarr.numpy", sorted(OWN_MODULES)))
    classes = ufunc_names()
    used = sorted({*classes.values()})
    lines.append(f"from lazyarr.stubs.ufuncs import {', '.join(f'{name} as _{name}' for name in used)}\n")
    lines.append(EXTRA)
    lines += [f"{name}: _{kind}\n" for name, kind in sorted(classes.items())]
    shared = sorted({each.partition(" as ")[2] for each in "".join(lines).split("\n") if each.startswith("from ")}
                    .union(classes, by_hand()) - OTHERS - {""})
    shared = [each for each in shared if not each.startswith("_")]
    yield "stubs/names.pyi", "".join([*lines, f"\n__all__ = {shared!r}\n"])
    yield "numpy/__init__.pyi", "".join([
        GENERATED, SILENT, "from lazyarr.stubs.names import *\n", exported("lazyarr.stubs.names", OTHERS), MODULE,
        f"\n__all__ = {sorted([*shared, *OTHERS, '__version__'])!r}\n"])


def exported(module, found):
    return "".join(f"from {module} import {name} as {name}\n" for name in sorted(found))


def by_hand():
    """Return the names that `EXTRA` defines."""
    found = set()
    for statement in ast.parse(EXTRA).body:
        if isinstance(statement, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in statement.names}
        elif isinstance(statement, ast.AnnAssign | ast.FunctionDef):
            found.add(statement.target.id if isinstance(statement, ast.AnnAssign) else statement.name)
    return found


def others():
    """Return the names of NumPy's own objects, and of objects that checkers should treat as such."""
    return [name for name in names(np) if name not in by_hand() | OWN_MODULES
            and not isinstance(getattr(np, name), np.ufunc) and not isinstance(getattr(FACE, name), Function)]


def submodule(name):
    """Return the text of the stub of `lazyarr.numpy.<name>`: functions that build graphs, and NumPy's own objects."""
    path = f"numpy.{name}"
    real = getattr(np, name)
    found = face_functions(getattr(FACE, name), path)
    text = re.sub(r"\b(\w+Result)\b", r"_\1", of_functions(found, f"{name}."))  # classes that are private in NumPy
    return text + "\n" + exported(path, [each for each in names(real) if each not in found])


def random():
    """Return the text of `random.pyi`: both generator classes, and the functions of the global one."""
    needed = Needed()
    needed.imports["overload"] = "typing"
    needed.imports["_ArrayLikeInt_co"] = "numpy._typing"
    needed.definitions |= {"Generator": "", "RandomState": ""}  # defined below
    texts = []
    for name, module in ("Generator", "numpy.random._generator"), ("RandomState", "numpy.random.mtrand"):
        home, [statement] = Module.named(module).find(name)
        texts.append(f"class {name}(_{name}):\n" + "".join(
            one_function(needed, home, method, overloads, 4) for method, overloads in methods(statement).items()
            if not method.startswith("_")))
    found = {name: overloads for name, overloads in methods(statement, bound=True).items()
             if hasattr(np.random, name) and not name.startswith("_")}
    found |= dict.fromkeys(("ranf", "sample"), found["random_sample"])
    texts += [one_function(needed, home, name, overloads) for name, overloads in sorted(found.items())]
    by_hand = ["Generator", "RandomState", "default_rng", "get_bit_generator", "set_bit_generator"]
    rest = [name for name in names(np.random) if name not in (*found, *by_hand)]
    text = needed.head() + RANDOM + "\n" + "\n".join(texts) + "\n" + exported("numpy.random", rest)
    return GENERATED + SILENT + text.replace("-> bytes", "-> _bytes")


def methods(statement, bound=False):
    """Return the overloads of each method of a class, without `self` if bound."""
    found = collections.defaultdict(list)
    for each in statement.body:
        if isinstance(each, ast.FunctionDef):
            if bound:
                each = ast.parse(ast.unparse(each)).body[0]
                (each.args.posonlyargs or each.args.args).pop(0)
            if not any(getattr(decorator, "id", "") == "property" for decorator in each.decorator_list):
                found[each.name].append(each)
    return found


def files():
    """Return {path in the package: text} of all generated files."""
    found = dict(namespace())
    found["stubs/operators.pyi"], found["stubs/ufuncs.pyi"] = operators(), ufuncs()
    for name in "fft", "linalg":
        found[f"numpy/{name}.pyi"] = submodule(name)
    found["numpy/random.pyi"] = random()
    for name in SAME:
        found[f"numpy/{name}.pyi"] = GENERATED + SILENT + exported(f"numpy.{name}", names(getattr(np, name)))
    found["numpy/lib/__init__.pyi"] = GENERATED + SILENT + exported("numpy.lib", names(np.lib))
    return found


def main():
    for path, text in files().items():
        ast.parse(text)
        (PACKAGE / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
