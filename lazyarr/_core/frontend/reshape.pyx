"""Reshaping and transposition without copies."""
from cpython.sequence cimport PySequence_Fast_ITEMS

from lazyarr._core.frontend.handle cimport layout_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.views cimport new_view, window_view
from lazyarr._core.ir.node cimport new_window, same_shape


cdef bint is_dense(int ndim, npy_intp* shape, npy_intp* strides, npy_intp itemsize) noexcept:
    """Return whether elements are C-contiguous; axes of length 1 do not count."""
    cdef int d
    for d in range(ndim - 1, -1, -1):
        if shape[d] != 1 and strides[d] != itemsize:
            return False
        itemsize *= shape[d]
    return True


cdef int dense_strides(int ndim, npy_intp* shape, npy_intp* strides, npy_intp step) noexcept:
    """Compute the strides of elements in C order, `step` apart."""
    cdef int d
    for d in range(ndim - 1, -1, -1):
        strides[d] = step
        if shape[d] > 1:
            step *= shape[d]
    return 0


cdef int reverse(int n, npy_intp* source, npy_intp* into) noexcept:
    cdef int d
    for d in range(n):
        into[d] = source[n - 1 - d]
    return 0


def is_contiguous(LazyArray x, str order="C"):
    """Return whether the elements are contiguous in this order, "C" or "F"; axes of length 1 do not count."""
    cdef Node node = layout_of(x)
    if node.size == 0:
        return True
    if order == "C":
        return is_dense(node.ndim, node.shape, node.strides, node.itemsize)
    return is_fortran(node)


cdef bint is_fortran(Node node) noexcept:
    """Return whether the elements are Fortran-contiguous."""
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    reverse(node.ndim, node.shape, shape)
    reverse(node.ndim, node.strides, strides)
    return is_dense(node.ndim, shape, strides, node.itemsize)


def new_shape(LazyArray x, shape):
    """Return the shape argument of `reshape` as a tuple, with -1 filled in; None if it does not fit."""
    cdef npy_intp dims[MAX_DIMS]
    cdef tuple given = tuple(shape) if type(shape) is tuple or type(shape) is list else (shape,)
    cdef int d, n = read_extents(PySequence_Fast_ITEMS(given), len(given), layout_of(x).size, dims)
    return None if n < 0 else tuple([dims[d] for d in range(n)])


def reshaped(LazyArray x, tuple shape, str order="C"):
    """Return a reshaped view of x; None if its strides do not permit one."""
    cdef Node node = layout_of(x), spec
    cdef npy_intp old_shape[MAX_DIMS]
    cdef npy_intp old_strides[MAX_DIMS]
    cdef npy_intp dims[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp turned[MAX_DIMS]
    cdef npy_intp turned_strides[MAX_DIMS]
    cdef int d, nd = <int>len(shape)
    cdef bint fortran = order == "F"
    for d in range(nd):
        dims[nd - 1 - d if fortran else d] = shape[d]
    if fortran:
        reverse(node.ndim, node.shape, old_shape)
        reverse(node.ndim, node.strides, old_strides)
        if not matched(node.ndim, old_shape, old_strides, nd, dims, strides, node.itemsize):
            return None
        reverse(nd, dims, turned)
        reverse(nd, strides, turned_strides)
        spec = new_window(nd, turned, turned_strides, node.offset, node.dtype, node.typenum)
    else:
        if not matched(node.ndim, node.shape, node.strides, nd, dims, strides, node.itemsize):
            return None
        spec = new_window(nd, dims, strides, node.offset, node.dtype, node.typenum)
    if same_shape(spec, node):  # keeps the strides of empty axes
        spec = new_window(nd, node.shape, node.strides, node.offset, node.dtype, node.typenum)
    return new_view(x, spec, True)


cdef bint matched(int ndim, npy_intp* shape, npy_intp* strides, int nd, npy_intp* dims, npy_intp* found,
                  npy_intp itemsize) noexcept:
    """Compute the strides with which `dims` views the same elements in order; return False if a copy is needed.

    The algorithm of NumPy's `_attempt_nocopy_reshape`: match groups of old axes with groups of new axes of the same
    number of elements; each group of old axes must be dense in itself.
    """
    cdef npy_intp old_shape[MAX_DIMS]
    cdef npy_intp old_strides[MAX_DIMS]
    cdef npy_intp step = itemsize, old_count, new_count
    cdef int d, olds = 0, o = 0, n = 0, o_end, n_end
    cdef bint empty = False
    for d in range(ndim):
        empty |= shape[d] == 0
        if shape[d] != 1:
            old_shape[olds] = shape[d]
            old_strides[olds] = strides[d]
            olds += 1
    if empty or is_dense(olds, old_shape, old_strides, itemsize):
        return dense_strides(nd, dims, found, itemsize) == 0
    while n < nd and o < olds:
        o_end, n_end = o + 1, n + 1
        old_count, new_count = old_shape[o], dims[n]
        while old_count != new_count:
            if new_count < old_count:
                new_count *= dims[n_end]
                n_end += 1
            else:
                old_count *= old_shape[o_end]
                o_end += 1
        for d in range(o, o_end - 1):
            if old_strides[d] != old_shape[d + 1] * old_strides[d + 1]:
                return False
        step = old_strides[o_end - 1]
        dense_strides(n_end - n, dims + n, found + n, step)
        o, n = o_end, n_end
    for d in range(n, nd):
        found[d] = step
    return True


def permuted(LazyArray x, axes):
    """Return a view of x with permuted axes; None if `axes` is no permutation."""
    cdef Node node = layout_of(x)
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef unsigned long long seen = 0
    cdef npy_intp axis
    cdef int d = 0
    cdef tuple given = tuple(axes)
    if len(given) != node.ndim:
        return None
    for item in given:
        if not read_index(item, &axis):
            return None
        axis += node.ndim if axis < 0 else 0
        if axis < 0 or axis >= node.ndim or seen >> axis & 1:
            return None
        seen |= <unsigned long long>1 << axis
        shape[d] = node.shape[axis]
        strides[d] = node.strides[axis]
        d += 1
    return window_view(x, d, shape, strides, node.offset, True)
