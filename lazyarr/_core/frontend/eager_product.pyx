"""Eager products of vectors and matrices, by NumPy's loops and BLAS.

The inner loop of `matmul` is called with NumPy's dimensions and strides, so results have NumPy's bits. `dot` makes the
same BLAS calls if its operands are contiguous; otherwise it copies them, which is left to NumPy. Larger matrix-vector
products use our `gemv` kernel: BLAS threads would spin for milliseconds afterwards and take the cores from ours. Status
flags are reported as NumPy does, or the call is left to NumPy's function.
"""
cimport numpy as cnp

from lazyarr._core.frontend.eager cimport (
    begins_at_once, does_wait, first_of, has_values, immediate_level, is_ready, must_report, new_base, new_leaf,
    report_flags, scalar_at, show, take_over)
from lazyarr._core.frontend.handle cimport force
from lazyarr._core.frontend.native_forms cimport add_native, bind
from lazyarr._core.frontend.views cimport new_view
from lazyarr._core.host.fp_status cimport lz_fp_clear, lz_fp_take
from lazyarr._core.ir.inner_loops cimport exact_loop, find_ufunc
from lazyarr._core.ir.node cimport MAX_DIMS, UPDATE, VIEW, new_node, set_c_strides
from lazyarr._core.kernels.gemv cimport can_multiply_vector, multiply_vector
from lazyarr._core.runtime.no_evaluation cimport evaluation_forbidden

