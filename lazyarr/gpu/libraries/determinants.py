"""Determinants from LU factors."""

import functools
from math import prod
from typing import Any

from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls.launches import NamedText
from lazyarr.gpu.calls.text import Text, launch
from lazyarr.gpu.generator.dialects import TYPES


def multiply(driver: Any, call: Call, factors: Operand, exchanged: Operand) -> None:
    """Multiply the diagonals of LU factors in C order.

    As in NumPy, signs are multiplied and logarithms added; calls with two results store both.

    Parameters
    ----------
    driver : Driver
    call : Call
    factors : Operand
    exchanged : Operand
        Pivots, counted from 1.
    """
    *stack, rows, _ = factors.shape
    count = prod(stack)
    results = call.results
    numbers = [count, rows, *[x.offset for x in results]]
    blocks = [factors.block, exchanged.block, *[x.block for x in results]]
    launch(driver, call, _generate(factors.dtype.char, len(results)), count, numbers, blocks)


@functools.cache
def _generate(char: str, results: int) -> Text:
    """Return the kernel: a work-item per matrix."""
    kind, is_complex = TYPES[char], char in "FD"
    number = "c128" if is_complex else "f64"
    names = ("to", "logarithms")[:results]
    text = NamedText(f"determinants_{kind}_{results}", ("x", "exchanged", *names), ("count", "rows", *names))
    word = text.words
    text.open(f"for (i64 i = GLOBAL_ID; i < {word['count']}; i += GLOBAL_SIZE)")
    text.write(f"{number} sign = {'complex_c128(1, 0)' if is_complex else '1'};")
    text.write("f64 logarithm = 0;")
    text.open(f"for (i64 k = 0; k < {word['rows']}; k++)")
    text.write(f"const i64 row = i * {word['rows']} + k;")
    text.write(f"const {kind} element = ((GLOBAL {kind} *)x)[row * {word['rows']} + k];")
    text.write("const f64 turn = ((GLOBAL i64 *)exchanged)[row] == k + 1 ? 1 : -1;")
    if is_complex:
        text.write("const f64 size = hypot((f64)element.x, (f64)element.y);")
        text.write("const f64 re = turn * element.x / size, im = turn * element.y / size;")
        text.write("sign = complex_c128(sign.x * re - sign.y * im, sign.x * im + sign.y * re);")
    else:
        text.write("const f64 size = fabs((f64)element);")
        text.write("sign *= element < 0 ? -turn : turn;")
    text.write("logarithm += log(size);")
    text.close()
    part = "f32" if char in "fF" else "f64"
    if results == 1:
        text.write("const f64 size = exp(logarithm);")
        sign = [f"({part})(sign.{side} * size)" for side in "xy"] if is_complex else [f"({part})(sign * size)"]
    else:
        text.write(f"((GLOBAL {part} *)(logarithms + {word['logarithms']}))[i] = ({part})logarithm;")
        sign = [f"({part})sign.{side}" for side in "xy"] if is_complex else [f"({part})sign"]
    made = f"complex_{kind}({', '.join(sign)})" if is_complex else sign[0]
    text.write(f"((GLOBAL {kind} *)(to + {word['to']}))[i] = {made};")
    text.close()
    return text.finish()
