"""Status flags of sums computed by libraries, which report none.

A kernel, queued like any other, looks for non-finite results and then checks their terms.
"""

import functools
from collections.abc import Sequence
from math import prod
from typing import Any

from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls.contractions import Axis, Window, merged
from lazyarr.gpu.calls.launches import NamedText
from lazyarr.gpu.calls.text import Text, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import address

_OVERFLOW, _INVALID = 2, 8


def note(driver: Any, call: Call, axes: Sequence[Axis], terms: Sequence[Axis], windows: Sequence[Window] = (),
         arrays: Sequence[Operand] = ()) -> None:  # fmt: skip
    """Raise the flags of a call, as far as they are requested.

    Parameters
    ----------
    driver : Driver
    call : Call
        Has one or two float operands.
    axes, terms : sequence of Axis
        Axes of the result c, and axes that are summed over.
    windows : sequence of Window, optional
        Axes of the first operand that extend beyond it, into zero padding.
    arrays : sequence of Operand, optional
        Operands and result with the offsets at which these axes start, if not 0.
    """
    reported_flags = call.reported_flags & (_OVERFLOW | _INVALID)
    if not reported_flags:
        return
    arrays = arrays or [*call.operands, call.result]
    kept, summed = _merged(axes, len(windows)), _merged(terms, len(windows))
    if not prod(axis.extent for axis in (*kept, *summed)):
        return
    names = "ab"[: len(call.operands)] + "c"
    numbers = [prod(axis.extent for axis in kept), prod(axis.extent for axis in summed), *[x.offset for x in arrays]]
    for group in (kept, summed):
        numbers += [number for axis in group
                    for number in (axis.extent, *[getattr(axis, name) for name in names], *axis.steps)]  # fmt: skip
    numbers += [number for window in windows for number in window]
    text = _generate(tuple([x.dtype.char for x in arrays]), len(kept), len(summed), reported_flags, len(windows))
    launch(driver, call, text, numbers[0], numbers, [x.block for x in arrays])


def _merged(axes: Sequence[Axis], windows: int) -> list[Axis]:
    nowhere = (0,) * windows
    return merged([axis._replace(steps=axis.steps or nowhere) for axis in axes]) or [Axis(1, steps=nowhere)]


@functools.cache
def _generate(chars: tuple[str, ...], axes: int, terms: int, reported_flags: int, windows: int) -> Text:
    """Return the kernel."""
    kinds = dict(zip("ab"[: len(chars) - 1] + "c", [TYPES[char] for char in chars], strict=True))
    groups = {"axis": axes, "term": terms}
    words = [f"{group}{number}_{field}" for group, count in groups.items() for number in range(count)
             for field in ("extent", *kinds, *[f"step{window}" for window in range(windows)])]  # fmt: skip
    words += [f"{field}{window}" for window in range(windows) for field in ("first", "within")]
    text = NamedText(f"find_flags_{'_'.join(kinds.values())}", tuple(kinds), ("count", "terms", *kinds, *words), True)
    word = text.words

    def element(name: str, start: str, places: Sequence[str], group: str) -> str:
        strides = [word[f"{group}{number}_{name}"] for number in range(groups[group])]
        return address(start, places, strides)

    text.write("u32 flags = 0;")
    text.open(f"for (i64 i = GLOBAL_ID; i < {word['count']}; i += GLOBAL_SIZE)")
    places = text.coordinates("i", [word[f"axis{number}_extent"] for number in range(axes)])
    kind, at = kinds["c"], element("c", f"c + {word['c']}", places, "axis")
    text.write(f"const {kind} sum = *(GLOBAL {kind} *)({at});")
    text.write(f"const bool8 is_nan = {_is(kind, 'nan', 'sum')};")
    text.open(f"if (flags != {reported_flags} && (is_nan || {_is(kind, 'inf', 'sum')}))")
    text.write("bool8 has_nan = 0, has_infinity = 0;")
    # an infinity among the terms explains an infinite sum, but not a NaN
    goes_on = "(is_nan || !has_infinity)" if reported_flags & _INVALID else "!has_infinity"
    text.open(f"for (i64 t = 0; t < {word['terms']} && !has_nan && {goes_on}; t++)")
    inner = text.coordinates("t", [word[f"term{number}_extent"] for number in range(terms)])
    for window in range(windows):
        steps = [f"{place} * {word[f'{group}{number}_step{window}']}"
                 for group, at in (("axis", places), ("term", inner)) for number, place in enumerate(at)]  # fmt: skip
        text.write(f"const i64 in{window} = {' + '.join([word[f'first{window}'], *steps])};")
    for name, kind in list(kinds.items())[:-1]:
        tests = [f"(u64)in{window} < (u64){word[f'within{window}']}" for window in range(windows) if name == "a"]
        if tests:
            text.open(f"if ({' && '.join(tests)})")
        at = element(name, element(name, f"{name} + {word[name]}", places, "axis"), inner, "term")
        text.write(f"const {kind} {name}_term = *(GLOBAL {kind} *)({at});")
        text.write(f"has_nan |= {_is(kind, 'nan', f'{name}_term')};")
        text.write(f"has_infinity |= {_is(kind, 'inf', f'{name}_term')};")
        if tests:
            text.close()
    text.close()
    if reported_flags & _INVALID:
        text.write(f"if (is_nan && !has_nan) flags |= {_INVALID};")
    if reported_flags & _OVERFLOW:
        text.write(f"if (!has_nan && !has_infinity) flags |= {_OVERFLOW};")
    text.close()
    text.close()
    text.write("if (flags) atomic_or_u32(status, flags);")
    return text.finish()


def _is(kind: str, what: str, value: str) -> str:
    """Return a test of a number for NaN or infinity."""
    return f"is{what}_{kind}({value})" if kind in ("c64", "c128") else f"is{what}({value})"
