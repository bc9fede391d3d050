# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""The iteration space of one run of a tile program, and its operands."""
from numpy cimport npy_intp
from lazyarr._core.host.threads cimport Watch, WorkQueues
from lazyarr._core.ir.tile_program cimport FoldCall, LoopCall

cdef enum:
    MAX_LEVELS = 48         # partial results a thread keeps for a fold: one a power of two of blocks, and the newest

cdef enum Place:
    DIRECT    # used where it lies
    PACKED    # gathered into scratch before the block, scattered after it if it is a store
    STREAMED  # a store: computed in scratch, then written past the caches
    HELD      # a store: computed in scratch, then written where a load of the block lies
    REGISTER  # lives in scratch only

cdef struct Operand:
    int place
    bint constant           # PACKED and the same in every block
    bint is_store
    bint flows              # used where it lies, and the next block begins about where this one ends
    npy_intp size           # bytes an element
    char* base
    npy_intp* strides       # by merged axis, bytes
    npy_intp* times         # of a load that is repeated: how often each element stands there, by merged axis; else NULL
    npy_intp scratch        # offset in a thread's scratch
    npy_intp step           # stride the loops see

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
    npy_intp pitch          # elements from one row of a block to the next; more than L where blocks take gaps along
    bint copies             # nothing but a copy, cut by strided_copy.pyx
    int across              # its densest axis in the source if that is not the last one, else -1
    npy_intp across_tile    # elements along it in a unit
    bint spoiled            # a value in a gap has set a floating-point flag
    npy_intp tile           # elements of a row in a block (long rows), or rows in a block
    npy_intp pieces         # blocks a row (long rows)
    npy_intp units
    int threads
    WorkQueues queues       # of units
    char* done              # a unit: whether it has been run already; NULL where none has
    int stop
    int serial
    bint numbers            # everything is 0-d: the loops see inputs of stride 0, as NumPy's do
    bint repeatable         # a block may run twice: nothing it reads is overwritten before its end
    int* status             # [threads][ninstr]
    int told                # flags that are not ignored everywhere: only these need an owner
    char* scratch
    npy_intp scratch_size
    bint behind_kernel      # what it reads has just been written, and is in the cache
    bint bypasses           # results go past the caches
    bint streams            # operands come from memory: a block asks for the next one's while it computes
    Watch watch
    # folds
    bint in_place           # folds find what they fold in memory
    bint inner_folded
    int nkept               # kept outer axes
    npy_intp kept           # outputs of these
    npy_intp fold_rows      # rows folded into each of them
    npy_intp chunks         # partial results an output
    npy_intp chunk_rows     # rows (short) or steps (long, inner folded) a chunk
    npy_intp width          # inner kept extent (1 when the inner axis is folded)
    int walked              # folded axes that are walked outside the last kept one, 0 for none
    int outer               # kept axes before these
    npy_intp walk           # steps along the walked axes
    npy_intp among          # extent of the kept axis inside them
    npy_intp below          # rows folded inside that
    npy_intp walk_tile, among_tile, below_tile  # how many of each a block takes
    char** partial          # a fold: [chunks][kept][width]
    npy_intp* fold_scratch  # a fold: offset in scratch
    # folds from first to last
    int in_order
    npy_intp* fold_strides  # [folds][ndim], of results; along all axes for running sums
    char** extrema          # a fold: values at the places in `partial`, where there are chunks
    npy_intp lines          # of a unit, piece by piece
    bint costly             # what computes the elements takes longer than to add them up
    bint in_turn            # units are one line, and go on where the one before ended
    npy_intp turn

cdef inline int kept_axis(Job* job, int d) noexcept nogil:
    """Where the kept outer axis number d is among the axes of the space."""
    return d if d < job.outer or not job.walked else d + job.walked


cdef inline npy_intp blocks_of_line(Job* job) noexcept nogil:
    """Blocks of the rows that are folded into one output along the inner axis."""
    return job.fold_rows * job.pieces if job.long_rows else (job.fold_rows + job.tile - 1) // job.tile


cdef inline npy_intp block_of_line(Job* job, npy_intp step, npy_intp* rows, npy_intp* inner) noexcept nogil:
    """The first row of such a block, counted from the output's first, how many there are, and where it begins in it."""
    if job.long_rows:
        rows[0], inner[0] = 1, step % job.pieces * job.tile
        return step // job.pieces
    rows[0], inner[0] = min(job.tile, job.fold_rows - step * job.tile), 0
    return step * job.tile
