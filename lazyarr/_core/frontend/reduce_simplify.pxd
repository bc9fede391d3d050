from libc.stdint cimport uint64_t
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef Node shorter_fold(Loop* loop, Node node, uint64_t axes, bint keepdims)
