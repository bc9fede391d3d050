"""Kernel launches on devices."""
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
    int innermost[MAX_DIMS]     # by merged axis: its innermost axis of the space

cdef class Launch:
    cdef Walk* w
    cdef Step step
    cdef TileProgram p          # the program of the step
    cdef list aliases
    cdef StatusWords words
    cdef tuple reported_flags             # by instruction and fold: the status flags to check for
    cdef Node space
    cdef bytearray strides      # a row per store, load and fold result, along the axes of the space
    cdef npy_intp* raw          # its data
    cdef bint folds             # whether axes are reduced; cumulative folds do not count
    cdef npy_intp* times        # by load: how often its elements repeat along each axis
    cdef Axes kept, folded
    cdef npy_intp nkept, nfolded    # elements along kept and reduced axes
    cdef npy_intp* source       # strides of an ordered fold's operand, or NULL
    cdef bint is_inner_folded   # whether the innermost axis is reduced
    cdef bint is_apart          # whether NumPy multiplies these complex numbers without FMA
    cdef npy_intp rounded  # elements per call of NumPy's reduction loop, and the period of restarts (32 bits each)
    cdef object order           # what reduces all elements of a result
    cdef list sources           # by load: the DeviceMemory, which a store may take over
    cdef list memory            # by store
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
