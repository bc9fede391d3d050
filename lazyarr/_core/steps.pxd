"""Steps of a plan: tile programs and opaque calls."""
from lazyarr._core.node cimport Node
from lazyarr._core.program cimport TileProgram
from lazyarr._core.walk cimport Walk

cdef class Step:
    cdef str kind
    cdef int node
    cdef TileProgram program
    cdef tuple frees
    cdef tuple donors
    cdef tuple in_place
    cdef tuple again
    cdef int nfrees
    cdef bint behind_kernel  # the program is the epilogue of `node`, a kernel

cdef list run_tile(Walk* w, Step step, list aliases)
cdef list run_with_epilogue(Walk* w, Step step, list aliases)
cdef list run_opaque(Walk* w, Step step)
cdef int run_empty(Walk* w, Step step) except -1
cdef object as_ndarray(Node node)
cdef object writeable_array(Node node)
