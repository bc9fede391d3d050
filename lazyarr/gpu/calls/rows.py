"""Calls with kernels for devices: one row per operation, by node name.

Kernels are written in the dialect-neutral C of `lazyarr.gpu.generator.dialects`; `driver.kernel_of_text` compiles them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from lazyarr._core.runtime.device_call import Call, NoKernel
from lazyarr.gpu.calls import (
    at_places,
    bin_counts,
    checks,
    gathers,
    interpolation,
    linear_calls,
    packed,
    parts,
    repeats,
    scans,
    scatters,
    sliding,
    sorts,
    transforms,
    true_places,
)
from lazyarr.gpu.calls.text import Row
from lazyarr.ops.ufunc_rows import UFUNCS

ROWS: Mapping[str, Row] = {
    **dict.fromkeys(("getitem", "take", "take_along_axis", "choose"), gathers.ROW),
    "searchsorted": sorts.SEARCH_ROW,
    "setitem": scatters.ROW,
    **dict.fromkeys(("repeat", "tile"), repeats.ROW),
    **dict.fromkeys(("sort", "argsort", "partition", "argpartition"), sorts.ROW),
    **dict.fromkeys(("nanargmax", "nanargmin"), checks.ROW),
    "nonzero": true_places.ROW,
    "bincount": bin_counts.ROW,
    **dict.fromkeys(("packbits", "unpackbits"), packed.BITS_ROW),
    "unravel_index": packed.UNRAVEL_ROW,
    "ravel_multi_index": packed.RAVEL_ROW,
    "interp": interpolation.ROW,
    **dict.fromkeys(("convolve", "correlate"), sliding.ROW),
    **dict.fromkeys(transforms.NAMES, transforms.ROW),
    **dict.fromkeys(linear_calls.NAMES, linear_calls.ROW),
    **dict.fromkeys([f"{op}.at" for op in UFUNCS], at_places.ROW),
    "scatter": at_places.SUM_ROW,
    **dict.fromkeys([f"{op}.reduceat" for op in UFUNCS], parts.ROW),
    **dict.fromkeys([f"{op}.accumulate" for op in scans.OPERATIONS], scans.ROW),
}


def find(call: Call) -> Callable[[Any, Call], None]:
    """Return the function of driver and call that runs a call; raise NoKernel if it is left to the host."""
    row = ROWS.get(call.name, checks.ROW if call.name.startswith("check: ") else None)
    reason = "" if row is None else row.refusal(call)
    if row is None or reason is not None:
        raise NoKernel(reason)
    return row.run
