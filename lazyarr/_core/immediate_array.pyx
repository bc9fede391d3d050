"""Making, copying, joining and shifting arrays at once."""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.build cimport broadcast_into, code_of
from lazyarr._core.flags cimport lz_fp_clear, lz_fp_take
from lazyarr._core.handles cimport new_view
from lazyarr._core.immediate cimport (
    SMALL_ELEMENTS, first_of, is_enabled, is_ready, new_base, new_leaf)
from lazyarr._core.immediate_fold cimport axis_argument, small_array
from lazyarr._core.immediate_index cimport write_at_once
from lazyarr._core.immediate_ufunc cimport Operand, broadcast_strides, copy_elements, fill_weak, read_operand, run_loop
from lazyarr._core.loops cimport (
    WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, select_loop)
from lazyarr._core.natives cimport add_native
from lazyarr._core.node cimport MAX_DIMS, Node, new_window
from lazyarr._core.numpy_call cimport call_on_values
from lazyarr._core.reshape cimport matched

import numpy as np

cdef extern from "Python.h":
    PyObject* PyErr_Occurred() noexcept
    void PyErr_Clear() noexcept
    Py_ssize_t PyLong_AsSsize_t(object o) noexcept

cdef object _dtype = np.dtype
cdef object _float64 = np.float64
cdef dict _codes = {float: cnp.NPY_DOUBLE, int: cnp.NPY_LONG, bool: cnp.NPY_BOOL, complex: cnp.NPY_CDOUBLE,
                    None: cnp.NPY_DOUBLE}
for _char in "?bBhHiIlLefdgFDG":
    _codes[np.dtype(_char).type] = np.dtype(_char).num
    _codes[_char] = np.dtype(_char).num
for _name in "float64 float32 int64 int32 uint8 bool complex128 f8 f4 i8 i4 u1 c16".split():
    _codes[_name] = np.dtype(_name).num


# ---- arguments -----------------------------------------------------------------------------------------


cdef int dtype_code(object dtype) except -2:
    """The type number of a native dtype argument; -1 for any other."""
    if type(dtype) is str or type(dtype) is type or dtype is None:
        found = _codes.get(dtype)
        return -1 if found is None else <int>found
    if isinstance(dtype, _dtype):
        return code_of(dtype)
    return -1


cdef int read_shape(object shape, npy_intp* dims) except -2:
    """The axes of a shape argument for a small array; -1 for what is wrong, large, or not made of plain integers."""
    cdef npy_intp n, size = 1
    cdef int d = 0
    if type(shape) is int:
        n = PyLong_AsSsize_t(shape)
        if n == -1 and PyErr_Occurred() is not NULL:
            PyErr_Clear()
        dims[0] = n
        return 1 if 0 <= n <= SMALL_ELEMENTS else -1
    if type(shape) is not tuple or len(<tuple>shape) > 8:
        return -1
    for item in <tuple>shape:
        if type(item) is not int:
            return -1
        n = PyLong_AsSsize_t(item)
        if n == -1 and PyErr_Occurred() is not NULL:
            PyErr_Clear()
        if not 0 <= n <= SMALL_ELEMENTS:
            return -1
        dims[d] = n
        size *= n
        if size > SMALL_ELEMENTS:
            return -1
        d += 1
    return d


cdef int dtype_argument(PyObject** args, Py_ssize_t n, object names, Py_ssize_t place) except -2:
    """The type number that a call with the dtype at this place, or as a keyword, asks for: -1 where it is another."""
    if names is None:
        return cnp.NPY_DOUBLE if n == place else dtype_code(<object>args[place]) if n == place + 1 else -1
    if n != place or len(<tuple>names) != 1 or (<tuple>names)[0] != "dtype":
        return -1
    return dtype_code(<object>args[n])


# ---- making --------------------------------------------------------------------------------------------


cdef Node made_leaf(PyObject** args, Py_ssize_t n, object names, int* code):
    """A leaf for a call f(shape, dtype); None where it is not for this path."""
    cdef npy_intp dims[8]
    cdef int ndim
    if not is_enabled() or n < 1:
        return None
    ndim = read_shape(<object>args[0], dims)
    code[0] = dtype_argument(args, n, names, 1)
    return None if ndim < 0 or code[0] < 0 else new_leaf(ndim, dims, code[0])


