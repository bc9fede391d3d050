"""Every example in docstrings, the README and docs/ does what it shows."""

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pytest

import lazyarr

ROOT = Path(__file__).parents[1]
NAMES = {"np": np, "la": lazyarr}
# Objects with NumPy's documentation unchanged have its examples, too; NumPy tests them.
NUMPY = [np, np.ndarray, np.fft, np.linalg, np.random, np.random.Generator, np.random.RandomState]
NUMPY_DOCS = {inspect.getdoc(obj) for namespace in NUMPY for obj in vars(namespace).values()}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def modules():
    names = [info.name for info in pkgutil.walk_packages(lazyarr.__path__, "lazyarr.")]
    return [lazyarr, *(importlib.import_module(name) for name in names if not name.endswith("__main__"))]


def is_numpys(module, test):
    """Return whether NumPy has the same example."""
    name = test.name.removeprefix(f"{module.__name__}.")
    return (inspect.cleandoc(test.docstring) in NUMPY_DOCS or "\n\nAs in NumPy:\n" in test.docstring
            or getattr(vars(module).get(name), "original", None) is not None)


def examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in modules():
        found = finder.find(module, extraglobs=NAMES)
        yield from (test for test in found if test.examples and not is_numpys(module, test))
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        test = doctest.DocTestParser().get_doctest(page.read_text("utf-8"), dict(NAMES), page.name, str(page), 0)
        if test.examples:
            yield test


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.name)
def test_example(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    output = []
    results = doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(example, out=output.append)
    assert results.failed == 0, "".join(output)
