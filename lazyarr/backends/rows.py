"""lazyarr's own backends: NumPy, its BLAS, SciPy, native products, and convolution algorithms."""
from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host import threads
from lazyarr._core.host.tunables import declared
from lazyarr.backends.table import NATIVE, NUMPY, Backend, Operand, add
from lazyarr.ops.einsum import by_opt_einsum, rows_and_columns
from lazyarr.ops.fourier import PRECISIONS, by_scipy


def _has_routines(*operands: Operand, **attributes: Any) -> bool:
    """Return whether BLAS, LAPACK and FFT libraries support the dtypes of all operands."""
    return all(x.dtype in PRECISIONS for x in operands)


# ---- products ------------------------------------------------------------------------------------------


def _multiply(a: Any, b: Any, out: Any) -> Any:
    if out is None:
        return np.matmul(a, b)
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *a.shape[-2:-1], *b.shape[1:][-1:])
    if out.shape == shape:
        np.matmul(a, b, out=out)
    else:  # axes of one operand may have been joined
        out[...] = np.matmul(a, b).reshape(out.shape)
    return None


def _multiply_natively(a: Any, b: Any, name: str, joins: bool = False) -> Any:
    if joins:  # what is left of both
        columns = np.moveaxis(b, -2, 0)
        shape = a.shape[:-1] + columns.shape[1:]
        a, b = _as_matrices(a, 0, a.ndim - 1), _as_matrices(columns, 0, 1)
    else:
        shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
    made = np.empty(shape, a.dtype)
    flags = core.kernels.matmul.fill(made, a, b)
    if flags:
        core.report(flags, name)
    return made


def _as_matrices(x: Any, stack: int, rows: int) -> Any:
    """Reshape x to `stack` leading axes and two more: one for the next `rows` axes, one for the rest."""
    lengths = x.shape[stack:]
    return x.reshape(*x.shape[:stack], math.prod(lengths[:rows]), math.prod(lengths[rows:]))


def _has_tiles(a: Operand, b: Operand) -> bool:
    return a.dtype == b.dtype and a.dtype in PRECISIONS and a.size > 0 and b.size > 0


def _is_native_product(a: Operand, b: Operand, joins: bool = False, **attributes: Any) -> bool:
    """Return whether the native kernel multiplies them; a matrix times its own transpose is left to BLAS."""
    return (not attributes and min(a.ndim, b.ndim) > 1 and _has_tiles(a, b)
            and (a.shape, a.strides) != (b.shape[::-1], b.strides[::-1]))


def _contract(*operands: Any, subscripts: str, optimize: Any, by_blas: bool) -> Any:
    return np.einsum(subscripts, *operands, optimize=by_blas)


def _contract_in_order(*operands: Any, subscripts: str, optimize: Any) -> Any:
    return by_opt_einsum(subscripts, operands, "auto")


def _contract_natively(*operands: Any, subscripts: str, optimize: Any) -> Any:
    found = rows_and_columns(subscripts, tuple([x.shape for x in operands]))
    assert found is not None  # what was accepted
    second, orders, (stack, rows, summed) = found
    a, b = [x.transpose(order) for x, order in zip((operands[1 - second], operands[second]), orders, strict=True)]
    made = np.empty(a.shape[:stack + rows] + b.shape[stack + summed:], a.dtype)
    core.kernels.matmul.fill(made, _as_matrices(a, stack, rows), _as_matrices(b, stack, summed))  # as NumPy's: no flags
    return made


def _is_plain_sum(*operands: Operand, **attributes: Any) -> bool:
    return attributes.keys() == {"subscripts", "optimize"} and not attributes["optimize"] and _has_routines(*operands)


def _has_an_order(*operands: Operand, **attributes: Any) -> bool:
    """Return whether the sum may be split into pairwise contractions: all operands have one dtype already."""
    return len(operands) > 1 and len({x.dtype for x in operands}) == 1 and _is_plain_sum(*operands, **attributes)


def _is_sum_of_matrices(*operands: Operand, **attributes: Any) -> bool:
    return (len(operands) == 2 and _has_tiles(*operands) and _is_plain_sum(*operands, **attributes)
            and rows_and_columns(attributes["subscripts"], tuple([x.shape for x in operands])) is not None)


for _name in ("matmul", "dot"):
    add(Backend(_name, NUMPY, _multiply, _has_routines, out=True))
    add(Backend(_name, NATIVE, functools.partial(_multiply_natively, name=_name), _is_native_product))
add(Backend("einsum", NUMPY, functools.partial(_contract, by_blas=False), _is_plain_sum))
add(Backend("einsum", "blas", functools.partial(_contract, by_blas=True), _is_plain_sum))
add(Backend("einsum", "opt_einsum", _contract_in_order, _has_an_order))
add(Backend("einsum", NATIVE, _contract_natively, _is_sum_of_matrices))


# ---- sorting -------------------------------------------------------------------------------------------

_KINDS: dict[int, Any] = {0: "quicksort", 2: "stable"}


def _sort(x: Any, axis: int, algorithm: int, out: Any) -> None:
    np.copyto(out, x)
    out.sort(axis, _KINDS[algorithm])


def _argsort(x: Any, axis: int, algorithm: int) -> Any:
    return np.argsort(x, axis, _KINDS[algorithm])


add(Backend("sort", NUMPY, _sort, exact=True, out=True))
add(Backend("argsort", NUMPY, _argsort, exact=True))


# ---- Fourier transforms --------------------------------------------------------------------------------