cdef object _empty(PyObject** args, Py_ssize_t n, object names):
    cdef int code
    cdef Node made = made_leaf(args, n, names, &code)
    return NotImplemented if made is None else new_base(made)


cdef object _zeros(PyObject** args, Py_ssize_t n, object names):
    cdef int code
    cdef Node made = made_leaf(args, n, names, &code)
    if made is None:
        return NotImplemented
    memset(made.data, 0, made.span)
    return new_base(made)


cdef int fill(Node made, Operand* op) except -1:
    """Set every element to a number of the leaf's type."""
    cdef npy_intp i, width = made.itemsize
    if width == 8:
        for i in range(made.size):
            (<long long*>made.data)[i] = (<long long*>op.data)[0]
    else:
        for i in range(made.size):
            memcpy(made.data + i * width, op.data, width)
    return 0


cdef object _ones(PyObject** args, Py_ssize_t n, object names):
    cdef int code
    cdef Operand op
    cdef Node made = made_leaf(args, n, names, &code)
    if made is None:
        return NotImplemented
    op.code = WEAK_INT
    fill_weak(1, &op, code)
    fill(made, &op)
    return new_base(made)


cdef object _full(PyObject** args, Py_ssize_t n, object names):
    """full(shape, number): of the number's own dtype."""
    cdef npy_intp dims[8]
    cdef Operand op
    cdef Node made
    cdef int ndim
    if not is_enabled() or n != 2 or names is not None:
        return NotImplemented
    ndim = read_shape(<object>args[0], dims)
    held = read_operand(<object>args[1], &op)
    if ndim < 0 or op.code < 0 or op.node is not NULL:
        return NotImplemented
    if not strong(&op, <object>args[1]):
        return NotImplemented
    made = new_leaf(ndim, dims, op.code)
    fill(made, &op)
    return new_base(made)


cdef bint strong(Operand* op, object obj) except -1:
    """A Python scalar in the dtype that an array of it has."""
    cdef int code
    if WEAK_INT <= op.code <= WEAK_COMPLEX:
        code = (cnp.NPY_LONG if op.code == WEAK_INT else cnp.NPY_DOUBLE if op.code == WEAK_FLOAT else cnp.NPY_CDOUBLE)
        if not fill_weak(obj, op, code):
            return False
        op.code = code
    return True


cdef object _arange(PyObject** args, Py_ssize_t n, object names):
    """arange(stop) and arange(start, stop) of Python integers."""
    cdef npy_intp start = 0, stop, count, i
    cdef Node made
    if not is_enabled() or names is not None or not 1 <= n <= 2 or type(<object>args[0]) is not int \
            or type(<object>args[n - 1]) is not int:
        return NotImplemented
    if n == 2:
        start = PyLong_AsSsize_t(<object>args[0])
    stop = PyLong_AsSsize_t(<object>args[n - 1])
    if PyErr_Occurred() is not NULL:
        PyErr_Clear()
        return NotImplemented
    if not -(1 << 40) < start < 1 << 40 or not stop - start <= SMALL_ELEMENTS:
        return NotImplemented
    count = max(stop - start, 0)
    made = new_leaf(1, &count, cnp.NPY_LONG)
    for i in range(count):
        (<long*>made.data)[i] = start + i
    return new_base(made)


cdef object like(PyObject** args, Py_ssize_t n, object names):
    """An uninitialized leaf like an array in C order; None for other calls."""
    cdef LazyArray x
    if n != 1 or names is not None:
        return None
    x = small_array(args, n)
    return None if x is None or not x.node.contiguous else new_leaf(x.node.ndim, x.node.shape, x.node.typenum)


cdef object _empty_like(PyObject** args, Py_ssize_t n, object names):
    made = like(args, n, names)
    return NotImplemented if made is None else new_base(<Node>made)


cdef object _zeros_like(PyObject** args, Py_ssize_t n, object names):
    made = like(args, n, names)
    if made is None:
        return NotImplemented
    memset((<Node>made).data, 0, (<Node>made).span)
    return new_base(<Node>made)


