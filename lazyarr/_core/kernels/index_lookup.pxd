"""Resolution of index arrays to places, for gather and scatter."""
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.ir.node cimport MAX_DIMS

cdef enum:
    PLACES = 512            # places whose offsets are computed together
    MAX_INDICES = 32

cdef enum Mode:             # handling of indices out of bounds
    RAISE
    WRAP
    CLIP

cdef struct Index:
    char* data
    npy_intp strides[MAX_DIMS]      # strides along the joined axes
    npy_intp extent, stride         # extent and stride of the indexed axis of x

cdef struct Places:
    int njoined, nindices, mode
    npy_intp count
    npy_intp joined[MAX_DIMS]
    npy_intp walked[MAX_DIMS]       # strides in x along the joined axes
    Index indices[MAX_INDICES]

cdef struct Block:                  # the block of x at each place, and its source or target
    int ndim
    npy_intp size                   # number of elements
    npy_intp shape[MAX_DIMS]        # axes, merged
    npy_intp strides[MAX_DIMS]
    npy_intp others[MAX_DIMS]       # strides

# Visits consecutive places along the last joined axis, given the first one's offset in x without its indices. Returns
# False if an index is out of bounds.
ctypedef bint (*Visit)(void* context, npy_intp* position, npy_intp offset, npy_intp n) noexcept nogil

cdef list set_places(Places* places, cnp.ndarray x, tuple indices, tuple joined, tuple walked, tuple indexed, int mode)
cdef int set_block(Block* block, cnp.ndarray x, object axes, list others) except -1
cdef bint visit_places(Places* places, npy_intp first, npy_intp count, Visit visit, void* context) noexcept nogil
cdef bint add_indices(Places* places, npy_intp* position, npy_intp offset, npy_intp n,
                      npy_intp* offsets) noexcept nogil
cdef char* index_at(Index* index, npy_intp* position, int naxes) noexcept nogil
