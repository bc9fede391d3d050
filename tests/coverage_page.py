"""Writes docs/coverage.md: how each function of NumPy runs, and which examples of its docstrings print something else.

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
    registry.NATIVE: "a node of the graph, run by the core, or steps of which each is such a node",
    registry.OPAQUE: "one node of the graph: a call of NumPy's function, made when the graph is evaluated",
    registry.IMMEDIATE: "evaluates its arguments and calls NumPy's function where it is written",
    OWN: "the very object that NumPy has: it does not compute with arrays",
}
# Functions that are not made from the table's rows.
BY_HAND = {
    "asmatrix": (registry.IMMEDIATE, "A matrix, which is NumPy's own."),
    "frompyfunc": (registry.IMMEDIATE, "A ufunc that calls a Python function at once."),
    "Generator.spawn": (registry.IMMEDIATE, "Generators that hand out lazy arrays."),
    "default_rng": (registry.IMMEDIATE, "A generator that hands out lazy arrays."),
}
HEAD = """\
# Coverage

How each function of `numpy`, `numpy.linalg`, `numpy.fft` and `numpy.random` runs on lazy arrays, and what prints
something else than with NumPy. `{command}` writes this page from the table of operations, here with
NumPy {version}.

{kinds}

Every other public name is there too: dtypes, constants, exceptions and classes are NumPy's own objects, but for
`ndarray`, `ufunc`, `flatiter`, `nditer`, `vectorize`, `random.Generator` and `random.RandomState`, which stand for
NumPy's and for lazyarr's alike.

"""


NUMPYS_TESTS = """\
## NumPy's own tests

NumPy 2.4.6 has 43,504 tests that pass and ask for nothing internal. With lazyarr in its place 43,329 of them pass,
99.6 %. Of 1,369 others, which count references, call private modules of NumPy's, or ask for the type `ndarray` and
classes derived from it, 1,248 pass, 91.2 %. These fail (`tests/numpys_own.txt`), here without their parameters:
"""


def functions(module):
    """Yield (name, NumPy's function, lazyarr's) for each public function of a module; the methods of Generator too."""
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
    """How a function runs, and the sentence about it."""
    op = registry.find(original) or getattr(found, "op", None)
    if op is not None:
        return op.kind, op.doc
    return (OWN, "") if found is original else BY_HAND[name]


def table(head, rows):
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)) + "\n"


def functions_part():
    """How many functions run in each way, and a table for each module."""
    counts, parts = Counter(), []
    for module in docstrings.MODULES:
        rows = []
        for name, original, found in functions(module):
            kind, sentence = how(name, original, found)
            counts[module.__name__, kind] += 1
            rows.append((f"`{name}`", kind, sentence.replace("|", "\\|")))
        parts.append(f"## {module.__name__}\n\n{table(('function', 'runs', 'what it does here'), rows)}")
    summary = table(("", *KINDS), [(f"`{module.__name__}`", *[f"{counts[module.__name__, kind]:,}" for kind in KINDS])
                                   for module in docstrings.MODULES])
    return f"{summary}\n" + "\n".join(parts)


def examples_part(results):
    """How many examples of NumPy's docstrings print the same, and those that do not."""
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
        "Of those that print with NumPy what their docstring shows, this many print the very same with `np` being\n"
        "`lazyarr.numpy`, but for the name of the array's class (`python tests/docstrings.py`). The docstrings\n"
        "of the random distributions that show plots are left out.\n\n"
        + table(("", "examples", "pass with NumPy", "print the same", ""), rows)
        + "\nThe others:\n\n"
        + table(("docstring and example", "", "what differs"), differing)
    )


def numpys_tests_part():
    """Which of NumPy's own tests fail, by reason."""
    by_reason = {reason: [] for reason in numpys_own.reasons()}
    for file, tests in numpys_own.listed(selected=False).items():
        for name, (reason, count) in tests.items():
            by_reason[reason].append((file, name, count))
    rows = [(meaning, str(sum(count for *_, count in by_reason[reason])),
             ", ".join(f"`{name.rpartition('::')[2]}`" for _, name, _ in by_reason[reason]))
            for reason, meaning in numpys_own.reasons().items()]
    return f"{NUMPYS_TESTS}\n{table(('reason', 'fail', 'tests'), rows)}"


def page():
    """The whole page."""
    kinds = "\n".join(f"- **{kind}**: {meaning}" for kind, meaning in KINDS.items())
    head = HEAD.format(command=COMMAND, version=np.__version__, kinds=kinds)
    return f"{head}{functions_part()}\n{examples_part(docstrings.results())}\n{numpys_tests_part()}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
