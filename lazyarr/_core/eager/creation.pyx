"""Eager creation, copying, filling and casting of arrays."""
from cpython.sequence cimport PySequence_Fast_GET_SIZE, PySequence_Fast_ITEMS
from libc.math cimport isfinite

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, MAX_DIMS, SMALL_ELEMENTS, WEAK_INT, Node, Operand, add_native, copy_elements, descr_of, fill_weak, first_of,
    is_ready, lz_fp_clear, lz_fp_take, memcpy, memset, must_report, new_base, new_leaf, new_view, new_window,
    note_write, own_storage, read_element, read_integer, read_number, read_operand, read_shape, ready_array,
    small_array)
from lazyarr._core.frontend.eager_assign cimport number_fits, write_at_once
from lazyarr._core.frontend.handle cimport new_handle, node_of
from lazyarr._core.frontend.index cimport lz_int
from lazyarr._core.frontend.numpy_call cimport call_on_values
from lazyarr._core.ir.builder cimport axes_by_stride, cast_node, set_strides
from lazyarr._core.ir.leaf cimport code_of

import numpy as np

cdef extern from "Python.h":
    double PyFloat_AS_DOUBLE(object o) noexcept
    long PyLong_AsLongAndOverflow(object o, int* overflow) except? -1

cdef object _dtype = np.dtype
cdef object _float64 = np.float64
cdef dict _codes = {float: cnp.NPY_DOUBLE, int: cnp.NPY_LONG, bool: cnp.NPY_BOOL, complex: cnp.NPY_CDOUBLE,
                    None: cnp.NPY_DOUBLE}
for _char in "?bBhHiIlLefdgFDG":
    _codes[np.dtype(_char).type] = np.dtype(_char).num
    _codes[_char] = np.dtype(_char).num
for _name in "float64 float32 int64 int32 uint8 bool complex128 f8 f4 i8 i4 u1 c16".split():
    _codes[_name] = np.dtype(_name).num


cdef enum:
    UNTOUCHED = 1 << 20         # largest array allocated eagerly without writing to it
    SPACED = 1 << 16            # largest eager linspace; a graph is faster beyond


# ---- arguments -----------------------------------------------------------------------------------------


cdef int dtype_code(object dtype) except -2:
    """Return the type number of a native dtype argument without metadata; -1 for any other."""
    cdef int code
    if type(dtype) is str or type(dtype) is type or dtype is None:
        found = _codes.get(dtype)
        if found is None and type(dtype) is str:
            try:
                found = _codes[dtype] = dtype_code(np.dtype(dtype))
            except TypeError:
                pass  # the caller refuses it, too
        return -1 if found is None else <int>found
    if isinstance(dtype, _dtype):
        code = code_of(dtype)
        return code if code < 0 or dtype is descr_of(code) or dtype.metadata is None else -1
    return -1


cdef int dtype_argument(PyObject** args, Py_ssize_t n, object names, Py_ssize_t place) except -2:
    """Return the type number of the dtype at this position, or keyword; -1 for others."""
    if names is None:
        return cnp.NPY_DOUBLE if n == place else dtype_code(<object>args[place]) if n == place + 1 else -1
    if n != place or len(<tuple>names) != 1 or (<tuple>names)[0] != "dtype":
        return -1
    return dtype_code(<object>args[n])


# ---- making --------------------------------------------------------------------------------------------


cdef void fill(char* data, npy_intp count, npy_intp width, char* value) noexcept:
    """Set `count` contiguous elements of `width` bytes to one value."""
    cdef npy_intp i
    cdef long long word
    if width == 8:
        word = (<long long*>value)[0]
        for i in range(count):
            (<long long*>data)[i] = word
    else:
        for i in range(count):
            memcpy(data + i * width, value, width)


cdef enum Contents:
    EMPTY, ZEROS, ONES


cdef object with_contents(Node made, int which):
    """Return the array on a new leaf after setting its elements."""
    cdef Operand op
    if which == ZEROS:
        memset(made.data, 0, made.span)
    elif which == ONES:
        op.code = WEAK_INT
        fill_weak(1, &op, made.typenum)
        fill(made.data, made.size, made.itemsize, op.data)
    return new_base(made)


cdef object _filled(PyObject** args, Py_ssize_t n, object names, int which):
    """empty(shape, dtype), zeros(shape, dtype), ones(shape, dtype)."""
    cdef npy_intp dims[8]
    cdef int ndim, code
    if n < 1:
        return NotImplemented
    ndim = read_shape(<object>args[0], dims, UNTOUCHED if which == EMPTY else LARGE)
    code = dtype_argument(args, n, names, 1)
    return NotImplemented if ndim < 0 or code < 0 else with_contents(new_leaf(ndim, dims, code), which)


