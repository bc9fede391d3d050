"""Fourier transforms by cuFFT, in single and double precision, along one to three axes.

cuFFT transforms C-order arrays along their last axes. Other operands, and those of another dtype or length, are copied
and scaled in the same pass; a result along other axes is copied back. float16 transforms stay on the host, because
NumPy scales them in half precision.
"""

import functools
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_int, c_longlong, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, NamedTuple

from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls.contractions import Axis
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.libraries import arranged, sum_flags
from lazyarr.gpu.libraries.loading import Handles, Library, made

_PLAN, _ADDRESS = c_int, c_uint64
_LAYOUT = (POINTER(c_longlong), c_longlong, c_longlong)  # extents, element stride, batch stride
_MOST_AXES = 3

PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "cufftCreate": (POINTER(_PLAN),),
    "cufftDestroy": (_PLAN,),
    "cufftSetStream": (_PLAN, c_void_p),
    "cufftSetAutoAllocation": (_PLAN, c_int),
    "cufftMakePlanMany64": (
        _PLAN, c_int, POINTER(c_longlong), *_LAYOUT, *_LAYOUT, c_int, c_longlong, POINTER(c_size_t)),
    # plan; rank; points; input and output layouts; type; batch; workspace bytes
    "cufftSetWorkArea": (_PLAN, _ADDRESS),
    **dict.fromkeys(("cufftExecC2C", "cufftExecZ2Z"), (_PLAN, _ADDRESS, _ADDRESS, c_int)),  # operand; result; direction
    **dict.fromkeys(("cufftExecR2C", "cufftExecD2Z", "cufftExecC2R", "cufftExecZ2D"), (_PLAN, _ADDRESS, _ADDRESS)),
}  # fmt: skip

_STATUSES = {1: "CUFFT_INVALID_PLAN", 2: "CUFFT_ALLOC_FAILED", 3: "CUFFT_INVALID_TYPE", 4: "CUFFT_INVALID_VALUE",
             5: "CUFFT_INTERNAL_ERROR", 6: "CUFFT_EXEC_FAILED", 7: "CUFFT_SETUP_FAILED", 8: "CUFFT_INVALID_SIZE",
             9: "CUFFT_UNALIGNED_DATA", 11: "CUFFT_INVALID_DEVICE", 13: "CUFFT_NO_WORKSPACE",
             14: "CUFFT_NOT_IMPLEMENTED", 16: "CUFFT_NOT_SUPPORTED"}  # fmt: skip
LIBRARY = Library("cuFFT", "cufft", 1, PROTOTYPES, _STATUSES, frozenset(["CUFFT_ALLOC_FAILED"]))

# cufftType by the dtypes of operand and result
_KINDS = {"FF": ("C2C", 0x29), "fF": ("R2C", 0x2A), "Ff": ("C2R", 0x2C),
          "DD": ("Z2Z", 0x69), "dD": ("D2Z", 0x6A), "Dd": ("Z2D", 0x6C)}  # fmt: skip
_COMPLEX, _REAL = {"f": "F", "d": "D", "F": "F", "D": "D"}, {"F": "f", "D": "d"}


class _Plan(NamedTuple):
    number: int
    nbytes: int  # of its workspace


def _make(chars: str, points: Sequence[int], count: int, functions: Any, stream: int) -> _Plan:
    number = made(_PLAN, functions.cufftCreate)
    try:
        functions.cufftSetAutoAllocation(number, 0)
        functions.cufftSetStream(number, stream)
        layout = None, 1, 0  # contiguous in C order
        nbytes = c_size_t()
        functions.cufftMakePlanMany64(number, len(points), (c_longlong * len(points))(*points), *layout, *layout,
                                      _KINDS[chars][1], count, nbytes)  # fmt: skip
    except BaseException:
        functions.cufftDestroy(number)
        raise
    return _Plan(number, nbytes.value)


def _destroy(functions: Any, plan: _Plan) -> None:
    functions.cufftDestroy(plan.number)


@functools.lru_cache(64)
def plans(chars: str, points: Sequence[int], count: int) -> Handles:
    """Return the plans of `count` transforms from one dtype to another."""
    return Handles(LIBRARY, partial(_make, chars, points, count), _destroy)


@dataclass(frozen=True)
class Transform:
    """A transform.

    Attributes
    ----------
    chars : str
        Dtype characters of cuFFT's operand and result.
    axes : tuple of int
        In C order of the transform, the halved one last.
    points : tuple of int
        Along each axis.
    direction : int
        -1, or 1 for the inverse.
    scale : str
        Factor of the result, as for `arranged.copy`.
    """

    chars: str
    axes: tuple[int, ...]
    points: tuple[int, ...]
    direction: int
    scale: str

    @property
    def is_real(self) -> bool:
        """Return whether the result is real."""
        return self.chars[1] in "fd"


