"""Products of vectors and matrices, and small linear algebra, that run at once: NumPy's own loops, called directly.

The inner loops of `matmul` and of NumPy's generalized ufuncs for LAPACK are called with the dimensions and strides
that NumPy would give them, so results have NumPy's bits. What sets a floating-point flag, as a singular matrix does,
is left to NumPy's function, which reports it.
"""
from cpython.object cimport PyObject
from libc.math cimport sqrt

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.flags cimport lz_fp_clear, lz_fp_take
from lazyarr._core.immediate cimport (
    first_of, give_flags, is_enabled, is_ready, must_report, new_base, new_leaf, scalar_at, show,
    take_over)
from lazyarr._core.loops cimport Loop, exact_loop, find_ufunc
from lazyarr._core.natives cimport add_native
from lazyarr._core.node cimport Node

import numpy as np

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    /* The sum of products of two vectors, as NumPy's dot computes it. */
    static int lz_dot(PyObject *dtype, char *a, npy_intp a_step, char *b, npy_intp b_step, char *out, npy_intp n)
    {
        PyArray_DotFunc *dot = PyDataType_GetArrFuncs((PyArray_Descr *)dtype)->dotfunc;
        if (dot == NULL) return 0;
        dot(a, a_step, b, b_step, out, n, NULL);
        return 1;
    }
    """
    object PyArray_MatrixProduct2(object a, object b, void* out)
    int lz_dot(object dtype, char* a, npy_intp a_step, char* b, npy_intp b_step, char* out, npy_intp n) noexcept

cnp.import_array()

cdef double MOST_PRODUCTS = 300000  # multiplications of a product that runs at once
cdef Loop* _matmuls[24]
_found = set()


cdef Loop* matmul_loop(int code) except? NULL:
    cdef int types[3]
    if code not in _found:
        types[0] = types[1] = types[2] = code
        _matmuls[code] = exact_loop(find_ufunc(np.matmul), types)
        _found.add(code)
    return _matmuls[code]


cdef object product_at_once(object a, object b, str name="matmul"):
    """Compute a @ b of vectors and matrices of one dtype; None where it joins the graph.

    Flags are reported under `name`.
    """
    cdef LazyArray x, y
    cdef Node u, v, made
    cdef Loop* loop
    cdef npy_intp dims[4]
    cdef npy_intp steps[9]
    cdef npy_intp shape[2]
    cdef char* args[3]
    cdef long double value[2]
    cdef int ndim = 0
    if type(a) is not LazyArray or type(b) is not LazyArray or not is_enabled():
        return None
    x, y = <LazyArray>a, <LazyArray>b
    if not is_ready(x) or not is_ready(y):
        return None
    u, v = x.node, y.node
    if u.typenum != v.typenum or not 1 <= u.ndim <= 2 or not 1 <= v.ndim <= 2 or u.size == 0 or v.size == 0:
        return None
    if u.shape[u.ndim - 1] != v.shape[0]:
        return None
    dims[0] = 1
    dims[1] = u.shape[0] if u.ndim == 2 else 1
    dims[2] = v.shape[0]
    dims[3] = v.shape[1] if v.ndim == 2 else 1
    if <double>dims[1] * dims[2] * dims[3] > MOST_PRODUCTS:
        return None
    loop = matmul_loop(u.typenum)
    if loop is NULL:
        return None
    if u.ndim == 2:
        shape[ndim] = dims[1]
        ndim += 1
    if v.ndim == 2:
        shape[ndim] = dims[3]
        ndim += 1
    steps[0] = steps[1] = steps[2] = 0
    steps[3] = u.strides[0] if u.ndim == 2 else u.itemsize
    steps[4] = u.strides[u.ndim - 1]
    steps[5] = v.strides[0]
    steps[6] = v.strides[1] if v.ndim == 2 else v.itemsize
    steps[8] = u.itemsize
    steps[7] = u.itemsize * dims[3]
    args[0], args[1] = first_of(x), first_of(y)
    lz_fp_clear()
    if ndim == 0:
        if not lz_dot(u.dtype, args[0], steps[4], args[1], steps[5], <char*>value, dims[2]):
            return None
        give_flags(lz_fp_take(), name)
        return scalar_at(u.typenum, <char*>value)
    made = new_leaf(ndim, shape, u.typenum)
    args[2] = made.data
    loop.fn(args, dims, steps, loop.data)
    give_flags(lz_fp_take(), name)
    return new_base(made)


cdef object _dot(PyObject** args, Py_ssize_t n, object names):
    """Compute dot(x, y) of two vectors by matmul's loop; matrices NumPy gives to BLAS in a way of its own.

    NumPy copies vectors that are reversed or broadcast first.
    """
    cdef Node u, v
    if n != 2 or names is not None or type(<object>args[0]) is not LazyArray or type(<object>args[1]) is not LazyArray:
        return NotImplemented
    u, v = (<LazyArray>args[0]).node, (<LazyArray>args[1]).node
    if u.ndim > 2 or v.ndim > 2 or u.ndim == 0 or v.ndim == 0:
        return NotImplemented
    if u.ndim == 2 or v.ndim == 2 or u.strides[0] <= 0 or v.strides[0] <= 0:
        if not is_enabled() or <double>u.size * (v.shape[1] if v.ndim == 2 else 1) > MOST_PRODUCTS:
            return NotImplemented
        if not is_ready(<LazyArray>args[0]) or not is_ready(<LazyArray>args[1]):
            return NotImplemented
        made = PyArray_MatrixProduct2(show(<LazyArray>args[0]), show(<LazyArray>args[1]), NULL)
        return take_over(made) if made.ndim else made[()]
    made = product_at_once(<object>args[0], <object>args[1], "dot")
    return NotImplemented if made is None else made


cdef object _outer(PyObject** args, Py_ssize_t n, object names):
    """outer(x, y) of vectors of float64."""
    cdef LazyArray x, y
    cdef Node made
    cdef npy_intp shape[2]
    cdef npy_intp i, j
    cdef double value
    cdef double* row
    if n != 2 or names is not None or type(<object>args[0]) is not LazyArray or type(<object>args[1]) is not LazyArray \
            or not is_enabled():
        return NotImplemented
    x, y = <LazyArray>args[0], <LazyArray>args[1]
    if not is_ready(x) or not is_ready(y) or x.node.ndim != 1 or y.node.ndim != 1 or x.node.typenum != cnp.NPY_DOUBLE \
            or y.node.typenum != cnp.NPY_DOUBLE or <double>x.node.size * y.node.size > MOST_PRODUCTS \
            or not y.node.contiguous:
        return NotImplemented
    shape[0], shape[1] = x.node.size, y.node.size
    made = new_leaf(2, shape, cnp.NPY_DOUBLE)
    lz_fp_clear()
    for i in range(shape[0]):
        value = (<double*>(first_of(x) + i * x.node.strides[0]))[0]
        row = <double*>made.data + i * shape[1]
        for j in range(shape[1]):
            row[j] = value * (<double*>first_of(y))[j]
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


cdef object _norm(PyObject** args, Py_ssize_t n, object names):
    """norm(x), of all elements of float64 that lie densely."""
    cdef LazyArray x
    cdef double total
    if n != 1 or names is not None or type(<object>args[0]) is not LazyArray or not is_enabled():
        return NotImplemented
    x = <LazyArray>args[0]
    if not is_ready(x) or x.scalar or x.node.typenum != cnp.NPY_DOUBLE or not x.node.contiguous \
            or x.node.size > MOST_PRODUCTS:
        return NotImplemented
    lz_fp_clear()
    lz_dot(x.node.dtype, first_of(x), 8, first_of(x), 8, <char*>&total, x.node.size)
    total = sqrt(total)
    if must_report(lz_fp_take()):
        return NotImplemented
    return scalar_at(cnp.NPY_DOUBLE, <char*>&total)


cdef int _state() except -1:
    add_native("dot", _dot)
    add_native("ndarray.dot", _dot)
    add_native("outer", _outer)
    add_native("linalg.norm", _norm)
    return 0


_state()
