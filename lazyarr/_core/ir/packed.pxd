"""Elements packed under a mask, put back where they come from."""
from lazyarr._core.ir.node cimport Node

cdef Node spread_out(Node node)
cdef Node zero(int code)
