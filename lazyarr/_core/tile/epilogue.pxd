"""Epilogues: tile programs that run on parts of a kernel's result."""
from cpython.object cimport PyObject
from numpy cimport npy_intp
from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.job cimport Job

cdef struct Progress:       # of a thread, on a cache line of its own
    npy_intp unit           # the first it has not run of those in the range it is handed
    npy_intp end            # of that range so far: elements
    bint begun
    char apart[40]

cdef struct Epilogue:
    Job job
    bint possible           # each unit is a range of the kernel's result, as it lies in memory
    bint overwrites         # leaves: it must not be left half done
    bint unstored           # the result has no memory: bands of it are handed over where they were computed
    char* jobs              # unstored: a thread's job and operands, each
    npy_intp apart          # bytes from one thread's to the next
    int source              # the operand that is the result, -1 if none is
    char* result
    npy_intp size           # of an element of the result
    npy_intp elements       # 0: there is nothing to do
    double work             # ns
    int threads             # most that may hand over
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
