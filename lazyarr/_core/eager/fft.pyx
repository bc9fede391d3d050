"""Eager discrete Fourier transforms: NumPy's inner loops for pocketfft, called directly.

The loops take lines of any length and stride, cropped or padded to the transform's length. Transforms that set a status
flag are left to NumPy's function, which reports it. So are those in single precision, for which NumPy's precision
depends on the arguments.
"""
from libc.math cimport sqrt

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, SMALL_ELEMENTS, LazyArray, Loop, Node, PyObject, add_native, axis_number, bind, cast_elements, exact_loop,
    find_ufunc, first_of, lz_fp_clear, lz_fp_take, memcpy, must_report, new_base, new_leaf, npy_intp, read_integer,
    ready_array, small_array)

import numpy as np

cdef enum Kind:
    COMPLEX         # complex to complex
    OF_REAL         # real to half spectrum
    TO_REAL         # half spectrum to real
    KIND = 3
    BACKWARD = 4    # the inverse
    TWO_AXES = 8    # along the last two axes only


cdef enum:          # indices of the loops
    FFT, IFFT, RFFT_EVEN, RFFT_ODD, IRFFT

cdef Loop* _loops[5]


cdef int find_loops() except -1:
    """Look up the loops; NULL for those that this NumPy lacks."""
    cdef int types[3]
    cdef int place
    types[1] = cnp.NPY_DOUBLE
    for place, name in enumerate(("fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft")):
        types[0] = cnp.NPY_DOUBLE if name.startswith("rfft") else cnp.NPY_CDOUBLE
        types[2] = cnp.NPY_DOUBLE if name == "irfft" else cnp.NPY_CDOUBLE
        ufunc = getattr(np.fft._pocketfft_umath, name, None)
        _loops[place] = NULL if ufunc is None else exact_loop(find_ufunc(ufunc), types)
    return 0


find_loops()


cdef Loop* loop_of(int kind, bint forward, npy_intp length) noexcept:
    """Return the loop for a transform of a given length; NULL if NumPy has no such ufunc."""
    if kind == COMPLEX:
        return _loops[FFT if forward else IFFT]
    if kind == OF_REAL:
        return _loops[RFFT_ODD if length % 2 else RFFT_EVEN]
    return _loops[IRFFT]


# ---- transforms ----------------------------------------------------------------------------------------


cdef double scale_of(object norm, bint forward, npy_intp length) except *:
    """Return the scale factor of a transform; 0 for an unknown norm."""
    if norm is not None and type(norm) is not str:
        return 0
    if norm == "ortho":
        return 1 / sqrt(<double>length)
    if norm is None or norm == "backward" or norm == "forward":
        return 1 / <double>length if (norm == "forward") == forward else 1
    return 0


cdef inline npy_intp most_elements(int kind, Node a) noexcept:
    """Return the most elements transformed eagerly: more for a single line, which SciPy transforms no faster.

    Real input with a full spectrum is left to SciPy, which computes half of it.
    """
    return LARGE if a.ndim == 1 and (kind != COMPLEX or a.typenum == cnp.NPY_CDOUBLE) else <npy_intp>SMALL_ELEMENTS


