"""Eager inverses, determinants and solutions of small linear systems."""
cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    SMALL_ELEMENTS, LazyArray, Node, PyObject, add_native, bind, first_of, is_ready, memcpy, new_base, new_leaf,
    new_window, npy_intp)
from lazyarr._core.eager.lapack cimport (
    CHOLESKY_LO, CHOLESKY_UP, DET, INV, LSTSQ, SLOGDET, SOLVE, SOLVE1, Call, add, are_square, begin, begin_squares,
    cast_to, finished, matrices, named, run, stacked)


cdef object _of_squares(PyObject** args, Py_ssize_t n, object names, int which):
    """Return determinants, or matrices computed from square ones."""
    cdef tuple found = of_squares(which, args, n, names)
    return NotImplemented if found is None else finished(found[0])


cdef tuple of_squares(int which, PyObject** args, Py_ssize_t n, object names):
    cdef Call call
    cdef Node node = begin_squares(&call, which, args[0]) if n == 1 and names is None else None
    return None if node is None else run(&call, node)


cdef object _cholesky(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef bint upper = False
    if names is not None:
        if len(<tuple>names) != 1 or (<tuple>names)[0] != "upper" or type(<object>args[n]) is not bool:
            return NotImplemented
        upper = <object>args[n] is True
    return _of_squares(args, n, None, CHOLESKY_UP if upper else CHOLESKY_LO)


cdef object _slogdet(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef tuple found = of_squares(SLOGDET, args, n, names)
    return NotImplemented if found is None else named("slogdet", found)


cdef object _solve(PyObject** args, Py_ssize_t n, object names, int variant):
    """solve(a, b) for vectors or matrices, one system or a stack."""
    cdef int code = cnp.NPY_DOUBLE, core, lead, d
    cdef LazyArray x, y
    cdef Node a, b
    cdef char* data
    cdef Call call
    if n != 2 or names is not None or type(<object>args[1]) is not LazyArray:
        return NotImplemented
    x, y = matrices(args[0], &code), <LazyArray>args[1]
    if x is None or not are_square(x.node) or not is_ready(y) or y.node.ndim == 0:
        return NotImplemented
    core = 1 if y.node.ndim == 1 else 2
    if core == 2:
        if matrices(args[1], &code) is None:
            return NotImplemented
    elif y.node.typenum == cnp.NPY_CDOUBLE:
        code = cnp.NPY_CDOUBLE
    elif y.node.typenum != cnp.NPY_DOUBLE and y.node.typenum != cnp.NPY_LONG:
        return NotImplemented
    if y.node.shape[y.node.ndim - core] != x.node.shape[x.node.ndim - 1]:
        return NotImplemented
    lead = x.node.ndim - 2
    if y.node.ndim > core:
        if lead and lead != y.node.ndim - core:
            return NotImplemented
        for d in range(lead):
            if x.node.shape[d] != y.node.shape[d]:
                return NotImplemented
        lead = y.node.ndim - core
    a = cast_to(x, code, &data)
    if not begin(&call, SOLVE if core == 2 else SOLVE1, code, max(stacked(a), stacked(y.node, core))):
        return NotImplemented
    call.dims[1] = a.shape[a.ndim - 1]
    add(&call, a, data, 2)
    b = cast_to(y, code, &data)
    call.dims[2] = b.shape[b.ndim - 1]
    add(&call, b, data, core)
    found = run(&call, b if b.ndim > core else a, lead)
    return NotImplemented if found is None else finished(found[0])


cdef Node flat(Node made):
    """Return a new one-column matrix as a vector."""
    cdef Node vector = new_leaf(1, &made.size, made.typenum)
    memcpy(vector.data, made.data, made.span)
    return vector


cdef object _lstsq(PyObject** args, Py_ssize_t n, object names, int variant):
    """lstsq(a, b, rcond) of one matrix and one or several right-hand sides."""
    cdef PyObject* given[3]
    cdef int code = cnp.NPY_DOUBLE
    cdef LazyArray x, y
    cdef Node a, b, made, residuals, rank, values
    cdef npy_intp rows, columns, sides
    cdef npy_intp shape[2]
    cdef npy_intp strides[2]
    cdef double tolerance
    cdef Call call
    if not bind(args, n, names, ("a", "b", "rcond"), 2, given):
        return NotImplemented
    x = matrices(given[0], &code)
    if x is None or x.node.ndim != 2 or type(<object>given[1]) is not LazyArray:
        return NotImplemented
    y = <LazyArray>given[1]
    rows, columns = x.node.shape[0], x.node.shape[1]
    if not is_ready(y) or not 1 <= y.node.ndim <= 2 or y.node.shape[0] != rows or y.node.size == 0 \
            or y.node.size > SMALL_ELEMENTS or y.node.typenum != x.node.typenum or y.node.typenum != code:
        return NotImplemented
    if given[2] is NULL or <object>given[2] is None:
        tolerance = 2.0 ** -52 * max(rows, columns)
    elif type(<object>given[2]) is float:
        tolerance = <double><object>given[2]
    else:
        return NotImplemented
    a, b = x.node, y.node
    sides = b.shape[1] if b.ndim == 2 else 1
    if not begin(&call, LSTSQ, code, 1):
        return NotImplemented
    call.dims[1], call.dims[2], call.dims[3], call.dims[4] = rows, columns, sides, min(rows, columns)
    add(&call, a, first_of(x), 2)
    if b.ndim == 1:
        shape[0], shape[1] = rows, 1
        strides[0], strides[1] = b.strides[0], 0
        b = new_window(2, shape, strides, 0, b.dtype, b.typenum)
    add(&call, b, first_of(y), 2)
    call.data[2], call.steps[2] = <char*>&tolerance, 0
    call.operands = 3
    found = run(&call, None, 0)
    if found is None:
        return NotImplemented
    made, residuals, rank, values = found
    if y.node.ndim == 1:
        made = flat(made)
    if (<int*>rank.data)[0] != columns or rows <= columns:
        shape[0] = 0
        residuals = new_leaf(1, shape, cnp.NPY_DOUBLE)
    return new_base(made), new_base(residuals), finished(rank), new_base(values)


add_native("linalg.inv", _of_squares, INV)
add_native("linalg.det", _of_squares, DET)
add_native("linalg.slogdet", _slogdet)
add_native("linalg.cholesky", _cholesky)
add_native("linalg.solve", _solve)
add_native("linalg.lstsq", _lstsq)