cdef object _array(PyObject** args, Py_ssize_t n, object names):
    """array(x): a copy of an array, or an array of a list of numbers."""
    cdef npy_intp count, i
    cdef Node made
    cdef list items
    if not is_enabled() or n < 1 or names is not None and (len(<tuple>names) != 1 or (<tuple>names)[0] != "dtype"):
        return NotImplemented
    if n == 1 and names is None:
        if type(<object>args[0]) is LazyArray:
            return copied(args, n, names)
        if type(<object>args[0]) is list:
            items = <list>args[0]
            count = len(items)
            if 0 < count <= 64:
                if type(items[0]) is float:
                    made = new_leaf(1, &count, cnp.NPY_DOUBLE)
                    for i in range(count):
                        if type(items[i]) is not float and type(items[i]) is not _float64:
                            break
                        (<double*>made.data)[i] = <double>items[i]
                    else:
                        return new_base(made)
    return call_on_values(np.array, args, n, names, 0, False)


cdef object _asarray(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x
    if not is_enabled() or n < 1:
        return NotImplemented
    if type(<object>args[0]) is LazyArray:
        x = <LazyArray>args[0]
        if x.scalar or not is_ready(x):
            return NotImplemented
        return x if n == 1 and names is None else call_on_values(np.asarray, args, n, names, 0, False)
    if n != 1 or names is not None:
        return NotImplemented
    return _array(args, n, names) if type(<object>args[0]) is list else NotImplemented


cdef object copied(PyObject** args, Py_ssize_t n, object names):
    """A copy of an array that lies in C order."""
    cdef LazyArray x
    cdef Node made
    if n != 1 or names is not None:
        return NotImplemented
    x = small_array(args, n)
    if x is None or not x.node.contiguous:
        return NotImplemented
    made = new_leaf(x.node.ndim, x.node.shape, x.node.typenum)
    memcpy(made.data, first_of(x), made.span)
    return new_base(made)


cdef object _fill(PyObject** args, Py_ssize_t n, object names):
    """x.fill(number) of an array that can be written to."""
    cdef Operand op
    if n != 2 or names is not None:
        return NotImplemented
    _held = read_operand(<object>args[1], &op)
    if op.code < 0 or op.node is not NULL:
        return NotImplemented
    return None if assigned(<object>args[0], <object>args[1]) else NotImplemented


cdef object _copyto(PyObject** args, Py_ssize_t n, object names):
    """copyto(x, y) where y has x's dtype."""
    if n != 2 or names is not None or type(<object>args[0]) is not LazyArray or type(<object>args[1]) is not LazyArray \
            or (<LazyArray>args[0]).node.typenum != (<LazyArray>args[1]).node.typenum:
        return NotImplemented
    return None if assigned(<object>args[0], <object>args[1]) else NotImplemented


cdef bint assigned(object target, object value) except -1:
    cdef LazyArray x
    if type(target) is not LazyArray or not is_enabled():
        return False
    x = <LazyArray>target
    if x.scalar or not x.writeable or x._warns_on_write or x.mask is not None:
        return False
    return write_at_once(x, x.node, Ellipsis, value)


cdef object _astype(PyObject** args, Py_ssize_t n, object names):
    """x.astype(dtype) of an array in C order; casts that set flags or drop imaginary parts are NumPy's."""
    cdef LazyArray x = small_array(args, n)
    cdef Node made
    cdef int code
    if x is None or n != 2 or names is not None or not x.node.contiguous:
        return NotImplemented
    code = dtype_code(<object>args[1])
    if code < 0 or <object>args[1] is None or x.node.typenum >= cnp.NPY_CFLOAT and x.node.typenum != code:
        return NotImplemented
    made = new_leaf(x.node.ndim, x.node.shape, code)
    lz_fp_clear()
    copy_elements(x.node.ndim, x.node.shape, made.data, made.strides, code, first_of(x), x.node.strides,
                  x.node.typenum)
    return NotImplemented if lz_fp_take() else new_base(made)


# ---- choosing ------------------------------------------------------------------------------------------


cdef object _where(PyObject** args, Py_ssize_t n, object names):
    """where(mask, x, y) of one dtype, or of a number and an array that gives the dtype."""
    cdef Operand op[3]
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp spread[3][MAX_DIMS]
    cdef npy_intp* strides[4]
    cdef char* data[4]
    cdef int ndim = 0, k, code = -1
    cdef npy_intp size = 1
    cdef Node made
    if n != 3 or names is not None or not is_enabled():
        return NotImplemented
    held = [read_operand(<object>args[k], &op[k]) for k in range(3)]
    if op[0].node is NULL or op[0].code != cnp.NPY_BOOL or op[1].code < 0 or op[2].code < 0:
        return NotImplemented
    for k in range(1, 3):
        if not WEAK_INT <= op[k].code <= WEAK_COMPLEX:
            if code >= 0 and code != op[k].code:
                return NotImplemented
            code = op[k].code
    for k in range(1, 3):
        if code < 0:  # Python's numbers alone
            if op[1].code != op[2].code:
                return NotImplemented
            if not strong(&op[k], <object>args[k]):
                return NotImplemented
        elif WEAK_INT <= op[k].code <= WEAK_COMPLEX:
            if op[k].code == WEAK_FLOAT and code < cnp.NPY_FLOAT or op[k].code == WEAK_COMPLEX and code < cnp.NPY_CFLOAT \
                    or code == cnp.NPY_BOOL or code > cnp.NPY_CLONGDOUBLE or not fill_weak(<object>args[k], &op[k], code):
                return NotImplemented
    code = op[1].code if code < 0 else code
    for k in range(3):
        if op[k].node is not NULL and not broadcast_into(<Node>op[k].node, &ndim, shape):
            return NotImplemented
        data[k] = op[k].data
    for k in range(ndim):
        size *= shape[k]
    if size > SMALL_ELEMENTS or ndim == 0:
        return NotImplemented
    made = new_leaf(ndim, shape, code)
    for k in range(3):
        if op[k].node is not NULL and not (<Node>op[k].node).contiguous and ndim > 1:
            return NotImplemented  # the order of the result's axes is NumPy's to say
        broadcast_strides(&op[k], ndim, spread[k])
        strides[k] = spread[k]
    data[3], strides[3] = made.data, made.strides
    run_loop(select_loop(code), ndim, shape, data, strides, 4)
    return new_base(made)


# ---- joining and shifting ------------------------------------------------------------------------------


cdef object joined(PyObject** args, Py_ssize_t n, object names, int kind):
    """Arrays of one dtype in C order, one behind the other: concatenate along axis 0, stack, vstack or hstack."""
    cdef LazyArray x
    cdef Node first, made
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp total = 0
    cdef char* at
    cdef int d, lead
    cdef tuple parts
    if n != 1 or names is not None or not is_enabled():
        return NotImplemented
    if type(<object>args[0]) is list:
        parts = tuple(<list>args[0])
    elif type(<object>args[0]) is tuple:
        parts = <tuple>args[0]
    else:
        return NotImplemented
    if not parts or type(parts[0]) is not LazyArray:
        return NotImplemented
    first = (<LazyArray>parts[0]).node
    if not 1 <= first.ndim <= 8 or kind == HSTACK and first.ndim != 1 or kind == VSTACK and first.ndim > 2:
        return NotImplemented
    lead = 1 if kind == STACK or kind == VSTACK and first.ndim == 1 else 0
    for part in parts:
        if type(part) is not LazyArray:
            return NotImplemented
        x = <LazyArray>part
        if not is_ready(x) or x.scalar or x.node.typenum != first.typenum or x.node.ndim != first.ndim \
                or not x.node.contiguous or x.node.size > SMALL_ELEMENTS:
            return NotImplemented
        for d in range(1 - lead, first.ndim):
            if x.node.shape[d] != first.shape[d]:
                return NotImplemented
        total += 1 if lead else x.node.shape[0]
    shape[0] = total
    for d in range(1 - lead, first.ndim):
        shape[d + lead] = first.shape[d]
    made = new_leaf(first.ndim + lead, shape, first.typenum)
    at = made.data
    for part in parts:
        x = <LazyArray>part
        memcpy(at, first_of(x), x.node.size * first.itemsize)
        at += x.node.size * first.itemsize
    return new_base(made)


cdef enum Joining:
    CONCATENATE
    STACK
    VSTACK
    HSTACK


cdef object _concatenate(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, CONCATENATE)


cdef object _stack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, STACK)


