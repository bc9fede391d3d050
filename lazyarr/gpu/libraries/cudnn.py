"""Convolutions and their gradients by cuDNN, in float32 and float64.

Only algorithms that add products in a fixed order are used: with FFT and Winograd algorithms an infinity in the input
makes unrelated results NaN. Our own kernels compute what cuDNN does not support, such as more padding before than
after.

float32 arrays are used in place, with channels last. For float64, cuDNN supports only channels first, so these arrays
are copied. Weights are always copied: their column axis is last here, and first in cuDNN.
"""

import functools
from collections.abc import Callable, Sequence
from ctypes import POINTER, Structure, c_float, c_int, c_size_t, c_uint64, c_void_p
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls.convolutions import convolution, is_convolution
from lazyarr.gpu.libraries import arranged, sum_flags
from lazyarr.gpu.libraries.loading import Handles, Library, LibraryError, Refused, made

_ADDRESS, _HANDLE, _INTS = c_uint64, c_void_p, POINTER(c_int)
_SUMS = {"forward": "Forward", "input": "BackwardData", "weight": "BackwardFilter"}
_DESCRIPTORS = ("Tensor", "Filter", "Convolution")


class _Algorithm(Structure):
    """Description of an algorithm: cudnnConvolutionFwdAlgoPerf_t."""

    _fields_ = (("number", c_int), ("status", c_int), ("time", c_float), ("memory", c_size_t),
                ("is_deterministic", c_int), ("math", c_int), ("reserved", 3 * c_int))  # fmt: skip


_ARRAYS = (_HANDLE, _HANDLE, _HANDLE, _HANDLE, _HANDLE)  # handle; descriptors of operands, convolution, result
PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "cudnnCreate": (POINTER(_HANDLE),),
    "cudnnDestroy": (_HANDLE,),
    "cudnnSetStream": (_HANDLE, c_void_p),
    **{f"cudnnCreate{kind}Descriptor": (POINTER(_HANDLE),) for kind in _DESCRIPTORS},
    **{f"cudnnDestroy{kind}Descriptor": (_HANDLE,) for kind in _DESCRIPTORS},
    "cudnnSetTensorNdDescriptor": (_HANDLE, c_int, c_int, _INTS, _INTS),  # type, axes, extents, strides in elements
    "cudnnSetFilterNdDescriptor": (_HANDLE, c_int, c_int, c_int, _INTS),  # type, layout, axes, extents
    "cudnnSetConvolutionNdDescriptor": (_HANDLE, c_int, _INTS, _INTS, _INTS, c_int, c_int),
    # axes; padding, strides, dilations; mode; compute type
    "cudnnSetConvolutionMathType": (_HANDLE, c_int),
    "cudnnSetConvolutionGroupCount": (_HANDLE, c_int),
    **{f"cudnnGetConvolution{name}Algorithm_v7": (*_ARRAYS, c_int, _INTS, POINTER(_Algorithm))
       for name in _SUMS.values()},  # requested and returned count, algorithms
    **{f"cudnnGetConvolution{name}WorkspaceSize": (*_ARRAYS, c_int, POINTER(c_size_t)) for name in _SUMS.values()},
    **{f"cudnnConvolution{name}": (
        _HANDLE, c_void_p, *2 * (_HANDLE, _ADDRESS), _HANDLE, c_int, _ADDRESS, c_size_t, c_void_p, _HANDLE, _ADDRESS)
       for name in _SUMS.values()},
    # handle; alpha; operands; convolution; algorithm; workspace; beta; result
}  # fmt: skip

