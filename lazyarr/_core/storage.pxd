"""Who else may read or write the storage of an array."""
cimport numpy as cnp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.node cimport Node

cdef bint owns_data(cnp.ndarray array) noexcept
cdef bint is_private(LazyArray base)
cdef bint is_shared(LazyArray base) noexcept
cdef object on_memory(LazyArray x, object owner, bint writeable)
cdef Node snapshot(LazyArray x)
cdef Node private_leaf(Node old)
cdef Node relaid(Node storage, Node window)
cdef object export(LazyArray x)
cdef int keep_lent(LazyArray x, object shown) except -1
