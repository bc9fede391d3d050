"""Eager norms, ranks, powers and pseudo-inverses of small matrices, in the steps of NumPy's Python functions."""
from libc.math cimport INFINITY, fabs, sqrt

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    SMALL_ELEMENTS, LazyArray, Node, PyObject, add_native, as_doubles, bind, descr_of, first_of, is_ready, lz_fp_clear,
    lz_fp_take, must_report, new_base, new_leaf, npy_intp, scalar_at, show, take_over)
from lazyarr._core.eager.lapack cimport SVD, SVD_S, decomposed
from lazyarr._core.eager.reductions cimport MAX, MIN, SUM, fold
from lazyarr._core.frontend.eager_product cimport (
    MOST_PRODUCTS, Factor, dotted, matmul_loop, product, product_at_once, sum_of_products)

import numpy as np

cdef extern from "numpy/arrayobject.h":
    object PyArray_Sum(cnp.ndarray a, int axis, int code, void* out)

cdef enum:
    LONG_LINE = 32

cnp.import_array()

cdef object _ndarray = np.ndarray
cdef double EPSILON = 2.0 ** -52        # of float64
cdef double CUTOFF = 1e-15              # relative singular value that pinv takes for zero
cdef object _float64 = descr_of(cnp.NPY_DOUBLE)

# ---- norms ---------------------------------------------------------------------------------------------


cdef LazyArray evenly(LazyArray x):
    """Return x as contiguous float64; None for a reversed line, and for other types."""
    return None if x.node.ndim == 1 and x.node.strides[0] < 0 else as_doubles(x)


cdef object norm_of_all(LazyArray x):
    """Return the Euclidean norm of all elements: the root of `dot`."""
    cdef double total, imaginary
    cdef char* data = first_of(x)
    if x.node.typenum == cnp.NPY_CDOUBLE and x.node.contiguous:
        lz_fp_clear()
        sum_of_products(_float64, data, 16, data, 16, <char*>&total, x.node.size)
        sum_of_products(_float64, data + 8, 16, data + 8, 16, <char*>&imaginary, x.node.size)
        total += imaginary
    else:
        x = evenly(x)
        if x is None:
            return NotImplemented
        data = first_of(x)
        lz_fp_clear()
        sum_of_products(_float64, data, 8, data, 8, <char*>&total, x.node.size)
    total = sqrt(total)
    return NotImplemented if must_report(lz_fp_take()) else scalar_at(cnp.NPY_DOUBLE, <char*>&total)


cdef object folded(int which, LazyArray x, object axis):
    """Reduce along one axis; long lines are left to NumPy, which sums in another order."""
    cdef PyObject* args[2]
    if which == SUM and x.node.shape[<int>axis if axis >= 0 else x.node.ndim + <int>axis] >= LONG_LINE:
        made = PyArray_Sum(show(x), axis, cnp.NPY_DOUBLE, NULL)
        return take_over(made) if type(made) is _ndarray else made
    args[0], args[1] = <PyObject*>x, <PyObject*>axis
    return fold(args, 2, None, which)


cdef object norm_along(LazyArray x, double order, object axis):
    """Return the norm of order 1, 2 or infinity of vectors along an axis."""
    cdef Node made
    cdef npy_intp i
    cdef double value
    x = evenly(x) if x.node.ndim <= 2 and x.node.size <= SMALL_ELEMENTS else None
    if x is None:
        return NotImplemented
    made = new_leaf(x.node.ndim, x.node.shape, cnp.NPY_DOUBLE)
    lz_fp_clear()
    for i in range(made.size):
        value = (<double*>first_of(x))[i]
        (<double*>made.data)[i] = value * value if order == 2 else fabs(value)
    if must_report(lz_fp_take()):
        return NotImplemented
    found = folded(MAX if order == INFINITY else MIN if order == -INFINITY else SUM, new_base(made), axis)
    if order != 2 or found is NotImplemented:
        return found
    if type(found) is not LazyArray:
        value = sqrt(<double>found)
        return scalar_at(cnp.NPY_DOUBLE, <char*>&value)
    made = (<LazyArray>found).node
    for i in range(made.size):
        (<double*>made.data)[i] = sqrt((<double*>made.data)[i])
    return found