_STATUSES = {
    1001: "NOT_INITIALIZED", 1002: "SUBLIBRARY_VERSION_MISMATCH", 1005: "LICENSE_ERROR",
    1008: "SUBLIBRARY_LOADING_FAILED", 2000: "BAD_PARAM", 2002: "BAD_PARAM_NULL_POINTER",
    2003: "BAD_PARAM_MISALIGNED_POINTER", 2006: "BAD_PARAM_SIZE_INSUFFICIENT", 2007: "BAD_PARAM_STREAM_MISMATCH",
    2008: "BAD_PARAM_SHAPE_MISMATCH", 3000: "NOT_SUPPORTED", 3002: "NOT_SUPPORTED_SHAPE",
    3003: "NOT_SUPPORTED_DATA_TYPE", 3004: "NOT_SUPPORTED_LAYOUT", 3007: "NOT_SUPPORTED_ARCH_MISMATCH",
    3010: "NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT", 3011: "NOT_SUPPORTED_PADDING", 4000: "INTERNAL_ERROR",
    4003: "INTERNAL_ERROR_HOST_ALLOCATION_FAILED", 4004: "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
    5000: "EXECUTION_FAILED", 5001: "EXECUTION_FAILED_CUDA_DRIVER"}  # fmt: skip
LIBRARY = Library("cuDNN", "cudnn", 0, PROTOTYPES,
                  {number: f"CUDNN_STATUS_{name}" for number, name in _STATUSES.items()},
                  frozenset(["CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"]),
                  release=9, built_for="cudnnGetCudartVersion")  # fmt: skip

# constants of cudnn_graph.h and cudnn_ops.h
_TYPES = {"f": 0, "d": 1}  # CUDNN_DATA_*
_CHANNELS_FIRST, _CHANNELS_LAST = 0, 1  # CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC
_CORRELATION = 1  # CUDNN_CROSS_CORRELATION
_WITHOUT_TENSOR_CORES = 3  # CUDNN_FMA_MATH: no TF32
_ALGORITHMS = {"forward": (0, 1, 2, 3), "input": (1,), "weight": (1,)}  # those that add products in a fixed order
_MOST_ALGORITHMS = 16
_MOST_WORKSPACE = 1 << 30  # bytes; algorithms that need more are skipped
_MOST = 2**31 - 1  # elements of an array


class Problem(NamedTuple):
    """A convolution or gradient with at least two spatial axes: the key of its descriptors.

    Attributes
    ----------
    sums : {"forward", "input", "weight"}
    char : str
    groups : int
    x, w, y : tuple of int
        Shapes: batch, channels and space; of the weights: columns, channels of a group and taps.
    before, stride, dilation : tuple of int
    """

    sums: str
    char: str
    groups: int
    x: tuple[int, ...]
    w: tuple[int, ...]
    y: tuple[int, ...]
    before: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]

    @property
    def layout(self) -> int:
        """Return whether channels are first or last."""
        return _CHANNELS_LAST if self.char == "f" else _CHANNELS_FIRST


def _make(functions: Any, stream: int) -> int:
    handle: int = made(_HANDLE, functions.cudnnCreate)
    functions.cudnnSetStream(handle, stream)
    return handle


HANDLES = Handles(LIBRARY, _make, lambda functions, handle: functions.cudnnDestroy(handle))


class _Plan:
    """Descriptors of a problem, and its algorithms with their workspace sizes (None if not yet known)."""

    def __init__(self) -> None:
        self.descriptors: dict[str, tuple[str, int]] = {}  # by array name: kind and handle
        self.algorithms: list[tuple[int, int]] | None = None

    def of(self, names: str) -> list[int]:
        """Return the descriptors with these names, in order."""
        return [self.descriptors[name][1] for name in names]


def _integers(numbers: Sequence[int]) -> Any:
    return (c_int * len(numbers))(*numbers)