def _transform(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return SciPy's transform, run on all threads."""
    return lambda x, **options: by_scipy(function, x, threads.get_num_threads(), **options)


for _kind in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    for _name in (_kind, f"{_kind}2", f"{_kind}n"):
        if hasattr(np.fft, _name):
            add(Backend(f"fft.{_name}", "scipy", _transform(getattr(np.fft, _name)), _has_routines))
            add(Backend(f"fft.{_name}", NUMPY, getattr(np.fft, _name)))


# ---- linear algebra ------------------------------------------------------------------------------------


def _or_numpys(name: str, **options: Any) -> Callable[..., Any]:
    """Return SciPy's function, with a fallback to NumPy's and its errors and warnings if results are not finite."""
    def scipys(a: Any) -> Any:
        import scipy.linalg

        function = _invert if name == "inv" else getattr(scipy.linalg, name)
        if np.isfinite(a).all():
            try:
                made = function(a, check_finite=False, **options)
            except (ValueError, np.linalg.LinAlgError):
                made = np.nan
            if np.isfinite(made).all():
                return made
        return getattr(np.linalg, name)(a)

    return scipys


def _invert(a: Any, check_finite: bool) -> Any:
    """Invert by LAPACK's routines alone, as SciPy's function also warns about ill-conditioned matrices."""
    from scipy.linalg.lapack import get_lapack_funcs

    factor, invert = get_lapack_funcs(("getrf", "getri"), (a,))
    made, pivots, info = factor(a)
    made, info = invert(made, pivots, overwrite_lu=True) if info == 0 else (made, info)
    if info:
        raise np.linalg.LinAlgError
    return made


def _is_one_matrix(x: Operand, **attributes: Any) -> bool:
    return x.ndim == 2 and x.size > 0 and x.dtype in PRECISIONS and not attributes


def _is_of_doubles(x: Operand, **attributes: Any) -> bool:
    return x.dtype.char in "dD" and _is_one_matrix(x, **attributes)


for _name, _accepts, _options in (
        ("inv", _is_one_matrix, {}), ("det", _is_of_doubles, {}), ("cholesky", _is_one_matrix, {"lower": True}),
        ("svdvals", _is_one_matrix, {}), ("eigvalsh", _is_one_matrix, {"driver": "evr"})):
    add(Backend(f"linalg.{_name}", "scipy", _or_numpys(_name, **_options), _accepts))


# ---- convolutions --------------------------------------------------------------------------------------


def _convolve(a: Any, b: Any, sums: str, windows: Any, groups: int, out: Any, way: str | None = None) -> Any:
    """Compute the native sum, with one algorithm (Winograd, joined columns) wherever possible, or with neither."""
    fill = core.kernels.conv_sums.fill  # whose modules declare the numbers
    numbers = [declared()[name] for name in ("path.winograd", "path.joined")]
    before = [number.get() for number in numbers]
    try:
        for number in numbers:
            number.set(number.high if number.name == way else number.low)
        return fill(out, a, b, sums, windows, groups)
    finally:
        for number, value in zip(numbers, before, strict=True):
            number.set(value)


def _has_winograd(a: Operand, b: Operand, **attributes: Any) -> bool:
    windows = attributes["windows"]
    return a.dtype == np.float32 and windows.taps == (3, 3) and {*windows.stride, *windows.dilation} == {1}


def _can_join(a: Operand, b: Operand, **attributes: Any) -> bool:
    joinable: bool = core.kernels.conv_sums.can_join(a.dtype, a.shape, b.shape, **attributes)
    return joinable


def _has_ways(a: Operand, b: Operand, **attributes: Any) -> bool:
    """Return whether there is an algorithm besides the direct sum."""
    return _has_winograd(a, b, **attributes) or _can_join(a, b, **attributes)


def _by_patches(x: Any, w: Any, sums: str, windows: Any, groups: int) -> Any:
    """Compute the convolution as a BLAS product of patches (im2col) and weights."""
    ndim = w.ndim - 2
    spans = [(taps - 1) * step + 1 for taps, step in zip(windows.taps, windows.dilation, strict=True)]
    ends = [max((count - 1) * stride + span - before - extent, 0) for count, stride, span, before, extent in
            zip(windows.positions, windows.stride, spans, windows.before, windows.extent, strict=True)]
    padded = np.pad(x, [(0, 0), *zip(windows.before, ends, strict=True), (0, 0)])
    patches = np.lib.stride_tricks.sliding_window_view(padded, spans, tuple(range(1, ndim + 1)))
    places = [slice(0, (count - 1) * stride + 1, stride) for count, stride in
              zip(windows.positions, windows.stride, strict=True)]
    patches = patches[(slice(None), *places, slice(None), *[slice(None, None, step) for step in windows.dilation])]
    taps = range(ndim)
    return np.tensordot(patches, w, ([ndim + 1, *[ndim + 2 + k for k in taps]], [ndim, *taps]))


def _is_plain_forward(x: Operand, w: Operand, **attributes: Any) -> bool:
    return attributes["sums"] == "forward" and attributes["groups"] == 1 and _has_routines(x, w)


for _ndim in (1, 2, 3):
    add(Backend(f"conv{_ndim}d", "blas", _by_patches, _is_plain_forward))
    for _name in (f"conv{_ndim}d", f"conv{_ndim}d_input", f"conv_transpose{_ndim}d"):
        add(Backend(_name, "direct", _convolve, _has_ways, out=True))
        add(Backend(_name, "joined", functools.partial(_convolve, way="path.joined"), _can_join, out=True))
for _name in ("conv2d", "conv2d_input", "conv_transpose2d"):
    add(Backend(_name, "winograd", functools.partial(_convolve, way="path.winograd"), _has_winograd, out=True))