cdef object _full(PyObject** args, Py_ssize_t n, object names, int variant):
    """full(shape, number), with the number's own dtype; others are left to NumPy, which warns of casts."""
    cdef npy_intp dims[8]
    cdef int ndim
    if n < 1 or names is not None and "like" in <tuple>names:
        return NotImplemented
    ndim = read_shape(<object>args[0], dims, LARGE)
    if ndim < 0:
        return NotImplemented
    if n != 2 or names is not None:
        return call_on_values(np.full, args, n, names, 0, False)
    made = array_of_one(ndim, dims, <object>args[1])
    return NotImplemented if made is None else made


cdef LazyArray array_of_one(int ndim, npy_intp* shape, object number, int code=-1):
    """Return an array filled with one number, by default of its own dtype.

    None for anything else or a number that does not fit `code`.
    """
    cdef Operand op
    cdef Node made
    if not read_element(number, &op, code):
        return None
    made = new_leaf(ndim, shape, op.code if code < 0 else code)
    fill(made.data, made.size, made.itemsize, op.data)
    return new_base(made)


cdef object _arange(PyObject** args, Py_ssize_t n, object names, int variant):
    """arange(stop) and arange(start, stop) of Python integers."""
    cdef npy_intp start = 0, stop, count, i
    cdef long* data
    cdef Node made
    if names is not None or not 1 <= n <= 2 or type(<object>args[0]) is not int \
            or type(<object>args[n - 1]) is not int:
        return NotImplemented
    if n == 2 and not lz_int(<object>args[0], &start) or not lz_int(<object>args[n - 1], &stop):
        return NotImplemented
    if not -(1 << 40) < start < 1 << 40 or not stop - start <= LARGE:
        return NotImplemented
    count = max(stop - start, 0)
    made = new_leaf(1, &count, cnp.NPY_LONG)
    data = <long*>made.data
    for i in range(count):
        data[i] = start + i
    return new_base(made)


cdef object _linspace(PyObject** args, Py_ssize_t n, object names, int variant):
    """linspace(start, stop, num) of numbers, in NumPy's steps."""
    cdef double start = 0, stop = 0, step
    cdef double* data
    cdef npy_intp count = 0, i
    cdef Node made
    if n != 3 or names is not None or not read_integer(args[2], 1, SPACED, &count) \
            or not read_number(args[0], &start) or not read_number(args[1], &stop):
        return NotImplemented
    step = (stop - start) / max(count - 1, 1)
    if step == 0 or not isfinite(step):
        return NotImplemented
    made = new_leaf(1, &count, cnp.NPY_DOUBLE)
    data = <double*>made.data
    lz_fp_clear()
    for i in range(count):
        data[i] = i * step + start
    if count == 1:
        return NotImplemented if must_report(lz_fp_take()) else new_base(made)
    data[count - 1] = stop
    return NotImplemented if must_report(lz_fp_take()) else new_view(new_base(made), made, True)  # as in NumPy


cdef object _filled_like(PyObject** args, Py_ssize_t n, object names, int which):
    """empty_like(x), zeros_like(x), ones_like(x)."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    if x is None or n != 1 or names is not None or not x.node.contiguous:
        return NotImplemented
    return with_contents(new_leaf(x.node.ndim, x.node.shape, x.node.typenum), which)


cdef object _full_like(PyObject** args, Py_ssize_t n, object names, int variant):
    """full_like(x, number), of x's dtype."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    if x is None or n != 2 or names is not None or not x.node.contiguous:
        return NotImplemented
    made = array_of_one(x.node.ndim, x.node.shape, <object>args[1], x.node.typenum)
    return NotImplemented if made is None else made


# ---- arrays of Python numbers -------------------------------------------------------------------------

cdef enum Found:
    OTHERS = -1
    INTEGERS = 1
    FLOATS = 2

cdef long MOST_EXACT = <long>1 << 53  # largest range of integers exact in float64