def _describe(problem: Problem, functions: Any, stream: int) -> _Plan:
    plan, kind = _Plan(), _TYPES[problem.char]
    try:
        for name, what in (("x", "Tensor"), ("w", "Filter"), ("y", "Tensor"), ("-", "Convolution")):
            plan.descriptors[name] = what, made(_HANDLE, getattr(functions, f"cudnnCreate{what}Descriptor"))
        x, w, y, sums = plan.of("xwy-")
        for descriptor, shape in ((x, problem.x), (y, problem.y)):
            functions.cudnnSetTensorNdDescriptor(
                descriptor, kind, len(shape), _integers(shape), _integers(_strides(shape, problem.layout)))
        functions.cudnnSetFilterNdDescriptor(w, kind, problem.layout, len(problem.w), _integers(problem.w))
        spatial = [_integers(numbers) for numbers in (problem.before, problem.stride, problem.dilation)]
        functions.cudnnSetConvolutionNdDescriptor(sums, len(problem.before), *spatial, _CORRELATION, kind)
        functions.cudnnSetConvolutionMathType(sums, _WITHOUT_TENSOR_CORES)
        functions.cudnnSetConvolutionGroupCount(sums, problem.groups)
    except BaseException:
        _destroy(functions, plan)
        raise
    return plan


def _strides(shape: Sequence[int], layout: int) -> tuple[int, ...]:
    """Return the strides, in elements, of a contiguous array with logical channels axis 1."""
    if layout == _CHANNELS_FIRST:
        return arranged.strides_of(shape, 1)
    samples, *space, _ = arranged.strides_of((shape[0], *shape[2:], shape[1]), 1)
    return (samples, 1, *space)


def _destroy(functions: Any, plan: _Plan) -> None:
    for what, descriptor in plan.descriptors.values():
        getattr(functions, f"cudnnDestroy{what}Descriptor")(descriptor)


@functools.lru_cache(256)
def plans(problem: Problem) -> Handles:
    """Return the plans of a problem."""
    return Handles(LIBRARY, partial(_describe, problem), _destroy)


def find(call: Call) -> Callable[[Any, Call], None] | None:
    """Return the function that runs a call; None if cuDNN does not support it."""
    if not is_convolution(call):
        return None
    function: Any = call.function
    arrays, windows = (*call.operands, call.result), function.windows
    char = call.result.dtype.char
    if char not in _TYPES or {x.dtype.char for x in arrays} != {char} or not arranged.is_arranged(call.result):
        return None
    if not all(x.dtype.isnative and 0 < prod(x.shape) <= _MOST for x in arrays):
        return None
    for n, taps, stride, before, dilation, count in zip(*windows, strict=True):
        if before < 0 or (n + 2 * before - (taps - 1) * dilation - 1) // stride + 1 != count:
            return None  # asymmetric padding
    x, w, y = [arrays["abc".index(name)].shape for name in _PLACES[function.sums]]
    more = (1,) * (len(windows.taps) == 1)  # cuDNN needs two spatial axes
    problem = Problem(
        function.sums, char, function.groups, (x[0], x[-1], *more, *x[1:-1]), (w[-1], w[-2], *more, *w[:-2]),
        (y[0], y[-1], *more, *y[1:-1]), (*[0] * len(more), *windows.before), (*more, *windows.stride),
        (*more, *windows.dilation))  # fmt: skip
    return partial(_run, problem)


# which of operands a, b and result c are the input, weights and output
_PLACES = {"forward": "abc", "input": "cba", "weight": "acb"}
# operands and result by name, in cuDNN's order
_ORDER = {"forward": ("x", "w", "y"), "input": ("w", "y", "x"), "weight": ("x", "y", "w")}