cdef object norm_of_matrix(LazyArray x, object order):
    """Return the extreme column or row sum, or the largest, smallest or sum of the singular values."""
    cdef double number
    if order == "nuc" or order == 2 or order == -2:
        found = decomposed(SVD, <PyObject*>x)
        if found is None:
            return NotImplemented
        return folded(SUM if order == "nuc" else MAX if order == 2 else MIN, new_base(<Node>found[0]), 0)
    if type(order) is str:
        return NotImplemented
    number = <double>order
    if fabs(number) != 1 and fabs(number) != INFINITY:
        return NotImplemented
    found = norm_along(x, 1, 0 if fabs(number) == 1 else 1)
    return found if found is NotImplemented else folded(MAX if number > 0 else MIN, found, 0)


cdef object _norm(PyObject** args, Py_ssize_t n, object names, int variant):
    """norm(x, ord, axis) of vectors along an axis, of a matrix, or of all elements."""
    cdef PyObject* given[4]
    cdef LazyArray x
    cdef int ndim
    if not bind(args, n, names, ("x", "ord", "axis", "keepdims"), 1, given) \
            or given[3] is not NULL or type(<object>given[0]) is not LazyArray:
        return NotImplemented
    x = <LazyArray>given[0]
    ndim = x.node.ndim
    if not is_ready(x) or x.scalar or x.node.size > MOST_PRODUCTS:
        return NotImplemented
    order = None if given[1] is NULL else <object>given[1]
    axis = None if given[2] is NULL else <object>given[2]
    if not (order is None or type(order) is int or type(order) is float or type(order) is str):
        return NotImplemented
    if axis is None:
        if order is None or ndim == 2 and order in ("fro", "f") or ndim == 1 and order == 2:
            return norm_of_all(x)
        if x.node.size == 0 or not 1 <= ndim <= 2:
            return NotImplemented
        if ndim == 2:
            return norm_of_matrix(x, order)
        axis = 0
    if type(axis) is not int or not -ndim <= axis < ndim or x.node.size == 0:
        return NotImplemented
    if order is None:
        order = 2
    if type(order) is str or order not in (1, 2, INFINITY, -INFINITY):
        return NotImplemented
    return norm_along(x, <double>order, axis)


# ---- from singular values -----------------------------------------------------------------------------


cdef Node values_of_one(PyObject* a):
    """Return the singular values of one matrix; None for anything else."""
    cdef bint is_matrix = type(<object>a) is LazyArray and (<LazyArray>a).node.ndim == 2
    cdef tuple found = decomposed(SVD, a) if is_matrix else None
    return None if found is None else found[0]


cdef object _matrix_rank(PyObject** args, Py_ssize_t n, object names, int variant):
    """matrix_rank(x) of one matrix."""
    cdef Node values
    cdef double tolerance
    cdef npy_intp i, rank = 0
    values = values_of_one(args[0]) if n == 1 and names is None else None
    if values is None:
        return NotImplemented
    tolerance = max((<LazyArray>args[0]).node.shape[0], (<LazyArray>args[0]).node.shape[1]) * EPSILON
    tolerance = (<double*>values.data)[0] * tolerance  # the first one is the largest
    for i in range(values.size):
        rank += (<double*>values.data)[i] > tolerance
    return scalar_at(cnp.NPY_INTP, <char*>&rank)


cdef object _cond(PyObject** args, Py_ssize_t n, object names, int variant):
    """cond(x) of one matrix, by its singular values; singular ones are left to NumPy."""
    cdef Node values
    cdef double number
    if names is not None or not 1 <= n <= 2 or n == 2 and <object>args[1] is not None and not (
            type(<object>args[1]) is int and <object>args[1] == 2):
        return NotImplemented
    values = values_of_one(args[0])
    if values is None:
        return NotImplemented
    number = (<double*>values.data)[values.size - 1]
    if number == 0:
        return NotImplemented
    number = (<double*>values.data)[0] / number
    return scalar_at(cnp.NPY_DOUBLE, <char*>&number)


