"""Eager ufuncs: operands, resolution, the loop on a new array, one read of the status word.

Functions return None for calls that they do not support, which then join the graph.
"""
from cpython.exc cimport PyErr_Occurred
from libc.string cimport memcpy

cimport numpy as cnp

from lazyarr._core.frontend.eager cimport (
    FEW, SMALL_ELEMENTS, SMALL_NS, begins_at_once, first_of, is_enabled, is_ready, new_base, new_leaf, report_flags,
    scalar_at)
from lazyarr._core.frontend.eager_loop cimport copy_elements, run_loop
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.host.fp_status cimport lz_fp_clear, lz_fp_take
from lazyarr._core.ir.builder cimport broadcast_into, iteration_axes, set_strides
from lazyarr._core.ir.data_loops cimport cast_loop
from lazyarr._core.ir.inner_loops cimport Resolution, resolve
from lazyarr._core.ir.leaf cimport leaf_node, weak_node
from lazyarr._core.ir.loop_table cimport (
    LOOP_SERIAL, LOOP_STATUS, MAX_ARGS, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, is_native, type_size)
from lazyarr._core.ir.node cimport MAX_DIMS
from lazyarr._core.ir.preferred_device cimport is_preferred, preference
from lazyarr._core.ir.ufunc_traits cimport ARITHMETIC

import numpy as np

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    #include <numpy/arrayscalars.h>
    /* The type number of one of NumPy's scalars; -1 for anything else. */
    static int lz_scalar_code(PyObject *o)
    {
        PyTypeObject *t = Py_TYPE(o);
        if (t == &PyDoubleArrType_Type) return NPY_DOUBLE;
        if (t == &PyLongArrType_Type) return NPY_LONG;
        if (t == &PyBoolArrType_Type) return NPY_BOOL;
        if (!PyArray_IsScalar(o, Number)) return -1;
        PyArray_Descr *d = PyArray_DescrFromTypeObject((PyObject *)t);
        if (d == NULL) { PyErr_Clear(); return -1; }
        int code = d->type_num;
        Py_DECREF(d);
        return code;
    }
    static void lz_scalar_value(PyObject *o, void *into) { PyArray_ScalarAsCtype(o, into); }
    """
    int lz_scalar_code(object o) noexcept
    void lz_scalar_value(object o, void* into) noexcept

cdef object _ndarray = np.ndarray
cdef object _float64 = np.float64


# ---- operands ------------------------------------------------------------------------------------------


cdef object read_operand(object obj, Operand* op):
    """Read an operand; return its owner. Its code is -1 if eager execution does not support it."""
    cdef type t = type(obj)
    cdef LazyArray x
    cdef Node node
    op.code = -1
    op.node = op.layout = NULL
    if t is LazyArray:
        x = <LazyArray>obj
        if is_ready(x):
            op.code = x.node.typenum
            op.data = first_of(x)
            if x.scalar:
                memcpy(op.value, op.data, x.node.itemsize)
                op.data = <char*>op.value
                return None
            op.node = op.layout = <PyObject*>x.node
            return x.node
        return None
    if t is float:
        op.code = WEAK_FLOAT
        return None
    if t is int:
        op.code = WEAK_INT
        return None
    if t is _float64:
        op.code = cnp.NPY_DOUBLE
        (<double*>op.value)[0] = <double>obj
        op.data = <char*>op.value
        return None
    if t is bool:
        op.code = cnp.NPY_BOOL
        (<char*>op.value)[0] = obj is True
        op.data = <char*>op.value
        return None
    if t is complex:
        op.code = WEAK_COMPLEX
        return None
    if t is _ndarray:
        if not cnp.PyArray_ISALIGNED(<cnp.ndarray>obj):
            return None
        node = leaf_node(obj, True)
        op.code = node.typenum
        op.data = node.data + node.offset
        op.node = op.layout = <PyObject*>node
        return node
    op.code = lz_scalar_code(obj)
    if is_native(op.code):
        lz_scalar_value(obj, op.value)
        op.data = <char*>op.value
    else:
        op.code = -1
    return None


cdef bint fill_weak(object obj, Operand* op, int code) except -1:
    """Convert a Python scalar to the loop's type; return False if it does not fit."""
    cdef Node node
    if code == cnp.NPY_DOUBLE:
        if op.code == WEAK_FLOAT:
            (<double*>op.value)[0] = <double>obj
        else:
            try:
                (<double*>op.value)[0] = <double>obj
            except OverflowError:
                return False
    elif code == cnp.NPY_LONG and op.code == WEAK_INT:
        try:
            (<long*>op.value)[0] = <long>obj
        except OverflowError:
            return False
    else:
        try:
            node = weak_node(obj, code)
        except OverflowError:
            return False
        memcpy(op.value, node.inline_value, node.itemsize)
    op.data = <char*>op.value
    return True


