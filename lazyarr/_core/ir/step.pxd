"""Steps of a plan."""
from lazyarr._core.ir.tile_program cimport TileProgram

cdef class Step:
    cdef readonly str kind
    cdef readonly int node
    cdef readonly TileProgram program
    cdef readonly tuple frees
    cdef readonly tuple donors
    cdef readonly tuple in_place
    cdef readonly tuple recomputed
    cdef readonly int concurrent
    cdef readonly int rows
    cdef int nfrees
    cdef bint moves          # may take over memory: from donors, or the storage that it updates
    cdef bint behind_kernel  # the program is the epilogue of the kernel `node`
