"""Operands in the layout that libraries require: C-order copies, cast, transposed, cropped or padded."""

import functools
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls.launches import NamedText
from lazyarr.gpu.calls.text import Text, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address

_COMPARISONS = {"lower": ">=", "upper": "<=", "diagonal": "=="}  # row compared with column


class Form(NamedTuple):
    """Parameters of a kernel.

    Attributes
    ----------
    source, target : str
        Dtype characters.
    axes : int
    scale : str
        Factor of the elements: ``"1 / n"``, ``"1 / sqrt(n)"``, or nothing.
    is_half : bool
        Whether they are half the spectrum of n real numbers, in which some coefficients are real.
    part : str
        Part of each matrix to copy: ``"lower"``, ``"upper"``, ``"diagonal"``, or all.
    """

    source: str
    target: str
    axes: int
    scale: str = ""
    is_half: bool = False
    part: str = ""


def strides_of(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the strides of a C-order array."""
    return tuple([itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape))])


def is_arranged(x: Operand) -> bool:
    """Return whether an array is C-contiguous."""
    wanted = strides_of(x.shape, x.dtype.itemsize)
    return all(extent == 1 or stride == step
               for extent, stride, step in zip(x.shape, x.strides, wanted, strict=True))  # fmt: skip


def order_of(x: Operand) -> list[int] | None:
    """Return the order of axes in which an array is C-contiguous, or None."""
    order = sorted(range(x.ndim), key=lambda axis: -x.strides[axis])
    return order if is_arranged(turned(x, order)) else None


def turned(x: Operand, axes: Sequence[int]) -> Operand:
    """Return an array with its axes transposed."""
    return x._replace(shape=tuple([x.shape[axis] for axis in axes]), strides=tuple([x.strides[axis] for axis in axes]))


def new(driver: Any, shape: Sequence[int], char: str) -> Operand:
    """Allocate a C-order array."""
    dtype = np.dtype(char)
    block = driver.workspace(dtype.itemsize * prod(shape))
    return Operand(block, 0, tuple(shape), strides_of(shape, dtype.itemsize), dtype)


def copy(driver: Any, call: Call, source: Operand, target: Operand, n: int = 1, scale: str = "",
         is_half: bool = False, part: str = "") -> None:  # fmt: skip
    """Copy an array to a C-order one with as many axes, padding with zeros."""
    form = Form(source.dtype.char, target.dtype.char, len(target.shape), scale, is_half, part)
    count = prod(target.shape)
    numbers = [count, n, source.offset, target.offset, *target.shape, *source.shape, *source.strides]
    launch(driver, call, _generate(form), count, numbers, [source.block, target.block])


@functools.cache
def _generate(form: Form) -> Text:
    """Return the kernel of the copy."""
    axes = range(form.axes)
    fields = [f"{field}{axis}" for field in ("extent", "limit", "stride") for axis in axes]
    name = f"arrange_{TYPES[form.source]}_{TYPES[form.target]}"
    text = NamedText(name, ("x", "to"), ("count", "n", "first", "to_first", *fields))
    word, kind, is_complex = text.words, TYPES[form.target], form.target in "FD"
    part = {"c64": "f32", "c128": "f64"}.get(kind, kind)
    if form.scale:
        text.write(f"const {part} scale = ({part})({form.scale.replace('n', '(f64)' + word['n'])});")
    text.open(f"for (i64 i = GLOBAL_ID; i < {word['count']}; i += GLOBAL_SIZE)")
    places = text.coordinates("i", [word[f"extent{axis}"] for axis in axes])
    text.write(f"{kind} value = {f'complex_{kind}(0, 0)' if is_complex else '0'};")
    tests = [f"{place} < {word[f'limit{axis}']}" for axis, place in enumerate(places)]
    if form.part:
        tests.append(f"{places[-2]} {_COMPARISONS[form.part]} {places[-1]}")
    text.open(f"if ({' && '.join(tests)})")
    at = address(f"x + {word['first']}", places, [word[f"stride{axis}"] for axis in axes])
    value = text.cast(Value(form.source, f"*(GLOBAL {TYPES[form.source]} *)({at})"), form.target, 0)
    text.write(f"value = {value.text};")
    text.close()
    for side in ("value.x", "value.y") if is_complex else ("value",):
        if form.scale:
            text.write(f"{side} *= scale;")
    if form.is_half:
        text.write(f"if (2 * {places[-1]} == {word['n']} || {places[-1]} == 0) value.y = 0;")
    text.write(f"((GLOBAL {kind} *)(to + {word['to_first']}))[i] = value;")
    text.close()
    return text.finish()
