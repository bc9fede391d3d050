from cpython.object cimport PyObject
from cpython.ref cimport _Py_REFCNT as Py_REFCNT

cimport numpy as cnp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.ir.node cimport LEAF, Node

cdef extern from *:
    """
    #define OWN_AND_WRITEABLE (NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE)
    """
    enum:
        OWN_AND_WRITEABLE


cdef inline bint has_own_buffer(LazyArray base) noexcept:
    """Return whether only this handle, its views and their ndarrays refer to the storage, a buffer."""
    cdef PyObject* node = <PyObject*>base.node
    cdef PyObject* owner = <PyObject*>(<Node>node).owner
    return (<Node>node).kind == LEAF and Py_REFCNT(node) == 1 and (<Node>node).origin is None \
        and base.export is None and type(<object>owner) is Buffer and Py_REFCNT(owner) == 1 + (<Buffer>owner).lent


cdef inline bint has_own_array(LazyArray base) noexcept:
    """The same for storage that is an ndarray owning its memory."""
    cdef PyObject* node = <PyObject*>base.node
    cdef PyObject* owner = <PyObject*>(<Node>node).owner
    return (<Node>node).kind == LEAF and Py_REFCNT(node) == 1 and (<Node>node).origin is None \
        and base.export is None and isinstance(<object>owner, cnp.ndarray) and Py_REFCNT(owner) == 1 \
        and cnp.PyArray_FLAGS(<cnp.ndarray>owner) & OWN_AND_WRITEABLE == OWN_AND_WRITEABLE


cdef bint owns_data(cnp.ndarray array) noexcept
cdef bint is_private(LazyArray base)
cdef bint is_shared(LazyArray base) noexcept
cdef object on_memory(LazyArray x, object owner, bint writeable)
cdef Node snapshot(LazyArray x)
cdef Node private_leaf(Node old)
cdef Node relaid(Node storage, Node window)
cdef object export(LazyArray x)
cdef int keep_lent(LazyArray x, object shown) except -1
