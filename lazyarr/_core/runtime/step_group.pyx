"""Groups of consecutive steps of a plan, tile programs, that run together.

    place | lay out | place | lay out ...    memory for results, layouts: with the GIL, in the order of the plan
    run                                      without it, on a team: one block of rows after the other (row_fusion.pyx),
                                             or each program on one thread (concurrent_steps.pyx)
    finish | finish | ...                    flags, publication, memory given back: in the order of the plan

What can fail, fails while it is prepared: the group then ends before that step, which then runs alone. So
programs whose flags may lead to an exception, or whose loops may raise, are not among them. A group that a signal
stops is forgotten as a whole, and can run again.
"""
from libc.stdlib cimport calloc, free

from numpy cimport npy_intp

from lazyarr._core.host.threads cimport run_team, start_watch, step_ended
from lazyarr._core.host.worker_trace cimport Span, take_shares
from lazyarr._core.ir.fingerprint cimport Walk, nans_are_watched
from lazyarr._core.ir.fp_errors cimport may_raise
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.runtime.executor cimport end_program, free_read, label_of, place_results, publish_results, take_back
from lazyarr._core.tile.interpreter cimport finish_run
from lazyarr._core.tile.loop_nest cimport enter_run, leave_run
from lazyarr._core.tile.row_blocks cimport Member


cdef bint may_group(Walk* w, Grouping* grouping) except -1:
    """Return whether steps of a plan may run together; computed once per run."""
    if not grouping.asked:
        grouping.asked, grouping.allowed = True, are_harmless(w)
    return grouping.allowed


cdef bint are_harmless(Walk* w) except -1:
    """Return whether no step of a plan may raise for its values."""
    cdef int i
    if nans_are_watched():
        return False
    for i in range(w.count):
        if may_raise((<Node>w.nodes[i]).err):
            return False
    return True


cdef class StepGroup:
    """Consecutive steps of a plan that run together, as many as can be prepared."""

    def __dealloc__(self):
        free(self.job.queues.next)

    cdef list run(self, int wanted, Grouping* grouping):
        """Prepare up to `wanted` steps, run and finish them; return their status flags, or None."""
        cdef bint complete = False
        self.placed = []
        _make_team(self, wanted)
        enter_run()  # for the workspace of threads
        try:
            self.prepare(wanted)
            if self.count == 0:
                return None
            try:
                self.deal()
            except MemoryError:
                return None
            _run_shares(self)
            complete = True
            grouping.done = self.count
            self.switch.runs += 1
            self.switch.parts += self.count
            return _finish(self)
        finally:
            self.leave(not complete)
            leave_run()

    cdef int prepare(self, int wanted) except -1:
        """Allocate and lay out programs, each in its own run, until one does not fit."""
        cdef Step step
        cdef bint fits, entered, overwrites
        cdef int k
        for k in range(wanted):
            step = <Step>self.steps[self.first + k]
            fits = entered = overwrites = False
            moved = [] if step.moves else None
            try:
                self.place(step, moved, &overwrites)
                enter_run()
                entered = True
                fits = self.lay_out(k, step.program, moved, overwrites)
            except Exception:  # it runs alone after the others, and may fail there
                pass
            if not fits:
                take_back(self.w, step.program, moved)
                if entered:
                    leave_run()
                break
            self.placed.append((moved, overwrites))
        self.count = <int>len(self.placed)
        return 0

    cdef int leave(self, bint forget) except -1:
        """Leave the runs of prepared programs; forget their results if they did not run."""
        while self.placed:
            moved, _ = self.placed.pop()
            if forget:
                take_back(self.w, (<Step>self.steps[self.first + len(self.placed)]).program, moved)
            leave_run()
        self.count = 0
        return 0

    cdef int place(self, Step step, list moved, bint* overwrites) except -1:
        """Allocate the results of a step."""
        return place_results(self.w, step, moved, overwrites)

    cdef bint lay_out(self, int k, TileProgram p, list moved, bint overwrites) except -1:
        """Lay out program k, whose results are allocated; return False if it does not fit the others."""
        raise NotImplementedError

    cdef int deal(self) except -1:
        """Distribute the work among threads, and allocate their memory."""
        raise NotImplementedError

    cdef tuple times(self, int k):
        """Return start, duration, thread and thread shares of program k, for timelines."""
        raise NotImplementedError


cdef int _make_team(StepGroup group, int wanted) except -1:
    """Allocate a team and `wanted` programs."""
    cdef GroupJob* job = &group.job
    cdef bint timed = group.timeline is not None
    cdef char* memory = <char*>calloc(1, group.threads * (64 + sizeof(npy_intp)) + wanted * (
        sizeof(Member) + timed * group.threads * sizeof(Span)))
    if memory is NULL:
        raise MemoryError()
    job.queues.next = <npy_intp*>memory
    job.queues.ends = <npy_intp*>(memory + 64 * group.threads)
    job.team.members, job.team.threads = <Member*>(job.queues.ends + group.threads), group.threads
    if timed:
        job.spans = <Span*>(job.team.members + wanted)
    return 0


cdef int _run_shares(StepGroup group) except -1:
    """Run everything on a team, unless a signal handler raises."""
    start_watch(&group.job.watch, 0 if group.runs_to_end else group.work)
    with nogil:
        run_team(group.threads, group.share, &group.job)
    step_ended(group.work)
    if group.timeline is not None:
        take_shares()  # the shares of programs are known
    return -1 if group.job.watch.stopped else 0


cdef list _finish(StepGroup group):
    """Report flags, publish results and free memory, in plan order."""
    cdef Step step
    cdef list raised = None, found
    cdef bint overwrites
    cdef int k
    for k in range(group.count):
        step = <Step>group.steps[group.first + k]
        moved, overwrites = group.placed[k]
        finish_run(&group.job.team.members[k].run, step.program, group.w.nodes, group.w.status)
        found = end_program(group.w, step, moved, overwrites, group.aliases)
        if found is not None:
            raised = found if raised is None else raised + found
        publish_results(group.w, step.program, found, overwrites)
        free_read(group.w, step)
        if group.timeline is not None:
            group.timeline.append((label_of(group.w, step), *group.times(k)))
    return raised
