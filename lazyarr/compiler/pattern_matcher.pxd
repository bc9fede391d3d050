"""Rewrite rules, applied to one node at a time."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef enum:
    MAX_ITEMS = 8
    MAX_VARIABLES = 4
    OPERATION_ITEM = 0
    CONSTANT_ITEM = 1
    VARIABLE_ITEM = 2
    INNER_ITEM = 3

cdef struct Item:            # a node of a pattern or a result; those of its operands follow
    int what
    int which                # its loop; its mark; its number; of an operation in the pattern, how many come before it
    int nargs

cdef class Variant:
    cdef int rule
    cdef bint fast           # applies under fast_math alone
    cdef bint computed       # the node that is read instead must come from a ufunc
    cdef Item pattern[MAX_ITEMS]
    cdef Item result[MAX_ITEMS]
    cdef int size            # of the result
    cdef int between         # where in it an operand is an operation itself, 0 for nowhere

cdef class Matcher:
    cdef Graph graph
    cdef int* readers            # by node: how many operands of other nodes it is
    cdef int* fixed              # by node: whether it is reached for otherwise than as an operand of a tile program
    cdef int* particular         # by node: whether a loop reads it whose results depend on how operands lie in memory
    cdef readonly list applied   # numbers of rules
    cdef int bound[MAX_VARIABLES]    # of the match at hand: the nodes that variables stand for, -1 for none yet
    cdef int inner[MAX_ITEMS]        # and those of operations but the first
    cdef int ninner

    cdef int rewrite(self, int i) except -2
    cdef void replace(self, int i, int j) noexcept
    cdef bint _fits(self, Variant variant, int i) noexcept
    cdef bint _drops(self, Variant variant, int variable) noexcept
    cdef int _match(self, Item* items, int at, int i) noexcept
    cdef int _between(self, Variant variant) noexcept
    cdef int _compute(self, int i, Variant variant) except -1
    cdef int _take(self, int i, int loop, int count, int* operands) except -1
    cdef void _leave_out(self, int i) noexcept
    cdef void _leave_out_inner(self) noexcept
    cdef int _same(self, Variant variant) noexcept
    cdef bint _may_be_read_instead(self, int i, int j) noexcept
