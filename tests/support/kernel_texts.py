"""The functions of `lazyarr.gpu` that generate kernels, with arguments that cover all kinds that each generates."""

import functools
import importlib
import inspect
import itertools
import pkgutil

from lazyarr import gpu
from lazyarr.gpu.calls import (
    contraction_kernels,
    pooling,
    scans,
    scatters,
    transforms,
)
from lazyarr.gpu.calls.contraction_kernels import DOT, LARGE, SMALL, TALL, WIDE
from lazyarr.gpu.calls.gathers import CLIP, RAISE, WRAP
from lazyarr.gpu.calls.text import UNITS, Text
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from lazyarr.gpu.generator.tile_kernels import Kernel, NoKernel
from lazyarr.gpu.libraries import arranged

CHARS, REAL, FLOATS, INDICES = "?bBhHiIlLefdFD", "?bBhHiIlLefd", "efdFD", "bBhHiIl"
FLAGS, MODES = 15, (RAISE, WRAP, CLIP)


@functools.cache
def writers():
    """Return all functions that return the text of a kernel, by qualified name."""
    found = {}
    for info in pkgutil.walk_packages(gpu.__path__, f"{gpu.__name__}."):
        if info.name.endswith(".opencl"):   # needs pyopencl
            continue
        for name, function in vars(importlib.import_module(info.name)).items():
            if inspect.isfunction(inspect.unwrap(function)) and function.__module__ == info.name and \
                    inspect.get_annotations(inspect.unwrap(function)).get("return") is Text:  # fmt: skip
                found[f"{info.name.removeprefix('lazyarr.gpu.')}.{name}"] = function
    return found


def _each(*choices):
    """Return all combinations of arguments."""
    return itertools.product(*choices)


def _contractions():
    for chars in ("fff", "ddd", "eee", "lil", "???", "FFF", "fDD", "HHH"):
        flags = 10 if chars[2] in FLOATS else 0
        for tile in (LARGE, SMALL, TALL, WIDE, DOT):
            for windows, is_partial, conjugates in ((0, False, False), (2, True, chars[2] in "FD")):
                yield (contraction_kernels.Form((*chars,), tile, (1, 2, 1, 3), windows, conjugates, flags, is_partial),)


def _pooling():
    for line in ("max", "places", "give back", "mean", "mix"):
        for char in "fd" if line in ("give back", "mean", "mix") else "fdbHl?":
            yield (pooling.Form(line, char, "i" if line == "places" else char, "b" if line == "give back" else "", 2),)


def _scans():
    for op, char in [*_each(("add", "maximum"), CHARS), *_each(scans.OPERATIONS, "ld")]:
        for keeps in (False, True):
            flags = FLAGS if char in FLOATS else 0
            yield (scans.Form(op, (char, "f" if char == "e" else char, char), flags, 1, keeps),)


def _tiles():
    yield from _scans()
    for char, keeps in _each(FLOATS, (False, True)):
        yield (scans.Form("add", (char, "f" if char == "e" else char, char), FLAGS, 1, keeps, True),)


def _lines():
    for op, char in _each(("add", "multiply"), FLOATS):
        for checks in (False, op == "add"):
            form = scans.Form(op, (char, "f" if char == "e" else char, char), FLAGS, 1, True)
            yield (form._replace(checks=checks),)


def _passes():
    for radix, kind in _each((1, *transforms.RADICES), ("f32", "f64")):
        real, number = ("f", "F") if kind == "f32" else ("d", "D")
        for source, is_half, target in ((number, False, number), (real, False, number), (number, True, real)):
            yield (transforms.Form(kind, source, is_half, target, radix, is_half, True, 1),)