cdef object array_of_numbers(object rows, int code):
    """Return an array of a list or tuple of floats and integers, or of equally long rows; None for other input.

    Parameters
    ----------
    rows : list or tuple
    code : int
        The type number asked for; -1 if none is.
    """
    cdef npy_intp shape[2]
    cdef npy_intp i, n = PySequence_Fast_GET_SIZE(rows)
    cdef PyObject** items = PySequence_Fast_ITEMS(rows)
    cdef int ndim = 1, found = 0
    cdef Node made
    if not 0 < n <= SMALL_ELEMENTS or not (code < 0 or code == cnp.NPY_DOUBLE or code == cnp.NPY_LONG):
        return None
    shape[0] = n
    if is_row(<object>items[0]):
        ndim = 2
        shape[1] = PySequence_Fast_GET_SIZE(<object>items[0])
        if shape[1] == 0 or n * shape[1] > SMALL_ELEMENTS:
            return None
        for i in range(n):
            if not is_row(<object>items[i]) or PySequence_Fast_GET_SIZE(<object>items[i]) != shape[1]:
                return None
            found |= kinds(PySequence_Fast_ITEMS(<object>items[i]), shape[1])
    else:
        found = kinds(items, n)
    if found < 0 or code == cnp.NPY_LONG and found != INTEGERS:
        return None
    if code < 0:
        code = cnp.NPY_LONG if found == INTEGERS else cnp.NPY_DOUBLE
    made = new_leaf(ndim, shape, code)
    if ndim == 1:
        return new_base(made) if read_row(items, n, code, made.data) else None
    for i in range(n):
        if not read_row(PySequence_Fast_ITEMS(<object>items[i]), shape[1], code, made.data + 8 * i * shape[1]):
            return None
    return new_base(made)


cdef inline bint is_row(object item):
    return type(item) is list or type(item) is tuple


cdef int kinds(PyObject** items, npy_intp n) noexcept:
    """Return the bit set of number types among objects."""
    cdef npy_intp i
    cdef type t
    cdef int found = 0
    for i in range(n):
        t = type(<object>items[i])
        if t is float or t is _float64:
            found |= FLOATS
        elif t is int:
            found |= INTEGERS
        else:
            return OTHERS
    return found


cdef bint read_row(PyObject** items, npy_intp n, int code, char* into) except -1:
    """Write numbers to memory; return False if an integer is too large."""
    cdef npy_intp i
    cdef int overflow = 0
    cdef long whole
    for i in range(n):
        if type(<object>items[i]) is not int:
            (<double*>into)[i] = PyFloat_AS_DOUBLE(<object>items[i])
            continue
        whole = PyLong_AsLongAndOverflow(<object>items[i], &overflow)
        if overflow:
            return False
        if code == cnp.NPY_LONG:
            (<long*>into)[i] = whole
        elif -MOST_EXACT < whole < MOST_EXACT:
            (<double*>into)[i] = <double>whole
        else:
            return False
    return True


# ---- copying, casting, writing -------------------------------------------------------------------------


cdef object _array(PyObject** args, Py_ssize_t n, object names, int variant):
    """array(x): a copy of an array, or an array of numbers."""
    cdef int code = -1
    if n < 1 or names is not None and (len(<tuple>names) != 1 or (<tuple>names)[0] != "dtype"):
        return NotImplemented
    if n == 1 and names is None and type(<object>args[0]) is LazyArray:
        return copied(args, n, names, True)
    if type(<object>args[0]) is list or type(<object>args[0]) is tuple:
        if n > 1 or names is not None:
            code = dtype_argument(args, n, names, 1)
            if <object>args[1] is object:  # it would hold the arrays themselves
                return NotImplemented
            if code < 0 or <object>args[1] is None:
                return call_on_values(np.array, args, n, names, 0, False)
        made = array_of_numbers(<object>args[0], code)
        if made is not None:
            return made
    return call_on_values(np.array, args, n, names, 0, False)


cdef object _asarray(PyObject** args, Py_ssize_t n, object names, int variant):
    if n < 1:
        return NotImplemented
    if type(<object>args[0]) is LazyArray:
        if (<LazyArray>args[0]).scalar or not is_ready(<LazyArray>args[0]):
            return NotImplemented
        if n == 1 and names is None:
            return <object>args[0]
        return call_on_values(np.asarray, args, n, names, 0, False)
    if n != 1 or names is not None or type(<object>args[0]) is not list and type(<object>args[0]) is not tuple:
        return NotImplemented
    return _array(args, n, names, variant)


cdef tuple _layouts = (np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite, np.require)


cdef object _laid_out(PyObject** args, Py_ssize_t n, object names, int which):
    """Return an array itself or a copy, as NumPy's function does; NotImplemented unless it is a small array."""
    if small_array(args, n) is None or names is not None and "like" in <tuple>names:
        return NotImplemented
    return call_on_values(_layouts[which], args, n, names, 0, False)


cdef Node leaf_like(Node node, int code):
    """Return an uninitialised leaf in NumPy's order "K": axes by stride."""
    cdef Node made = new_leaf(node.ndim, node.shape, code)
    cdef int perm[MAX_DIMS]
    if node.ndim > 1 and not node.contiguous:
        axes_by_stride(node, perm)
        set_strides(made, perm)
    return made


