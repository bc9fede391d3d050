"""Updates: storage with a window replaced."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.tile_program cimport TileProgram

cdef void count_copy() noexcept
cdef int move_memory(Node node, Node donor, list placed) except -1
cdef bint place_update(Walk* w, TileProgram p, tuple in_place, int store, bint short, list placed) except -1
cdef int end_detours(list placed) except -1
cdef int hand_back(list placed) except -1
