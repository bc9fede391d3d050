"""Eager calls of NumPy's LAPACK loops on small matrices.

The inner loops of NumPy's generalized ufuncs are called with NumPy's dimensions and strides, on one matrix or a stack,
so results have NumPy's bits. If LAPACK fails (e.g. a singular matrix), the loop sets a status flag: the call is then
left to NumPy's function, which raises the error.
"""
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.math cimport isfinite

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    MAX_DIMS, SMALL_ELEMENTS, cast_elements, exact_loop, find_ufunc, first_of, is_ready, lz_fp_clear, lz_fp_take,
    new_base, new_leaf, scalar_at)

import numpy as np

cdef enum:
    LARGEST = 64            # most rows or columns of a matrix

# ---- the loops -----------------------------------------------------------------------------------------

# By routine: the ufunc's name, the operand and result types for real and complex matrices, and the axes of the results,
# a digit each: indices into `Call.dims`.
cdef tuple _signatures = (
    ("inv", "dd", "DD", b"11"), ("det", "dd", "DD", b""), ("slogdet", "ddd", "DDd", b","),
    ("cholesky_lo", "dd", "DD", b"11"), ("cholesky_up", "dd", "DD", b"11"),
    ("solve", "ddd", "DDD", b"12"), ("solve1", "ddd", "DDD", b"1"), ("svd", "dd", "Dd", b"3"),
    ("svd_f", "dddd", "DDdD", b"11,3,22"), ("svd_s", "dddd", "DDdD", b"13,3,32"),
    ("eig", "dDD", "DDD", b"1,11"), ("eigvals", "dD", "DD", b"1"),
    ("eigh_lo", "ddd", "DdD", b"1,11"), ("eigh_up", "ddd", "DdD", b"1,11"),
    ("eigvalsh_lo", "dd", "Dd", b"1"), ("eigvalsh_up", "dd", "Dd", b"1"), ("qr_r_raw", "dd", "DD", b"3"),
    ("qr_reduced", "ddd", "DDD", b"13"), ("qr_complete", "ddd", "DDD", b"11"),
    ("lstsq", "dddddid", "DDdDdid", b"23,3,,4"))
cdef Loop* _loops[<int>ROUTINES][2]
cdef const char* _axes[<int>ROUTINES]
cdef dict _kinds = {}  # the named tuples that NumPy's functions return


cdef int seek_loops() except -1:
    """Look up the loops, NULL for those that this NumPy lacks, without importing more of `numpy.linalg`."""
    cdef int types[MAX_ARGS]
    cdef int which, k, d
    if _kinds:
        return 0
    for which in range(ROUTINES):
        ufunc = getattr(np.linalg._umath_linalg, _signatures[which][0], None)
        _axes[which] = <bytes>_signatures[which][3]
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
    """Start a call of a routine for `count` matrices; return False if this NumPy lacks it."""
    seek_loops()
    call.which = which
    call.loop = _loops[which][code == cnp.NPY_CDOUBLE]
    call.operands = call.axes = 0
    call.dims[0] = count
    return call.loop is not NULL


cdef int add(Call* call, Node node, char* data, int core) noexcept:
    """Add an operand or a result, whose last `core` axes are core axes. With more axes it is in C order."""
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


cdef tuple run(Call* call, Node stack, int lead=-1):
    """Add a new result of each kind per matrix of the stack, and call the loop; return None if LAPACK fails.

    The stack has `lead` axes, by default all but the last two.
    """
    cdef npy_intp shape[MAX_DIMS]
    cdef tuple results = PyTuple_New(call.loop.nout)
    cdef Node made
    cdef const char* axes = _axes[call.which]
    cdef int d, ndim
    lead = stack.ndim - 2 if lead < 0 else lead
    for d in range(lead):
        shape[d] = stack.shape[d]
    while call.operands < call.loop.nin + call.loop.nout:
        ndim = lead
        while c'0' <= axes[0] <= c'9':
            shape[ndim] = call.dims[axes[0] - c'0']
            ndim += 1
            axes += 1
        axes += 1  # skip the comma
        made = new_leaf(ndim, shape, call.loop.types[call.operands])
        add(call, made, made.data, ndim - lead)
        Py_INCREF(made)
        PyTuple_SET_ITEM(results, call.operands - 1 - call.loop.nin, made)
    lz_fp_clear()
    call.loop.fn(call.data, call.dims, call.steps, call.loop.data)
    return None if lz_fp_take() else results


cdef object finished(Node made):
    """Return the array or scalar of a new result."""
    return new_base(made) if made.ndim else scalar_at(made.typenum, made.data)


cdef object named(str function, tuple values):
    """Return NumPy's named tuple of arrays or new results."""
    return tuple.__new__(_kinds[function], [finished(x) if type(x) is Node else x for x in values])


# ---- operands ------------------------------------------------------------------------------------------


cdef LazyArray matrices(PyObject* obj, int* code):
    """Return a small ready matrix or C-ordered stack; None for anything else.

    `code` becomes complex128 for complex matrices.
    """
    cdef LazyArray x
    cdef Node node
    if type(<object>obj) is not LazyArray:
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


cdef bint are_square(Node node) noexcept:
    return node.shape[node.ndim - 1] == node.shape[node.ndim - 2]


cdef Node cast_to(LazyArray x, int code, char** data, bint copies=False):
    """Return the layout and elements of x in a LAPACK dtype; with `copies` as a new C-ordered array."""
    cdef Node made
    if x.node.typenum == code and not copies:
        data[0] = first_of(x)
        return x.node
    made = cast_elements(x.node, first_of(x), code)
    data[0] = made.data
    return made


cdef Node begin_matrices(Call* call, int which, PyObject* a, bint copies=False):
    """Start a call whose first operand is small matrices of any extents, and return that.

    None for anything else, or if this NumPy lacks the routine; `copies`: the routine overwrites it.
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


cdef Node begin_squares(Call* call, int which, PyObject* a):
    """The same for square matrices."""
    if type(<object>a) is not LazyArray or (<LazyArray>a).node.ndim < 2 or not are_square((<LazyArray>a).node):
        return None
    return begin_matrices(call, which, a)


cdef tuple decomposed(int which, PyObject* a):
    """Return the results of a routine for small matrices; None where NumPy has to find them, or raise."""
    cdef Call call
    cdef Node node = begin_matrices(&call, which, a)
    return None if node is None else run(&call, node)


cdef npy_intp stacked(Node node, int core=2) noexcept:
    """Return the number of matrices."""
    cdef npy_intp count = 1
    cdef int d
    for d in range(node.ndim - core):
        count *= node.shape[d]
    return count


cdef bint all_finite(Node node, char* data) noexcept:
    """Return whether all elements are finite; `node` is a matrix, or in C order."""
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
