"""Kernels: native operations that are not tile programs.

    gemm               register tiles, packing, block sizes
    matmul, gemv       products of (stacks of) matrices; matrix-vector products
    conv_sums          convolutions and their gradients: which kernel computes which part
    conv, conv_tiling  sums over windows and their gradients; padded lines and block sizes
    conv_packing       few columns: neighbours computed together
    winograd           float32 convolutions with 3 x 3 taps, with fewer products
    pooling            pooling, upsampling and their gradients
    repeat             repeat and tile
    sort, partition    NumPy's functions, line by line, on all threads
    gather, scatter    reading and writing through index arrays; `index_lookup` resolves the indices
    matrix_predicates  symmetric, Hermitian, triangular

A kernel fills memory of known shape, reads no mutable state, and returns the floating-point flags that were raised. It
takes threads from `host.threads`, memory from `host.workspace`, and knows nothing of plans. A class for each family of
calls, a `Kernel` (ir/node.pyx), says what it accepts and costs and how it is differentiated and batched; its instances
are the parameters of a call. It lies in `ops/` and calls a function of ndarrays here; products, where Python would take
too long, read nodes. Each has a plain reference in tests/support/reference_kernels.py.

What they owe to each other. The number of terms in a block of a product is fixed and block sums are added up: errors
stay the size of BLAS's and do not depend on threads. Complex products are real ones. BLAS keeps symmetric products, of
which it computes half. Padding zeros are multiplied like pixels, so an infinite weight makes NaN of them in any
implementation. Winograd runs on 2 x 2 tiles only, whose errors do not exceed those of plain summation for pixels of one
size. It and joined columns may spread what is not finite: lines with such results are recomputed directly before the
kernel returns. `config.exact` turns Winograd off. Threads never write to the same place: gradients of pooling are sums
over the positions whose windows cover a pixel, and in scatter, where the last write counts, threads share what the
target is walked along, or own parts of it.

Modules are imported on first use, as attributes of this package: few programs need most of them.
"""
import importlib
import sys
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def load() -> list[ModuleType]:
    """Import all modules of the package."""
    names = sys.modules["lazyarr._core._native"].MODULES.split()
    return [importlib.import_module(f"lazyarr._core.{name}") for name in names if name.startswith("kernels.")]