cdef object _pinv(PyObject** args, Py_ssize_t n, object names, int variant):
    """pinv(x) of one real matrix."""
    cdef LazyArray x
    cdef Node u, s, v, scaled
    cdef npy_intp i, j, rows, least
    cdef double* values
    cdef double cutoff
    cdef Factor left, right
    cdef tuple found
    if n != 1 or names is not None or type(<object>args[0]) is not LazyArray:
        return NotImplemented
    x = <LazyArray>args[0]
    if x.node.ndim != 2 or x.node.typenum == cnp.NPY_CDOUBLE or x.node.shape[0] < 2 or x.node.shape[1] < 2:
        return NotImplemented
    found = decomposed(SVD_S, args[0])
    if found is None:
        return NotImplemented
    u, s, v = found
    rows, least = x.node.shape[0], s.size
    values = <double*>s.data
    cutoff = CUTOFF * values[0]
    lz_fp_clear()
    for i in range(least):
        values[i] = 1 / values[i] if values[i] > cutoff else 0
    scaled = new_leaf(2, u.shape, cnp.NPY_DOUBLE)
    for j in range(rows):
        for i in range(least):
            (<double*>scaled.data)[j * least + i] = values[i] * (<double*>u.data)[j * least + i]
    if must_report(lz_fp_take()):
        return NotImplemented
    transposed(v, &left)
    transposed(scaled, &right)
    return new_base(product(&left, &right, matmul_loop(cnp.NPY_DOUBLE), "matmul"))


cdef int transposed(Node fresh, Factor* f) noexcept:
    """Read the transpose of a new matrix as a factor."""
    f.data, f.ndim, f.is_stack, f.count, f.step = fresh.data, 2, False, 1, 0
    f.rows, f.columns, f.row_step, f.column_step = fresh.shape[1], fresh.shape[0], fresh.strides[1], fresh.strides[0]
    return 0


# ---- chains of products --------------------------------------------------------------------------------


cdef object _matrix_power(PyObject** args, Py_ssize_t n, object names, int variant):
    """matrix_power(x, exponent) for positive exponents, in NumPy's order of products."""
    cdef LazyArray x
    cdef long exponent
    if n != 2 or names is not None or type(<object>args[0]) is not LazyArray or type(<object>args[1]) is not int \
            or not 0 < <object>args[1] < 1 << 30:
        return NotImplemented
    x, exponent = <LazyArray>args[0], <object>args[1]
    if not is_ready(x) or x.node.ndim != 2 or x.node.shape[0] != x.node.shape[1] or x.node.size == 0 \
            or <double>x.node.shape[0] * x.node.size > MOST_PRODUCTS or matmul_loop(x.node.typenum) is NULL:
        return NotImplemented
    if exponent == 1:
        return x
    if exponent == 3:
        return product_at_once(product_at_once(x, x), x)
    power, result = x, None
    while True:
        if exponent & 1:
            result = power if result is None else product_at_once(result, power)
        exponent >>= 1
        if exponent == 0:
            return result
        power = product_at_once(power, power)


cdef object dot_pair(object a, object b):
    cdef PyObject* pair[2]
    pair[0], pair[1] = <PyObject*>a, <PyObject*>b
    return dotted(pair, 2, None, False)


cdef object _multi_dot(PyObject** args, Py_ssize_t n, object names, int variant):
    """multi_dot of two or three matrices of one dtype."""
    cdef Node a, b, c
    cdef list chain
    cdef double first, last
    if n != 1 or names is not None or type(<object>args[0]) is not list or not 2 <= len(<list>args[0]) <= 3:
        return NotImplemented
    chain = <list>args[0]
    for item in chain:
        if type(item) is not LazyArray or not is_ready(<LazyArray>item) or (<LazyArray>item).node.ndim != 2 \
                or (<LazyArray>item).node.typenum != (<LazyArray>chain[0]).node.typenum \
                or (<LazyArray>item).node.size == 0:
            return NotImplemented
    if len(chain) == 2:
        return dot_pair(chain[0], chain[1])
    a, b, c = (<LazyArray>chain[0]).node, (<LazyArray>chain[1]).node, (<LazyArray>chain[2]).node
    if a.shape[1] != b.shape[0] or b.shape[1] != c.shape[0]:
        return NotImplemented
    first = <double>a.shape[0] * c.shape[0] * (a.shape[1] + c.shape[1])
    last = <double>a.shape[1] * c.shape[1] * (a.shape[0] + c.shape[0])
    if <double>max(a.shape[0], c.shape[1]) * b.size > MOST_PRODUCTS \
            or <double>a.shape[0] * c.shape[1] * max(b.shape[0], b.shape[1]) > MOST_PRODUCTS:
        return NotImplemented  # neither of the two products may join the graph
    if first < last:
        return dot_pair(dot_pair(chain[0], chain[1]), chain[2])
    return dot_pair(chain[0], dot_pair(chain[1], chain[2]))


add_native("linalg.norm", _norm)
add_native("linalg.matrix_rank", _matrix_rank)
add_native("linalg.cond", _cond)
add_native("linalg.pinv", _pinv)
add_native("linalg.matrix_power", _matrix_power)
add_native("linalg.multi_dot", _multi_dot)
