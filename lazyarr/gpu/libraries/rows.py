"""Calls that libraries compute, by node name."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from lazyarr._core.runtime.device_call import Call
from lazyarr.gpu.calls import rows
from lazyarr.gpu.libraries import cublas, cudnn, cufft, cusolver
from lazyarr.gpu.libraries.loading import Library, Refused


class Row(NamedTuple):
    """How a library computes a call.

    Attributes
    ----------
    library : Library
    find : callable
        ``find(call)`` returns the function of driver and call that runs it; None if unsupported.
    """

    library: Library
    find: Callable[[Call], Callable[[Any, Call], None] | None]


_PRODUCTS = ("matmul", "dot", "inner", "matvec", "vecmat", "vecdot", "einsum")
_TRANSFORMS = [f"fft.{kind}fft{axes}" for kind in ("", "i", "r", "ir") for axes in ("", "2", "n")]
_CONVOLUTIONS = [name.format(f"{rank}d") for rank in (1, 2, 3)
                 for name in ("conv{}", "conv{}_input", "conv{}_weight", "conv_transpose{}")]  # fmt: skip
ROWS: Mapping[str, Row] = {
    **dict.fromkeys(_PRODUCTS, Row(cublas.LIBRARY, cublas.find)),
    **dict.fromkeys(_TRANSFORMS, Row(cufft.LIBRARY, cufft.find)),
    **dict.fromkeys(_CONVOLUTIONS, Row(cudnn.LIBRARY, cudnn.find)),
    **dict.fromkeys(cusolver.NAMES, Row(cusolver.LIBRARY, cusolver.find)),
}


def find(call: Call, cuda: int) -> Callable[[Any, Call], None] | None:
    """Return the function that runs a call by an installed library; None if there is none for this CUDA version."""
    row = ROWS.get(call.name)
    if row is None or row.library.functions(cuda) is None:
        return None
    run = row.find(call)
    return None if run is None else partial(_run, row.library, run)


def _run(library: Library, run: Callable[[Any, Call], None], driver: Any, call: Call) -> None:
    try:
        run(driver, call)
    except Refused:
        rows.find(call)(driver, call)
    else:
        driver.library_calls[call.name, library.title] += 1