cdef object _vstack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, VSTACK)


cdef object _hstack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, HSTACK)


cdef object _roll(PyObject** args, Py_ssize_t n, object names):
    """roll(x, shift) of all elements, or of the rows of an array in C order."""
    cdef LazyArray x = small_array(args, n)
    cdef npy_intp shift, count, width
    cdef Node made
    if x is None or n < 2 or not x.node.contiguous or type(<object>args[1]) is not int:
        return NotImplemented
    axis = axis_argument(args + 1, n - 1, names)
    if not (axis is None or type(axis) is int and axis == 0):
        return NotImplemented
    count = x.node.size if axis is None else x.node.shape[0]
    width = x.node.size * x.node.itemsize // count
    shift = <object>args[1] % count
    made = new_leaf(x.node.ndim, x.node.shape, x.node.typenum)
    memcpy(made.data + shift * width, first_of(x), (count - shift) * width)
    memcpy(made.data, first_of(x) + (count - shift) * width, shift * width)
    whole = new_base(made)
    return new_view(whole, made, True) if axis is None else whole  # NumPy rolls a line and gives it x's shape


cdef object _diff(PyObject** args, Py_ssize_t n, object names):
    """diff(x) of float64 elements side by side in one axis."""
    cdef LazyArray x = small_array(args, n)
    cdef npy_intp count, i
    cdef double* data
    cdef Node made
    if x is None or n != 1 or names is not None or x.node.ndim != 1 or x.node.typenum != cnp.NPY_DOUBLE \
            or not x.node.contiguous:
        return NotImplemented
    count = x.node.size - 1
    made = new_leaf(1, &count, cnp.NPY_DOUBLE)
    data = <double*>first_of(x)
    lz_fp_clear()
    for i in range(count):
        (<double*>made.data)[i] = data[i + 1] - data[i]
    return NotImplemented if lz_fp_take() else new_base(made)


