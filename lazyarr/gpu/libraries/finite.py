"""Check whether a result is finite, since libraries report no status flags."""

import functools
from math import prod
from typing import Any

import numpy as np

from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls.launches import NamedText
from lazyarr.gpu.calls.text import Text, check
from lazyarr.gpu.generator.dialects import TYPES


def is_finite(driver: Any, call: Call, result: Operand) -> bool:
    """Wait for a gap-free result of a call; return whether it is finite."""
    parts = 1 + (result.dtype.kind == "c")
    count = parts * prod(result.shape)
    text = _generate(TYPES[np.finfo(result.dtype).dtype.char])
    return not check(driver, call, text, count, [count, result.offset], [result.block])


@functools.cache
def _generate(kind: str) -> Text:
    """Return the kernel that searches for non-finite elements."""
    text = NamedText(f"find_nonfinite_{kind}", ("x",), ("count", "first"), has_status=True)
    text.write("bool8 found = 0;")
    text.open(f"for (i64 i = GLOBAL_ID; i < {text.words['count']}; i += GLOBAL_SIZE)")
    text.write(f"const {kind} element = ((GLOBAL {kind} *)(x + {text.words['first']}))[i];")
    text.write("found |= isnan(element) || isinf(element);")
    text.close()
    text.write("if (found) atomic_or_u32(status, 1);")
    return text.finish()