import numpy as np

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    static int lz_dot(PyObject *dtype, char *a, npy_intp a_step, char *b, npy_intp b_step, char *out, npy_intp n)
    {
        PyArray_DotFunc *dot = PyDataType_GetArrFuncs((PyArray_Descr *)dtype)->dotfunc;
        if (dot == NULL) return 0;
        dot(a, a_step, b, b_step, out, n, NULL);
        return 1;
    }
    """
    object PyArray_MatrixProduct2(object a, object b, void* out)
    object PyArray_InnerProduct(object a, object b)
    int lz_dot(object dtype, char* a, npy_intp a_step, char* b, npy_intp b_step, char* out, npy_intp n) noexcept

cnp.import_array()

MOST_PRODUCTS = 300000
cdef double MOST_OF_ONE = 1 << 20  # the same for products that BLAS computes faster, like a matrix by its transpose
cdef double MOST_OF_VECTOR = 1 << 22  # the same for a matrix and a vector
cdef Loop* _matmuls[24]
_found = set()


cdef Loop* matmul_loop(int code) except? NULL:
    cdef int types[3]
    if code not in _found:
        types[0] = types[1] = types[2] = code
        _matmuls[code] = exact_loop(find_ufunc(np.matmul), types)
        _found.add(code)
    return _matmuls[code]


cdef int sum_of_products(object dtype, char* a, npy_intp a_step, char* b, npy_intp b_step, char* out,
                         npy_intp n) noexcept:
    """Compute the sum of products of two vectors like `dot`; return False for a dtype without it."""
    return lz_dot(dtype, a, a_step, b, b_step, out, n)


# ---- factors -------------------------------------------------------------------------------------------

cdef LazyArray ready_factor(PyObject* obj):
    """Return an array whose elements may be multiplied eagerly; else None."""
    cdef LazyArray x
    if type(<object>obj) is not LazyArray:
        return None
    x = <LazyArray>obj
    return x if is_ready(x) and x.node.ndim and x.node.size else None


cdef bint evaluate_factors(PyObject* a, PyObject* b) except -1:
    """Evaluate pending in-place writes to factors if the product can then run eagerly; return whether any was.

    Nothing fuses with the written array. In a loop, everything that follows would otherwise stay pending.
    """
    cdef LazyArray x, y
    cdef double number, columns
    if type(<object>a) is not LazyArray or type(<object>b) is not LazyArray or evaluation_forbidden():
        return False
    x, y = <LazyArray>a, <LazyArray>b
    if (has_values(x) and has_values(y)) or not (may_be_factor(x) and may_be_factor(y)):
        return False
    columns = y.node.shape[y.node.ndim - 1] if y.node.ndim > 1 else 1
    number = x.node.size * columns
    if number > (MOST_OF_VECTOR if columns == 1 or x.node.size == x.node.shape[x.node.ndim - 1] else MOST_PRODUCTS):
        return False
    force(x)
    force(y)
    return True


cdef bint may_be_factor(LazyArray x) noexcept:
    """Return whether x is a vector or a matrix that is evaluated, or pending only by a write."""
    return does_wait(x) <= immediate_level and x.mask is None and not x.scalar and 0 < x.node.ndim < 3 \
        and x.node.typenum >= 0 and (has_values(x) or (x if x.root is None else x.root).node.kind == UPDATE)


cdef int read_factor(LazyArray x, bint is_right, Factor* f) noexcept:
    """Read a vector, a matrix or a stack; a vector is a column on the right, a row on the left."""
    cdef Node node = x.node
    f.data = first_of(x)
    f.is_stack = node.ndim == 3
    f.count = node.shape[0] if f.is_stack else 1
    f.step = node.strides[0] if f.is_stack and f.count > 1 else 0
    if node.ndim == 1:
        f.ndim = 1
        f.rows, f.row_step = 1, node.itemsize
        f.columns, f.column_step = node.shape[0], node.strides[0]
        if is_right:
            f.rows, f.columns, f.row_step, f.column_step = f.columns, f.rows, f.column_step, f.row_step
        return 0
    f.ndim = 2
    f.rows, f.columns = node.shape[node.ndim - 2], node.shape[node.ndim - 1]
    f.row_step, f.column_step = node.strides[node.ndim - 2], node.strides[node.ndim - 1]
    return 0


cdef int transpose(Factor* f) noexcept:
    if f.ndim == 2:
        f.rows, f.columns = f.columns, f.rows
        f.row_step, f.column_step = f.column_step, f.row_step
    return 0


cdef inline double multiplications(Factor* a, Factor* b) noexcept:
    return <double>a.rows * a.columns * b.columns * max(a.count, b.count)


cdef inline bint is_gram_product(Factor* a, Factor* b) noexcept:
    """Return whether it is a matrix by its own transpose."""
    return a.data == b.data and a.rows == b.columns and a.row_step == b.column_step and a.column_step == b.row_step


cdef Node product(Factor* a, Factor* b, Loop* loop, str name):
    """Multiply by matmul's loop; flags are reported under `name`."""
    cdef int code = loop.types[0], ndim = 0
    cdef npy_intp dims[4]
    cdef npy_intp steps[9]
    cdef npy_intp shape[3]
    cdef char* args[3]
    cdef Node made
    dims[0], dims[1], dims[2], dims[3] = max(a.count, b.count), a.rows, a.columns, b.columns
    if a.is_stack or b.is_stack:
        shape[ndim] = dims[0]
        ndim += 1
    if a.ndim == 2:
        shape[ndim] = dims[1]
        ndim += 1
    if b.ndim == 2:
        shape[ndim] = dims[3]
        ndim += 1
    made = new_leaf(ndim, shape, code)
    steps[0], steps[1] = a.step, b.step
    steps[2] = made.itemsize * dims[1] * dims[3]
    # as in NumPy, no steps along axes of length 1
    steps[3], steps[4] = a.row_step if dims[1] > 1 else 0, a.column_step if dims[2] > 1 else 0
    steps[5], steps[6] = b.row_step if dims[2] > 1 else 0, b.column_step if dims[3] > 1 else 0
    steps[7] = made.itemsize * dims[3] if dims[1] > 1 else 0
    steps[8] = made.itemsize if dims[3] > 1 else 0
    args[0], args[1], args[2] = a.data, b.data, made.data
    lz_fp_clear()
    loop.fn(args, dims, steps, loop.data)
    report_flags(lz_fp_take(), name)
    return made


