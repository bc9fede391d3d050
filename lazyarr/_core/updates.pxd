"""Updates: storage with a window replaced."""
from lazyarr._core.node cimport Node
from lazyarr._core.program cimport TileProgram
from lazyarr._core.walk cimport Walk

cdef void count_copy() noexcept
cdef int move_memory(Node node, Node donor, list moved) except -1
cdef bint place_update(Walk* w, TileProgram p, tuple in_place, int store, bint short, list moved,
                       list detours) except -1
cdef int restore_window(tuple saved) except -1
cdef int end_detour(tuple saved) except -1
