"""One block of a tile program."""
from numpy cimport npy_intp
from lazyarr._core.tile.job cimport Job

cdef npy_intp run_block(Job* job, npy_intp row, npy_intp rows, npy_intp inner, char* scratch, int* status, bint fresh,
                        char** pointers) noexcept nogil