cdef object larger_product(Factor* a, Factor* b, Node x, Node y, str name):
    """Multiply a matrix and a vector by the kernel; return None if it does not apply, or joins the graph.

    The caller holds the operands' nodes, since the kernel runs without the GIL.
    """
    cdef bint is_row = a.rows == 1
    cdef Factor* matrix = b if is_row else a
    cdef npy_intp shape[2]
    cdef Node made
    if x.typenum != y.typenum or a.is_stack or b.is_stack or is_row == (b.columns == 1) \
            or multiplications(a, b) > MOST_OF_VECTOR or not can_multiply_vector(
                x.typenum, matrix.rows, matrix.columns, matrix.row_step, matrix.column_step):
        return None
    shape[0] = a.rows if a.ndim == 2 else b.columns
    shape[1] = b.columns
    made = new_leaf(a.ndim + b.ndim - 2, shape, x.typenum)
    report_flags(multiply_vector(
        x.typenum, matrix.rows, matrix.columns, matrix.data, matrix.row_step, matrix.column_step,
        a.data if is_row else b.data, a.column_step if is_row else b.row_step, is_row, made.data), name)
    return new_base(made)


cdef object dot_of_vectors(Factor* a, Factor* b, Node like, str name):
    """Return the dot product of two vectors as a scalar; None for a dtype without one."""
    cdef long double value[2]
    cdef bint several = a.columns > 1
    lz_fp_clear()
    if not sum_of_products(like.dtype, a.data, a.column_step if several else 0, b.data, b.row_step if several else 0,
                           <char*>value, a.columns):
        return None
    report_flags(lz_fp_take(), name)
    return scalar_at(like.typenum, <char*>value)


cdef object product_at_once(object a, object b, str name="matmul"):
    """Compute a @ b of vectors, matrices and stacks of one dtype; return None if it joins the graph.

    Flags are reported under `name`.
    """
    cdef LazyArray x, y
    cdef Factor left, right
    cdef Loop* loop
    cdef double most
    if not begins_at_once():
        return None
    x, y = ready_factor(<PyObject*>a), ready_factor(<PyObject*>b)
    if (x is None or y is None) and evaluate_factors(<PyObject*>a, <PyObject*>b):
        x, y = ready_factor(<PyObject*>a), ready_factor(<PyObject*>b)
    if x is None or y is None or x.node.typenum != y.node.typenum or x.node.ndim > 3 or y.node.ndim > 3:
        return None
    read_factor(x, False, &left)
    read_factor(y, True, &right)
    if left.columns != right.rows or left.count != right.count and left.count != 1 and right.count != 1 \
            or left.step < 0 or right.step < 0:
        return None
    most = MOST_OF_ONE if is_gram_product(&left, &right) else MOST_PRODUCTS
    if multiplications(&left, &right) > most:
        return larger_product(&left, &right, x.node, y.node, name)
    if x.node.ndim == 1 and y.node.ndim == 1:
        return dot_of_vectors(&left, &right, x.node, name)
    loop = matmul_loop(x.node.typenum)
    return None if loop is NULL else new_base(product(&left, &right, loop, name))


cdef object _matmul(PyObject** args, Py_ssize_t n, object names, int variant):
    """Compute linalg.matmul(x, y)."""
    made = product_at_once(<object>args[0], <object>args[1]) if n == 2 and names is None else None
    return NotImplemented if made is None else made


# ---- dot and functions based on it ----------------------------------------------------------------------


cdef inline bint is_one_piece(Factor* f, npy_intp width) noexcept:
    """Return whether BLAS needs no copy: a matrix in C or Fortran order, or a vector with a positive stride."""
    cdef npy_intp step
    if f.rows == 1 or f.columns == 1:
        step = f.column_step if f.rows == 1 else f.row_step
        return step > 0 and step % width == 0
    return f.column_step == width and f.row_step == width * f.columns \
        or f.row_step == width and f.column_step == width * f.rows


