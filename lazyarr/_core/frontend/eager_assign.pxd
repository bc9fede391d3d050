from lazyarr._core.frontend.eager_ufunc cimport Operand
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef bint put_number_at_once(LazyArray self, object key, object value) except -1
cdef bint put_at_once(LazyArray self, object key, object value) except -1
cdef bint write_at_once(LazyArray self, Node spec, object key, object value) except -1
cdef bint number_fits(object value, Operand* op, int code) except -1
cdef bint shares_base(LazyArray a, object b)
