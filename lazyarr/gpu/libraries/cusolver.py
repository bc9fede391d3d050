"""Linear algebra by cuSOLVER: single and double precision, for matrices or small batches.

Matrices are copied, because the routines overwrite them. cuSOLVER is column-major: it sees a C-order copy as the
transpose, and a copy of the transpose as the matrix itself. If a routine reports a problem, or a result is not finite,
the call falls back to the host, which raises NumPy's error.
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from ctypes import POINTER, c_byte, c_int, c_int64, c_size_t, c_uint64, c_void_p
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.libraries import arranged, determinants
from lazyarr.gpu.libraries.finite import is_finite
from lazyarr.gpu.libraries.loading import Handles, Library, made

_ADDRESS, _HANDLE = c_uint64, c_void_p
_MOST_MATRICES = 16  # of a batch: each is a separate call

_MATRIX = (c_int, _ADDRESS, c_int64)  # dtype, address, leading dimension
_AREAS = (c_int, _ADDRESS, c_size_t, c_void_p, c_size_t, _ADDRESS)  # compute type; device and host workspaces; info
_ROUTINES: dict[str, tuple[Any, ...]] = {
    "Xpotrf": (c_int, c_int64, *_MATRIX),  # triangle; rows
    "Xgetrf": (c_int64, c_int64, *_MATRIX),  # rows, columns
    "Xgeqrf": (c_int64, c_int64, *_MATRIX, c_int, _ADDRESS),  # the same; reflector coefficients
    "Xsyevd": (c_int, c_int, c_int64, *_MATRIX, c_int, _ADDRESS),  # eigenvectors?; triangle; rows; eigenvalues
    "Xgesvd": (c_byte, c_byte, c_int64, c_int64, *_MATRIX, c_int, _ADDRESS, *_MATRIX, *_MATRIX),
    # left and right vectors?; rows, columns; singular values; vectors
}
_REFLECTIONS = (_HANDLE, c_int, c_int, c_int, _ADDRESS, c_int, _ADDRESS)
# rows, columns, reflectors; matrix, leading dimension; coefficients
_ORTHOGONAL = {"f": "Sorgqr", "d": "Dorgqr", "F": "Cungqr", "D": "Zungqr"}  # routines, by dtype

PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "cusolverDnCreate": (POINTER(_HANDLE),),
    "cusolverDnDestroy": (_HANDLE,),
    "cusolverDnSetStream": (_HANDLE, c_void_p),
    "cusolverDnCreateParams": (POINTER(_HANDLE),),
    "cusolverDnDestroyParams": (_HANDLE,),
    **{f"cusolverDn{name}_bufferSize": (_HANDLE, _HANDLE, *types, c_int, POINTER(c_size_t), POINTER(c_size_t))
       for name, types in _ROUTINES.items()},
    **{f"cusolverDn{name}": (_HANDLE, _HANDLE, *types, *([_ADDRESS] if name == "Xgetrf" else []), *_AREAS)
       for name, types in _ROUTINES.items()},  # the address is that of the pivots
    "cusolverDnXgetrs": (_HANDLE, _HANDLE, c_int, c_int64, c_int64, *_MATRIX, _ADDRESS, *_MATRIX, _ADDRESS),
    # transposition; rows, right-hand sides; matrix; pivots; right-hand sides; info
    **{f"cusolverDn{name}_bufferSize": (*_REFLECTIONS, POINTER(c_int)) for name in _ORTHOGONAL.values()},
    **{f"cusolverDn{name}": (*_REFLECTIONS, _ADDRESS, c_int, _ADDRESS) for name in _ORTHOGONAL.values()},
    # workspace, its elements; info
}  # fmt: skip

_NAMES = ("NOT_INITIALIZED", "ALLOC_FAILED", "INVALID_VALUE", "ARCH_MISMATCH", "MAPPING_ERROR", "EXECUTION_FAILED",
          "INTERNAL_ERROR", "MATRIX_TYPE_NOT_SUPPORTED", "NOT_SUPPORTED")  # fmt: skip
_STATUSES = {number: f"CUSOLVER_STATUS_{name}" for number, name in enumerate(_NAMES, 1)}
LIBRARY = Library("cuSOLVER", "cusolver", 1, PROTOTYPES, _STATUSES, frozenset(["CUSOLVER_STATUS_ALLOC_FAILED"]))

# constants of library_types.h, cublas_api.h and cusolver_common.h
_TYPES = {"f": 0, "d": 1, "F": 4, "D": 5}  # CUDA_R_32F, ...
_LOWER, _UPPER = 0, 1  # CUBLAS_FILL_MODE_*
_AS_IT_IS, _TRANSPOSED = 0, 1  # CUBLAS_OP_N, CUBLAS_OP_T


class _Solver(NamedTuple):
    """A handle, and the parameters object of the routines."""

    handle: int
    parameters: int


def _make(functions: Any, stream: int) -> _Solver:
    handle = made(_HANDLE, functions.cusolverDnCreate)
    functions.cusolverDnSetStream(handle, stream)
    return _Solver(handle, made(_HANDLE, functions.cusolverDnCreateParams))


def _destroy(functions: Any, solver: _Solver) -> None:
    functions.cusolverDnDestroyParams(solver.parameters)
    functions.cusolverDnDestroy(solver.handle)


HANDLES = Handles(LIBRARY, _make, _destroy)


class _Matrices:
    """Copies of a batch of matrices, to be overwritten, with the routines' workspaces and info.

    Parameters
    ----------
    driver : Driver
    call : Call
    source : Operand
    char : str
        Dtype character of the copies.
    """

    def __init__(self, driver: Any, call: Call, source: Operand, char: str):
        self.driver, self.char, self.type = driver, char, _TYPES[char]
        *stack, self.rows, self.columns = source.shape
        self.count = prod(stack)
        self.blocks: list[Any] = []
        self.copy = self.new(source.shape, char)
        arranged.copy(driver, call, source, self.copy)
        self.info = self.new((self.count, 2), "i")  # of up to two routines
        zeros = np.zeros(self.info.shape, self.info.dtype)
        driver.write(self.info.block, 0, zeros.ctypes.data, zeros.nbytes)
        self._areas: list[Any] = []  # host workspaces

    def new(self, shape: Sequence[int], char: str) -> Operand:
        """Allocate memory that routines write to."""
        array = arranged.new(self.driver, shape, char)
        self.blocks.append(array.block)
        return array

    def matrix(self, number: int) -> tuple[int, int, int]:
        """Return a matrix of the batch as arguments of a routine, which sees it transposed."""
        return self.type, self.part(self.copy, number), self.columns

    def part(self, array: Operand, number: int) -> int:
        """Return the address of an array's entry for a matrix of the batch."""
        return array.block.address + number * (prod(array.shape) // self.count) * array.dtype.itemsize

    def run(self, work: Callable[[Any, _Solver, int], None]) -> None:
        """Launch routines, and check their info."""
        self.launch(work)
        self.check()

    def launch(self, work: Callable[[Any, _Solver, int], None]) -> None:
        """Call ``work(functions, solver, number)`` for each matrix."""

        def all_work(functions: Any, solver: _Solver) -> None:
            for number in range(self.count):
                work(functions, solver, number)

        self.driver.run_library(HANDLES, all_work, self.blocks)

    def check(self) -> None:
        """Wait for the routines; raise NoKernel if one reported a problem."""
        found = np.empty(self.info.shape, np.int32)
        self.driver.read(self.info.block, 0, found.ctypes.data, found.nbytes)
        self._areas.clear()
        if found.any():
            raise NoKernel("a matrix that LAPACK finds fault with")

    def call(self, functions: Any, solver: _Solver, name: str, number: int, *arguments: Any,
             exchanged: Sequence[int] = ()) -> None:  # fmt: skip
        """Call a routine with the workspace that it needs."""
        on_device, on_host = c_size_t(), c_size_t()
        getattr(functions, f"cusolverDn{name}_bufferSize")(*solver, *arguments, self.type, on_device, on_host)
        area = self.driver.workspace(max(on_device.value, 1))  # freed in stream order, after the routine
        self._areas.append(ctypes.create_string_buffer(max(on_host.value, 1)))
        self.driver.with_room(
            LIBRARY.title, getattr(functions, f"cusolverDn{name}"), *solver, *arguments, *exchanged, self.type,
            area.address, on_device.value, self._areas[-1], on_host.value, self.part(self.info, number))  # fmt: skip

    def factor(self, functions: Any, solver: _Solver, number: int, exchanged: Operand) -> None:
        """Replace a matrix by its LU factors, and store the pivots."""
        self.call(functions, solver, "Xgetrf", number, self.rows, self.rows, *self.matrix(number),
                  exchanged=[self.part(exchanged, number)])  # fmt: skip


def _transposed(x: Operand) -> Operand:
    """Return the transposes of a batch of matrices."""
    return arranged.turned(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


# ---- calls ---------------------------------------------------------------------------------------------


def _cholesky(driver: Any, call: Call, upper: bool = False) -> None:
    """Factor the transpose, which is the conjugate: its factors are the transposes of the matrix's own."""
    a = _Matrices(driver, call, call.operands[0], call.result.dtype.char)
    triangle = _LOWER if upper else _UPPER
    a.run(lambda functions, solver, number: a.call(
        functions, solver, "Xpotrf", number, triangle, a.rows, *a.matrix(number)))
    arranged.copy(driver, call, a.copy, call.result, part="upper" if upper else "lower")


def _invert(driver: Any, call: Call) -> None:
    """Solve with the transpose for the columns of the identity: the solutions are the rows of the inverse."""
    result = call.result
    one = arranged.new(driver, (), result.dtype.char)
    number = np.ones((), one.dtype)
    driver.write(one.block, 0, number.ctypes.data, number.nbytes)
    ones = one._replace(shape=result.shape, strides=(0,) * result.ndim)
    arranged.copy(driver, call, ones, result, part="diagonal")
    _solve_equations(driver, call, result, result.shape[-1], _AS_IT_IS)


def _solve(driver: Any, call: Call) -> None:
    """Solve with the transpose of the transpose; right-hand sides and solutions are columns."""
    y = call.operands[1]
    turned = _transposed if y.ndim > 1 else lambda x: x
    sides = arranged.new(driver, turned(y).shape, call.result.dtype.char)
    arranged.copy(driver, call, turned(y), sides)
    _solve_equations(driver, call, sides, y.shape[-1] if y.ndim > 1 else 1, _TRANSPOSED)
    arranged.copy(driver, call, turned(sides), call.result)


def _solve_equations(driver: Any, call: Call, sides: Operand, count: int, form: int) -> None:
    """Replace right-hand sides, each contiguous, by solutions."""
    a = _Matrices(driver, call, call.operands[0], sides.dtype.char)
    a.blocks.append(sides.block)
    exchanged = a.new((a.count, a.rows), "l")

    def work(functions: Any, solver: _Solver, number: int) -> None:
        a.factor(functions, solver, number, exchanged)
        functions.cusolverDnXgetrs(
            *solver, form, a.rows, count, *a.matrix(number), a.part(exchanged, number), a.type, a.part(sides, number),
            a.rows, a.part(a.info, number) + a.info.dtype.itemsize)  # fmt: skip

    a.run(work)


def _find_determinants(driver: Any, call: Call) -> None:
    """Multiply the diagonals of LU factors."""
    a = _Matrices(driver, call, call.operands[0], call.result.dtype.char)
    exchanged = a.new((a.count, a.rows), "l")
    a.run(lambda functions, solver, number: a.factor(functions, solver, number, exchanged))
    determinants.multiply(driver, call, a.copy, exchanged)


def _find_eigenvalues(driver: Any, call: Call, UPLO: str = "L") -> None:
    """Compute the eigenvalues, and the eigenvectors if requested."""
    values, *vectors = call.results
    a = _Matrices(driver, call, _transposed(call.operands[0]), _char_of(call, values))
    triangle = _LOWER if UPLO.upper() == "L" else _UPPER
    a.run(lambda functions, solver, number: a.call(
        functions, solver, "Xsyevd", number, len(vectors), triangle, a.rows, *a.matrix(number),
        _TYPES[values.dtype.char], a.part(values, number)))  # fmt: skip
    for result in vectors:
        arranged.copy(driver, call, _transposed(a.copy), result)


def _find_orthogonal(driver: Any, call: Call, mode: str = "reduced") -> None:
    """Compute the QR factors, multiplying the reflectors if q is requested."""
    *orthogonal, triangle = call.results
    a = _Matrices(driver, call, _transposed(call.operands[0]), triangle.dtype.char)
    count = min(a.rows, a.columns)
    factors = a.new((a.count, count), a.char)
    a.launch(lambda functions, solver, number: a.call(
        functions, solver, "Xgeqrf", number, a.columns, a.rows, *a.matrix(number), a.type, a.part(factors, number))
    )  # fmt: skip
    arranged.copy(driver, call, _transposed(a.copy), triangle, part="upper")
    for result in orthogonal:
        _multiply_reflections(call, a, factors, result)
    a.check()


def _multiply_reflections(call: Call, a: _Matrices, factors: Operand, result: Operand) -> None:
    """Multiply the reflectors; the leading columns of the product are the result."""
    reflections = a.new(_transposed(result).shape, a.char)
    arranged.copy(a.driver, call, a.copy, reflections)
    name = f"cusolverDn{_ORTHOGONAL[a.char]}"

    def work(functions: Any, solver: _Solver, number: int) -> None:
        matrix = (a.columns, result.shape[-1], factors.shape[-1], a.part(reflections, number), a.columns,
                  a.part(factors, number))  # fmt: skip
        length = c_int()  # in elements
        getattr(functions, f"{name}_bufferSize")(solver.handle, *matrix, length)
        area = a.driver.workspace(max(length.value, 1) * result.dtype.itemsize)
        info = a.part(a.info, number) + a.info.dtype.itemsize
        a.driver.with_room(LIBRARY.title, getattr(functions, name), solver.handle, *matrix, area.address, length.value,
                           info)

    a.launch(work)
    arranged.copy(a.driver, call, _transposed(reflections), result)


def _find_singular_values(driver: Any, call: Call, full_matrices: bool = True, **options: Any) -> None:
    """Compute the SVD of the matrix, or of its transpose if that has more rows.

    The left singular vectors of the transpose are the right ones of the matrix, in the same memory order.
    """
    x = call.operands[0]
    is_wide = x.shape[-1] > x.shape[-2]
    values, sides = call.results[len(call.results) // 2], call.results[::2] if len(call.results) > 1 else []
    a = _Matrices(driver, call, x if is_wide else _transposed(x), _char_of(call, values))
    sides = sides[::-1] if is_wide else sides
    made = [a.new((side if is_wide else _transposed(side)).shape, a.char) for side in sides]
    job = ord("N" if not made else "A" if full_matrices else "S")

    def work(functions: Any, solver: _Solver, number: int) -> None:
        left, right = [a.part(vectors, number) for vectors in made] or (0, 0)
        a.call(functions, solver, "Xgesvd", number, job, job, a.columns, a.rows, *a.matrix(number),
               _TYPES[values.dtype.char], a.part(values, number), a.type, left, a.columns, a.type, right, a.rows)

    a.run(work)
    for vectors, side in zip(made, sides, strict=True):
        arranged.copy(driver, call, vectors if is_wide else _transposed(vectors), side)


def _char_of(call: Call, values: Operand) -> str:
    """Return the dtype character of matrices with real values."""
    real = values.dtype.char
    return real.upper() if call.operands[0].dtype.kind == "c" else real


_CALLS: Mapping[str, Callable[..., None]] = {
    "linalg.cholesky": _cholesky, "linalg.inv": _invert, "linalg.solve": _solve, "linalg.det": _find_determinants,
    "linalg.slogdet": _find_determinants, "linalg.eigvalsh": _find_eigenvalues, "linalg.eigh": _find_eigenvalues,
    "linalg.qr": _find_orthogonal, "linalg.svdvals": _find_singular_values, "linalg.svd": _find_singular_values,
}  # fmt: skip
NAMES = tuple(_CALLS)


def find(call: Call) -> Callable[[Any, Call], None] | None:
    """Return the function that runs a call; None if cuSOLVER does not support it."""
    x, *others = call.operands
    keywords = call.function.keywords
    if keywords.get("hermitian") or keywords.get("mode") == "raw" or 0 in x.shape:
        return None
    if not all(result.dtype.char in _TYPES and arranged.is_arranged(result) for result in call.results):
        return None
    if not all(operand.dtype.char in TYPES for operand in call.operands):
        return None
    is_stack = any(operand.shape[:-2] != x.shape[:-2] for operand in others if operand.ndim > 1)
    if is_stack or prod(x.shape[:-2]) > _MOST_MATRICES or (others and others[0].ndim == 1 and x.ndim > 2):
        return None
    return partial(_run, _CALLS[call.name], keywords)


def _run(make: Callable[..., None], keywords: Mapping[str, Any], driver: Any, call: Call) -> None:
    make(driver, call, **keywords)
    if not all(is_finite(driver, call, result) for result in call.results):
        raise NoKernel("values that are not finite")