cdef object copied(PyObject** args, Py_ssize_t n, object names, int keeps):
    """Return a copy of a ready array, in order "K" if it `keeps` that, else in C order."""
    cdef LazyArray x
    cdef Node made
    if n != 1 or names is not None:
        return NotImplemented
    x = ready_array(args, n, LARGE)
    if x is None or x.node.ndim > 1 and x.node.size > SMALL_ELEMENTS and not x.node.contiguous:
        return NotImplemented
    if x.node.contiguous:
        made = new_leaf(x.node.ndim, x.node.shape, x.node.typenum)
        memcpy(made.data, first_of(x), made.span)
    else:
        made = leaf_like(x.node, x.node.typenum) if keeps else new_leaf(x.node.ndim, x.node.shape, x.node.typenum)
        copy_elements(x.node.ndim, x.node.shape, made.data, made.strides, made.typenum, first_of(x), x.node.strides,
                      x.node.typenum)
    return new_base(made)


cdef object _fill(PyObject** args, Py_ssize_t n, object names, int variant):
    """x.fill(number) of a writeable array."""
    cdef Operand op
    cdef LazyArray x
    if n != 2 or names is not None or type(<object>args[0]) is not LazyArray:
        return NotImplemented
    _held = read_operand(<object>args[1], &op)
    if op.code < 0 or op.node is not NULL:
        return NotImplemented
    x = <LazyArray>args[0]
    if x.scalar or not is_ready(x) or not x.node.contiguous or not x.writeable or x._warns_on_write \
            or x.node.size > LARGE or not number_fits(<object>args[1], &op, x.node.typenum):
        return None if assigned(x, <object>args[1]) else NotImplemented
    if not own_storage(x):
        return NotImplemented
    fill(first_of(x), x.node.size, x.node.itemsize, op.data)
    note_write(x)
    return None


cdef object _copyto(PyObject** args, Py_ssize_t n, object names, int variant):
    """copyto(x, y) if y has x's dtype; casts are left to NumPy, which warns."""
    if n < 2 or type(<object>args[0]) is not LazyArray or (<LazyArray>args[0]).scalar \
            or not (<LazyArray>args[0]).writeable:
        return NotImplemented
    if n == 2 and names is None and type(<object>args[1]) is LazyArray \
            and (<LazyArray>args[0]).node.typenum == (<LazyArray>args[1]).node.typenum:
        return None if assigned(<LazyArray>args[0], <object>args[1]) else NotImplemented
    return call_on_values(np.copyto, args, n, names, 0, True)


cdef bint assigned(LazyArray x, object value) except -1:
    cdef Node node, spec
    if x.scalar or not x.writeable or x._warns_on_write or x.mask is not None:
        return False
    node = x.node
    spec = new_window(node.ndim, node.shape, node.strides, node.offset, node.dtype, node.typenum)
    node = None  # storage is private only if its handle alone refers to its node
    return write_at_once(x, spec, Ellipsis, value)


cdef object _astype(PyObject** args, Py_ssize_t n, object names, int variant):
    """x.astype(dtype); casts that set flags or drop imaginary parts are left to NumPy.

    A cast that joins the graph is built without a Python call.
    """
    cdef LazyArray x
    cdef Node made
    cdef int code
    if n != 2 or names is not None or type(<object>args[0]) is not LazyArray:
        return NotImplemented
    x = <LazyArray>args[0]
    if x.scalar or x.mask is not None or x.unaligned or x.node.typenum < 0:
        return NotImplemented
    code = dtype_code(<object>args[1])
    if code < 0 or <object>args[1] is None or x.node.typenum >= cnp.NPY_CFLOAT and x.node.typenum != code:
        return NotImplemented
    if x.node.size > SMALL_ELEMENTS or not is_ready(x):
        return new_handle(cast_node(node_of(x), code, None), False) if x.node.contiguous else NotImplemented
    made = leaf_like(x.node, code)
    lz_fp_clear()
    copy_elements(x.node.ndim, x.node.shape, made.data, made.strides, code, first_of(x), x.node.strides,
                  x.node.typenum)
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


add_native("zeros", _filled, ZEROS)
add_native("empty", _filled, EMPTY)
add_native("ones", _filled, ONES)
add_native("full", _full)
add_native("arange", _arange)
add_native("linspace", _linspace)
add_native("zeros_like", _filled_like, ZEROS)
add_native("empty_like", _filled_like, EMPTY)
add_native("ones_like", _filled_like, ONES)
add_native("full_like", _full_like)
add_native("array", _array)
add_native("asarray", _asarray)
for _which, _function in enumerate(_layouts):
    add_native(_function.__name__, _laid_out, _which)
add_native("copy", copied, True)
add_native("ndarray.copy", copied, False)
add_native("ndarray.fill", _fill)
add_native("copyto", _copyto)
add_native("astype ndarray.astype", _astype)