# ---- views ---------------------------------------------------------------------------------------------


cdef object _reshape(PyObject** args, Py_ssize_t n, object names):
    """reshape(x, shape), or x.reshape(*shape), as a view of an array in C order."""
    cdef LazyArray x = small_array(args, n)
    cdef npy_intp dims[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp known = 1
    cdef int nd = 0, unknown = -1
    cdef tuple shape
    if x is None or n < 2 or names is not None:
        return NotImplemented
    if n == 2 and type(<object>args[1]) is tuple:
        shape = <tuple>args[1]
    else:
        shape = tuple([<object>args[i] for i in range(1, n)])
    if len(shape) > 8:
        return NotImplemented
    for item in shape:
        if type(item) is not int or not -1 <= item <= SMALL_ELEMENTS:
            return NotImplemented
        dims[nd] = item
        if dims[nd] < 0:
            if unknown >= 0:
                return NotImplemented
            unknown = nd
        else:
            known *= dims[nd]
        nd += 1
    if unknown >= 0:
        if known == 0:
            return NotImplemented
        dims[unknown] = x.node.size // known
        known *= dims[unknown]
    if known != x.node.size or not matched(x.node.ndim, x.node.shape, x.node.strides, nd, dims, strides,
                                           x.node.itemsize):
        return NotImplemented
    return new_view(x, new_window(nd, dims, strides, x.node.offset, x.node.dtype, x.node.typenum), True)


cdef object _function_reshape(PyObject** args, Py_ssize_t n, object names):
    return _reshape(args, n, names) if n == 2 else NotImplemented


cdef object _ravel(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = small_array(args, n)
    cdef npy_intp step
    if x is None or n != 1 or names is not None or not x.node.contiguous:
        return NotImplemented
    step = x.node.itemsize
    return new_view(x, new_window(1, &x.node.size, &step, x.node.offset, x.node.dtype, x.node.typenum), True)


cdef object _transpose(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = small_array(args, n)
    if x is None or n != 1 or names is not None:
        return NotImplemented
    return x.T


cdef int _state() except -1:
    add_native("zeros", _zeros)
    add_native("empty", _empty)
    add_native("ones", _ones)
    add_native("full", _full)
    add_native("arange", _arange)
    add_native("zeros_like", _zeros_like)
    add_native("empty_like", _empty_like)
    add_native("array", _array)
    add_native("asarray", _asarray)
    add_native("copy", copied)
    add_native("ndarray.copy", copied)
    add_native("ndarray.fill", _fill)
    add_native("copyto", _copyto)
    add_native("ndarray.astype", _astype)
    add_native("where", _where)
    add_native("concatenate", _concatenate)
    add_native("stack", _stack)
    add_native("vstack", _vstack)
    add_native("hstack", _hstack)
    add_native("roll", _roll)
    add_native("diff", _diff)
    add_native("ndarray.reshape", _reshape)
    add_native("reshape", _function_reshape)
    add_native("ravel", _ravel)
    add_native("ndarray.ravel", _ravel)
    add_native("ndarray.transpose", _transpose)
    add_native("transpose", _transpose)
    return 0


_state()
