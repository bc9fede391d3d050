from cpython.object cimport PyObject
from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.node cimport Node

cdef class LazyArray:
    cdef Node node            # a base: its current value; a view: its window (a VIEW without input)
    # of a selection (boolean_select.pyx): where the elements of `node` count; None otherwise. `node_of` and `layout_of`
    # (handle.pyx) settle it first; of `node` itself, only the dtype is what it seems
    cdef Node mask
    cdef LazyArray root       # of a view: the handle whose storage it shows; None for a base
    cdef bint scalar          # value semantics of a NumPy scalar
    cdef bint writeable
    # warns of the next write to it, as NumPy does of broadcast arrays; its views inherit that
    cdef public bint _warns_on_write
    # made by as_strided, or a view of such: NumPy asks that array, not its root, whether views of it may be writeable
    cdef public bint _stands_alone
    # the base of a view that left another one, which was never computed as a whole (`handle._leave_base`)
    cdef readonly bint _is_cut
    cdef bint unaligned       # a view whose elements do not lie where loops expect them
    cdef object shown         # an ndarray on its memory, kept for NumPy's functions (eager.pyx); or None
    # an ndarray on the storage of a base, which others may write to (storage.pyx), or its memory on a device; or None
    cdef object export
    cdef bint exposed         # pointers to that storage were given away for good
    cdef bint linked          # in the list of handles whose value is pending
    cdef PyObject* before
    cdef PyObject* after
    cdef object __weakref__
