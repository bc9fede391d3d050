"""Calls of NumPy's loops for LAPACK on small matrices, at once.

The inner loops of NumPy's generalized ufuncs are called with the dimensions and strides that NumPy would give them,
over one matrix or a stack, so results have NumPy's bits. Where LAPACK fails, as it does for a singular matrix, the loop
sets a floating-point flag: the call is then left to NumPy's function, which raises the error.
"""
from cpython.object cimport PyObject
from libc.math cimport isfinite

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.eager.forms cimport (
    MAX_DIMS, SMALL_ELEMENTS, LazyArray, Loop, Node, cast_elements, first_of, is_enabled, is_ready, lz_fp_clear,
    lz_fp_take, new_base, new_leaf, scalar_at)
from lazyarr._core.ir.inner_loops cimport exact_loop, find_ufunc
from lazyarr._core.ir.loop_table cimport MAX_ARGS

import numpy as np

cdef enum:
    LARGEST = 64            # rows or columns of a matrix that is worked on at once

# ---- the loops -----------------------------------------------------------------------------------------

# Names of the ufuncs and the types of their operands and results, for real and for complex matrices.
cdef tuple _signatures = (
    ("inv", "dd", "DD"), ("det", "dd", "DD"), ("slogdet", "ddd", "DDd"), ("cholesky_lo", "dd", "DD"),
    ("cholesky_up", "dd", "DD"), ("solve", "ddd", "DDD"), ("solve1", "ddd", "DDD"), ("svd", "dd", "Dd"),
    ("svd_f", "dddd", "DDdD"), ("svd_s", "dddd", "DDdD"), ("eig", "dDD", "DDD"), ("eigvals", "dD", "DD"),
    ("eigh_lo", "ddd", "DdD"), ("eigh_up", "ddd", "DdD"), ("eigvalsh_lo", "dd", "Dd"), ("eigvalsh_up", "dd", "Dd"),
    ("qr_r_raw", "dd", "DD"), ("qr_reduced", "ddd", "DDD"), ("qr_complete", "ddd", "DDD"),
    ("lstsq", "dddddid", "DDdDdid"))
cdef Loop* _loops[<int>ROUTINES][2]
cdef dict _kinds = {}  # the named tuples that NumPy's functions return


cdef int seek_loops() except -1:
    """Look up the loops, NULL for those that this NumPy lacks; imports nothing that `numpy.linalg` has not imported."""
    cdef int types[MAX_ARGS]
    cdef int which, k, d
    if _kinds:
        return 0
    for which in range(ROUTINES):
        ufunc = getattr(np.linalg._umath_linalg, _signatures[which][0], None)
        for k in range(2):
            chars = _signatures[which][1 + k]
            for d in range(len(chars)):
                types[d] = np.dtype(chars[d]).num
            _loops[which][k] = NULL if ufunc is None else exact_loop(find_ufunc(ufunc), types)
    for function in (np.linalg.svd, np.linalg.eig, np.linalg.eigh, np.linalg.qr, np.linalg.slogdet):
        _kinds[function.__name__] = type(function(np.ones((1, 1))))
    return 0


# ---- calls ---------------------------------------------------------------------------------------------

cdef bint begin(Call* call, int which, int code, npy_intp count) except -1:
    """Start a call of a routine for `count` matrices; False if this NumPy lacks it."""
    seek_loops()
    call.loop = _loops[which][code == cnp.NPY_CDOUBLE]
    call.operands = call.axes = 0
    call.dims[0] = count
    return call.loop is not NULL


cdef int add(Call* call, Node node, char* data, int core) noexcept:
    """Add an operand or a result; its last `core` axes are the routine's. With more, it lies in C order."""
    cdef int d, nargs = call.loop.nin + call.loop.nout
    cdef npy_intp step = node.itemsize
    for d in range(node.ndim - core, node.ndim):
        call.steps[nargs + call.axes] = node.strides[d] if node.shape[d] > 1 else 0  # as NumPy has it
        call.axes += 1
        step *= node.shape[d]
    call.data[call.operands] = data
    call.steps[call.operands] = step if node.ndim > core else 0
    call.operands += 1
    return 0


cdef Node add_result(Call* call, Node stack, int lead, int core, npy_intp rows, npy_intp columns=0):
    """Add a fresh result, for each matrix of the stack: a number, a vector or a matrix."""
    cdef npy_intp shape[MAX_DIMS]
    cdef Node made
    cdef int d
    for d in range(lead):
        shape[d] = stack.shape[d]
    shape[lead], shape[lead + 1] = rows, columns
    made = new_leaf(lead + core, shape, call.loop.types[call.operands])
    add(call, made, made.data, core)
    return made


