# cython: cdivision=True
# (counters here are never negative, and no divisor is zero)
"""Running programs of a plan side by side, where each is too small to be shared, or all but one.

A team takes whole programs, then shares the one that is larger. Everything that needs the GIL comes before or after:

    place | prepare | place | prepare ...    memory for results, layouts: with the GIL, in the order of the plan
    run                                      each program on one thread, but for the larger one
    finish | finish | ...                    flags, publication, memory given back: in the order of the plan

What can fail, fails while it is prepared: the group then ends before that step, which then runs alone. So
programs whose flags may lead to an exception, or whose loops may raise, are not among them.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from numpy cimport npy_intp

from lazyarr._core.host.threads cimport (
    QUEUE_STEP, WorkQueues, is_small, most_threads, own_number, run_team, step_ended, take_units, team_for)
from lazyarr._core.host.worker_trace cimport Span, take_shares
from lazyarr._core.ir.fingerprint cimport Walk, nans_are_watched
from lazyarr._core.ir.fp_errors cimport may_raise
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.arena cimport most_together
from lazyarr._core.runtime.executor cimport (
    end_program, expected_work, free_read, label_of, place_results, publish_results, take_back)
from lazyarr._core.tile.interpreter cimport Run, finish_member, prepare_member, prepare_shared, run_member, run_share
from lazyarr._core.tile.loop_nest cimport enter_run, leave_run, reserve

cdef extern from "simd/clock.h":
    double lz_now() noexcept nogil

# What a group reads for the last time is given back when all of it is done.
cdef npy_intp MOST_LATE_BYTES = 1 << 20

# Of the time that is estimated, since small programs work in the cache.
cdef double IN_CACHE = 0.25

# Beside a program that takes longer, nothing is gained by small ones that take less than this part of it, and what
# takes long is to be interrupted.
cdef double LEAST_PART = 0.03, MOST_SHARED_NS = 2e7

cdef struct ConcurrencyState:
    bint enabled, always
    long long groups, members  # that have run

cdef ConcurrencyState _state = ConcurrencyState(True, False, 0, 0)

cdef struct Member:
    Run run
    bint overwrites
    double began, seconds
    int thread

cdef struct Found:
    int count               # of programs that may run side by side
    double total, largest   # work of the small ones
    int shared              # which step is a larger one; -1 if none is
    double work             # its; 0 if none is

cdef struct Team:
    Member* members
    int shared              # the member that all threads share, -1 if there is none
    Span* spans             # by thread: when it worked on that
    char* scratch
    npy_intp scratch_size   # of a thread
    WorkQueues queues       # of members
    bint timed


def set_enabled(bint enabled, bint always=False):
    """Whether steps may run side by side, and `always` where no team is worth it, too; returns what held before.

    For tests and measurements.
    """
    before = bool(_state.enabled), bool(_state.always)
    _state.enabled, _state.always = enabled, always
    return before


def counts():
    """How many groups have run so far, and how many steps they had."""
    return _state.groups, _state.members


cdef list run_abreast(Walk* w, list steps, int first, list aliases, Abreast* abreast, list timeline):
    """Run steps from this one on side by side, if there are enough; gives their status flags, None if there are none.
    """
    cdef int threads, count
    cdef Found found = _measure(w, steps, first, True)
    abreast.done = 0
    if found.shared >= 0 and not _state.always and found.total * (most_threads() - 1) < found.work * LEAST_PART:
        found = _measure(w, steps, first, False)
    count = most_together(w, first, found.count)
    if first + count <= found.shared:
        found.shared, found.work = -1, 0
    abreast.alone = first + max(count, 1)
    abreast.work = found.total * IN_CACHE + found.work
    if not _state.enabled or count < 2:
        return None
    if found.shared < 0 and found.total < 2 * most_threads() * found.largest and not _state.always:
        return None  # one would keep all others waiting
    threads = most_threads() if _state.always else team_for(abreast.work)
    if found.shared < 0:
        threads = min(threads, count)
    if threads < 2:
        return None
    if not abreast.asked:
        abreast.asked, abreast.allowed = True, are_harmless(w)
    if not abreast.allowed:
        return None
    return _run(w, steps, first, count, found.shared, threads, aliases, abreast, timeline)


cdef int steps_together(Walk* w, list steps, int first) except -1:
    """How many steps from this one on may run at the same time."""
    if (<Step>steps[first]).abreast < 2:
        return 1
    return max(_measure(w, steps, first, True).count, 1)


cdef Found _measure(Walk* w, list steps, int first, bint with_larger) noexcept:
    """How many steps from this one on may run side by side: small ones and, if that is wanted, one that is larger."""
    cdef Step step = <Step>steps[first]
    cdef Found found
    cdef int at, i
    cdef double work
    cdef npy_intp late = 0
    memset(&found, 0, sizeof(Found))
    found.shared = -1
    for at in range(first, first + step.abreast):
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


cdef bint are_harmless(Walk* w) except -1:
    """Whether no step of a plan may raise for what it finds in values."""
    cdef int i
    if nans_are_watched():
        return False
    for i in range(w.count):
        if may_raise((<Node>w.nodes[i]).err):
            return False
    return True


cdef list _run(Walk* w, list steps, int first, int count, int shared, int threads, list aliases, Abreast* abreast,
               list timeline):
    """Prepare, run and finish a group."""
    cdef int k
    cdef Team team
    cdef list placed = [], raised = None, found
    cdef Step step
    cdef Member* member
    cdef char* memory = <char*>malloc(count * sizeof(Member) + threads * (64 + sizeof(npy_intp) + sizeof(Span)))
    if memory is NULL:
        return None
    team.queues.next = <npy_intp*>memory
    team.queues.ends = <npy_intp*>(memory + 64 * threads)
    team.spans = <Span*>(team.queues.ends + threads)
    team.members = <Member*>(team.spans + threads)
    team.shared = shared - first if shared >= 0 else -1
    team.timed = timeline is not None
    enter_run()
    try:
        abreast.done = count = _prepare(w, steps, first, count, &team, threads, placed)
        if count == 0:
            return None
        if team.shared >= count:
            team.shared = -1
        _state.groups += 1
        _state.members += count
        _deal(&team, count, threads)
        with nogil:
            run_team(threads, _run_share, &team)
        step_ended(abreast.work)
        if team.timed:
            take_shares()  # members know their threads
        for k in range(count):
            step, member = <Step>steps[first + k], &team.members[k]
            finish_member(&member.run, step.program, w.nodes, w.status)
            found = end_program(w, step, placed[k], member.overwrites, aliases)
            if found is not None:
                raised = found if raised is None else raised + found
            publish_results(w, step.program, found, member.overwrites)
            free_read(w, step)
            if timeline is not None:
                timeline.append((label_of(w, step), *_times_of(&team, k, threads)))
    finally:
        for _ in placed:
            leave_run()
        leave_run()
        free(memory)
    return raised


cdef int _prepare(Walk* w, list steps, int first, int wanted, Team* team, int threads, list placed) except -1:
    """Place and prepare programs, each in a run of its own, until one fails; returns how many there are."""
    cdef int k
    cdef Step step
    cdef Member* member
    cdef bint entered
    team.scratch, team.scratch_size = NULL, 0
    for k in range(wanted):
        step = <Step>steps[first + k]
        member = &team.members[k]
        member.overwrites = entered = False
        at = [] if step.moves else None
        try:
            place_results(w, step, at, &member.overwrites)
            enter_run()
            entered = True
            if k == team.shared:
                prepare_shared(&member.run, step.program, w.nodes, not member.overwrites, threads)
            else:
                prepare_member(&member.run, step.program, w.nodes, not member.overwrites)
                if member.run.job.scratch_size > team.scratch_size:
                    team.scratch = reserve(threads * member.run.job.scratch_size, k + 1)
                    team.scratch_size = member.run.job.scratch_size
        except Exception:  # it runs alone, after those before it, and may fail there
            take_back(w, step.program, at)
            if entered:
                leave_run()
            return k
        placed.append(at)
    return wanted


cdef void _deal(Team* team, int count, int threads) noexcept:
    """Deal members by their work; queues are the same in every run, as those of a program's blocks are."""
    cdef WorkQueues* queues = &team.queues
    cdef double work = 0, done = 0
    cdef int k, t = 0
    queues.units, queues.grab, queues.count, queues.is_shared = count, 1, threads, True
    for k in range(count):
        work += 0 if k == team.shared else team.members[k].run.work
    queues.next[0] = 0
    for k in range(count):
        while t < threads - 1 and done >= work * (t + 1) / threads:
            queues.ends[t] = k
            t += 1
            queues.next[QUEUE_STEP * t] = k
        done += 0 if k == team.shared else team.members[k].run.work
    while t < threads - 1:
        queues.ends[t] = count
        t += 1
        queues.next[QUEUE_STEP * t] = count
    queues.ends[t] = count