cdef Node transformed(int kind, bint forward, char* data, Node a, int axis, npy_intp length, object norm):
    """Transform lines along an axis to a given length; return None for what is left to NumPy.

    `length` is that of the complex or the full real line.
    """
    cdef Loop* loop
    cdef Node made
    cdef npy_intp shape[8]
    cdef npy_intp dims[3]
    cdef npy_intp steps[5]
    cdef char* args[3]
    cdef npy_intp before = 1, behind = 1, i
    cdef double factor
    cdef int d
    cdef npy_intp most = most_elements(kind, a)
    if not 1 <= length <= most or a.ndim > 8 or a.ndim > 1 and not a.contiguous or not (
            a.typenum == cnp.NPY_DOUBLE or a.typenum == cnp.NPY_LONG
            or a.typenum == cnp.NPY_CDOUBLE and kind != OF_REAL):
        return None
    factor = scale_of(norm, forward, length)
    loop = loop_of(kind, forward, length)
    if loop is NULL or factor == 0:
        return None
    for d in range(a.ndim):
        shape[d] = a.shape[d]
        if d < axis:
            before *= a.shape[d]
        elif d > axis:
            behind *= a.shape[d]
    shape[axis] = length // 2 + 1 if kind == OF_REAL else length
    if before * behind * shape[axis] > most:
        return None
    if a.typenum != loop.types[0]:
        a = cast_elements(a, data, loop.types[0])
        data = a.data
    made = new_leaf(a.ndim, shape, loop.types[2])
    dims[1], dims[2] = a.shape[axis], shape[axis]
    steps[1] = 0
    steps[3], steps[4] = a.strides[axis], made.strides[axis]
    dims[0], steps[0], steps[2] = behind, a.itemsize, made.itemsize
    if behind == 1:  # all lines in one call
        dims[0], steps[0], steps[2] = before, a.shape[axis] * a.itemsize, shape[axis] * made.itemsize
        before = 1
    for i in range(before):
        args[0] = data + i * a.shape[axis] * behind * a.itemsize
        args[1] = <char*>&factor
        args[2] = made.data + i * shape[axis] * behind * made.itemsize
        loop.fn(args, dims, steps, loop.data)
    return made


cdef object _transform_line(PyObject** args, Py_ssize_t n, object names, int which):
    """Transform along one axis: f(a, n, axis, norm)."""
    cdef PyObject* given[4]
    cdef LazyArray x
    cdef Node made
    cdef npy_intp length
    cdef int axis, kind = which & KIND
    if not bind(args, n, names, ("a", "n", "axis", "norm"), 1, given):
        return NotImplemented
    x = ready_array(given, 1, LARGE)
    if x is None:
        return NotImplemented
    axis = axis_number(-1 if given[2] is NULL else <object>given[2], x.node.ndim)
    if axis < 0:
        return NotImplemented
    length = x.node.shape[axis] if kind != TO_REAL else (x.node.shape[axis] - 1) * 2
    if given[1] is not NULL and <object>given[1] is not None \
            and not read_integer(given[1], 1, LARGE, &length):
        return NotImplemented
    lz_fp_clear()
    made = transformed(kind, not which & BACKWARD, first_of(x), x.node, axis, length,
                       None if given[3] is NULL else <object>given[3])
    return NotImplemented if must_report(lz_fp_take()) or made is None else new_base(made)


cdef object _transform_axes(PyObject** args, Py_ssize_t n, object names, int which):
    """Transform along all axes, the last two or the given ones: f(a, axes=axes, norm=norm).

    Axes are transformed from the last to the first, except that the last one comes at the end if results are real.
    """
    cdef PyObject* given[4]
    cdef LazyArray x
    cdef Node made
    cdef int axes[8]
    cdef char* data
    cdef int k, place, axis, kind = which & KIND, count = 2 if which & TWO_AXES else 0
    if not bind(args, n, names, ("a", "s", "axes", "norm"), 1, given) \
            or given[1] is not NULL and <object>given[1] is not None:
        return NotImplemented
    x = small_array(given, 1)
    if x is None or x.node.ndim > 8 or x.node.ndim < count:
        return NotImplemented
    norm = None if given[3] is NULL else <object>given[3]
    if given[2] is not NULL and <object>given[2] is not None:
        if type(<object>given[2]) is not tuple or not 0 < len(<tuple><object>given[2]) <= 8:
            return NotImplemented
        count = len(<tuple><object>given[2])
        for k in range(count):
            axes[k] = axis_number((<tuple><object>given[2])[k], x.node.ndim)
            if axes[k] < 0:
                return NotImplemented
    else:
        count = count if count and given[2] is NULL else x.node.ndim
        for k in range(count):
            axes[k] = x.node.ndim - count + k
    made, data = x.node, first_of(x)
    lz_fp_clear()
    for k in range(count):
        place = count - 1 - k
        if kind == TO_REAL:
            place = k
        axis = axes[place]
        if kind == TO_REAL and place == count - 1:
            made = transformed(TO_REAL, False, data, made, axis, (x.node.shape[axis] - 1) * 2, norm)
        else:
            made = transformed(OF_REAL if kind == OF_REAL and k == 0 else COMPLEX, not which & BACKWARD, data, made,
                               axis, x.node.shape[axis], norm)
        if made is None:
            return NotImplemented
        data = made.data
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