cdef bint cast_value(Operand* op, int code) except -1:
    """Cast a number to another native type; return False if the cast sets a flag."""
    cdef long double made[2]
    cdef Loop* loop = cast_loop(op.code, code)
    cdef char* args[2]
    cdef npy_intp steps[2]
    cdef npy_intp one = 1
    args[0], args[1] = op.data, <char*>made
    steps[0] = steps[1] = 0
    lz_fp_clear()
    loop.fn(args, &one, steps, loop.data)
    if lz_fp_take():
        return False
    memcpy(op.value, made, type_size(code))
    op.data = <char*>op.value
    return True


cdef Node cast_operand(Operand* op, int code):
    """Cast an array operand to another native type, with the same layout.

    None if the cast sets a flag, or for broadcast operands, whose zero strides determine the layout of the result.
    """
    cdef Node source = <Node>op.node
    cdef Node made = new_leaf(source.ndim, source.shape, code)
    cdef PyObject* inputs[1]
    cdef int perm[MAX_DIMS]
    cdef int d
    if not source.contiguous:
        for d in range(source.ndim):
            if source.strides[d] == 0 and source.shape[d] > 1:
                return None
        inputs[0] = op.node
        iteration_axes(source.ndim, 1, inputs, perm)
        set_strides(made, perm)
    lz_fp_clear()
    copy_elements(source.ndim, source.shape, made.data, made.strides, code, op.data, source.strides, op.code)
    if lz_fp_take():
        return None
    op.data = made.data
    op.node = <PyObject*>made
    return made


cdef void broadcast_strides(Operand* op, int ndim, npy_intp* into) noexcept:
    """Write the operand's strides along the axes of the result."""
    cdef PyObject* node = op.node
    cdef int d, lead = ndim if node is NULL else ndim - (<Node>node).ndim
    for d in range(ndim):
        into[d] = 0 if d < lead or (<Node>node).shape[d - lead] == 1 else (<Node>node).strides[d - lead]


# ---- calls ---------------------------------------------------------------------------------------------


cdef object prepared(Operand* op, object obj, int code):
    """Cast an operand to the loop's type.

    Return the owner of the cast operand, None if there is none, and NotImplemented if it cannot be cast.
    """
    if op.code == code:
        return None
    if op.code >= WEAK_INT and op.code <= WEAK_COMPLEX:
        return None if fill_weak(obj, op, code) else NotImplemented
    if op.node is NULL:
        return None if cast_value(op, code) else NotImplemented
    made = cast_operand(op, code)
    return NotImplemented if made is None else made


cdef object call_at_once(Ufunc* u, object a, object b):
    """Call a ufunc of one or two operands, at least one an array; None if it joins the graph."""
    cdef Operand op[2]
    cdef Resolution* found
    cdef int codes[2]
    if not begins_at_once() or not u.elementwise or u.nin > 2:
        return None
    _held_a = read_operand(a, &op[0])
    if op[0].code < 0:
        return None
    if u.nin == 2:
        _held_b = read_operand(b, &op[1])
        if op[1].code < 0 or op[0].node is NULL and op[1].node is NULL:
            return None
        codes[1] = op[1].code
    elif op[0].node is NULL:
        return None
    codes[0] = op[0].code
    found = resolve(u, codes)
    if found.loop is NULL or is_large(&op[0], found.loop) or u.nin == 2 and is_large(&op[1], found.loop):
        return None
    made_a = prepared(&op[0], a, found.loop.types[0])
    if made_a is NotImplemented:
        return None
    if u.nin == 2:
        made_b = prepared(&op[1], b, found.loop.types[1])
        if made_b is NotImplemented:
            return None
    return computed(found.loop, u.nin, op)


cdef inline bint is_large(Operand* op, Loop* loop):
    return op.node is not NULL and takes_long((<Node>op.node).size, loop)


cdef bint takes_long(npy_intp size, Loop* loop) noexcept:
    """Return whether `size` elements are better left to a graph, which fuses and parallelises loops."""
    return size > FEW and (size > SMALL_ELEMENTS or size * loop.cost > SMALL_NS)


