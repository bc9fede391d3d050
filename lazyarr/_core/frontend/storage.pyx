"""Ownership of an array's storage: who else may read or write it.

Storage is *private* if only the array, its views and what these keep refer to it; it is then written in place. It is
*shared* if other code may write to it: NumPy, C or another process has an ndarray or a buffer on it, which was lent
(`export`) or adopted (`adopt`). The base handle of shared storage keeps an ndarray on it (`LazyArray.export`), to which
all borrowers refer; when that is the last reference, the storage is no longer shared. Once a pointer was given away, it
is shared for good (`LazyArray.exposed`).

    reading shared storage   gives pending operations a copy of the present values (`snapshot`, by `node_of`)
    writing                  happens at once, in the storage itself
    lending                  first copies storage that pending nodes refer to

For storage on a device the base handle keeps the memory itself (`device_sharing`).
"""
from libc.string cimport memcpy

from lazyarr._core.frontend.device_sharing cimport is_shared_there, snapshot_there
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.host.allocator cimport new_buffer
from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.leaf cimport leaf_node
from lazyarr._core.ir.ndarrays cimport as_ndarray, ndarray_on
from lazyarr._core.ir.mirrors cimport drop_mirror, own_memory
from lazyarr._core.ir.node cimport SCALAR, finish_layout, new_node
from lazyarr._core.ir.provenance cimport put_on

cnp.import_array()

cdef extern from *:
    """
    #include <numpy/arrayobject.h>

    #define LZ_WARN_ON_WRITE (1 << 31)  /* NPY_ARRAY_WARN_ON_WRITE, which NumPy's headers lack */
    /* Have an ndarray keep `owner` in place of what it keeps; both keep its memory. */
    static void lz_set_owner(PyObject *array, PyObject *owner)
    {
        PyObject *before = ((PyArrayObject_fields *)array)->base;
        Py_INCREF(owner);
        ((PyArrayObject_fields *)array)->base = owner;
        Py_XDECREF(before);
    }
    """
    int LZ_WARN_ON_WRITE
    void lz_set_owner(object array, object owner)


cdef bint is_private(LazyArray base):
    """Return whether the storage is evaluated and only this handle, its views and their ndarrays refer to it.

    Drops its copy on a device, since the caller is about to write.
    """
    if Py_REFCNT(<PyObject*>base.node) == 1:
        drop_mirror(base.node)
    if base.export is not None and is_shared(base):
        return False
    return has_own_buffer(base) or has_own_array(base)


cdef bint is_shared(LazyArray base) noexcept:
    """Return whether other code may write to the storage now."""
    cdef PyObject* export = <PyObject*>base.export
    cdef Py_ssize_t own = 1
    if base.export is None:
        return False
    if base.exposed:
        return True
    if <PyObject*>base.node.owner is export:
        if not owns_data(<cnp.ndarray>export):
            return True
        own = 2
    if Py_REFCNT(export) > own:
        return True
    base.export = None
    base.node.number = 0
    return False


cdef bint owns_data(cnp.ndarray array) noexcept:
    return cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_OWNDATA)


cdef object on_memory(LazyArray x, object owner, bint writeable):
    """Return an ndarray on the memory of an evaluated array; `owner` keeps the memory alive."""
    cdef Node layout = x.node, storage = x.node if x.root is None else x.root.node
    dtype = layout.dtype
    if layout.typenum < 0 and dtype == storage.dtype:  # string dtypes own their memory
        dtype = storage.dtype
    return ndarray_on(dtype, layout.ndim, layout.shape, layout.strides, storage.data + layout.offset, owner, writeable)


cdef Node snapshot(LazyArray x):
    """Return a leaf with a copy of an array's current values."""
    cdef Node storage = x.node if x.root is None else x.root.node, made
    if is_shared_there(x if x.root is None else x.root):
        return snapshot_there(x)
    made = leaf_node(on_memory(x, storage, True), False)
    made.waits, made.at_once, made.stays_on_host = storage.waits, storage.at_once, storage.stays_on_host
    return made


cdef Node private_leaf(Node old):
    """Return a leaf with a copy of an evaluated node's values, in the same layout."""
    cdef Node made
    cdef Buffer block
    if old.typenum < 0 or old.kind == SCALAR:
        made = leaf_node(call_hook("private_copy", (as_ndarray(old),)), True)
    else:
        made = relaid(old, old)
        block = new_buffer(old.span)
        memcpy(block.data, old.data, old.span)
        made.owner = block
        made.data = block.data
    made.waits, made.at_once = old.waits, True
    put_on(made, old.device)
    return made


cdef Node relaid(Node storage, Node window):
    """Return a leaf on the storage of another one, with the shape and dtype of a window on it."""
    cdef Node made = new_node(LEAF, window.ndim, window.shape, window.dtype, window.typenum)
    cdef int d
    for d in range(window.ndim):
        made.strides[d] = window.strides[d]
    made.offset, made.span = window.offset, storage.span
    finish_layout(made)
    made.waits, made.at_once, made.stays_on_host = storage.waits, storage.at_once, storage.stays_on_host
    made.owner, made.data = own_memory(storage), storage.data
    put_on(made, storage.device)
    return made


cdef object export(LazyArray x):
    """Lend the memory of an evaluated array: return an ndarray on it, writeable if x is.

    It is read-only for scalars, while derivatives may still be taken, and on devices.
    """
    cdef LazyArray base = x if x.root is None else x.root
    if x.scalar or base.node.device or base.node.size == 0 or base.node.origin is not None or base.node.pinned \
            or history_is_kept():
        return None
    if not is_shared(base):
        if not is_private(base):
            base.node = private_leaf(base.node)
        base.node.number = 0  # others may write to it from now on
        owner = base.node.owner
        base.export = on_memory(base, owner, True) if type(owner) is Buffer else owner
    lent = on_memory(x, base.export, x.writeable)
    if x._warns_on_write:
        cnp.PyArray_ENABLEFLAGS(lent, LZ_WARN_ON_WRITE)
    return lent


cdef int keep_lent(LazyArray x, object shown) except -1:
    """Mark an ndarray on the memory of x as lent, because other code now refers to it."""
    cdef LazyArray base = x if x.root is None else x.root
    if cnp.PyArray_BASE(<cnp.ndarray>shown) == <PyObject*>base.node.owner:
        lz_set_owner(shown, base.export)
    return 0
