# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Row fusion: consecutive programs of a plan run together, block of rows by block of rows.

A block stays in its core's second-level cache between the programs. Bits and errors are those of sequential programs
(tile/row_blocks.pyx, step_group.pyx). Large values that only the group reads lie in bands. Only short groups, which are
not interrupted, overwrite memory from outside.

Fusion pays off where arrays do not stay in the caches from step to step, several steps use the same ones, and one row
of all arrays does stay.
"""
from cpython.object cimport PyObject

cimport cython
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport lz_fp_clear
from lazyarr._core.host.switch cimport Switch
from lazyarr._core.host.threads cimport (
    LONGEST_UNINTERRUPTED_NS, deal_evenly, most_threads, must_stop, take_units, team_size)
from lazyarr._core.host.worker_trace cimport Span
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport VIEW, Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.kernels.gemm cimport cache_bytes
from lazyarr._core.runtime.arena cimport most_together
from lazyarr._core.runtime.executor cimport expected_work, place_results
from lazyarr._core.runtime.step_group cimport GroupJob, Grouping, StepGroup, are_harmless, may_group
from lazyarr._core.tile.job cimport DIRECT, REGISTER, Job, Operand
from lazyarr._core.tile.row_blocks cimport (
    MOST_BANDS, Bands, Member, Team, add_band, is_in_band, lay_out_rows, move_bands, run_rows, share_rows,
    take_thread_memory)

cdef extern from "simd/copy.h":
    void lz_stream_end() noexcept nogil

cdef extern from "simd/clock.h":
    double lz_now() noexcept nogil

cdef enum:
    BLOCKS_EACH = 4         # least blocks per thread, so that all threads end at about the same time
    MOST_ARRAYS = 64        # distinct arrays when bytes are counted
    LARGEST = 32            # largest itemsize

# Bytes of a block in all arrays. The rest of the cache is for other data of threads on the same core.
cdef npy_intp BLOCK_BYTES = cache_bytes() // 2

# Smaller working sets stay in the caches from step to step.
cdef npy_intp WORTHWHILE_BYTES = 2 * cache_bytes()

cdef struct Shape:              # geometry of a group
    npy_intp rows
    npy_intp length             # elements per row
    npy_intp block              # rows per block, a power of two
    npy_intp blocks
    double work                 # ns on one thread

cdef Switch _switch = Switch()  # counts groups and steps
set_enabled, counts = _switch.set_enabled, _switch.counts


def set_sizes(npy_intp block, npy_intp worthwhile):
    """Use blocks of `block` bytes where arrays take `worthwhile` bytes together; return the old sizes. For tests and
    measurements."""
    global BLOCK_BYTES, WORTHWHILE_BYTES
    before = BLOCK_BYTES, WORTHWHILE_BYTES
    BLOCK_BYTES, WORTHWHILE_BYTES = block, worthwhile
    return before


cdef list run_by_rows(Walk* w, list steps, int first, list aliases, Grouping* grouping, list timeline):
    """Run steps from this one on fused by rows, if that pays off; return their status flags, or None."""
    cdef Shape shape
    cdef int count = most_together(w, first, _measure_rows(w, steps, first, &shape))
    if not _switch.enabled or count < 2 or not may_group(w, grouping):
        return None
    cdef RowGroup group = RowGroup.__new__(RowGroup)
    group.w, group.steps, group.first, group.aliases, group.timeline = w, steps, first, aliases, timeline
    group.switch = _switch
    group.share, group.work, group.length = _run_share, shape.work, shape.length
    group.job.team.rows, group.job.team.block, group.job.team.blocks = shape.rows, shape.block, shape.blocks
    group.threads = <int>min(<npy_intp>team_size(shape.work), shape.blocks)
    return group.run(count, grouping)


cdef int rows_together(Walk* w, list steps, int first) except -1:
    """Return how many steps from this one on may be fused by rows."""
    cdef Shape shape
    return max(_measure_rows(w, steps, first, &shape), 1) if (<Step>steps[first]).rows > 1 else 1


cdef set expected_in_bands(Walk* w, list steps):
    """Return the nodes that a run of the plan would not store since only fused rows read them."""
    cdef set found = set(), only_here
    cdef Shape shape
    cdef TileProgram p
    cdef int first = 0, count, at, k
    if not _switch.enabled or not are_harmless(w):
        return found
    while first < len(steps):
        count = max(_measure_rows(w, steps, first, &shape) if (<Step>steps[first]).rows > 1 else 1, 1)
        only_here = _read_only_here(w, steps, first, count) if count > 1 else set()
        for at in range(first, first + count if only_here else first):
            p = (<Step>steps[at]).program
            for k in range(p.nstore):
                if p.store_node[k] in only_here and (<Node>w.nodes[p.store_node[k]]).size > shape.rows:
                    found.add(p.store_node[k])
        first += count
    return found


# ---- which steps go together, judged by extents ------------------------------------------------------------


cdef int _measure_rows(Walk* w, list steps, int first, Shape* shape) except -1:
    """Return how many steps from this one on have the same rows, as many as the cache permits.

    0 where fusion does not pay off.
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
    """Find the rows that the first fold of a group reduces; return False if no large group can follow."""
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
    """Return whether a program may run by rows, judged by extents."""
    cdef npy_intp size = (<Node>w.nodes[p.space]).size
    if p.flags & LOOP_SERIAL or p.in_order or not p.whole:
        return False
    if p.nfold:
        return size == shape.rows * shape.length and (<Node>w.nodes[p.fold_calls[0].node]).size == shape.rows
    return size == shape.rows * shape.length or size == shape.rows


