"""The buffer pool, which allocates and recycles the blocks of all results.

A new 80 MB block costs about 10 ms of page faults, more than the arithmetic that fills it, so released blocks are
reused. Blocks come in size classes, four per power of two (at most a quarter is slack, whose pages are never touched).
A class is a stack: the most recently used block is reused first. All functions run under the GIL.
"""
from libc.stdlib cimport realloc

import os

cimport cython

cdef extern from *:
    """
    #include <stdlib.h>
    #if defined(_WIN32)
    #include <malloc.h>
    static void *lz_block_alloc(size_t n) { return _aligned_malloc(n, 64); }
    static void lz_block_free(void *p, size_t n) { (void)n; _aligned_free(p); }
    static void lz_return_heap(void) {}
    #else
    #if defined(__GLIBC__)
    #include <malloc.h>
    #endif
    #include <stdint.h>
    #include <sys/mman.h>
    #define LZ_HUGE ((size_t)2 << 20)

    /* Large blocks are mapped here: freed memory may stay in malloc's heap while other blocks hold it open.
     * Smaller ones teach glibc to serve such sizes from its heap, which the whole process gains by. */
    #if LAZYARR_SANITIZE
    #define lz_is_mapped(n) 0
    #else
    #define lz_is_mapped(n) ((n) >= 2 * LZ_HUGE)
    #endif

    static void *lz_block_alloc(size_t n)
    {
        void *p = NULL;
        if (!lz_is_mapped(n)) return posix_memalign(&p, 64, n) ? NULL : p;
        /* more than is needed, to begin at a huge page */
        char *mapped = mmap(NULL, n + LZ_HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) return NULL;
        size_t before = -(uintptr_t)mapped & (LZ_HUGE - 1);
        if (before) munmap(mapped, before);
        munmap(mapped + before + n, LZ_HUGE - before);
    #if defined(MADV_HUGEPAGE)
        madvise(mapped + before, n, MADV_HUGEPAGE);
    #endif
        return mapped + before;
    }

    static void lz_block_free(void *p, size_t n)
    {
        if (lz_is_mapped(n)) munmap(p, n);
        else free(p);
    }

    static void lz_return_heap(void)
    {
    #if defined(__GLIBC__) && !LAZYARR_SANITIZE
        malloc_trim(0);
    #endif
    }
    #endif

    /* In builds for AddressSanitizer: all but the first bytes of a block may not be touched. */
    #if LAZYARR_SANITIZE
    #include <sanitizer/asan_interface.h>
    static void lz_block_guard(char *p, size_t capacity, size_t used)
    {
        ASAN_UNPOISON_MEMORY_REGION(p, used);
        ASAN_POISON_MEMORY_REGION(p + used, capacity - used);
    }
    #else
    #define lz_block_guard(p, capacity, used)
    #endif
    """
    void* lz_block_alloc(size_t n) noexcept
    void lz_block_free(void* p, size_t n) noexcept
    void lz_return_heap() noexcept
    void lz_block_guard(char* p, size_t capacity, size_t used) noexcept


cdef extern from "simd/fast_dealloc.h":
    void lz_install_release(object type, void* release)

cdef struct Stack:
    void** blocks
    int count
    int room

cdef enum:
    CLASSES = 161               # up to 2**46 bytes
    WORTH_RETURNING = 1 << 22   # bytes

cdef Stack _classes[CLASSES]

cdef struct PoolState:
    size_t live             # bytes in use
    size_t pooled           # bytes kept for reuse
    size_t peak             # of `live`
    size_t live_blocks
    size_t hits, misses     # requests served by the pool, and not
    size_t limit            # of `pooled`
    size_t memory_limit     # of `live`; 0 for none
    size_t evaluated        # `live` at the end of the last evaluation

cdef PoolState _pool = PoolState(0, 0, 0, 0, 0, 0, 1 << 30, 0, 0)


@cython.final
@cython.no_gc
@cython.freelist(64)
cdef class Buffer:
    """A block of the pool, or a part of one; the block is released with the last reference."""


cdef bint _let_go(Buffer buffer) noexcept:
    if buffer.whole is not None:
        lz_block_guard(buffer.data, buffer.nbytes, buffer.nbytes if buffer.outlived else 0)
    elif buffer.data is not NULL:
        _release(buffer.data, buffer.nbytes, buffer.capacity)
    return False


lz_install_release(Buffer, <void*>_let_go)


cdef void _release(void* data, size_t nbytes, size_t capacity) noexcept:
    cdef size_t same
    cdef Stack* stack = &_classes[size_class(capacity, &same)]
    cdef void** grown
    _pool.live -= nbytes
    _pool.live_blocks -= 1
    if _pool.pooled + capacity <= _pool.limit:
        if stack.count == stack.room:
            grown = <void**>realloc(stack.blocks, (stack.room * 2 + 8) * sizeof(void*))
            if grown is NULL:
                lz_block_free(data, capacity)
                return
            stack.blocks, stack.room = grown, stack.room * 2 + 8
        lz_block_guard(<char*>data, capacity, 0)
        stack.blocks[stack.count] = data
        stack.count += 1
        _pool.pooled += capacity
    else:
        lz_block_free(data, capacity)


cdef str size_text(double nbytes):
    """Format a number of bytes as NumPy does in its MemoryErrors."""
    power = 0
    while nbytes >= 1024 and power < 6:
        nbytes /= 1024
        power += 1
    return f"{nbytes:.0f} bytes" if power == 0 else f"{nbytes:#.3g} {'KMGTPE'[power - 1]}iB"


