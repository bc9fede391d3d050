# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Which candidates for row fusion have the same rows, and how many rows make a block, judged by extents.

Going together is worth it where arrays are too large to stay in the caches from step to step, several steps use the
same ones, and a row of all of them is small enough to stay.
"""
from cpython.object cimport PyObject

from numpy cimport npy_intp

from lazyarr._core.host.threads cimport most_threads
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport VIEW, Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.kernels.gemm cimport cache_bytes
from lazyarr._core.runtime.executor cimport expected_work

cdef enum:
    BLOCKS_EACH = 4         # of a thread, at least, so that all end at about the same time
    MOST_ARRAYS = 64        # that are distinguished when bytes are counted
    LARGEST = 32            # bytes of an element

# What a block takes in all arrays together. The rest of the cache is for what threads of the same core read besides.
cdef npy_intp BLOCK_BYTES = cache_bytes() // 2

# What takes less than this in all stays in the caches from step to step.
cdef npy_intp WORTHWHILE_BYTES = 2 * cache_bytes()


def set_sizes(npy_intp block, npy_intp worthwhile):
    """Use blocks of `block` bytes where arrays take `worthwhile` bytes together; return the old sizes. For tests and
    measurements."""
    global BLOCK_BYTES, WORTHWHILE_BYTES
    before = BLOCK_BYTES, WORTHWHILE_BYTES
    BLOCK_BYTES, WORTHWHILE_BYTES = block, worthwhile
    return before


cdef int measure_rows(Walk* w, list steps, int first, Shape* shape) except -1:
    """How many steps from this one on have the same rows, as many as a row's arrays leave room for.

    0 where going together is not worth it.
    """
    cdef PyObject* arrays[MOST_ARRAYS]
    cdef Step step = steps[first]
    cdef TileProgram p
    cdef int at, narrays = 0, uses = 0
    cdef npy_intp row_bytes = 0, more
    if not _find_shape(w, steps, first, shape):
        return 0
    for at in range(first, first + step.rows):
        p = (<Step>steps[at]).program
        if not _walks_rows(w, p, shape) or narrays + p.nload + p.nstore > MOST_ARRAYS:
            break
        more = _count_arrays(w, steps[at], shape, arrays, &narrays, &uses)
        if row_bytes + more > BLOCK_BYTES:
            break
        row_bytes += more
        shape.work += expected_work(w, p)
    else:
        at += 1
    if uses == narrays or row_bytes * shape.rows < WORTHWHILE_BYTES:
        return 0
    shape.block = 1
    while 2 * shape.block * row_bytes <= BLOCK_BYTES and 2 * shape.block * most_threads() * BLOCKS_EACH <= shape.rows:
        shape.block *= 2
    shape.blocks = (shape.rows + shape.block - 1) // shape.block
    return at - first


cdef bint _find_shape(Walk* w, list steps, int first, Shape* shape) except -1:
    """The rows that the first fold of a group folds; False where that can be no large group."""
    cdef Step step = steps[first]
    cdef TileProgram p
    cdef int at
    cdef npy_intp size
    for at in range(first, first + step.rows):
        p = (<Step>steps[at]).program
        if p.nfold:
            size = (<Node>w.nodes[p.space]).size
            shape.rows, shape.work = (<Node>w.nodes[p.fold_calls[0].node]).size, 0
            shape.length = size // shape.rows if shape.rows else 0
            return shape.rows > 1 and shape.length > 1 and size * MOST_ARRAYS * LARGEST > WORTHWHILE_BYTES
    return False


cdef bint _walks_rows(Walk* w, TileProgram p, Shape* shape) noexcept:
    """Whether a program may run by rows, judged by extents."""
    cdef npy_intp size = (<Node>w.nodes[p.space]).size
    if p.flags & LOOP_SERIAL or p.in_order or not p.whole:
        return False
    if p.nfold:
        return size == shape.rows * shape.length and (<Node>w.nodes[p.fold_calls[0].node]).size == shape.rows
    return size == shape.rows * shape.length or size == shape.rows


cdef npy_intp _count_arrays(Walk* w, Step step, Shape* shape, PyObject** arrays, int* narrays, int* uses) except -1:
    """Bytes a row of the large arrays of a program that are not among `arrays` yet, to which they are added.

    What takes memory over adds none.
    """
    cdef TileProgram p = step.program
    cdef npy_intp nbytes = 0
    cdef int k, j
    cdef Node node
    cdef list taking = [store for store, _ in step.donors]
    for k in range(p.nload + p.nstore):
        node = <Node>w.nodes[p.load_node[k] if k < p.nload else p.store_node[k - p.nload]]
        if node.size != shape.rows * shape.length:
            continue
        uses[0] += 1
        if k >= p.nload and k - p.nload in taking:
            continue
        if node.kind == VIEW and node.data is NULL:
            node = <Node>node.inputs[0]
        for j in range(narrays[0]):
            if arrays[j] == <PyObject*>node:
                break
        else:
            arrays[narrays[0]] = <PyObject*>node
            narrays[0] += 1
            nbytes += node.itemsize * shape.length
    return nbytes