cdef npy_intp _count_arrays(Walk* w, Step step, Shape* shape, PyObject** arrays, int* narrays, int* uses) except -1:
    """Return the bytes per row of a program's large arrays that are not yet among `arrays`, and add them.

    Results that take over memory add none.
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


# ---- running a group ---------------------------------------------------------------------------------------


@cython.final
cdef class RowGroup(StepGroup):
    """A group whose threads take blocks of rows through all programs."""
    cdef npy_intp length    # elements per row
    cdef Bands bands
    cdef Buffer memory      # memory of bands and thread structures
    cdef set only_here      # nodes that die within the group
    cdef set made           # nodes computed by the programs so far
    cdef list ends          # by thread: when it would have finished the programs so far

    cdef int prepare(self, int wanted) except -1:
        self.only_here = _read_only_here(self.w, self.steps, self.first, wanted)
        self.made, self.runs_to_end = set(), False
        self.bands.count, self.bands.size = 0, 0
        StepGroup.prepare(self, wanted)
        cdef int count = self.count
        if count < wanted and self.bands.count:  # later steps may read values in bands
            self.leave(True)
            return self.prepare(count)
        if count < 2:
            self.leave(True)
        return 0

    cdef int place(self, Step step, list moved, bint* overwrites) except -1:
        """Place large results that are needed only here in bands."""
        cdef TileProgram p = step.program
        cdef Node node
        cdef int k
        for k in range(p.nstore):
            node = <Node>self.w.nodes[p.store_node[k]]
            if node.size > self.job.team.rows and p.store_node[k] in self.only_here and self.bands.count < MOST_BANDS:
                add_band(&self.bands, node, self.job.team.block * self.length * node.itemsize)
        return place_results(self.w, step, moved, overwrites)

    cdef bint lay_out(self, int k, TileProgram p, list moved, bint overwrites) except -1:
        cdef Team* team = &self.job.team
        cdef Member* member = &team.members[k]
        cdef int i
        if not lay_out_rows(team, k, p, self.w.nodes, not overwrites):
            return False
        for i in range(k):
            if not share_rows(&team.members[i].run, team.members[i].length, &member.run, member.length):
                return False
        _prefetch_untouched(team, k)
        for entry in moved or ():
            if type(entry[1]) is not Node:  # a detour, whose end the next program would have to await
                return False
            if entry[1] not in self.made:
                if self.work >= LONGEST_UNINTERRUPTED_NS:
                    return False
                self.runs_to_end = True
        for i in range(p.nstore):
            self.made.add(<object>self.w.nodes[p.store_node[i]])
        for i in range(p.nfold):
            self.made.add(<object>self.w.nodes[p.fold_calls[i].node])
        return True

    cdef int deal(self) except -1:
        cdef Team* team = &self.job.team
        team.count = self.count
        move_bands(&self.bands, team)
        self.memory = take_thread_memory(team, 0, self.threads * self.bands.size)
        self.bands.memory = self.memory.data
        deal_evenly(&self.job.queues, team.blocks, 1, self.threads, self.threads)
        self.ends = [lz_now()] * self.threads
        return 0

    cdef tuple times(self, int k):
        """Return times as if each thread had run the programs one after the other, not alternating per block."""
        cdef Span* spans = self.job.spans + k * self.threads
        cdef list began = self.ends
        cdef int t
        self.ends = [began[t] + spans[t].ended for t in range(self.threads)]
        return began[0], spans[0].ended, 0, tuple([(t, began[t], spans[t].ended) for t in range(self.threads)])


cdef void _run_share(void* whole, int thread, int threads) noexcept nogil:
    """Run blocks on one thread until none is left or the step is cancelled; spans start at 0."""
    cdef GroupJob* job = <GroupJob*>whole
    cdef npy_intp block, end
    cdef int turn = 0, k
    cdef double began = 0
    lz_fp_clear()
    while not must_stop(&job.watch, thread):
        block = take_units(&job.queues, thread, &turn, &end)
        if block < 0:
            break
        for k in range(job.team.count):
            if job.spans is not NULL:
                began = lz_now()
            run_rows(&job.team, k, 0, block, end, thread)
            if job.spans is not NULL:
                job.spans[k * threads + thread].ended += lz_now() - began
    lz_stream_end()


cdef set _read_only_here(Walk* w, list steps, int first, int count):
    """Return the values that die in these steps without being taken over, which only short groups may do."""
    cdef set found = set()
    cdef Step step
    cdef int at
    for at in range(first, first + count):
        found.update((<Step>steps[at]).frees)
    for at in range(first, first + count):
        step = <Step>steps[at]
        if expected_work(w, step.program) < LONGEST_UNINTERRUPTED_NS:
            found.difference_update([donor for _, donor in step.donors])
    return found


cdef void _prefetch_untouched(Team* team, int k) noexcept:
    """Prefetch the lines that earlier programs have not touched, including those to be written.

    Between blocks the hardware prefetcher loses track of them.
    """
    cdef Job* job = &team.members[k].run.job
    cdef Operand* op
    cdef int i
    for i in range(job.noperand):
        op = &job.operands[i]
        if op.place == DIRECT and op.is_store:
            op.flows = job.ndim == 1 or op.strides[job.ndim - 2] == job.row * op.size
        if op.flows and (is_in_band(op.base) or _is_touched(team, k, op.base)):
            op.flows = False


cdef bint _is_touched(Team* team, int before, char* base) noexcept:
    """Return whether an earlier program touches memory that begins here."""
    cdef Job* job
    cdef int k, i
    for k in range(before):
        job = &team.members[k].run.job
        for i in range(job.noperand):
            if job.operands[i].place != REGISTER and job.operands[i].base == base:
                return True
    return False
