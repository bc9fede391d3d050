"""Sets of node kinds, as bits."""
from lazyarr._core.ir.node cimport COMPRESS, EXPAND, LEAF, MAP, MASKED, PACKED, REDUCE, RESULT, SCALAR, UPDATE

cdef enum:
    ONE_LOOP = 1 << MAP | 1 << MASKED | 1 << COMPRESS | 1 << PACKED | 1 << EXPAND  # one inner-loop call per block
    SELECTION = 1 << COMPRESS | 1 << PACKED     # packed in registers, scattered in memory under the last input
    ELEMENTWISE = ONE_LOOP | 1 << RESULT
    FUSABLE = ELEMENTWISE | 1 << UPDATE | 1 << REDUCE
    READERS = ELEMENTWISE | 1 << REDUCE         # read their inputs as operands of a tile program
    AT_THE_END = 1 << UPDATE | 1 << REDUCE      # may read after all instructions of a block
    GIVEN = 1 << LEAF | 1 << SCALAR

cdef inline bint among(int kind, int kinds) noexcept nogil:
    return kinds >> kind & 1