def _run(problem: Problem, driver: Any, call: Call) -> None:
    arrays = dict(zip("abc", (*call.operands, call.result), strict=True))
    found = {name: arrays[place] for name, place in zip("xwy", _PLACES[problem.sums], strict=True)}
    first, second, last = _ORDER[problem.sums]
    orders = {name: _axes(array.ndim, name == "w", problem.layout) for name, array in found.items()}
    operands = [_taken(driver, call, arranged.turned(found[name], orders[name])) for name in (first, second)]
    target = arranged.turned(found[last], orders[last])
    is_in_place = arranged.is_arranged(target)
    if not is_in_place:
        target = arranged.new(driver, target.shape, problem.char)
    used = [*operands, target]
    work = partial(_convolve, problem, driver, used)
    driver.run_library(plans(problem), lambda functions, plan: driver.run_library(
        HANDLES, partial(work, plan), [x.block for x in used]), [])  # fmt: skip
    if not is_in_place:
        back = [orders[last].index(axis) for axis in range(target.ndim)]
        arranged.copy(driver, call, arranged.turned(target, back), call.result)
    function: Any = call.function
    for contraction in convolution(function.sums, function.windows, function.groups, *arrays.values()):
        axes = (*contraction.batch, *contraction.rows, *contraction.columns)
        sum_flags.note(driver, call, axes, contraction.terms, contraction.windows, contraction.operands)


def _axes(ndim: int, is_weight: bool, layout: int) -> list[int]:
    """Return the axes of an array in cuDNN's order."""
    if is_weight:
        space = [*range(ndim - 2)]
        return [ndim - 1, *space, ndim - 2] if layout == _CHANNELS_LAST else [ndim - 1, ndim - 2, *space]
    return [*range(ndim)] if layout == _CHANNELS_LAST else [0, ndim - 1, *range(1, ndim - 1)]


def _taken(driver: Any, call: Call, x: Operand) -> Operand:
    """Return x in C order: itself, or a copy."""
    if arranged.is_arranged(x) and x.offset % x.dtype.itemsize == 0:
        return x
    made = arranged.new(driver, x.shape, x.dtype.char)
    arranged.copy(driver, call, x, made)
    return made


def _convolve(problem: Problem, driver: Any, arrays: Sequence[Operand], plan: _Plan, functions: Any,
              handle: int) -> None:  # fmt: skip
    first, second, last = [plan.of(name)[0] for name in _ORDER[problem.sums]]
    name, (sums,) = _SUMS[problem.sums], plan.of("-")
    if plan.algorithms is None:
        plan.algorithms = _algorithms(problem, functions, handle, first, second, sums, last)
    alpha, beta = np.ones(1, problem.char), np.zeros(1, problem.char)
    a, b, c = [x.block.address + x.offset for x in arrays]
    no_room: MemoryError | None = None
    for algorithm, nbytes in plan.algorithms:
        try:
            area = driver.workspace(max(nbytes, 1))  # freed in stream order, after the sums
            driver.with_room(
                LIBRARY.title, getattr(functions, f"cudnnConvolution{name}"), handle, alpha.ctypes.data, first, a,
                second, b, sums, algorithm, area.address, nbytes, beta.ctypes.data, last, c)  # fmt: skip
            return
        except MemoryError as error:  # another may need less
            no_room = error
        except LibraryError as error:
            if not _is_refusal(error):
                raise
    raise no_room or Refused


def _algorithms(problem: Problem, functions: Any, *arrays: int) -> list[tuple[int, int]]:
    """Return algorithms with their workspace sizes, in cuDNN's order of preference."""
    name, usable = _SUMS[problem.sums], []
    count, found = c_int(), (_Algorithm * _MOST_ALGORITHMS)()
    try:
        getattr(functions, f"cudnnGetConvolution{name}Algorithm_v7")(*arrays, len(found), count, found)
    except LibraryError as error:
        if not _is_refusal(error):
            raise
    for each in found[: count.value]:
        if each.status or not each.is_deterministic or each.number not in _ALGORITHMS[problem.sums]:
            continue
        nbytes = c_size_t()
        try:
            getattr(functions, f"cudnnGetConvolution{name}WorkspaceSize")(*arrays, each.number, nbytes)
        except LibraryError as error:  # may not exist without tensor cores
            if not _is_refusal(error):
                raise
            continue
        if nbytes.value <= _MOST_WORKSPACE:
            usable.append((each.number, nbytes.value))
    return usable


def _is_refusal(error: LibraryError) -> bool:
    return error.status.startswith("CUDNN_STATUS_NOT_SUPPORTED")
