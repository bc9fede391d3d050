"""Workspace: memory that kernels borrow while they run."""
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer

cdef Buffer new_workspace(size_t nbytes)
cdef void lend(Buffer block) noexcept
cdef npy_intp end_loan() noexcept
cdef npy_intp workspace_start() noexcept
cdef void set_workspace_start(npy_intp at) noexcept
