"""One row for each number that can be tuned: its name, its unit, between which bounds it lies, and what it decides.

Most lie in the native core, under the same name; a cost for each elementwise operation comes from the table of
operations. The defaults are what the code says, which a row reads when the table is made.
"""

import functools
import math
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple

from lazyarr._core.host import tunables as native
from lazyarr._core.ir import inner_loops, ufunc_traits
from lazyarr._core.kernels import conv, pooling, repeat, winograd  # noqa: F401 - the kernels state their numbers
from lazyarr._core.runtime import plan_cache
from lazyarr.ops import conv_packing, einsum, fourier
from lazyarr.ops.table import NATIVE as NATIVE_OP
from lazyarr.ops.table import TABLE

COST = "ufunc."
# Of numbers that choose between ways whose results differ by rounding.
PATH = "path."


class Row(NamedTuple):
    """One number."""

    name: str
    unit: str
    low: float
    high: float
    doc: str
    get: Callable[[], float]
    set: Callable[[float], None]
    default: float
    whole: bool = False
    """Whether it counts something, and is an integer."""

    def checked(self, value: Any) -> float:
        """A value in the form to write; TypeError or ValueError for one that the number cannot have."""
        fits = isinstance(value, numbers.Integral if self.whole else numbers.Real)
        if isinstance(value, bool) or not fits:
            wanted = "an integer" if self.whole else "a number"
            raise TypeError(f"tuning[{self.name!r}] must be {wanted}, got {type(value).__name__}")
        if not self.low <= value <= self.high:  # so is nan
            limits = f"from {self.low:.15g} to {self.high:.15g}"
            raise ValueError(f"tuning[{self.name!r}] must be {limits} {self.unit}, got {value}")
        return int(value) if self.whole else float(value)


def _native(name: str, unit: str, low: float, high: float, doc: str) -> Row:
    default = native.get(name)
    get, set = functools.partial(native.get, name), functools.partial(native.set, name)
    return Row(name, unit, low, high, doc, get, set, default, isinstance(default, int))


def _ufunc(ufunc: Any) -> Row:
    def set_cost(ns: float) -> None:
        inner_loops.set_cost(ufunc, ns)
        plan_cache.clear()  # plans know their costs

    doc = f"What an element of float32 costs {ufunc.__name__}; other types cost in proportion to their size."
    default = ufunc_traits.get_cost(ufunc)
    return Row(f"{COST}{ufunc.__name__}_ns", "ns", 1e-3, 1e4, doc, lambda: ufunc_traits.get_cost(ufunc), set_cost,
               default)


def _of_module(name: str, unit: str, low: float, high: float, doc: str, module: Any, constant: str) -> Row:
    default = getattr(module, constant)
    get, set = functools.partial(getattr, module, constant), functools.partial(setattr, module, constant)
    return Row(name, unit, low, high, doc, get, set, default, isinstance(default, int))


# name, unit, bounds, what it decides
NATIVE = (
    ("threads.worthwhile_ns", "ns", 500, 1e7,
     "Work of a step that is worth sharing among threads that are awake; each gets at least half of that."),
    ("threads.worth_waking_ns", "ns", 500, 1e8, "Work of a step that is worth waking threads for."),
    ("threads.still_spins_ns", "ns", 100, 1e8, "How long after a step its threads are still awake."),
    ("elementwise.tile_bytes", "bytes", 4096, 1 << 20,
     "What the operands of a block take together, where nothing is summed."),
    ("elementwise.stream_bytes", "bytes", 1 << 16, 1 << 34,
     "Operands that take more come from memory: blocks are halved, and the next one is fetched ahead."),
    ("elementwise.bypass_bytes", "bytes", 1 << 18, 1 << 36,
     "Results beside operands that take more with them are written past the caches."),
    ("immediate.small_ns", "ns", 0, 1e6,
     "What an operation on evaluated operands may take by its estimate to run where it is written."),
    ("gemm.block_bytes", "bytes", 1 << 14, 1 << 22,
     "What a packed block of a product or a convolution takes, and of a convolution the rows beside it."),
    ("matmul.tile_term_ns", "ns", 1e-2, 1e2, "What a row of a panel costs a product of matrices."),
    ("gemv.byte_ns", "ns", 1e-4, 10, "What a byte of the matrix costs the product of a matrix and a vector."),
    ("conv.tile_term_ns", "ns", 1e-2, 1e2, "What a row of a panel costs a convolution."),
    ("conv.weights_read", "times", 0.1, 100, "How much longer it takes where each channel is by itself."),
    ("winograd.tile_term_ns", "ns", 1e-2, 1e2, "What a row of a panel costs Winograd's convolution."),
    ("pool.byte_ns", "ns", 1e-4, 10, "What a byte of a tap costs pooling and upsampling."),
    ("repeat.byte_ns", "ns", 1e-4, 10, "What a byte of the result costs repeat and tile."),
    ("path.winograd", "times", 1e-3, 1e3,
     "Part of the time of a direct sum, as estimated, below which convolutions of 3 x 3 taps are Winograd's."),
    ("path.blas_products", "products", 1, 1e18, "Multiplications from which on products of matrices are BLAS's."),
)

# And the module and the name there.
PYTHON = (
    ("fft.team", "threads", 2, 1024,
     "Threads from which on Fourier transforms are SciPy's where these alone make them faster.", fourier, "TEAM"),
    ("path.scipy_fft", "elements", 1, 1 << 60,
     "Elements from which on Fourier transforms are SciPy's.", fourier, "LARGE"),
    ("path.einsum", "products", 1, 1 << 60,
     "Multiplications from which on einsum contracts two operands at a time.", einsum, "MANY"),
    ("path.joined", "times", 1e-3, 1e3,
     "Part of the work, as estimated, below which neighbours of convolutions with few columns are computed together.",
     conv_packing, "WORTHWHILE"),
)


@functools.cache
def rows() -> dict[str, Row]:
    """All rows by their names."""
    made = [_native(*row) for row in NATIVE]
    made += [_of_module(*row) for row in PYTHON]
    made += [_ufunc(op.function) for op in TABLE.values() if op.cost is not None and op.kind == NATIVE_OP]
    return {row.name: row for row in made}


def rounded(row: Row, value: float) -> float:
    """A measured value with the digits that mean something, within the row's bounds."""
    value = min(max(value, row.low), row.high)
    return round(value) if row.whole else round(value, 2 - math.floor(math.log10(value)))