cdef Buffer new_buffer(size_t nbytes):
    """Return a block of at least `nbytes`, uninitialised; MemoryError over the limit or out of memory."""
    cdef size_t capacity
    if nbytes > (<size_t>1 << 46):
        raise MemoryError(f"Unable to allocate {size_text(nbytes)}")
    cdef Stack* stack = &_classes[size_class(nbytes, &capacity)]
    cdef Buffer buffer = Buffer.__new__(Buffer)
    if is_over_limit(nbytes):
        if release_results is not NULL:
            release_results()
        if is_over_limit(nbytes):
            raise MemoryError(
                f"Unable to allocate {size_text(nbytes)}: {size_text(_pool.live)} of the "
                f"{size_text(_pool.memory_limit)} that lazyarr.config.memory_limit allows are in use")
    if stack.count:
        stack.count -= 1
        buffer.data = <char*>stack.blocks[stack.count]
        _pool.pooled -= capacity
        _pool.hits += 1
    else:
        buffer.data = <char*>lz_block_alloc(capacity)
        if buffer.data is NULL:
            if release_results is not NULL:
                release_results()
            trim()
            buffer.data = <char*>lz_block_alloc(capacity)
            if buffer.data is NULL:
                raise MemoryError(f"Unable to allocate {size_text(nbytes)}")
        _pool.misses += 1
    lz_block_guard(buffer.data, capacity, nbytes)
    buffer.nbytes, buffer.capacity = nbytes, capacity
    _count_live(nbytes)
    return buffer


cdef inline void _count_live(size_t nbytes) noexcept:
    _pool.live += nbytes
    _pool.live_blocks += 1
    if _pool.live > _pool.peak:
        _pool.peak = _pool.live


cdef bint shelve(Buffer buffer) noexcept:
    """Count a block that stays with its Buffer as pooled; return False if the pool is full."""
    if _pool.pooled + buffer.capacity > _pool.limit:
        return False
    _pool.live -= buffer.nbytes
    _pool.live_blocks -= 1
    _pool.pooled += buffer.capacity
    return True


cdef void unshelve(Buffer buffer, size_t nbytes) noexcept:
    """Count it as in use again, for a request of its class within the limit."""
    buffer.nbytes = nbytes
    _pool.pooled -= buffer.capacity
    _pool.hits += 1
    _count_live(nbytes)


cdef bint is_over_limit(size_t nbytes) noexcept:
    """Return whether the memory limit forbids a request."""
    return _pool.memory_limit and _pool.live + nbytes > _pool.memory_limit


cdef Buffer part_of(Buffer whole, size_t offset, size_t nbytes, bint outlived=False):
    """Return a part of a block, which keeps the block alive; parts may overlap.

    Its memory must not be accessed once the part is freed, unless it is `outlived`.
    """
    cdef Buffer part = Buffer.__new__(Buffer)
    part.whole, part.data, part.nbytes, part.outlived = whole, whole.data + offset, nbytes, outlived
    lz_block_guard(part.data, nbytes, nbytes)
    return part


cdef void guard(Buffer whole) noexcept:
    """Forbid access to a block except through its present and future parts (AddressSanitizer builds)."""
    lz_block_guard(whole.data, whole.capacity, 0)


cdef void give_way(size_t nbytes):
    """If no pooled block fits a request, return as many bytes to the system."""
    cdef size_t capacity
    if not _classes[size_class(nbytes, &capacity)].count:
        trim(_pool.pooled - min(_pool.pooled, capacity))


def trim(size_t keep=0):
    """Return pooled blocks to the system, the largest first, until at most `keep` bytes are pooled."""
    cdef size_t capacity, before = _pool.pooled
    cdef Stack* stack
    cdef int index
    if before > keep and clear_shelves is not NULL:
        clear_shelves()
    for index in range(CLASSES - 1, -1, -1):
        stack = &_classes[index]
        capacity = 64 if index == 0 else (<size_t>16 << (index // 4)) * (index % 4 + 4)
        while stack.count and _pool.pooled > keep:
            stack.count -= 1
            lz_block_free(stack.blocks[stack.count], capacity)
            _pool.pooled -= capacity
    if before - _pool.pooled >= WORTH_RETURNING:
        lz_return_heap()


def stats():
    """Return live, pooled and peak bytes, live blocks, and pool hits and misses."""
    return {
        "live_bytes": _pool.live, "pooled_bytes": _pool.pooled, "peak_bytes": _pool.peak,
        "live_blocks": _pool.live_blocks, "hits": _pool.hits, "misses": _pool.misses,
    }


def reset_peak():
    """Reset the peak of live bytes."""
    _pool.peak = _pool.live


def get_limits():
    """Return the pool limit and the memory limit in bytes; a memory limit of 0 is none."""
    return {"pool": _pool.limit, "memory": _pool.memory_limit}


def set_pool_limit(size_t nbytes):
    """Keep at most `nbytes` of released blocks for reuse."""
    _pool.limit = nbytes
    trim(nbytes)


def set_memory_limit(size_t nbytes):
    """Raise MemoryError for more than `nbytes` of live results; 0 for no limit."""
    _pool.memory_limit = nbytes


def _default_pool_limit():
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 30
    return max(64 << 20, min(2 << 30, physical // 8))


_pool.limit = _default_pool_limit()


cdef void note_evaluation() noexcept:
    """Record the end of an evaluation."""
    _pool.evaluated = _pool.live


cdef double new_bytes() noexcept:
    """Return how many more bytes are in use than at the end of the last evaluation."""
    return <double>_pool.live - <double>_pool.evaluated
