"""Every public name has an entry in the reference."""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import lazyarr

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted((DOCS / "api").glob("*.md"))
REFERENCE = (DOCS / "reference.md").read_text("utf-8")
TEXT = REFERENCE + "".join(page.read_text("utf-8") for page in PAGES)
DIRECTIVE = re.compile(r"\.\. (currentmodule|auto\w+|py:\w+):: ([\w.]+)")
MODULES = ("lazyarr", "lazyarr.autodiff", "lazyarr.backends", "lazyarr.control", "lazyarr.nn", "lazyarr.nn.grad",
           "lazyarr.nn.initialisers", "lazyarr.rules", "lazyarr.runtime", "lazyarr.symbolic")


def entries():
    """Return the full names of all entries; for an automodule, the module's public functions."""
    for page in PAGES:
        current = ""
        for kind, name in DIRECTIVE.findall(page.read_text("utf-8")):
            if kind == "currentmodule":
                current = name
            elif kind == "automodule":
                module = importlib.import_module(name)
                yield from (f"{name}.{n}" for n, f in inspect.getmembers(module, inspect.isfunction)
                            if f.__module__ == name and not n.startswith("_"))
            elif kind != "autosummary":
                yield name if name.startswith("lazyarr.") else f"{current}.{name}"


def found(name):
    *parts, last = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            owner = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            owner = getattr(owner, part)
        return getattr(owner, last)
    raise ValueError(name)


@pytest.fixture(scope="module")
def documented():
    names = list(entries())
    assert len(names) == len(set(names)), "an object has one entry"
    return [found(name) for name in names]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_an_entry(module, documented):
    owner = importlib.import_module(module)
    missing = []
    for name in owner.__all__:
        obj = getattr(owner, name)
        if isinstance(obj, ModuleType):
            is_missing = obj.__name__ not in TEXT
        else:
            is_missing = not name.startswith("__") and not any(obj is entry for entry in documented)
        if is_missing:
            missing.append(name)
    assert not missing


def test_every_page_of_the_reference_is_linked():
    assert not [page.name for page in PAGES if f"(api/{page.name})" not in REFERENCE]


def test_what_lazy_arrays_have_besides_numpys_has_an_entry():
    page = (DOCS / "api" / "arrays.md").read_text("utf-8")
    members = set(re.search(r":members: (.*)", page)[1].split(", "))
    own = {name for name in dir(lazyarr.LazyArray) if not name.startswith("_") and not hasattr(np.ndarray, name)}
    of_floats = set(dir(float) + dir(int))  # results without axes take the place of NumPy's scalars
    assert own - of_floats <= members
