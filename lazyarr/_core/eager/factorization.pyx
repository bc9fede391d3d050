"""Small factorizations and eigenvalues that run at once."""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.eager.arguments cimport read_flag
from lazyarr._core.eager.forms cimport MAX_DIMS, LazyArray, Node, add_native, bind, new_base, new_leaf, new_view
from lazyarr._core.eager.lapack cimport (
    EIG, EIGH_LO, EIGH_UP, EIGVALS, EIGVALSH_LO, EIGVALSH_UP, QR_COMPLETE, QR_REDUCED, QR_R_RAW, SVD, SVD_F, SVD_S,
    Call, add, add_result, all_finite, begin, begin_matrices, begin_squares, begin_unary, named, run, squares, stacked)
from lazyarr._core.ir.loop_table cimport descr_of
from lazyarr._core.ir.node cimport new_window

from lazyarr.compat import EIGENVALUES_ARE_COMPLEX

cdef bint _complex_always = EIGENVALUES_ARE_COMPLEX

# ---- singular values, eigenvalues ----------------------------------------------------------------------


cdef Node singular_values(PyObject* a):
    """The singular values of small matrices; None where NumPy has to find them, or to say why it cannot."""
    cdef Call call
    cdef Node made, node = begin_matrices(&call, SVD, a)
    if node is None:
        return None
    made = add_result(&call, node, node.ndim - 2, 1, call.dims[3])
    return made if run(&call) else None


cdef tuple factors(PyObject* a, bint full):
    """The singular value decomposition (u, s, vh) of small matrices; None where NumPy has to find it."""
    cdef Call call
    cdef Node u, s, v, node = begin_matrices(&call, SVD_F if full else SVD_S, a)
    cdef npy_intp rows, columns, least
    if node is None:
        return None
    rows, columns, least = call.dims[1], call.dims[2], call.dims[3]
    u = add_result(&call, node, node.ndim - 2, 2, rows, rows if full else least)
    s = add_result(&call, node, node.ndim - 2, 1, least)
    v = add_result(&call, node, node.ndim - 2, 2, columns if full else least, columns)
    return (u, s, v) if run(&call) else None


