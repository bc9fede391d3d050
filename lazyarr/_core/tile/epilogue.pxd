"""Epilogues: tile programs that run on parts of a kernel's result."""
from cpython.object cimport PyObject
from numpy cimport npy_intp
from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.job cimport Job

cdef struct Progress:       # per thread, on separate cache lines
    npy_intp unit           # the first unit of the current range that has not run
    npy_intp end            # end of the range so far, in elements
    bint begun
    char apart[40]

cdef struct Epilogue:
    Job job
    bint possible           # each unit is a contiguous range of the kernel's result
    bint overwrites         # overwrites leaves: must not be interrupted
    bint unstored           # the result has no memory: its bands are handed over in the workspace
    char* jobs              # unstored: job and operands of each thread
    npy_intp apart          # bytes between those of two threads
    int source              # the operand that is the kernel's result, or -1
    char* result
    npy_intp size           # itemsize of the result
    npy_intp elements       # 0: nothing to do
    double work             # ns
    int threads             # most threads that may hand over
    Progress* progress

cdef int begin_epilogue(Epilogue* epilogue, TileProgram program, PyObject** nodes, Node kernel, bint in_place,
                        bint overwrites) except -1
cdef int store_result(Epilogue* epilogue, Node kernel) except -1
cdef npy_intp elements_a_unit(Epilogue* epilogue) noexcept nogil
cdef Buffer take_bands(Epilogue* epilogue, int threads)
cdef int finish_epilogue(Epilogue* epilogue, TileProgram program, int* status) except -1
cdef Epilogue* offer_epilogue(Epilogue* epilogue) noexcept
cdef Epilogue* take_epilogue(char* result, npy_intp nbytes) noexcept
cdef int team_size_with(Epilogue* epilogue, double* work) noexcept
cdef void point_at_band(Epilogue* epilogue, int thread, char* begin, char* band) noexcept nogil
cdef void hand_over(Epilogue* epilogue, int thread, char* begin, char* end, int* status) noexcept nogil
