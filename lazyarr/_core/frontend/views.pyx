"""Views: handles on a window of another array's storage, or on an ndarray's memory.

Freed views are recycled together with their windows: basic indexing takes about as long as allocating these two
objects.
"""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.frontend.freelist cimport bare_handle
from lazyarr._core.frontend.handle cimport new_handle
from lazyarr._core.ir.leaf cimport is_immutable, leaf_node
from lazyarr._core.ir.node cimport INLINE_DIMS, MAX_DIMS, VIEW, new_window, node_counts, restart

cdef extern from "simd/fast_dealloc.h":
    const bint LZ_KEEPS_DYING
    object lz_revive(PyObject* o) noexcept

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef enum:
    MOST_SHELVED = 64

cdef struct FreeViews:
    PyObject* handles[MOST_SHELVED]
    int count

cdef FreeViews _free
_free.count = 0


cdef LazyArray new_view(LazyArray of, Node spec, bint writeable):
    """Return a view of an array with the given window, which may have another dtype."""
    cdef LazyArray handle = bare_handle()
    if of.scalar:  # views of scalars are copies
        of = new_handle(of.node, False)
    handle.node = spec
    handle.root = of.root if of.root is not None else of
    handle.unaligned = spec.typenum >= 0 and not is_aligned(spec)
    handle.writeable = writeable and of.writeable
    handle._warns_on_write = of._warns_on_write
    handle._stands_alone = of._stands_alone
    return handle


cdef LazyArray window_view(LazyArray of, int ndim, npy_intp* shape, npy_intp* strides, npy_intp offset, bint writeable):
    """Return a view of the array's own elements: each stride is a sum of multiples of its strides."""
    if _free.count == 0 or of.scalar or ndim > INLINE_DIMS:
        return new_view(of, new_window(ndim, shape, strides, offset, of.node.dtype, of.node.typenum), writeable)
    return _kept_view(of, ndim, shape, strides, 1, offset, writeable)


cdef LazyArray transposed_view(LazyArray of):
    """Return the view with reversed axes of a non-scalar array."""
    cdef Node node = of.node
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef int d, last = node.ndim - 1
    if _free.count and node.ndim <= INLINE_DIMS:
        return _kept_view(of, node.ndim, node.shape + last, node.strides + last, -1, node.offset, True)
    for d in range(node.ndim):
        shape[d], strides[d] = node.shape[last - d], node.strides[last - d]
    return window_view(of, node.ndim, shape, strides, node.offset, True)


cdef inline LazyArray _kept_view(LazyArray of, int ndim, npy_intp* shape, npy_intp* strides, int way, npy_intp offset,
                                 bint writeable):
    """Return a recycled view of another array; extents and strides are read from the first axis on, `way` apart."""
    cdef LazyArray handle
    cdef Node node, like = of.node
    cdef npy_intp* dims
    cdef npy_intp size = 1, step = like.itemsize
    cdef bint contiguous = True
    cdef int d
    _free.count -= 1
    handle = <LazyArray>lz_revive(_free.handles[_free.count])
    node = handle.node
    restart(node)
    dims = node.inline_dims
    node.offset, node.ndim, node.strides = offset, ndim, dims + ndim
    for d in range(ndim - 1, -1, -1):
        dims[d], dims[ndim + d] = shape[way * d], strides[way * d]
        contiguous = contiguous and (dims[d] == 1 or dims[ndim + d] == step)
        step *= dims[d]
        size *= dims[d]
    node.size, node.contiguous = size, contiguous or size == 0
    if node.dtype is not like.dtype:
        node.dtype = like.dtype
    node.typenum, node.itemsize = like.typenum, like.itemsize
    handle.root = of.root if of.root is not None else of
    handle.unaligned = of.unaligned and not is_aligned(node)
    handle.writeable = writeable and of.writeable
    handle._warns_on_write = of._warns_on_write
    handle._stands_alone = of._stands_alone
    return handle


cdef LazyArray handle_of(Node node):
    """Return a handle on a node, which may be a view."""
    if node.kind == VIEW:
        return new_view(new_handle(<Node>node.inputs[0], False), node, False)
    return new_handle(node, False)


cdef bint shelve_view(LazyArray handle) noexcept:
    """Recycle a dying, unlinked view without an ndarray on its memory, if there is room; return whether it was kept."""
    handle.root = None  # this may shelve views, too
    if _free.count == MOST_SHELVED or not _may_be_kept(<PyObject*>handle.node):
        return False
    node_counts.live -= 1
    _free.handles[_free.count] = <PyObject*>handle
    _free.count += 1
    return True


cdef inline bint _may_be_kept(PyObject* window) noexcept:
    """Return whether only the view refers to its window, which can serve as a new one."""
    if not LZ_KEEPS_DYING or Py_REFCNT(window) != 1:
        return False
    return (<Node>window).kind == VIEW and (<Node>window).ninputs == 0 \
        and (<Node>window).shape == (<Node>window).inline_dims and (<Node>window).owner is None \
        and (<Node>window).payload is None and (<Node>window).code is None and (<Node>window).failure is None \
        and (<Node>window).origin is None


cdef bint is_aligned(Node spec) noexcept:
    cdef npy_intp places = spec.offset
    cdef int d
    for d in range(spec.ndim):
        if spec.shape[d] > 1:
            places |= spec.strides[d]
    return places & ((<cnp.dtype>spec.dtype).alignment - 1) == 0


cpdef LazyArray adopt(array):
    """Return a LazyArray on the memory of an ndarray; each sees the other's writes.

    Examples
    --------
    >>> import numpy as np
    >>> from lazyarr._core.api import adopt
    >>> a = np.arange(3)
    >>> x = adopt(a)
    >>> x[0] = 7
    >>> a
    array([7, 1, 2])
    """
    cdef LazyArray made = new_handle(leaf_node(array, True), False)
    made.writeable = array.flags.writeable
    if not is_immutable(array):
        made.export = array
    return made