cdef object _svd(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef PyObject* given[4]
    cdef bint full = True, vectors = True, hermitian = False
    cdef Node s
    cdef tuple found
    if not bind(args, n, names, ("a", "full_matrices", "compute_uv", "hermitian"), given) or given[0] is NULL \
            or not read_flag(given[1], &full) or not read_flag(given[2], &vectors) \
            or not read_flag(given[3], &hermitian) or hermitian:
        return NotImplemented
    if not vectors:
        s = singular_values(given[0])
        return NotImplemented if s is None else new_base(s)
    found = factors(given[0], full)
    if found is None:
        return NotImplemented
    return named("svd", (new_base(found[0]), new_base(found[1]), new_base(found[2])))


cdef object _svdvals(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef Node s
    if n != 1 or names is not None:
        return NotImplemented
    s = singular_values(args[0])
    return NotImplemented if s is None else new_base(s)


cdef object _of_hermitian(PyObject** args, Py_ssize_t n, object names, int vectors):
    """Eigenvalues in ascending order, and eigenvectors."""
    cdef PyObject* given[2]
    cdef int code = cnp.NPY_DOUBLE, which
    cdef LazyArray x
    cdef Node node, w, v = None
    cdef Call call
    if not bind(args, n, names, ("a", "UPLO"), given) or given[0] is NULL:
        return NotImplemented
    half = "L" if given[1] is NULL else <object>given[1]
    if type(half) is not str or half not in ("L", "U"):
        return NotImplemented
    x = squares(given[0], &code)
    if x is None:
        return NotImplemented
    if vectors:
        which = EIGH_LO if half == "L" else EIGH_UP
    else:
        which = EIGVALSH_LO if half == "L" else EIGVALSH_UP
    node = begin_squares(&call, which, x, code)
    if node is None:
        return NotImplemented
    w = add_result(&call, node, node.ndim - 2, 1, call.dims[1])
    if vectors:
        v = add_result(&call, node, node.ndim - 2, 2, call.dims[1], call.dims[1])
    if not run(&call):
        return NotImplemented
    return named("eigh", (new_base(w), new_base(v))) if vectors else new_base(w)


cdef object real_parts(Node node):
    """A view of the real parts of fresh complex numbers, which is what NumPy returns where all are real."""
    return new_view(new_base(node), new_window(node.ndim, node.shape, node.strides, 0, descr_of(cnp.NPY_DOUBLE),
                                               cnp.NPY_DOUBLE), True)


cdef object _of_squares(PyObject** args, Py_ssize_t n, object names, int vectors):
    """Eigenvalues of any square matrices, and eigenvectors: real ones if all eigenvalues of real matrices are."""
    cdef Call call
    cdef Node w, v = None, node = begin_unary(&call, EIG if vectors else EIGVALS, args, n, names)
    cdef npy_intp i
    cdef bint is_real
    if node is None or not all_finite(node, call.data[0]):
        return NotImplemented
    w = add_result(&call, node, node.ndim - 2, 1, call.dims[1])
    if vectors:
        v = add_result(&call, node, node.ndim - 2, 2, call.dims[1], call.dims[1])
    if not run(&call):
        return NotImplemented
    is_real = node.typenum == cnp.NPY_DOUBLE and not _complex_always
    for i in range(w.size):
        is_real = is_real and (<double*>w.data)[2 * i + 1] == 0
    values = real_parts(w) if is_real else new_base(w)
    if not vectors:
        return values
    return named("eig", (values, real_parts(v) if is_real else new_base(v)))


# ---- QR ------------------------------------------------------------------------------------------------


cdef object upper_triangles(Node a, npy_intp rows):
    """The first rows of fresh matrices, zero below the diagonal."""
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp height = a.shape[a.ndim - 2], width = a.strides[a.ndim - 2], k, i, skipped
    cdef Node made
    cdef char* to
    cdef int d
    for d in range(a.ndim):
        shape[d] = a.shape[d]
    shape[a.ndim - 2] = rows
    made = new_leaf(a.ndim, shape, a.typenum)
    to = made.data
    for k in range(stacked(a)):
        for i in range(rows):
            skipped = min(i * a.itemsize, width)
            memset(to, 0, skipped)
            memcpy(to + skipped, a.data + (k * height + i) * width + skipped, width - skipped)
            to += width
    return new_base(made)


cdef object _qr(PyObject** args, Py_ssize_t n, object names, int variant):
    """qr(a, mode), where q or r alone is not returned raw."""
    cdef PyObject* given[2]
    cdef npy_intp rows, columns, least
    cdef Node a, q, scales
    cdef bint complete
    cdef Call call
    if not bind(args, n, names, ("a", "mode"), given) or given[0] is NULL:
        return NotImplemented
    mode = "reduced" if given[1] is NULL else <object>given[1]
    if type(mode) is not str or mode not in ("reduced", "complete", "r"):
        return NotImplemented
    a = begin_matrices(&call, QR_R_RAW, given[0], True)
    if a is None:
        return NotImplemented
    rows, columns, least = call.dims[1], call.dims[2], call.dims[3]
    scales = add_result(&call, a, a.ndim - 2, 1, least)
    if not run(&call):
        return NotImplemented
    if mode == "r":
        return upper_triangles(a, least)
    complete = mode == "complete" and rows > columns
    if not begin(&call, QR_COMPLETE if complete else QR_REDUCED, a.typenum, stacked(a)):
        return NotImplemented
    add(&call, a, a.data, 2)
    add(&call, scales, scales.data, 1)
    q = add_result(&call, a, a.ndim - 2, 2, rows, rows if complete else least)
    if not run(&call):
        return NotImplemented
    return named("qr", (new_base(q), upper_triangles(a, rows if complete else least)))


add_native("linalg.svd", _svd)
add_native("linalg.svdvals", _svdvals)
add_native("linalg.eigh", _of_hermitian, True)
add_native("linalg.eigvalsh", _of_hermitian, False)
add_native("linalg.eig", _of_squares, True)
add_native("linalg.eigvals", _of_squares, False)
add_native("linalg.qr", _qr)
