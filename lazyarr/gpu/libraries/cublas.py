"""Matrix products by cuBLAS: of float32, float64, complex64 and complex128, also in batches.

Our own kernels compute products with a single row, column or term, which are bound by memory bandwidth, products whose
layout BLAS does not support, and float16, whose bits must be NumPy's.

BLAS stores matrices by columns, so a C-order matrix is the transpose of a BLAS matrix. To get c in C order, its
transpose is computed: c.T = b.T @ a.T.
"""

from collections.abc import Callable, Sequence
from ctypes import POINTER, c_int, c_longlong, c_uint64, c_void_p
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls import linear_calls
from lazyarr.gpu.calls.contractions import Axis, Contraction, merged
from lazyarr.gpu.libraries import sum_flags
from lazyarr.gpu.libraries.loading import Handles, Library, made

_ADDRESS, _HANDLE = c_uint64, c_void_p
_MATRIX = (_ADDRESS, c_int, c_int, c_longlong)  # dtype, leading dimension, batch stride

PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "cublasCreate_v2": (POINTER(_HANDLE),),
    "cublasDestroy_v2": (_HANDLE,),
    "cublasSetStream_v2": (_HANDLE, c_void_p),
    "cublasGemmStridedBatchedEx": (
        _HANDLE, *5 * (c_int,), c_void_p, *2 * _MATRIX, c_void_p, *_MATRIX, *3 * (c_int,)),
    # handle; transpositions of a and b; m, n, k; alpha; a; b; beta; c; count; compute type; algorithm
}  # fmt: skip

_STATUSES = {1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE",
             8: "CUBLAS_STATUS_ARCH_MISMATCH", 11: "CUBLAS_STATUS_MAPPING_ERROR", 13: "CUBLAS_STATUS_EXECUTION_FAILED",
             14: "CUBLAS_STATUS_INTERNAL_ERROR", 15: "CUBLAS_STATUS_NOT_SUPPORTED",
             16: "CUBLAS_STATUS_LICENSE_ERROR"}  # fmt: skip
LIBRARY = Library("cuBLAS", "cublas", 0, PROTOTYPES, _STATUSES, frozenset(["CUBLAS_STATUS_ALLOC_FAILED"]))

# constants of library_types.h and cublas_api.h
_TYPES = {"f": 0, "d": 1, "F": 4, "D": 5}  # CUDA_R_32F, ...
_SUMS = {"f": 69, "d": 71, "F": 69, "D": 71}  # CUBLAS_COMPUTE_*_PEDANTIC: no narrower type, so no TF32
_ANY_ALGORITHM = -1  # CUBLAS_GEMM_DEFAULT
_MOST = 2**31 - 1  # of extents and leading dimensions


def _make(functions: Any, stream: int) -> int:
    handle: int = made(_HANDLE, functions.cublasCreate_v2)
    functions.cublasSetStream_v2(handle, stream)
    return handle


HANDLES = Handles(LIBRARY, _make, lambda functions, handle: functions.cublasDestroy_v2(handle))


@dataclass(frozen=True)
class Factor:
    """An operand in BLAS terms: its position in the contraction, whether it is transposed, and strides in elements."""

    place: int
    is_transposed: bool
    columns: int
    matrices: int


@dataclass(frozen=True)
class Product:
    """A batched product of column-major matrices, m x k by k x n."""

    m: int
    n: int
    k: int
    left: Factor
    right: Factor
    result: Factor
    count: int


def product_of(contraction: Contraction) -> Product | None:
    """Return a contraction as a product that BLAS computes, or None."""
    size = contraction.operands[2].dtype.itemsize
    batch, rows, columns, terms = map(
        merged, (contraction.batch, contraction.rows, contraction.columns, contraction.terms))
    for axes in (rows, columns):
        if not batch and len(axes) > 1:
            batch = [axes.pop(0)]  # the other operand is broadcast over the batch
    if len(batch) > 1 or {len(rows), len(columns), len(terms)} != {1} or contraction.conjugates:
        return None
    axes = [*(batch or [Axis(1)]), rows[0], columns[0], terms[0]]
    moves = [x.offset for x in contraction.operands] + [move for axis in axes for move in axis.moves]
    if any(move < 0 or move % size for move in moves) or not all(0 < axis.extent <= _MOST for axis in axes):
        return None
    stack, row, column, term = axes
    result = _factor(2, column, row, stack, size)
    if result is None:
        return None
    left, right = (0, row), (1, column)
    if not result.is_transposed:
        left, right = right, left
    first, second = _factor(left[0], left[1], term, stack, size), _factor(right[0], term, right[1], stack, size)
    if first is None or second is None:
        return None
    return Product(left[1].extent, right[1].extent, term.extent, first, second, result, stack.extent)


def _factor(place: int, down: Axis, across: Axis, stack: Axis, size: int) -> Factor | None:
    """Return an operand as a matrix with rows and columns along two axes; None if BLAS does not support its layout."""
    for is_transposed, inner, outer in ((False, down, across), (True, across, down)):
        distance = outer.moves[place] // size
        if inner.moves[place] == size and inner.extent <= distance <= _MOST:
            return Factor(place, is_transposed, distance, stack.moves[place] // size)
    return None


def find(call: Call) -> Callable[[Any, Call], None] | None:
    """Return the function that runs a call; None if it is no matrix product."""
    chars = {x.dtype.char for x in (*call.operands, call.result)}
    contractions = linear_calls.find_contractions(call)
    if contractions is None or len(chars) > 1 or not chars <= set(_TYPES):
        return None
    (contraction,) = contractions()
    product = product_of(contraction)
    return None if product is None else partial(_run, contraction, product)


def _multiply(product: Product, driver: Any, arrays: Sequence[Operand], functions: Any, handle: int) -> None:
    char = arrays[2].dtype.char
    alpha, beta = np.ones(1, char), np.zeros(1, char)

    def matrix(factor: Factor) -> tuple[int, ...]:
        array = arrays[factor.place]
        return array.block.address + array.offset, _TYPES[char], factor.columns, factor.matrices

    driver.with_room(
        LIBRARY.title, functions.cublasGemmStridedBatchedEx, handle,
        product.left.is_transposed, product.right.is_transposed, product.m, product.n, product.k,
        alpha.ctypes.data, *matrix(product.left), *matrix(product.right), beta.ctypes.data, *matrix(product.result),
        product.count, _SUMS[char], _ANY_ALGORITHM)  # fmt: skip


def _run(contraction: Contraction, product: Product, driver: Any, call: Call) -> None:
    arrays = (*call.operands, call.result)
    driver.run_library(HANDLES, partial(_multiply, product, driver, arrays), [x.block for x in arrays])
    axes = (*contraction.batch, *contraction.rows, *contraction.columns)
    sum_flags.note(driver, call, axes, contraction.terms)
