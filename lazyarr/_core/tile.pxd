"""Running tile programs."""
from cpython.object cimport PyObject
from numpy cimport npy_intp
from lazyarr._core.program cimport TileProgram
from lazyarr._core.space cimport Job

cdef int run_program(TileProgram program, PyObject** nodes, int* status, bint interruptible, int* started) except -1
cdef npy_intp run_block(Job* job, npy_intp row, npy_intp rows, npy_intp inner, char* scratch, int* status, bint fresh,
                        char** pointers) noexcept nogil