cdef bint run(Call* call) noexcept:
    """Call the loop; False where LAPACK fails."""
    lz_fp_clear()
    call.loop.fn(call.data, call.dims, call.steps, call.loop.data)
    return lz_fp_take() == 0


cdef object finished(Node made):
    """The array or the scalar of a fresh result."""
    return new_base(made) if made.ndim else scalar_at(made.typenum, made.data)


cdef object named(str function, tuple values):
    """The named tuple of values that one of NumPy's functions returns."""
    return tuple.__new__(_kinds[function], values)


# ---- operands ------------------------------------------------------------------------------------------


cdef LazyArray matrices(PyObject* obj, int* code):
    """A small matrix or a stack of them in C order, ready; None for anything else.

    `code` becomes complex128 where the matrices are.
    """
    cdef LazyArray x
    cdef Node node
    if type(<object>obj) is not LazyArray or not is_enabled():
        return None
    x = <LazyArray>obj
    node = x.node
    if not 2 <= node.ndim < MAX_DIMS or not 0 < node.size <= SMALL_ELEMENTS or not is_ready(x) \
            or node.shape[node.ndim - 1] > LARGEST or node.shape[node.ndim - 2] > LARGEST:
        return None
    if node.ndim > 2 and not node.contiguous:
        return None
    if node.typenum == cnp.NPY_CDOUBLE:
        code[0] = cnp.NPY_CDOUBLE
    elif node.typenum != cnp.NPY_DOUBLE and node.typenum != cnp.NPY_LONG:
        return None
    return x


cdef LazyArray squares(PyObject* obj, int* code):
    """The same with as many rows as columns."""
    cdef LazyArray x = matrices(obj, code)
    return None if x is None or x.node.shape[x.node.ndim - 1] != x.node.shape[x.node.ndim - 2] else x


cdef Node cast_to(LazyArray x, int code, char** data, bint copies=False):
    """The layout and the elements of x in a dtype that LAPACK computes in, `copies`: in C order, of its own."""
    cdef Node made
    if x.node.typenum == code and not copies:
        data[0] = first_of(x)
        return x.node
    made = cast_elements(x.node, first_of(x), code)
    data[0] = made.data
    return made


cdef Node begin_matrices(Call* call, int which, PyObject* a, bint copies=False):
    """Start a call whose first operand is small matrices of any extents, and return that.

    None for anything else, or if this NumPy lacks the routine; `copies`: the routine writes to it.
    """
    cdef int code = cnp.NPY_DOUBLE
    cdef LazyArray x = matrices(a, &code)
    cdef char* data
    cdef Node node
    if x is None:
        return None
    node = cast_to(x, code, &data, copies)
    if not begin(call, which, code, stacked(node)):
        return None
    call.dims[1], call.dims[2] = node.shape[node.ndim - 2], node.shape[node.ndim - 1]
    call.dims[3] = min(call.dims[1], call.dims[2])
    add(call, node, data, 2)
    return node


cdef Node begin_squares(Call* call, int which, LazyArray x, int code):
    """Start a call whose first operand is square matrices, and return that; None if this NumPy lacks the routine."""
    cdef char* data
    cdef Node node = cast_to(x, code, &data)
    if not begin(call, which, code, stacked(node)):
        return None
    call.dims[1] = node.shape[node.ndim - 1]
    add(call, node, data, 2)
    return node


cdef Node begin_unary(Call* call, int which, PyObject** args, Py_ssize_t n, object names):
    """`begin_squares` for the only argument of a function; None for what it does not take, too."""
    cdef int code = cnp.NPY_DOUBLE
    cdef LazyArray x = squares(args[0], &code) if n == 1 and names is None else None
    return None if x is None else begin_squares(call, which, x, code)


cdef npy_intp stacked(Node node, int core=2) noexcept:
    """The number of matrices."""
    cdef npy_intp count = 1
    cdef int d
    for d in range(node.ndim - core):
        count *= node.shape[d]
    return count


cdef bint all_finite(Node node, char* data) noexcept:
    """Whether no element is infinite or a NaN; `node` is a matrix, or lies in C order."""
    cdef int parts = 2 if node.typenum == cnp.NPY_CDOUBLE else 1
    cdef npy_intp i, j
    if node.contiguous:
        for i in range(node.size * parts):
            if not isfinite((<double*>data)[i]):
                return False
        return True
    for i in range(node.shape[0]):
        for j in range(node.shape[1] * parts):
            if not isfinite((<double*>(data + i * node.strides[0] + j // parts * node.strides[1]))[j % parts]):
                return False
    return True