def find(call: Call) -> Callable[[Any, Call], None] | None:
    """Return the function that runs a call; None if cuFFT does not support it."""
    (x,), result = call.operands, call.result
    is_inverse, is_real = "ifft" in call.name or "irfft" in call.name, "rfft" in call.name
    axes, lengths = _axes_of(call.function.keywords, x.ndim)
    if len(axes) > _MOST_AXES or (is_inverse and is_real and len(axes) > 1) or result.dtype.char not in _COMPLEX:
        return None  # libraries assume a Hermitian spectrum along several axes
    if x.dtype.char not in TYPES or x.dtype.char == "e" or not x.dtype.isnative:
        return None
    memory = arranged.order_of(result)
    if memory is None:
        return None
    spectrum = _COMPLEX[result.dtype.char]
    chars = spectrum + result.dtype.char if is_inverse or not is_real else _REAL[spectrum] + spectrum
    points = [x.shape[axis] if n is None else n for axis, n in zip(axes, lengths, strict=True)]
    if is_inverse and is_real:
        points = [result.shape[axes[0]]]
    norm = call.function.keywords["norm"] or "backward"
    scale = "1 / sqrt(n)" if norm == "ortho" else "1 / n" if (norm == "backward") == is_inverse else ""
    transform = Transform(chars, tuple(axes), tuple(points), 1 if is_inverse else -1, scale)
    return partial(_run, transform, memory)


def _axes_of(keywords: Any, ndim: int) -> tuple[Sequence[int], Sequence[int | None]]:
    """Return the axes of a transform and its points along each, None for all."""
    if "axis" in keywords:
        return [keywords["axis"]], [keywords["n"]]
    axes = range(ndim) if keywords["axes"] is None else keywords["axes"]
    return axes, keywords["s"] or [None] * len(axes)


def _run(transform: Transform, memory: Sequence[int], driver: Any, call: Call) -> None:
    (x,), result = call.operands, call.result
    order = [axis for axis in memory if axis not in transform.axes] + [*transform.axes]
    source, target = _operand(transform, driver, call, arranged.turned(x, order)), arranged.turned(result, order)
    is_in_place = arranged.is_arranged(target)
    if not is_in_place:
        target = arranged.new(driver, target.shape, result.dtype.char)
    count = prod(source.shape[: -len(transform.axes)])
    handles = plans(transform.chars, transform.points, count)
    driver.run_library(handles, partial(_execute, transform, driver, source, target), [source.block, target.block])
    if not is_in_place:
        back = [order.index(axis) for axis in memory]
        arranged.copy(driver, call, arranged.turned(target, back), arranged.turned(result, memory))
    if x.dtype.kind in "fc":
        strides = enumerate(zip(result.shape, x.strides, result.strides, strict=True))
        axes = [Axis(extent, 0 if axis in transform.axes else a, 0, c) for axis, (extent, a, c) in strides]
        points = zip(transform.axes, transform.points, strict=True)
        terms = [Axis(min(n, x.shape[axis]), x.strides[axis]) for axis, n in points]
        sum_flags.note(driver, call, axes, terms)


def _operand(transform: Transform, driver: Any, call: Call, x: Operand) -> Operand:
    """Return x with the transformed axes last and in C order: itself, or a copy."""
    char, points = transform.chars[0], list(transform.points)
    if transform.is_real:
        points[-1] = points[-1] // 2 + 1
    shape = [*x.shape[: -len(points)], *points]
    is_aligned = x.offset % (2 * x.dtype.itemsize if char in "fd" else x.dtype.itemsize) == 0
    if (x.dtype.char == char and [*x.shape] == shape and arranged.is_arranged(x) and is_aligned
            and not transform.scale and not transform.is_real):  # fmt: skip
        return x
    source = arranged.new(driver, shape, char)  # complex-to-real transforms overwrite their operand
    n = prod(transform.points)
    arranged.copy(driver, call, x, source, n, transform.scale, is_half=transform.is_real)
    return source


def _execute(transform: Transform, driver: Any, source: Operand, target: Operand, functions: Any, plan: _Plan) -> None:
    area = driver.workspace(max(plan.nbytes, 1))  # freed in stream order, after the transform
    functions.cufftSetWorkArea(plan.number, area.address)
    kind = _KINDS[transform.chars][0]
    direction = (transform.direction,) if kind[0] == kind[2] else ()
    addresses = [x.block.address + x.offset for x in (source, target)]
    driver.with_room(LIBRARY.title, getattr(functions, f"cufftExec{kind}"), plan.number, *addresses, *direction)
