from cpython.object cimport PyObject
from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.node cimport Node

cdef class LazyArray:
    cdef Node node            # a base: its current value; a view: its window (a VIEW without input)
    # Of a selection (boolean_select.pyx): its mask; otherwise None. Until `node_of` or `layout_of` (handle.pyx)
    # resolves it, only the dtype of `node` is valid.
    cdef Node mask
    cdef LazyArray root       # of a view: the handle of its storage; None for a base
    cdef bint scalar          # value semantics of a NumPy scalar
    cdef bint writeable
    # the next write warns, as NumPy's to broadcast arrays; views inherit this
    cdef public bint _warns_on_write
    # made by as_strided, or a view of such: NumPy asks that array, not its root, whether views may be writeable
    cdef public bint _stands_alone
    # the base of a view that left a base which was never computed as a whole (`handle._leave_base`)
    cdef readonly bint _is_cut
    cdef bint unaligned       # a view with unaligned elements
    cdef object shown         # cached ndarray on its memory for NumPy's functions (eager.pyx); or None
    # ndarray on a base's storage that others may write to (storage.pyx), or its memory on a device; or None
    cdef object export
    cdef bint exposed         # pointers to that storage were exported
    cdef bint linked          # in the list of pending handles
    cdef PyObject* prev
    cdef PyObject* next
    cdef object __weakref__