cdef bint is_dot_of_matmul(Factor* a, Factor* b, int code, npy_intp width) noexcept:
    """Return whether `dot` computes this product by the same steps as `matmul`."""
    if code <= cnp.NPY_ULONGLONG:
        return True  # integer sums do not depend on the order
    if not (cnp.NPY_FLOAT <= code <= cnp.NPY_DOUBLE or cnp.NPY_CFLOAT <= code <= cnp.NPY_CDOUBLE):
        return False
    return a.columns > 1 and is_one_piece(a, width) and is_one_piece(b, width)


cdef object product_of_one(Factor* a, Factor* b, int ndim):
    """Return the product of two single float64 elements; `dot` does not add it to zero, so -0.0 stays."""
    cdef npy_intp shape[2]
    cdef Node made
    cdef double value
    shape[0] = shape[1] = 1
    lz_fp_clear()
    value = (<double*>a.data)[0] * (<double*>b.data)[0]
    report_flags(lz_fp_take(), "dot")
    if ndim == 0:
        return scalar_at(cnp.NPY_DOUBLE, <char*>&value)
    made = new_leaf(ndim, shape, cnp.NPY_DOUBLE)
    (<double*>made.data)[0] = value
    return new_base(made)


cdef object dotted(PyObject** args, Py_ssize_t n, object names, int is_inner):
    """Compute dot(x, y) or inner(x, y) of vectors and matrices."""
    cdef LazyArray x, y
    cdef Factor left, right
    cdef Loop* loop
    cdef double most
    if n != 2 or names is not None:
        return NotImplemented
    x, y = ready_factor(args[0]), ready_factor(args[1])
    if (x is None or y is None) and evaluate_factors(args[0], args[1]):
        x, y = ready_factor(args[0]), ready_factor(args[1])
    if x is None or y is None or x.node.ndim > 2 or y.node.ndim > 2:
        return NotImplemented
    read_factor(x, False, &left)
    read_factor(y, True, &right)
    if is_inner:
        transpose(&right)
    most = MOST_OF_ONE if is_inner or is_gram_product(&left, &right) else MOST_PRODUCTS
    if left.columns != right.rows:
        return NotImplemented
    if multiplications(&left, &right) > most:
        made = larger_product(&left, &right, x.node, y.node, "dot")
        return NotImplemented if made is None else made
    if x.node.typenum == y.node.typenum:
        if x.node.size == 1 and y.node.size == 1:
            if x.node.typenum == cnp.NPY_DOUBLE:
                return product_of_one(&left, &right, x.node.ndim + y.node.ndim - 2)
        elif x.node.ndim == 1 and y.node.ndim == 1:
            if left.column_step > 0 and right.row_step > 0:
                made = dot_of_vectors(&left, &right, x.node, "dot")
                return NotImplemented if made is None else made
        elif is_dot_of_matmul(&left, &right, x.node.typenum, x.node.itemsize):
            loop = matmul_loop(x.node.typenum)
            if loop is not NULL:
                return new_base(product(&left, &right, loop, "dot"))
    if is_inner:
        made = PyArray_InnerProduct(show(x), show(y))
    else:
        made = PyArray_MatrixProduct2(show(x), show(y), NULL)
    return take_over(made) if made.ndim else made[()]


cdef object _vdot(PyObject** args, Py_ssize_t n, object names, int variant):
    """Compute vdot(x, y) of real elements in C order."""
    cdef LazyArray x, y
    cdef long double value[2]
    cdef npy_intp width
    if n != 2 or names is not None:
        return NotImplemented
    x, y = ready_factor(args[0]), ready_factor(args[1])
    if x is None or y is None or x.node.typenum != y.node.typenum or x.node.typenum > cnp.NPY_DOUBLE \
            or x.node.size != y.node.size or x.node.size > MOST_PRODUCTS or not x.node.contiguous \
            or not y.node.contiguous:
        return NotImplemented
    width = x.node.itemsize
    lz_fp_clear()
    if not sum_of_products(x.node.dtype, first_of(x), width, first_of(y), width, <char*>value, x.node.size) \
            or must_report(lz_fp_take()):
        return NotImplemented
    return scalar_at(x.node.typenum, <char*>value)


