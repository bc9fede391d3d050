# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Running programs of a plan together, block of rows by block of rows.

A block stays in the second cache of its core between the programs. Bits are those of programs that run one after the
other (tile/row_blocks.pyx), and so are errors (step_group.pyx). Values that only the group reads lie in bands, if they
are large. What came from outside is overwritten by short groups only, which are not interrupted.
"""
cimport cython
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport lz_fp_clear
from lazyarr._core.host.switch cimport Switch
from lazyarr._core.host.threads cimport LONGEST_UNINTERRUPTED_NS, deal_evenly, must_stop, take_units, team_size
from lazyarr._core.host.worker_trace cimport Span
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.runtime.arena cimport most_together
from lazyarr._core.runtime.executor cimport expected_work, place_results
from lazyarr._core.runtime.row_fusion_cost cimport Shape, measure_rows
from lazyarr._core.runtime.step_group cimport GroupJob, Grouping, StepGroup, are_harmless, may_group
from lazyarr._core.tile.job cimport DIRECT, REGISTER, Job, Operand
from lazyarr._core.tile.row_blocks cimport (
    MOST_BANDS, Bands, Member, Team, add_band, is_in_band, lay_out_rows, move_bands, run_rows, take_thread_memory)
from lazyarr._core.tile.row_split cimport share_rows

cdef extern from "simd/copy.h":
    void lz_stream_end() noexcept nogil

cdef extern from "simd/clock.h":
    double lz_now() noexcept nogil

cdef Switch _switch = Switch()  # counts groups, and their steps
set_enabled, counts = _switch.set_enabled, _switch.counts


cdef list run_by_rows(Walk* w, list steps, int first, list aliases, Grouping* grouping, list timeline):
    """Run steps from this one on together, if that is worth it; return their status flags, None if there are none."""
    cdef Shape shape
    cdef int count = most_together(w, first, measure_rows(w, steps, first, &shape))
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
    """How many steps from this one on may be fused by rows."""
    cdef Shape shape
    return max(measure_rows(w, steps, first, &shape), 1) if (<Step>steps[first]).rows > 1 else 1


cdef set expected_in_bands(Walk* w, list steps):
    """Nodes that would not be stored if a plan ran now, since only fused rows read them."""
    cdef set found = set(), only_here
    cdef Shape shape
    cdef TileProgram p
    cdef int first = 0, count, at, k
    if not _switch.enabled or not are_harmless(w):
        return found
    while first < len(steps):
        count = max(measure_rows(w, steps, first, &shape) if (<Step>steps[first]).rows > 1 else 1, 1)
        only_here = _read_only_here(w, steps, first, count) if count > 1 else set()
        for at in range(first, first + count if only_here else first):
            p = (<Step>steps[at]).program
            for k in range(p.nstore):
                if p.store_node[k] in only_here and (<Node>w.nodes[p.store_node[k]]).size > shape.rows:
                    found.add(p.store_node[k])
        first += count
    return found


# ---- running a group ---------------------------------------------------------------------------------------


@cython.final
cdef class RowGroup(StepGroup):
    """A group whose threads take blocks of rows through all programs."""
    cdef npy_intp length    # of a row
    cdef Bands bands
    cdef Buffer memory      # of bands and threads
    cdef set only_here      # nodes that die in the group
    cdef set made           # nodes of the programs so far
    cdef list ends          # by thread: when it would have ended the programs so far

    cdef int prepare(self, int wanted) except -1:
        self.only_here = _read_only_here(self.w, self.steps, self.first, wanted)
        self.made, self.runs_to_end = set(), False
        self.bands.count, self.bands.size = 0, 0
        StepGroup.prepare(self, wanted)
        cdef int count = self.count
        if count < wanted and self.bands.count:  # steps behind the group may read what lies in bands
            self.leave(True)
            return self.prepare(count)
        if count < 2:
            self.leave(True)
        return 0

    cdef int place(self, Step step, list moved, bint* overwrites) except -1:
        """Place large results that are needed nowhere else in bands."""
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
        _ask_for_what_is_new(team, k)
        for entry in moved or ():
            if type(entry[1]) is not Node:  # a detour, for whose end the next program would have to wait
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
        """As if each thread had run programs one after the other, not alternately for each block."""
        cdef Span* spans = self.job.spans + k * self.threads
        cdef list began = self.ends
        cdef int t
        self.ends = [began[t] + spans[t].ended for t in range(self.threads)]
        return began[0], spans[0].ended, 0, tuple([(t, began[t], spans[t].ended) for t in range(self.threads)])


cdef void _run_share(void* whole, int thread, int threads) noexcept nogil:
    """Run blocks on one thread until none is left or the step is to stop; spans begin at 0 and end at what it took."""
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
    """Values that die in these steps without giving memory to one of them; only short groups take it over."""
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


cdef void _ask_for_what_is_new(Team* team, int k) noexcept:
    """Prefetch the lines that earlier programs have not touched, and no others.

    Also for those that it writes: between blocks the processor loses track of them.
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
    """Whether a program before this one touches memory that begins here."""
    cdef Job* job
    cdef int k, i
    for k in range(before):
        job = &team.members[k].run.job
        for i in range(job.noperand):
            if job.operands[i].place != REGISTER and job.operands[i].base == base:
                return True
    return False
