"""Basic indexing: windows, elements, assignment."""
from lazyarr._core.array cimport LazyArray
from lazyarr._core.node cimport Node

cdef Node window(LazyArray self, object key, bint* element)
cdef object take_element(LazyArray self, Node spec)
cdef bint put_element(LazyArray self, Node spec, object value) except -1
cdef int assign_window(LazyArray self, Node spec, object value, bint element) except -1
cdef int check_complex(Node node, Node spec) except -1
cdef Node sliced(Node source, object key)
cdef Node plain_window(Node source, tuple key, bint* element)