cdef int summed_axis(object axes) except -2:
    """Return the single matrix axis in an operand's tensordot axes; -1 for anything else."""
    if (type(axes) is list or type(axes) is tuple) and len(axes) == 1:
        axes = axes[0]
    return <int>(axes & 1) if type(axes) is int and -2 <= axes < 2 else -1


cdef object _tensordot(PyObject** args, Py_ssize_t n, object names, int variant):
    """Compute tensordot(x, y, axes) of C-ordered arrays and a number of axes, or of matrices and one axis each."""
    cdef PyObject* given[3]
    cdef npy_intp shape[2 * MAX_DIMS]
    cdef LazyArray x, y
    cdef Node made
    cdef Factor left, right
    cdef Loop* loop
    cdef int count, first, second, kept = 0, d
    if not bind(args, n, names, ("a", "b", "axes"), 2, given):
        return NotImplemented
    x, y = ready_factor(given[0]), ready_factor(given[1])
    if x is None or y is None or x.node.typenum != y.node.typenum:
        return NotImplemented
    axes = 2 if given[2] is NULL else <object>given[2]
    if type(axes) is int:
        if not 1 <= axes <= min(x.node.ndim, y.node.ndim) or not x.node.contiguous or not y.node.contiguous:
            return NotImplemented
        count = axes
        for d in range(count):
            if x.node.shape[x.node.ndim - count + d] != y.node.shape[d]:
                return NotImplemented
        as_matrix(x, x.node.ndim - count, &left)
        as_matrix(y, count, &right)
        for d in range(x.node.ndim - count):
            shape[kept] = x.node.shape[d]
            kept += 1
        for d in range(count, y.node.ndim):
            shape[kept] = y.node.shape[d]
            kept += 1
    elif (type(axes) is tuple or type(axes) is list) and len(axes) == 2 and x.node.ndim == 2 and y.node.ndim == 2:
        first, second = summed_axis(axes[0]), summed_axis(axes[1])
        if first < 0 or second < 0 or x.node.shape[first] != y.node.shape[second]:
            return NotImplemented
        read_factor(x, False, &left)
        read_factor(y, True, &right)
        if first == 0:
            transpose(&left)
        if second == 1:
            transpose(&right)
        shape[0], shape[1], kept = left.rows, right.columns, 2
    else:
        return NotImplemented
    loop = matmul_loop(x.node.typenum)
    if loop is NULL or multiplications(&left, &right) > MOST_OF_ONE:
        return NotImplemented
    if x.node.typenum == cnp.NPY_DOUBLE and left.rows == left.columns == right.columns == 1:
        made = (<LazyArray>product_of_one(&left, &right, 2)).node
    elif is_dot_of_matmul(&left, &right, x.node.typenum, x.node.itemsize):
        made = product(&left, &right, loop, "dot")
    else:
        return NotImplemented
    return reshaped_result(made, kept, shape)  # NumPy reshapes the product


cdef LazyArray reshaped_result(Node made, int ndim, npy_intp* shape):
    """Return a reshaped view of an otherwise unreferenced leaf."""
    cdef Node window = new_node(VIEW, ndim, shape, made.dtype, made.typenum)
    set_c_strides(window)
    return new_view(new_base(made), window, True)


cdef int as_matrix(LazyArray x, int lead, Factor* f) noexcept:
    """Read a C-ordered array as a matrix whose rows are its `lead` first axes."""
    cdef int d
    f.data, f.ndim, f.is_stack, f.count, f.step = first_of(x), 2, False, 1, 0
    f.rows = 1
    for d in range(lead):
        f.rows *= x.node.shape[d]
    f.columns = x.node.size // f.rows
    f.row_step, f.column_step = f.columns * x.node.itemsize, x.node.itemsize
    return 0


add_native("dot ndarray.dot", dotted, False)
add_native("inner", dotted, True)
add_native("vdot", _vdot)
add_native("tensordot", _tensordot)
add_native("linalg.matmul", _matmul)
