"""Eager factorizations and eigenvalues of small matrices."""
cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    MAX_DIMS, Node, PyObject, add_native, bind, descr_of, memcpy, memset, new_base, new_leaf, new_view, new_window,
    npy_intp, read_flag)
from lazyarr._core.eager.lapack cimport (
    EIG, EIGH_LO, EIGH_UP, EIGVALS, EIGVALSH_LO, EIGVALSH_UP, QR_COMPLETE, QR_REDUCED, QR_R_RAW, SVD, SVD_F, SVD_S,
    Call, add, all_finite, begin, begin_matrices, begin_squares, decomposed, finished, named, run, stacked)

from lazyarr.compat import EIGENVALUES_ARE_COMPLEX

cdef bint _complex_always = EIGENVALUES_ARE_COMPLEX

# ---- singular values, eigenvalues ----------------------------------------------------------------------


cdef object _svd(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef PyObject* given[4]
    cdef bint full = True, vectors = True, hermitian = False
    cdef tuple found
    if not bind(args, n, names, ("a", "full_matrices", "compute_uv", "hermitian"), 1, given) \
            or not read_flag(given[1], &full) or not read_flag(given[2], &vectors) \
            or not read_flag(given[3], &hermitian) or hermitian:
        return NotImplemented
    if not vectors:
        return _svdvals(given, 1, None, 0)
    found = decomposed(SVD_F if full else SVD_S, given[0])
    return NotImplemented if found is None else named("svd", found)


cdef object _svdvals(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef tuple found = decomposed(SVD, args[0]) if n == 1 and names is None else None
    return NotImplemented if found is None else finished(found[0])


cdef object _of_hermitian(PyObject** args, Py_ssize_t n, object names, int vectors):
    """Return eigenvalues in ascending order, and eigenvectors."""
    cdef PyObject* given[2]
    cdef int which
    cdef Node node
    cdef Call call
    if not bind(args, n, names, ("a", "UPLO"), 1, given):
        return NotImplemented
    half = "L" if given[1] is NULL else <object>given[1]
    if type(half) is not str or half not in ("L", "U"):
        return NotImplemented
    if vectors:
        which = EIGH_LO if half == "L" else EIGH_UP
    else:
        which = EIGVALSH_LO if half == "L" else EIGVALSH_UP
    node = begin_squares(&call, which, given[0])
    found = None if node is None else run(&call, node)
    if found is None:
        return NotImplemented
    return named("eigh", found) if vectors else finished(found[0])


cdef object real_parts(Node node):
    """Return a view of the real parts of new complex numbers, which NumPy returns if all are real."""
    return new_view(new_base(node), new_window(node.ndim, node.shape, node.strides, 0, descr_of(cnp.NPY_DOUBLE),
                                               cnp.NPY_DOUBLE), True)


cdef object _of_squares(PyObject** args, Py_ssize_t n, object names, int vectors):
    """Return eigenvalues and eigenvectors of square matrices: real ones if the matrices and all eigenvalues are."""
    cdef Call call
    cdef Node w, node
    cdef tuple found
    cdef npy_intp i
    cdef bint is_real
    if n != 1 or names is not None:
        return NotImplemented
    node = begin_squares(&call, EIG if vectors else EIGVALS, args[0])
    if node is None or not all_finite(node, call.data[0]):
        return NotImplemented
    found = run(&call, node)
    if found is None:
        return NotImplemented
    w = found[0]
    is_real = node.typenum == cnp.NPY_DOUBLE and not _complex_always
    for i in range(w.size):
        is_real = is_real and (<double*>w.data)[2 * i + 1] == 0
    if is_real:
        found = tuple([real_parts(<Node>made) for made in found])
    return named("eig", found) if vectors else found[0] if is_real else new_base(w)


cdef object upper_triangles(Node a, npy_intp rows):
    """Return the first rows of new matrices, zeroed below the diagonal."""
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
    """qr(a, mode), except raw results."""
    cdef PyObject* given[2]
    cdef Node a, scales
    cdef bint complete
    cdef Call call
    if not bind(args, n, names, ("a", "mode"), 1, given):
        return NotImplemented
    mode = "reduced" if given[1] is NULL else <object>given[1]
    if type(mode) is not str or mode not in ("reduced", "complete", "r"):
        return NotImplemented
    a = begin_matrices(&call, QR_R_RAW, given[0], True)
    if a is None:
        return NotImplemented
    found = run(&call, a)
    if found is None:
        return NotImplemented
    if mode == "r":
        return upper_triangles(a, call.dims[3])
    scales = found[0]
    complete = mode == "complete" and call.dims[1] > call.dims[2]
    if not begin(&call, QR_COMPLETE if complete else QR_REDUCED, a.typenum, stacked(a)):
        return NotImplemented
    add(&call, a, a.data, 2)
    add(&call, scales, scales.data, 1)
    found = run(&call, a)
    if found is None:
        return NotImplemented
    return named("qr", (found[0], upper_triangles(a, call.dims[1 if complete else 3])))


add_native("linalg.svd", _svd)
add_native("linalg.svdvals", _svdvals)
add_native("linalg.eigh", _of_hermitian, True)
add_native("linalg.eigvalsh", _of_hermitian, False)
add_native("linalg.eig", _of_squares, True)
add_native("linalg.eigvals", _of_squares, False)
add_native("linalg.qr", _qr)
