"""Steps of a plan: tile programs and opaque calls."""
from numpy cimport npy_intp

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.tile.tile_program cimport TileProgram

cdef class Step:
    cdef str kind
    cdef int node
    cdef TileProgram program
    cdef tuple frees
    cdef tuple donors
    cdef tuple in_place
    cdef bint moves          # memory, perhaps: from donors, or from storage to what updates it
    cdef tuple again
    cdef int nfrees
    cdef int abreast         # how many steps, from this one on, can run side by side
    cdef int rows            # how many steps, from this one on, can go block of rows by block of rows
    cdef bint behind_kernel  # the program is the epilogue of `node`, a kernel

cdef list run_tile(Walk* w, Step step, list aliases)
cdef str label_of(Walk* w, Step step)
cdef bint may_take_over(Walk* w, Step step, Node node, Node donor) noexcept
cdef bint is_not_stored(Node kernel, Step step) except -1
cdef double expected_work(Walk* w, TileProgram p) noexcept
cdef void free_read(Walk* w, Step step) noexcept

# the parts of `run_tile`
cdef int place_results(Walk* w, Step step, list placed, bint* overwrites) except -1
cdef int take_back(Walk* w, TileProgram p, list placed) except -1
cdef list end_program(Walk* w, Step step, list placed, bint overwrites, list aliases)
cdef int publish_results(Walk* w, TileProgram p, list raised, bint overwrites) except -1

cdef list run_with_epilogue(Walk* w, Step step, list aliases)
cdef list run_opaque(Walk* w, Step step)
cdef int run_empty(Walk* w, Step step) except -1
cdef bint was_called(Node result)
cdef object as_ndarray(Node node)
cdef object ndarray_on(object dtype, int ndim, npy_intp* shape, npy_intp* strides, char* data, object owner,
                       bint writeable)
cdef object writeable_array(Node node)