cdef object computed(Loop* loop, int nin, Operand* op):
    """Return the loop's results on operands of its types; None for shapes that do not fit, or too many elements."""
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp spread[MAX_ARGS][MAX_DIMS]
    cdef npy_intp steps[MAX_ARGS]
    cdef npy_intp* strides[MAX_ARGS]
    cdef char* data[MAX_ARGS]
    cdef PyObject* arrays[MAX_ARGS]
    cdef int perm[MAX_DIMS]
    cdef npy_intp size = 1
    cdef int ndim = 0, k, d, count = 0, nargs = nin + loop.nout
    cdef bint simple = True
    cdef Node node, first = None
    cdef list made
    for k in range(nin):
        data[k] = op[k].data
        steps[k] = 0
        if op[k].node is NULL:
            continue
        node = <Node>op[k].layout  # NumPy casts operands in buffers, which do not affect the layout
        arrays[count] = op[k].layout
        count += 1
        steps[k] = loop.sizes[k]
        if first is None:
            first = node
            ndim = node.ndim
            for d in range(ndim):
                shape[d] = node.shape[d]
            simple = node.contiguous
        else:
            simple = simple and node.contiguous and node.size == first.size and node.ndim == ndim
            if not broadcast_into(node, &ndim, shape):
                return None
    for d in range(ndim):
        size *= shape[d]
    if takes_long(size, loop):
        return None
    if ndim == 0:
        return computed_scalars(loop, nin, data)
    if preference.device and is_preferred(size * loop.sizes[nin]):
        return None
    if first.size != size:
        simple = False
    if ndim > 1 and not simple:
        for k in range(count):
            if has_negative_stride(<Node>arrays[k]):
                return None  # NumPy's loops run on buffered copies, where they may round differently
    if not simple:
        iteration_axes(ndim, count, arrays, perm)
    node = new_leaf(ndim, shape, loop.types[nin])
    if not simple:
        set_strides(node, perm)
    made = None
    if loop.nout > 1:
        made = [node]
        for k in range(1, loop.nout):
            made.append(new_leaf(ndim, shape, loop.types[nin + k]))
            if not simple:
                set_strides(<Node>made[k], perm)
    data[nin] = node.data
    for k in range(1, loop.nout):
        data[nin + k] = (<Node>made[k]).data
    if simple:
        for k in range(nin, nargs):
            steps[k] = loop.sizes[k]
        if size:  # some loops read operands even for a count of zero
            call_loop(loop, data, &size, steps)
    else:
        for k in range(nin):
            broadcast_strides(&op[k], ndim, spread[k])
            strides[k] = spread[k]
        for k in range(nin, nargs):
            strides[k] = (node if k == nin else <Node>made[k - nin]).strides
        run_checked(loop, ndim, shape, data, strides, nargs, is_arithmetic(loop))
    if made is None:
        return new_base(node)
    return tuple([new_base(<Node>one) for one in made])


cdef object computed_scalars(Loop* loop, int nin, char** data):
    """Return the loop's results on 0-d operands, which begin `data`; None for more than two results."""
    cdef npy_intp steps[MAX_ARGS]
    cdef long double values[4]
    cdef npy_intp one = 1
    cdef int k
    if loop.nout > 2:
        return None
    for k in range(nin + loop.nout):  # as NumPy calls it: vectorised loops may set other flags
        steps[k] = loop.sizes[k] if k == nin and loop.nout == 1 else 0
    for k in range(loop.nout):
        data[nin + k] = <char*>&values[2 * k]
    call_loop(loop, data, &one, steps)
    if loop.nout == 1:
        return scalar_at(loop.types[nin], <char*>values)
    return scalar_at(loop.types[nin], <char*>values), scalar_at(loop.types[nin + 1], <char*>&values[2])


cdef int call_loop(Loop* loop, char** data, npy_intp* n, npy_intp* steps) except -1:
    """Call a loop once, and handle errors and flags."""
    cdef int flags
    if not loop.flags & LOOP_STATUS:
        loop.fn(data, n, steps, loop.data)
        return raise_pending() if loop.flags & LOOP_SERIAL else 0
    lz_fp_clear()
    loop.fn(data, n, steps, loop.data)
    flags = lz_fp_take()
    if loop.flags & LOOP_SERIAL:
        raise_pending()
    return report_flags(flags, <object>loop.name) if flags else 0