CASES = {
    "calls.at_places.offset_text": lambda: _each([1], [1], [("i64",), ("u8", "i32")], MODES),
    "calls.at_places.combine_text": lambda: [
        (op, char, char, FLAGS if char in FLOATS else 0, 1, 1, ("i64",))
        for op, char in [*_each(("add", "multiply", "maximum"), CHARS), ("logical_or", "?")]],
    "calls.bin_counts.zeros_text": lambda: _each(UNITS.values()),
    "calls.bin_counts.counts_text": lambda: [()],
    "calls.bin_counts.sums_text": lambda: [()],
    "calls.checks.found_text": lambda: _each([1, 3]),
    "calls.checks.copy_text": lambda: _each(UNITS.values(), [1, 3]),
    "calls.contraction_kernels.generate_combine": lambda: [
        (contraction_kernels.CombineForm(char, 2, 10 if char in FLOATS else 0),) for char in CHARS],
    "calls.contraction_kernels.generate_contraction": _contractions,
    "calls.gathers.gather_text": lambda: _each(UNITS.values(), [1], [1], [1, 2], MODES),
    "calls.interpolation.interp_text": lambda: _each(["ddd", "flB", "?ed"], [0, 2]),
    "calls.line_tiles.copy_text": lambda: _each(CHARS, [0, 2]),
    "calls.packed.bits_text": lambda: [*_each(REAL, [2], [True], [True, False]),
                                       *_each("B", [2], [False], [True, False])],
    "calls.packed.unravel_text": lambda: _each(INDICES, [1], [3]),
    "calls.packed.ravel_text": lambda: [("ibL", 2, ("clip", "wrap", "raise"))],
    "calls.parts.bounds_text": lambda: _each(INDICES),
    "calls.parts.parts_text": lambda: [
        (op, char, char, "l", FLAGS if char in FLOATS else 0, 1)
        for op, char in [*_each(("add", "multiply", "maximum"), REAL), ("logical_and", "?")]],
    "calls.pooling.generate": _pooling,
    "calls.repeats.repeat_text": lambda: _each(UNITS.values(), [2], [True, False]),
    "calls.scans.line_text": _lines,
    "calls.scans.tile_text": _tiles,
    "calls.scans.column_text": _scans,
    "calls.scatters.scatter_text": lambda: _each(
        [scatters.CHECK, scatters.CLAIM, scatters.WRITE], UNITS.values(), [1], [1], [("i64",), ("u8", "i32")]),
    "calls.sliding.sliding_text": lambda: [
        *[(char, char, char) for char in CHARS], ("D", "d", "D", "x"), ("D", "F", "D", "w"), ("B", "l", "l")],
    "calls.sorts.tiles_text": lambda: _each(REAL, [1], [True, False], [True, False]),
    "calls.sorts.splits_text": lambda: _each(REAL),
    "calls.sorts.merge_text": lambda: _each(REAL, [1], [True, False], [True, False]),
    "calls.sorts.ties_text": lambda: _each(REAL, [1]),
    "calls.sorts.searchsorted_text": lambda: _each(REAL, [2], [True, False], [True, False]),
    "calls.transforms.pass_text": _passes,
    "calls.true_places.coordinates_text": lambda: _each([1, 3]),
    "libraries.arranged._generate": lambda: [
        *[(arranged.Form(char, char, 2, part=part),)
          for char, part in _each("fdFD", ("lower", "upper", "diagonal", ""))],
        *[(arranged.Form(char, char, 2, scale, char in "FD"),)
          for char, scale in _each("fdFD", ("1 / n", "1 / sqrt(n)"))],
        (arranged.Form("i", "d", 1),), (arranged.Form("f", "D", 2),)],
    "libraries.determinants._generate": lambda: _each("fdFD", [1, 2]),
    "libraries.finite._generate": lambda: _each(["f32", "f64"]),
    "libraries.sum_flags._generate": lambda: [
        (chars, 2, 1, flags, windows)
        for chars, flags, windows in _each([("f", "f", "f"), ("d", "d"), ("D", "D", "D"), ("F", "F")], [2, 8, 10],
                                          [0, 2])],
}  # fmt: skip
"""Arguments of each, of which some make no kernel."""


def kernels_of(name):
    """Return the CUDA C kernels that a function generates."""
    for arguments in CASES[name]():
        try:
            text = writers()[name](*arguments)
        except NoKernel:
            continue
        helpers = needed(text.text)
        yield Kernel("\n".join([CUDA.spellings(helpers + text.text), helpers, text.text]), text.name, text.nstatus)
