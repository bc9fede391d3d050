"""Basic indexing: windows, elements, assignment."""
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.node cimport MAX_DIMS, Node

cdef struct Window:       # on a storage
    int ndim
    npy_intp shape[MAX_DIMS]
    npy_intp strides[MAX_DIMS]
    npy_intp offset

cdef Node window(LazyArray self, object key, bint* element)
cdef bint holds_array(object key) except -1
cdef object take_element(LazyArray self, Node spec)
cdef bint put_element(LazyArray self, Node spec, object value) except -1
cdef int assign_window(LazyArray self, Node spec, object value, bint element) except -1
cdef int check_complex(Node node, Node spec) except -1
cdef int slice_window(Node source, object key, Window* w) except -1
cdef bint plain_window(Node source, tuple key, Window* w, bint* element) except -1
