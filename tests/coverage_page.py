"""Writes docs/coverage.md: how each function of NumPy runs, and which docstring examples print something else.

    python tests/coverage_page.py
"""

import types
from collections import Counter
from pathlib import Path

import docstrings
import numpy as np
import numpys_own

import lazyarr
from lazyarr.ops import table as registry

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
COMMAND = "python tests/coverage_page.py"
OWN = "NumPy's own"
KINDS = {
    registry.NATIVE: "lazy, and computed by lazyarr's own code, as one or several operations of the graph",
    registry.OPAQUE: "lazy: a call of NumPy's function that is made when the graph is evaluated",
    registry.IMMEDIATE: "not lazy: evaluates its arguments and calls NumPy's function at once",
    OWN: "NumPy's own object, which does not compute with arrays",
}
# Functions without rows in the table.
BY_HAND = {
    "asmatrix": (registry.IMMEDIATE, "NumPy's own matrix class."),
    "frompyfunc": (registry.IMMEDIATE, "A ufunc that calls the Python function at once."),
    "Generator.spawn": (registry.IMMEDIATE, "Generators that return lazy arrays."),
    "default_rng": (registry.IMMEDIATE, "A generator that returns lazy arrays."),
}
HEAD = """\
# Coverage

This page lists how each function of `numpy`, `numpy.linalg`, `numpy.fft` and `numpy.random` runs on lazy arrays, which
examples of NumPy's docstrings print something else, and which of NumPy's own tests fail. `{command}`
generates it, here with NumPy {version}.

{kinds}

All other public names exist, too. dtypes, constants, exceptions and classes are NumPy's own objects, except `ndarray`,
`ufunc`, `flatiter`, `nditer`, `vectorize`, `random.Generator` and `random.RandomState`, which stand for NumPy's and
lazyarr's classes alike.

"""


NUMPYS_TESTS = """\
## NumPy's own tests

Of the tests of NumPy 2.4.6, 43,504 pass with NumPy and test no internals. With lazyarr in place of NumPy, 43,329 of
them pass (99.6 %). Another 1,369 tests count references, call private modules of NumPy, or require the type `ndarray`
or subclasses of it; 1,248 of them pass (91.2 %). These tests fail (`tests/numpys_own.txt`), listed without parameters:
"""


def functions(module):
    """Yield (name, NumPy's function, lazyarr's) for each public function of a module, and for the methods of Generator.
    """
    face = getattr(lazyarr.numpy, module.__name__.removeprefix("numpy.")) if module is not np else lazyarr.numpy
    for name in sorted(dir(module), key=str.lower):
        obj = getattr(module, name)
        if not name.startswith("_") and callable(obj) and not isinstance(obj, type | types.ModuleType):
            yield name, obj, getattr(face, name)
    if module is np.random:
        for name in sorted(dir(np.random.Generator)):
            obj = getattr(np.random.Generator, name)
            if not name.startswith("_") and callable(obj):
                yield f"Generator.{name}", obj, getattr(face.Generator, name)


def how(name, original, found):
    """Return how a function runs, with a description."""
    op = registry.find(original) or getattr(found, "op", None)
    if op is not None:
        return op.kind, op.doc
    return (OWN, "") if found is original else BY_HAND[name]


def table(head, rows):
    """Format a table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)) + "\n"


def functions_part():
    """Return the number of functions by how they run, and a table per module."""
    counts, parts = Counter(), []
    for module in docstrings.MODULES:
        rows = []
        for name, original, found in functions(module):
            kind, sentence = how(name, original, found)
            counts[module.__name__, kind] += 1
            rows.append((f"`{name}`", kind, sentence.replace("|", "\\|")))
        parts.append(f"## {module.__name__}\n\n{table(('function', 'runs', 'how'), rows)}")
    summary = table(("module", *KINDS),
                    [(f"`{module.__name__}`", *[f"{counts[module.__name__, kind]:,}" for kind in KINDS])
                     for module in docstrings.MODULES])
    return f"{summary}\n" + "\n".join(parts)


def examples_part(results):
    """Return how many examples of NumPy's docstrings print the same, and which do not."""
    rows = []
    for module in docstrings.MODULES:
        found = [r for r in results if r.module == module.__name__]
        counted = [r for r in found if r.passes]
        same = sum(r.same for r in counted)
        rows.append((f"`{module.__name__}`", f"{len(found):,}", f"{len(counted):,}", f"{same:,}",
                     f"{same / len(counted):.2%}"))
    why = docstrings.exceptions()
    differing = [(f"`{r.name}` {r.number}", f"`{r.source.splitlines()[0]}`", why[r.name, r.number])
                 for r in results if r.passes and not r.same]
    return (
        "## Examples in NumPy's docstrings\n\n"
        "How many of the examples that print with NumPy what the docstring shows print the same with lazyarr, apart\n"
        "from the name of the array's class (`python tests/docstrings.py`). Docstrings of random distributions that\n"
        "show plots are left out.\n\n"
        + table(("module", "examples", "pass with NumPy", "print the same", "share"), rows)
        + "\nThe others print something else:\n\n"
        + table(("docstring, example", "code", "difference"), differing)
    )


def numpys_tests_part():
    """Return which of NumPy's own tests fail, by reason."""
    by_reason = {reason: [] for reason in numpys_own.reasons()}
    for file, tests in numpys_own.listed(selected=False).items():
        for name, (reason, count) in tests.items():
            by_reason[reason].append((file, name, count))
    rows = [(meaning, str(sum(count for *_, count in by_reason[reason])),
             ", ".join(f"`{name.rpartition('::')[2]}`" for _, name, _ in by_reason[reason]))
            for reason, meaning in numpys_own.reasons().items()]
    return f"{NUMPYS_TESTS}\n{table(('reason', 'failures', 'tests'), rows)}"


def page():
    """Return the whole page."""
    kinds = "\n".join(f"- **{kind}**: {meaning}" for kind, meaning in KINDS.items())
    head = HEAD.format(command=COMMAND, version=np.__version__, kinds=kinds)
    return f"{head}{functions_part()}\n{examples_part(docstrings.results())}\n{numpys_tests_part()}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
