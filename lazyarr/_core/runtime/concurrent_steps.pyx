# cython: cdivision=True
# (counters here are never negative, and no divisor is zero)
"""Concurrent tile programs of a plan, where all but at most one are too small to be split.

A group forms if each program costs less than waking a team, the largest takes at most half a thread's share, and all
together are worth a team; one larger program may join. Threads take whole programs, then share the larger one;
step_group.pyx does what comes before and after.
"""
from libc.string cimport memset

cimport cython
from numpy cimport npy_intp

from lazyarr._core.host.switch cimport Switch
from lazyarr._core.host.threads cimport deal_by_cost, is_small, most_threads, own_number, take_units, team_for
from lazyarr._core.host.worker_trace cimport Span
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.runtime.arena cimport most_together
from lazyarr._core.runtime.executor cimport expected_work
from lazyarr._core.runtime.step_group cimport GroupJob, Grouping, StepGroup, may_group
from lazyarr._core.tile.interpreter cimport Run, prepare_member, run_member
from lazyarr._core.tile.loop_nest cimport MAX_CONCURRENT, SCRATCH, reserve
from lazyarr._core.tile.row_blocks cimport Team

cdef extern from "simd/clock.h":
    double lz_now() noexcept nogil

# A group releases what it reads for the last time when all of it is done.
cdef npy_intp MOST_LATE_BYTES = 1 << 20

# Fraction of the estimated time, since small programs work in the cache.
cdef double IN_CACHE = 0.25

# Beside a program that takes longer, nothing is gained by small ones that take less than this part of it, and what
# takes long is to be interrupted.
cdef double LEAST_PART = 0.03, MOST_SHARED_NS = 2e7

cdef Switch _switch = Switch()  # counts groups and steps
set_enabled, counts = _switch.set_enabled, _switch.counts

cdef struct Found:
    int count               # programs that may run concurrently
    double total, largest   # work of the small programs
    int shared              # index of the larger program; -1 if there is none
    double work             # its work, or 0


cdef list run_concurrent(Walk* w, list steps, int first, list aliases, Grouping* grouping, list timeline):
    """Run steps from this one on concurrently, if there are enough; return their status flags, or None."""
    cdef int threads, count
    cdef Found found = _measure(w, steps, first, True)
    if found.shared >= 0 and not _switch.always and found.total * (most_threads() - 1) < found.work * LEAST_PART:
        found = _measure(w, steps, first, False)
    count = most_together(w, first, found.count)
    if first + count <= found.shared:
        found.shared, found.work = -1, 0
    grouping.alone = first + max(count, 1)
    grouping.work = found.total * IN_CACHE + found.work
    if not _switch.enabled or count < 2:
        return None
    if found.shared < 0 and found.total < 2 * most_threads() * found.largest and not _switch.always:
        return None  # one would delay all others
    threads = most_threads() if _switch.always else team_for(grouping.work)
    if found.shared < 0:
        threads = min(threads, count)
    if threads < 2 or not may_group(w, grouping):
        return None
    cdef ConcurrentGroup group = ConcurrentGroup.__new__(ConcurrentGroup)
    group.w, group.steps, group.first, group.aliases, group.timeline = w, steps, first, aliases, timeline
    group.switch = _switch
    group.threads, group.share, group.work, group.runs_to_end = threads, _run_share, grouping.work, True
    group.job.shared = found.shared - first if found.shared >= 0 else -1
    return group.run(count, grouping)


cdef int steps_together(Walk* w, list steps, int first) except -1:
    """Return how many steps from this one on may run concurrently."""
    if (<Step>steps[first]).concurrent < 2:
        return 1
    return max(_measure(w, steps, first, True).count, 1)


cdef Found _measure(Walk* w, list steps, int first, bint with_larger) noexcept:
    """Return how many steps from this one on may run concurrently: small ones and optionally a larger one."""
    cdef Step step = <Step>steps[first]
    cdef Found found
    cdef int at, i
    cdef double work
    cdef npy_intp late = 0
    memset(&found, 0, sizeof(Found))
    found.shared = -1
    for at in range(first, first + step.concurrent):
        step = <Step>steps[at]
        work = expected_work(w, step.program)
        if step.program.flags & LOOP_SERIAL or late > MOST_LATE_BYTES:
            break
        if is_small(work):
            found.total += work
            found.largest = max(found.largest, work)
        elif with_larger and found.shared < 0 and work < MOST_SHARED_NS:
            found.shared, found.work = at, work
        else:
            break
        found.count += 1
        for i in range(step.nfrees):
            late += (<Node>w.nodes[<int>step.frees[i]]).span
    return found


@cython.final
cdef class ConcurrentGroup(StepGroup):
    """A group whose threads take whole programs, then share the larger one."""

    cdef bint lay_out(self, int k, TileProgram p, list moved, bint overwrites) except -1:
        cdef Team* team = &self.job.team
        cdef Run* run = &team.members[k].run
        prepare_member(run, p, self.w.nodes, not overwrites, self.threads if k == self.job.shared else 1)
        if k != self.job.shared:
            team.scratch_size = max(team.scratch_size, run.job.scratch_size)
        return True

    cdef int deal(self) except -1:
        cdef Team* team = &self.job.team
        cdef double costs[MAX_CONCURRENT]
        cdef int k
        for k in range(self.count):
            costs[k] = 0 if k == self.job.shared else team.members[k].run.work
        deal_by_cost(&self.job.queues, costs, self.count, self.threads)
        if self.job.shared >= self.count:
            self.job.shared = -1
        if team.scratch_size:
            team.scratch = reserve(SCRATCH, self.threads * team.scratch_size, self.count)
        return 0

    cdef tuple times(self, int k):
        cdef Span* spans = self.job.spans + k * self.threads
        cdef int t
        shares = [(t, spans[t].began, spans[t].ended - spans[t].began) for t in range(self.threads) if spans[t].ended]
        if k != self.job.shared:
            (t, began, seconds), = shares
            return began, seconds, t, ()
        began = min([began for _, began, _ in shares])
        return began, max([began + seconds for _, began, seconds in shares]) - began, 0, tuple(shares)


cdef void _run_share(void* whole, int thread, int threads) noexcept nogil:
    """Run programs on one thread until none is left, then this thread's share of the larger one."""
    cdef GroupJob* job = <GroupJob*>whole
    cdef Run* run
    cdef npy_intp at, end
    cdef int turn = 0
    while True:
        at = take_units(&job.queues, thread, &turn, &end)
        if at < 0:
            break
        if at != job.shared:
            run = &job.team.members[at].run
            run.job.scratch = job.team.scratch + thread * job.team.scratch_size
            _run_member(job, run, 0, at * threads + own_number())
    if job.shared >= 0:
        _run_member(job, &job.team.members[job.shared].run, thread, job.shared * threads + thread)


cdef void _run_member(GroupJob* job, Run* run, int thread, npy_intp span) noexcept nogil:
    """Run a thread's share of a program; `span` is the index of its span."""
    if job.spans is not NULL:
        job.spans[span].began = lz_now()
    run_member(run, thread)
    if job.spans is not NULL:
        job.spans[span].ended = lz_now()
