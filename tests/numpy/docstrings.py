"""The examples in NumPy's own docstrings, run with `np` being NumPy and again with it being `lazyarr.numpy`.

Each docstring has a namespace of its own. An example counts if NumPy prints what its docstring shows; then lazyarr has
to print the same, but for the name of the array's class. As a command, prints what differs:

    python tests/numpy/docstrings.py [names ...]
"""

import builtins
import contextlib
import doctest
import functools
import io
import os
import re
import sys
import tempfile
import traceback
import types
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np

import lazyarr
from lazyarr.runner import counterpart, is_numpy

MODULES = (np, np.linalg, np.fft, np.random)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
# Names of the array's class, and what differs from run to run.
_SPELLINGS = [(r"\blazyarr(\._core\.array)?\.LazyArray\b", "numpy.ndarray"), (r"\bLazyArray\b", "ndarray"),
              (r"\blazyarr\.numpy\b", "numpy"), (r"\b0x[0-9a-fA-F]{6,}\b", "0x"), (r"\s+", " ")]


@dataclass(frozen=True, slots=True)
class Result:
    """An example that NumPy passes, and what was printed."""

    name: str
    number: int
    source: str
    numpy: str
    lazyarr: str

    @property
    def same(self):
        return spelled(self.numpy) == spelled(self.lazyarr)


def spelled(printed):
    """What was printed, without what may differ."""
    for pattern, replacement in _SPELLINGS:
        printed = re.sub(pattern, replacement, printed)
    return printed.strip()


def docstrings():
    """Yield (name, docstring) for all public objects, and for the public members of classes; each text once."""
    seen = set()

    def new(name, obj):
        text = getattr(obj, "__doc__", None)
        if isinstance(text, str) and ">>>" in text and text not in seen:
            seen.add(text)
            yield name, text

    for module in MODULES:
        for name in sorted(dir(module)):
            obj = getattr(module, name)
            if name.startswith("_") or isinstance(obj, types.ModuleType):
                continue
            path = f"{module.__name__}.{name}".removeprefix("numpy.")
            yield from new(path, obj)
            for member in sorted(vars(obj)) if isinstance(obj, type) else ():
                if not member.startswith("_"):
                    yield from new(f"{path}.{member}", getattr(obj, member))


def run(examples, imported):
    """Run examples in a fresh namespace, in which importing NumPy gives `imported(name)`; what each one prints."""
    def importing(name, globals=None, locals=None, fromlist=(), level=0):
        module = builtins.__import__(name, globals, locals, fromlist, level)
        return imported(name if fromlist else "numpy") if level == 0 and is_numpy(name) else module

    namespace = {"__name__": "__main__", "__builtins__": vars(builtins) | {"__import__": importing},
                 "np": imported("numpy")}
    np.random.seed(0)
    printed = []
    with tempfile.TemporaryDirectory() as folder, _kept(folder):
        for example in examples:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                try:
                    exec(compile(example.source, "<example>", "single"), namespace)
                except Exception as error:
                    print("".join(traceback.format_exception_only(error)))
            printed.append(out.getvalue())
        namespace.clear()
    return printed


@contextlib.contextmanager
def _kept(folder):
    """A working directory to write to; print options, error states and warnings are put back afterwards."""
    display = sys.displayhook
    with contextlib.chdir(folder), np.printoptions(), np.errstate(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.displayhook = sys.__displayhook__
        try:
            yield
        finally:
            sys.displayhook = display
            if "matplotlib.pyplot" in sys.modules:
                sys.modules["matplotlib.pyplot"].close("all")


def _passes(example, printed):
    checker = doctest.OutputChecker()
    flags = FLAGS
    for flag, on in example.options.items():
        flags = flags | flag if on else flags & ~flag
    if example.exc_msg is None:
        return checker.check_output(example.want, printed, flags)
    return checker.check_output(example.exc_msg.partition(":")[0], printed.strip().partition(":")[0], flags)


def results(wanted=()):
    """The Result of each example, and how many there are in all, over all docstrings or those of the names given."""
    os.environ["MPLBACKEND"] = "Agg"
    found, total = [], 0
    for name, text in docstrings():
        if wanted and name not in wanted:
            continue
        try:
            examples = doctest.DocTestParser().get_examples(text)
        except ValueError:
            continue  # no well-formed examples
        total += len(examples)
        examples = [x for x in examples if not x.options.get(doctest.SKIP)]
        expected, got = run(examples, sys.modules.__getitem__), run(examples, counterpart)
        found += [Result(name, i, x.source, want, have) for i, (x, want, have) in
                  enumerate(zip(examples, expected, got, strict=True)) if _passes(x, want)]
    return found, total


def main(names):
    found, total = results(names)
    for r in found:
        if not r.same:
            print(f"{r.name} [{r.number}]\n>>> {r.source}NumPy:   {r.numpy.rstrip()}\nlazyarr: {r.lazyarr.rstrip()}\n")
    same = sum(r.same for r in found)
    print(f"{total} examples, {len(found)} pass under NumPy, {same} of these print the same with lazyarr "
          f"({same / len(found):.2%})")


if __name__ == "__main__":
    main(sys.argv[1:])
