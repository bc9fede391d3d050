"""Building blocks of cotangents."""
from libc.stdint cimport uint64_t
from numpy cimport npy_intp
from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef bint is_complex(Node node) noexcept
cdef bint is_inexact(Node node) noexcept
cdef Node run_rule(tuple program, Node g, Node result, Node past, int nin)
cdef Node apply_unary(Ufunc* u, Node a)
cdef Node apply(Ufunc* u, object a, object b)
cdef Node chosen(Node condition, object a, object b, int code)
cdef Node where_taken(Node condition, bint holds, object part)
cdef Node truth_of(Node part)
cdef Node either(Node a, Node b)
cdef Node as_numbers(Node part, Node like)
cdef Node select(Node condition, Node a, Node b)
cdef Node cast_cotangent(Node g, int code)
cdef Node zeros(Node like)
cdef Node spread(Node g, Node x, uint64_t axes, bint kept)
cdef Node summed(Node g, Node like)
cdef tuple distinct(Node window, Node g)
cdef Node view_cotangent(Node g, Node window, Node storage)
cdef Node position(Node node, int axis, npy_intp index)
cdef bint same_storage(Node a, Node b) noexcept
cdef bint mixes_parts(Node window, Node storage) noexcept
cdef bint shows_imaginary_parts(Node window, Node storage) noexcept
cdef bint gives_to_all_parts(Loop* loop) noexcept
cdef Node reduce_cotangent(Node g, Node node, Node past)
