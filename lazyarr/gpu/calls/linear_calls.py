"""Sums of products and functions of windows, as kernel launches."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.runtime.device_call import Call
from lazyarr.gpu.calls import contractions, pooling, products
from lazyarr.gpu.calls.contractions import Contraction
from lazyarr.gpu.calls.convolutions import convolution, is_convolution
from lazyarr.gpu.calls.launches import run_launches
from lazyarr.gpu.calls.text import Row
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.ops.pooling import Pool

_UFUNCS = {np.matmul, np.vecdot, np.matvec, np.vecmat}
_CONJUGATING = {np.vecdot, np.vecmat}
NAMES = ("matmul", "dot", "inner", "vecdot", "matvec", "vecmat", "einsum", "upsample", "grad.upsample", *[
    name.format(f"{rank}d") for rank in (1, 2, 3) for name in (
        "conv{}", "conv{}_input", "conv{}_weight", "conv_transpose{}", "max_pool{}", "grad.max_pool{}",
        "grad.max_pool{} places", "avg_pool{}", "grad.avg_pool{}", "adaptive_avg_pool{}", "grad.adaptive_avg_pool{}")
])  # fmt: skip
"""Names of such calls."""


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    if not isinstance(call.function, Pool) and find_contractions(call) is None:
        return ""
    arrays = (*call.operands, call.result)
    if not all(x.dtype.isnative and x.dtype.char in TYPES for x in arrays):
        return f"{call.name} {''.join(x.dtype.char for x in call.operands)} has no form on the device"
    return None


def run(driver: Any, call: Call) -> None:
    """Launch the kernels of a call."""
    function: Any = call.function
    found = find_contractions(call)
    if found is None:
        made = pooling.launches(function.line, function.axes, call.operands, call.result)
    else:
        reported_flags = call.reported_flags if getattr(function, "reports", True) else 0
        made = [launch for contraction in found() for launch in contractions.launches(contraction, reported_flags)]
    run_launches(driver, call, made)


def find_contractions(call: Call) -> Callable[[], list[Contraction]] | None:
    """Return a function that makes the contractions of a call; None if it is no sum of products of two arrays."""
    function: Any = call.function
    if len(call.operands) != 2:
        return None
    (a, b), c = call.operands, call.result
    if is_convolution(call):
        return lambda: convolution(function.sums, function.windows, function.groups, a, b, c)
    if isinstance(function, (core.kernels.matmul.MatrixProduct, core.kernels.gemv.VectorProduct)):
        function = np.matmul
    labels = getattr(function, "labels", None)
    if isinstance(function, np.ufunc) and function in _UFUNCS:
        labels = products.labels_of(function.signature or "", [len(a.shape), len(b.shape)])
    if labels is None or len(labels) != 3:
        return None
    conjugates = function in _CONJUGATING and c.dtype.kind == "c"
    return lambda: [products.contraction(labels, a, b, c, conjugates)]


ROW = Row(refusal, run)
