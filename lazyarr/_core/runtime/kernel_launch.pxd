"""Launches of kernels on devices."""
from libc.stdint cimport uint64_t
from numpy cimport npy_intp

from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport MAX_DIMS, Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.runtime.status_words cimport StatusWords

cdef struct Axes:
    int count
    npy_intp extents[MAX_DIMS]
    int innermost[MAX_DIMS]     # of the axes of the space that each stands for

cdef class Launch:
    cdef Walk* w
    cdef Step step
    cdef TileProgram p          # the step's
    cdef list aliases
    cdef StatusWords words
    cdef tuple told             # for each instruction and fold, the status flags to look for
    cdef Node space
    cdef bytearray strides      # a row for each store, load and result of a fold, along the axes of the space
    cdef npy_intp* raw          # the same
    cdef bint folds             # whether axes are folded: they are not by running folds
    cdef npy_intp* times        # for each load a row of how often its elements stand along each axis
    cdef Axes kept, folded
    cdef npy_intp nkept, nfolded    # elements along them
    cdef npy_intp* source       # strides of what is folded from first to last, NULL if nothing is
    cdef bint is_inner_folded   # whether its innermost axis is
    cdef bint is_apart          # whether NumPy multiplies its complex numbers without multiply-adds
    cdef npy_intp rounded       # elements that NumPy's loop folds at a time, and before which others it ends (32 bits)
    cdef object order           # what has all elements of a result
    cdef list sources           # of each load the DeviceMemory, which a store may take over
    cdef list memory            # of each store
    cdef int lay_out(self) except -1
    cdef int merge(self, Axes* axes, uint64_t among, int count) except -1
    cdef bint is_outside(self, int a, int b, int count) noexcept
    cdef bint joins(self, int a, int b, int count) noexcept
    cdef int find_order(self, uint64_t axes, npy_intp* row) except -1
    cdef bint find_run(self, uint64_t axes, int* order, int found) noexcept
    cdef object choose_order(self)
    cdef list form(self)
    cdef bint is_single(self, int k) noexcept
    cdef int flags_of(self, Loop* loop, int node) except -1
    cdef int note(self, int word, int number, int at) except -1
    cdef list reported_as(self, int at)
    cdef npy_intp part_bytes(self, int k) noexcept
    cdef Node load(self, int k)
    cdef list arguments(self, list layout, list partial)
    cdef object add_result(self, list layout, int k)
    cdef int add_extents(self, list layout, Axes* axes) except -1
    cdef int add_strides(self, list layout, int row, bint along_folded) except -1
    cdef int add_along(self, list layout, npy_intp* row, Axes* axes, npy_intp otherwise) except -1

cdef bint is_repeated(Node load) noexcept
cdef bint is_constant(Node node) noexcept
cdef Node storage_of(Node node)
cdef int run_kernel(Launch launch, object kernel, object driver, bint* started) except -1
