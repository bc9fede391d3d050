"""The examples in NumPy's docstrings, run with `np` as NumPy and as `lazyarr.numpy`.

Each docstring has its own namespace. An example counts if NumPy prints what its docstring shows; lazyarr must then
print the same, except for the name of the array class. As a command, prints the differences:

    python tests/docstrings.py [names ...]
"""

import builtins
import contextlib
import doctest
import functools
import io
import os
import random
import re
import sys
import tempfile
import traceback
import types
import warnings
from dataclasses import dataclass
from unittest import mock

import numpy as np

from lazyarr.runner import counterpart, is_numpy

MODULES = (np, np.linalg, np.fft, np.random)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
NUMPY = "2.4.6"  # the version whose docstrings the exceptions refer to
# Differences by reason: names of docstrings, each followed by its example numbers.
EXCEPTIONS = {
    "A dtype's metadata is not carried through computations.":
        "dtype.metadata 6 9",
    "The flag ALIGNED cannot be cleared: the memory is always aligned.":
        "ndarray.setflags 6",
}
# Names of the array class, and output that varies between runs.
_SPELLINGS = [(r"\blazyarr\.LazyArray\b", "numpy.ndarray"),
              (r"\bLazyArray\b", "ndarray"), (r"\blazyarr\.numpy\b", "numpy"), (r"\b0x[0-9a-fA-F]{6,}\b", "0x")]


@dataclass(frozen=True, slots=True)
class Result:
    """An example: whether NumPy prints what the docstring shows, and the outputs."""

    name: str
    number: int
    source: str
    passes: bool
    numpy: str
    lazyarr: str

    @property
    def same(self):
        return spelled(self.numpy) == spelled(self.lazyarr)

    @property
    def module(self):
        first = self.name.partition(".")[0]
        return f"numpy.{first}" if first in ("linalg", "fft", "random") else "numpy"


def spelled(printed):
    """Normalise output."""
    for pattern, replacement in _SPELLINGS:
        printed = re.sub(pattern, replacement, printed)
    return " ".join(printed.split())


def exceptions():
    """Return the reason for each (name, number) in `EXCEPTIONS`."""
    return {(name, int(number)): reason for reason, listed in EXCEPTIONS.items()
            for name, *numbers in map(str.split, listed.split(",")) for number in numbers}


def docstrings():
    """Yield (name, docstring) for all public objects and public members of classes, each text once.

    Docstrings of random distributions with plots print almost nothing and draw a lot: they are skipped.
    """
    seen = set()

    def new(name, obj):
        text = getattr(obj, "__doc__", None)
        if isinstance(text, str) and ">>>" in text and text not in seen:
            seen.add(text)
            if not (name.startswith("random.") and "plt." in text):
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
    """Run examples in a fresh namespace, in which importing NumPy returns `imported(name)`; return their outputs."""
    def importing(name, globals=None, locals=None, fromlist=(), level=0):
        module = builtins.__import__(name, globals, locals, fromlist, level)
        return imported(name if fromlist else "numpy") if level == 0 and is_numpy(name) else module

    namespace = {"__name__": "__main__", "__builtins__": vars(builtins) | {"__import__": importing},
                 "np": imported("numpy")}
    printed = []
    with _surroundings():
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
def _surroundings():
    """Run in a temporary folder with fixed random numbers, and restore all settings afterwards."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(stack.enter_context(tempfile.TemporaryDirectory())))
        for context in (np.printoptions(), np.errstate(), warnings.catch_warnings(),
                        mock.patch.dict(os.environ, MPLBACKEND="Agg"),
                        mock.patch.object(sys, "displayhook", sys.__displayhook__),
                        mock.patch.object(np.random.bit_generator, "randbits", random.Random(0).getrandbits)):
            stack.enter_context(context)
        warnings.simplefilter("ignore")
        stack.callback(np.random.set_state, np.random.get_state())
        stack.callback(vars(builtins).pop, "_", None)  # the last displayed value
        np.random.seed(0)
        try:
            yield
        finally:
            if "matplotlib.pyplot" in sys.modules:
                sys.modules["matplotlib.pyplot"].close("all")


def _passes(example, printed):
    """Return whether this is what the docstring shows; for an exception, only its class."""
    flags = FLAGS
    for flag, on in example.options.items():
        flags = flags | flag if on else flags & ~flag
    if example.exc_msg is not None:
        return example.exc_msg.partition(":")[0] == printed.partition(":")[0]
    return doctest.OutputChecker().check_output(example.want, printed, flags)


@functools.cache
def results(wanted=()):
    """Return the Result of each example not to be skipped, in all docstrings or in the named ones."""
    found = []
    for name, text in docstrings():
        if wanted and name not in wanted:
            continue
        examples = [x for x in doctest.DocTestParser().get_examples(text) if not x.options.get(doctest.SKIP)]
        shown, got = run(examples, sys.modules.__getitem__), run(examples, counterpart)
        found += [Result(name, number, x.source, _passes(x, want), want, have)
                  for number, (x, want, have) in enumerate(zip(examples, shown, got, strict=True), 1)]
    return tuple(found)


def main(names):
    found = results(tuple(names))
    counted = [r for r in found if r.passes]
    for r in counted:
        if not r.same:
            print(f"{r.name} {r.number}\n>>> {r.source}NumPy:   {r.numpy.rstrip()}\nlazyarr: {r.lazyarr.rstrip()}\n")
    same = sum(r.same for r in counted)
    print(f"{len(found)} examples, {len(counted)} pass under NumPy, {same} of these print the same with lazyarr")


if __name__ == "__main__":
    main(sys.argv[1:])
