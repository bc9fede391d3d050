# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""The iteration space of one run of a tile program, and its operands."""
from numpy cimport npy_intp
from lazyarr._core.host.threads cimport Watch, WorkQueues
from lazyarr._core.ir.tile_program cimport FoldCall, LoopCall

cdef enum:
    MAX_LEVELS = 48         # partial results of a thread per fold: one per power of two of blocks, and the newest

cdef enum Place:
    DIRECT    # used in place
    PACKED    # gathered into the workspace before the block, scattered after it if it is a store
    STREAMED  # a store: computed in the workspace, written by non-temporal stores
    HELD      # a store: computed in the workspace, written over a load at the end of the block
    REGISTER  # in the workspace only

cdef struct Operand:
    int place
    bint constant           # PACKED, and equal in every block
    bint is_store
    bint flows              # used in place, and the next block begins about where this one ends
    npy_intp size           # itemsize
    char* base
    npy_intp* strides       # bytes, by merged axis
    npy_intp* times         # repeated load: repeats by merged axis; else NULL
    npy_intp scratch        # offset in a thread's workspace
    npy_intp step           # stride passed to loops

cdef struct Job:
    int nload, nreg, nstore, noperand, ninstr, nmerged, nfold
    LoopCall* instrs
    LoopCall* merged
    FoldCall* folds
    Operand* operands
    int ndim                # merged axes
    npy_intp* shape
    npy_intp row            # L
    npy_intp rows
    bint long_rows
    npy_intp pitch          # elements between rows of a block; more than L where blocks include gaps
    bint copies             # a pure copy, cut by strided_copy.pyx
    int across              # densest axis of the source if not the last, else -1
    npy_intp across_tile    # elements per unit along it
    bint spoiled            # a value in a gap has set a status flag
    npy_intp tile           # elements of a row per block (long rows), or rows per block
    npy_intp pieces         # blocks per row (long rows)
    npy_intp units
    int threads
    WorkQueues queues       # queues of units
    char* done              # by unit: whether it has run; NULL if none has
    int stop
    int serial
    bint numbers            # everything is 0-d: loops get stride 0 for inputs, as in NumPy
    bint repeatable         # a block may run twice: it overwrites no input before its end
    int* status             # [threads][ninstr]
    int reported_flags                # flags reported under some errstate: only these need an owner
    char* scratch
    npy_intp scratch_size
    bint behind_kernel      # its input was just written, and is in the cache
    bint bypasses           # results bypass the caches
    bint streams            # operands come from memory: a block prefetches those of the next one
    Watch watch
    # folds
    bint in_place           # operands of folds are in memory
    bint inner_folded
    int nkept               # kept outer axes
    npy_intp kept           # size of the kept outer axes
    npy_intp fold_rows      # rows reduced into each output
    npy_intp chunks         # partial results per output
    npy_intp chunk_rows     # rows (short) or steps (long, inner axis reduced) per chunk
    npy_intp width          # kept inner extent (1 if the inner axis is reduced)
    int walked              # reduced axes outside the last kept one, 0 for none
    int outer               # kept axes outside these
    npy_intp walk           # steps along these reduced axes
    npy_intp among          # extent of the kept axis inside them
    npy_intp below          # rows reduced inside that
    npy_intp walk_tile, among_tile, below_tile  # how many of each per block
    char** partial          # by fold: [chunks][kept][width]
    npy_intp* fold_scratch  # by fold: offset in the workspace
    # ordered folds
    int in_order
    npy_intp* fold_strides  # [folds][ndim], of results; along all axes for cumulative folds
    char** extrema          # by fold: values at the indices in `partial` if there are chunks
    npy_intp lines          # lines per unit
    bint costly             # computing the elements takes longer than adding them
    bint in_turn            # units are parts of one line, each continuing the one before
    npy_intp turn

cdef inline int kept_axis(Job* job, int d) noexcept nogil:
    """Return the axis of the space that is kept outer axis d."""
    return d if d < job.outer or not job.walked else d + job.walked


cdef inline npy_intp blocks_of_line(Job* job) noexcept nogil:
    """Return the number of blocks of the rows reduced into one output along the inner axis."""
    return job.fold_rows * job.pieces if job.long_rows else (job.fold_rows + job.tile - 1) // job.tile


cdef inline npy_intp block_of_line(Job* job, npy_intp step, npy_intp* rows, npy_intp* inner) noexcept nogil:
    """Return the first row of such a block within its output, and set its number of rows and its start in the row."""
    if job.long_rows:
        rows[0], inner[0] = 1, step % job.pieces * job.tile
        return step // job.pieces
    rows[0], inner[0] = min(job.tile, job.fold_rows - step * job.tile), 0
    return step * job.tile
