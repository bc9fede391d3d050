"""Views: handles on a window of another array's storage, or on memory of an ndarray.

A view that nothing refers to any more is kept, together with its window, and becomes the next one: basic indexing takes
about as long as making these two objects.
"""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.frontend.freelist cimport bare_handle
from lazyarr._core.frontend.handle cimport new_handle
from lazyarr._core.ir.leaf cimport is_immutable, leaf_node
from lazyarr._core.ir.node cimport VIEW, new_window, retire_window, reuse_window

cdef extern from "simd/fast_dealloc.h":
    object lz_revive(PyObject* o) noexcept

cdef enum:
    MOST_SHELVED = 64

cdef struct FreeViews:
    PyObject* handles[MOST_SHELVED]
    int count

cdef FreeViews _free
_free.count = 0


cdef LazyArray new_view(LazyArray of, Node spec, bint writeable):
    """A view of an array, given its window, which may be of another dtype."""
    cdef LazyArray handle = bare_handle()
    if of.scalar:  # no view of a scalar reaches it
        of = new_handle(of.node, False)
    handle.node = spec
    handle.root = of.root if of.root is not None else of
    handle.unaligned = spec.typenum >= 0 and not is_aligned(spec)
    handle.writeable = writeable and of.writeable
    handle._warns_on_write = of._warns_on_write
    handle._stands_alone = of._stands_alone
    return handle


cdef LazyArray window_view(LazyArray of, int ndim, npy_intp* shape, npy_intp* strides, npy_intp offset, bint writeable):
    """A view of the array's own elements: each stride is a sum of multiples of its strides."""
    cdef LazyArray handle
    if _free.count == 0 or of.scalar:
        return new_view(of, new_window(ndim, shape, strides, offset, of.node.dtype, of.node.typenum), writeable)
    _free.count -= 1
    handle = <LazyArray>lz_revive(_free.handles[_free.count])
    reuse_window(handle.node, ndim, shape, strides, offset, of.node)
    handle.root = of.root if of.root is not None else of
    handle.unaligned = of.unaligned and not is_aligned(handle.node)
    handle.writeable = writeable and of.writeable
    handle._warns_on_write = of._warns_on_write
    handle._stands_alone = of._stands_alone
    return handle


cdef LazyArray handle_of(Node node):
    """An array for a node, which may be a view."""
    if node.kind == VIEW:
        return new_view(new_handle(<Node>node.inputs[0], False), node, False)
    return new_handle(node, False)


cdef bint shelve_view(LazyArray handle) noexcept:
    """Keep a dying view, in no list and without an ndarray on its memory, if there is room."""
    handle.root = None  # which may shelve views, too
    if _free.count == MOST_SHELVED or not retire_window(<PyObject*>handle.node):
        return False
    _free.handles[_free.count] = <PyObject*>handle
    _free.count += 1
    return True


cdef bint is_aligned(Node spec) noexcept:
    cdef npy_intp places = spec.offset
    cdef int d
    for d in range(spec.ndim):
        if spec.shape[d] > 1:
            places |= spec.strides[d]
    return places & ((<cnp.dtype>spec.dtype).alignment - 1) == 0


cpdef LazyArray adopt(array):
    """A LazyArray on the memory of an ndarray that other code may write to: each sees the other's writes.

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
