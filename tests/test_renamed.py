"""Renamed modules: importing or looking up an old name raises an error that gives the new one."""

import importlib

import pytest

import lazyarr as la
from lazyarr.renamed import NEW_NAMES


@pytest.mark.parametrize("old", NEW_NAMES)
def test_import_of_an_old_name_tells_the_new_one(old):
    importlib.import_module(NEW_NAMES[old])
    with pytest.raises(ModuleNotFoundError, match=rf"^{old} has been renamed: it is {NEW_NAMES[old]}$"):
        importlib.import_module(old)


@pytest.mark.parametrize(("statement", "new"), [
    ("from lazyarr import tuning", "lazyarr.autotune"),
    ("from lazyarr.tuning.values import Tuning", "lazyarr.autotune"),
    ("import lazyarr.graph.compile", "lazyarr.compiler"),
    ("from lazyarr.nn import losses", "lazyarr.nn.functional.losses"),
    ("from lazyarr.symbolic.jit import Jitted", "lazyarr.tracing.jit"),
])
def test_forms_of_import(statement, new):
    with pytest.raises(ModuleNotFoundError, match=f"it is {new}$"):
        exec(statement)


@pytest.mark.parametrize(("package", "name", "new"), [
    (la, "tuning", "lazyarr.autotune"), (la.nn, "losses", "lazyarr.nn.functional.losses")])
def test_attribute_of_an_old_name_tells_the_new_one(package, name, new):
    with pytest.raises(AttributeError, match=f"it is {new}$") as caught:
        getattr(package, name)
    assert (caught.value.obj, caught.value.name) == (package, name)


def test_names_that_never_were():
    with pytest.raises(AttributeError, match=r"^module 'lazyarr\.nn' has no attribute 'no_such_name'$"):
        la.nn.no_such_name
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'lazyarr\.no_such_module'$"):
        importlib.import_module("lazyarr.no_such_module")


def test_names_that_are_functions_today():
    from lazyarr import graph
    from lazyarr.nn import linear
    from lazyarr.symbolic import jit

    assert (graph, linear, jit) == (la.graph, la.nn.linear, la.jit)


def test_import_leaves_the_table(run_python):
    code = "import sys, lazyarr; lazyarr.sqrt(2.0) + 1; print('lazyarr.renamed' in sys.modules)"
    assert run_python(code) == "False\n"