# ---- order and frequencies ---------------------------------------------------------------------------------------


cdef void roll_lines(char* into, char* data, npy_intp lines, npy_intp count, npy_intp width, npy_intp shift) noexcept:
    """Copy lines of `count` items of `width` bytes, each rolled by `shift` items."""
    cdef npy_intp i, length = count * width
    for i in range(lines):
        memcpy(into + i * length + shift * width, data + i * length, length - shift * width)
        memcpy(into + i * length, data + (i + 1) * length - shift * width, shift * width)


cdef object _shifted(PyObject** args, Py_ssize_t n, object names, int back):
    """fftshift and ifftshift of an array in C order along all axes."""
    cdef LazyArray x = small_array(args, n)
    cdef Node made, last = None
    cdef npy_intp lines = 1, count, width
    cdef char* data
    cdef int d
    if x is None or n != 1 or names is not None or not x.node.contiguous:
        return NotImplemented
    data, width = first_of(x), x.node.size * x.node.itemsize
    for d in range(x.node.ndim):
        count = x.node.shape[d]
        width //= count
        made = new_leaf(x.node.ndim, x.node.shape, x.node.typenum)
        roll_lines(made.data, data, lines, count, width, (count + 1) // 2 if back else count // 2)
        data = made.data
        last = made  # keeps the input of the next axis alive
        lines *= count
    return new_base(last)


cdef object _frequencies(PyObject** args, Py_ssize_t n, object names, int is_half):
    """fftfreq(n, d) and rfftfreq(n, d)."""
    cdef PyObject* given[2]
    cdef npy_intp count, length = 0, i
    cdef double scale
    cdef double* data
    cdef Node made
    if not bind(args, n, names, ("n", "d"), 1, given) \
            or not read_integer(given[0], 1, LARGE, &length):
        return NotImplemented
    spacing = 1.0 if given[1] is NULL else <object>given[1]
    if type(spacing) is not float and type(spacing) is not int or not spacing:
        return NotImplemented
    lz_fp_clear()
    try:
        scale = 1.0 / (length * spacing)
    except (OverflowError, ZeroDivisionError):
        return NotImplemented
    count = length // 2 + 1 if is_half else length
    made = new_leaf(1, &count, cnp.NPY_DOUBLE)
    data = <double*>made.data
    for i in range(count):
        data[i] = <double>(i if is_half or i <= (length - 1) // 2 else i - length) * scale
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


add_native("fft.fft", _transform_line, COMPLEX)
add_native("fft.ifft", _transform_line, COMPLEX | BACKWARD)
add_native("fft.rfft", _transform_line, OF_REAL)
add_native("fft.irfft", _transform_line, TO_REAL | BACKWARD)
add_native("fft.fft2", _transform_axes, COMPLEX | TWO_AXES)
add_native("fft.ifft2", _transform_axes, COMPLEX | BACKWARD | TWO_AXES)
add_native("fft.fftn", _transform_axes, COMPLEX)
add_native("fft.ifftn", _transform_axes, COMPLEX | BACKWARD)
add_native("fft.rfft2", _transform_axes, OF_REAL | TWO_AXES)
add_native("fft.rfftn", _transform_axes, OF_REAL)
add_native("fft.irfft2", _transform_axes, TO_REAL | BACKWARD | TWO_AXES)
add_native("fft.irfftn", _transform_axes, TO_REAL | BACKWARD)
add_native("fft.fftshift", _shifted, False)
add_native("fft.ifftshift", _shifted, True)
add_native("fft.fftfreq", _frequencies, False)
add_native("fft.rfftfreq", _frequencies, True)