cdef bint is_arithmetic(Loop* loop):
    """Return whether a loop rounds each element alike however it is called (apart from which NaN it returns)."""
    return (loop.types[loop.nin] == cnp.NPY_DOUBLE or loop.types[loop.nin] == cnp.NPY_FLOAT) \
        and loop.traits & ARITHMETIC != 0


cdef bint has_nan(int code, int ndim, npy_intp* shape, char* data) noexcept:
    """Return whether a contiguous float32 or float64 array has a NaN."""
    cdef npy_intp i, size = 1
    cdef int d
    cdef bint found = False
    for d in range(ndim):
        size *= shape[d]
    if code == cnp.NPY_DOUBLE:
        for i in range(size):
            found |= (<double*>data)[i] != (<double*>data)[i]
    else:
        for i in range(size):
            found |= (<float*>data)[i] != (<float*>data)[i]
    return found


cdef int run_checked(Loop* loop, int ndim, npy_intp* shape, char** data, npy_intp** strides, int nargs,
                     bint any_order=False) except -1:
    """Run a loop over any number of axes, and handle errors and flags.

    In `any_order` if the result is contiguous and overlaps no operand.
    """
    cdef int flags
    lz_fp_clear()
    if run_loop(loop, ndim, shape, data, strides, nargs, any_order) \
            and has_nan(loop.types[loop.nin], ndim, shape, data[loop.nin]):
        run_loop(loop, ndim, shape, data, strides, nargs)
    flags = lz_fp_take()
    if loop.flags & LOOP_SERIAL:
        raise_pending()
    return report_flags(flags, <object>loop.name) if flags else 0


cdef int raise_pending() except -1:
    """Raise the error that a loop of NumPy has set."""
    return -1 if PyErr_Occurred() is not NULL else 0


cdef object _of_double(Ufunc* u, double value):
    """Call a ufunc on one float64 number; return None unless it has one result."""
    cdef int code = cnp.NPY_DOUBLE
    cdef Loop* loop = resolve(u, &code).loop
    cdef long double made[2]
    cdef char* data[2]
    cdef npy_intp steps[2]
    cdef npy_intp one = 1
    if loop is NULL or loop.nout != 1 or loop.types[0] != cnp.NPY_DOUBLE:
        return None
    data[0], data[1] = <char*>&value, <char*>made
    steps[0], steps[1] = 0, loop.sizes[1]
    call_loop(loop, data, &one, steps)
    return scalar_at(loop.types[1], <char*>made)


cdef object scalars_at_once(Ufunc* u, PyObject** args, Py_ssize_t n):
    """Call a ufunc on Python and NumPy scalars, for which NumPy returns scalars; None for other calls."""
    cdef Operand op[2]
    cdef Resolution* found
    cdef int codes[2]
    cdef int k
    cdef bint weak = True
    if n != u.nin or n > 2 or not u.elementwise:
        return None
    if n == 1 and (type(<object>args[0]) is float or type(<object>args[0]) is _float64):
        return _of_double(u, <double><object>args[0])
    for k in range(n):
        if type(<object>args[k]) is LazyArray and not is_enabled():
            return None
        read_operand(<object>args[k], &op[k])
        if op[k].code < 0 or op[k].node is not NULL:
            return None
        weak = weak and WEAK_INT <= op[k].code <= WEAK_COMPLEX
        if op[k].code == WEAK_INT and not -(1 << 63) <= <object>args[k] < 1 << 63:
            return None  # an object for NumPy, or unsigned
    for k in range(n):
        codes[k] = op[k].code
        if weak:  # among themselves they act like arrays of their dtypes
            codes[k] = (cnp.NPY_LONG if op[k].code == WEAK_INT else
                        cnp.NPY_DOUBLE if op[k].code == WEAK_FLOAT else cnp.NPY_CDOUBLE)
    try:
        found = resolve(u, codes)
    except TypeError:
        return None  # NumPy's messages name Python types
    if found.loop is NULL:
        return None
    for k in range(n):
        if prepared(&op[k], <object>args[k], found.loop.types[k]) is NotImplemented:
            return None
    return computed(found.loop, <int>n, op)


cdef bint has_negative_stride(Node a) noexcept:
    """Return whether an operand has a negative stride."""
    cdef int d
    for d in range(a.ndim):
        if a.strides[d] < 0:
            return True
    return False