cdef void _run_share(void* whole, int thread, int threads) noexcept nogil:
    """Run members on one thread until none is left, then this thread's part of the shared member."""
    cdef Team* team = <Team*>whole
    cdef Member* member
    cdef npy_intp at, end
    cdef int turn = 0
    while True:
        at = take_units(&team.queues, thread, &turn, &end)
        if at < 0:
            break
        if at == team.shared:
            continue
        member = &team.members[at]
        if team.timed:
            member.began, member.thread = lz_now(), own_number()
        run_member(&member.run, team.scratch + thread * team.scratch_size)
        if team.timed:
            member.seconds = lz_now() - member.began
    if team.shared >= 0:
        team.spans[thread].began = lz_now()
        run_share(&team.members[team.shared].run, thread)
        team.spans[thread].ended = lz_now()


cdef tuple _times_of(Team* team, int k, int threads):
    """When a member began, how long it took, on which thread, and the shares of threads: as timelines have it."""
    cdef Member* member = &team.members[k]
    cdef Span* span
    cdef double began, ended
    cdef int t
    cdef list shares = []
    if k != team.shared:
        return member.began, member.seconds, member.thread, ()
    began, ended = team.spans[0].began, team.spans[0].ended
    for t in range(threads):
        span = &team.spans[t]
        began, ended = min(began, span.began), max(ended, span.ended)
        shares.append((t, span.began, span.ended - span.began))
    return began, ended - began, 0, tuple(shares)
