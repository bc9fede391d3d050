"""Steps that call functions."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step

cdef char* NOWHERE

cdef class Kept:
    cdef object results

cdef list run_with_epilogue(Walk* w, Step step, list aliases)
cdef list run_opaque(Walk* w, Step step, list aliases)
cdef object begin_call(Walk* w, Step step, list aliases)
cdef list end_call(Walk* w, Step step, tuple made, list aliases)
cdef tuple pending_results(Walk* w, int at, list aliases)
cdef list calls_read_later(Walk* w, int at, list calls)
cdef int keep_results(Node call, Kept kept) except -1
cdef list publish_filled(Walk* w, int at, list raised)
cdef bint is_not_stored(Node kernel, Step step) except -1
cdef bint was_called(Node result)
cdef object failed_call(Walk* w, Node node, object error, str name, object backend=*)
