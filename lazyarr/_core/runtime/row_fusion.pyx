# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Running programs of a plan together, block of rows by block of rows.

    place | prepare | place | prepare ...    memory for results, layouts: with the GIL, in the order of the plan
    run                                      a thread takes a block of rows through all programs, then the next
    finish | finish | ...                    flags, publication, memory given back: in the order of the plan

A block stays in the second cache of its core between the programs. Each block of a program is made of units that the
program has alone, or of parts of them that round alike, so that the bits are those of running one after the other
(`row_split.pyx`).

What can fail, fails while it is prepared: the group then ends before that step. Programs whose flags may lead to an
exception, or whose loops may raise, are not among them. A group that a signal stops is forgotten as a whole, and can
run again: what came from outside is overwritten by short groups only, which are not stopped.
"""
from cpython.object cimport PyObject
from libc.stdlib cimport calloc, free

from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport lz_fp_clear
from lazyarr._core.host.threads cimport (
    LONGEST_UNINTERRUPTED_NS, Watch, WorkQueues, deal_evenly, must_stop, run_team, start_watch, step_ended, take_units,
    team_size)
from lazyarr._core.host.worker_trace cimport take_shares
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.arena cimport most_together
from lazyarr._core.runtime.concurrent_steps cimport are_harmless
from lazyarr._core.runtime.executor cimport (
    end_program, expected_work, free_read, label_of, place_results, publish_results, take_back)
from lazyarr._core.runtime.row_fusion_cost cimport Shape, measure_rows
from lazyarr._core.tile.interpreter cimport Run, begin_run, finish_run, run_unit, take_memory
from lazyarr._core.tile.job cimport DIRECT, REGISTER, Job, Operand
from lazyarr._core.tile.loop_nest cimport enter_run, leave_run, reserve
from lazyarr._core.tile.row_buffers cimport (
    MOST_BANDS, Bands, add_band, copy_bytes, copy_job, is_in_band, point_at_block, reads_bands)
from lazyarr._core.tile.row_split cimport cut_at_rows, folds_whole_rows, is_even, share_rows
from lazyarr._core.ir.tile_program cimport TileProgram

cdef extern from "simd/copy.h":
    void lz_stream_end() noexcept nogil

cdef extern from "simd/clock.h":
    double lz_now() noexcept nogil

cdef struct FusionState:
    bint enabled
    long long groups, members  # that have run

cdef FusionState _state = FusionState(True, 0, 0)

cdef struct Member:
    Run run
    npy_intp length             # elements of the program's space for each row: those of a row, or one
    npy_intp units              # of a block
    bint overwrites
    char* copies                # of the job, one a thread, if it reads or writes bands; else NULL
    double* seconds             # of each thread

cdef struct Team:
    Shape shape
    Member* members
    int count
    int threads
    bint overwrites             # what came from outside the group
    Bands bands
    char* scratch
    npy_intp scratch_size       # of a thread
    WorkQueues queues           # of blocks
    Watch watch
    bint timed


def set_enabled(bint enabled):
    """Whether steps may go through rows together; returns what held before. For tests and measurements."""
    before, _state.enabled = bool(_state.enabled), enabled
    return before


def counts():
    """How many groups have run so far, and how many steps they had."""
    return _state.groups, _state.members


cdef list run_by_rows(Walk* w, list steps, int first, list aliases, ByRows* by_rows, list timeline):
    """Run steps from this one on together, if that is worth it; gives their status flags, None if there are none."""
    cdef Team team
    cdef int count = most_together(w, first, measure_rows(w, steps, first, &team.shape))
    by_rows.done = 0
    if not _state.enabled or count < 2:
        return None
    if not by_rows.asked:
        by_rows.asked, by_rows.allowed = True, are_harmless(w)
    return _run(w, steps, first, count, &team, aliases, by_rows, timeline) if by_rows.allowed else None


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
    if not _state.enabled or not are_harmless(w):
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


cdef list _run(Walk* w, list steps, int first, int count, Team* team, list aliases, ByRows* by_rows, list timeline):
    """Prepare, run and finish a group."""
    cdef list placed = []
    cdef bint complete = False
    team.threads = <int>min(<npy_intp>team_size(team.shape.work), team.shape.blocks)
    cdef int k
    cdef char* memory = <char*>calloc(1, count * (sizeof(Member) + team.threads * sizeof(double)) + 64 * team.threads)
    if memory is NULL:
        return None
    team.queues.next, team.members = <npy_intp*>memory, <Member*>(memory + 64 * team.threads)
    for k in range(count):
        team.members[k].seconds = <double*>(team.members + count) + k * team.threads
    team.timed = timeline is not None
    enter_run()
    try:
        team.count = _prepare(w, steps, first, count, team, placed)
        if team.count < count and team.bands.count:  # steps behind the group may read what lies in bands
            _leave(w, steps, first, placed, True)
            team.count = _prepare(w, steps, first, team.count, team, placed)
        if team.count < 2:
            return None
        bands = _take_bands(team)
        if bands is None:
            return None
        began = lz_now()
        _run_blocks(team)
        if team.timed:
            take_shares()  # those of programs are known
        complete = True
        by_rows.done = team.count
        _state.groups += 1
        _state.members += team.count
        return _finish(w, steps, first, team, placed, aliases, began, timeline)
    finally:
        _leave(w, steps, first, placed, not complete)
        leave_run()
        free(memory)


cdef int _leave(Walk* w, list steps, int first, list placed, bint forget) except -1:
    """Leave the runs of programs that were prepared, and forget their results if they have none yet."""
    cdef int k
    for k in range(<int>len(placed) - 1, -1, -1):
        if forget:
            take_back(w, (<Step>steps[first + k]).program, placed[k])
        leave_run()
    del placed[:]
    return 0


cdef int _prepare(Walk* w, list steps, int first, int wanted, Team* team, list placed) except -1:
    """Place and prepare programs, each in a run of its own, until one does not fit; returns how many there are."""
    cdef int k
    cdef Step step
    cdef bint fits, entered
    cdef set only_here = _read_only_here(w, steps, first, wanted)
    team.overwrites = False
    team.scratch, team.scratch_size = NULL, 0
    team.bands.count, team.bands.size = 0, 0
    for k in range(wanted):
        step = <Step>steps[first + k]
        team.members[k].overwrites = False
        fits = entered = False
        at = [] if step.moves else None
        try:
            _give_bands(w, step, team, only_here)
            place_results(w, step, at, &team.members[k].overwrites)
            enter_run()
            entered = True
            fits = _lay_out(w, step.program, team, k) and _may_overwrite(w, steps, first, k, team, at)
        except Exception:  # it runs alone, after those before it, and may fail there
            pass
        if not fits:
            take_back(w, step.program, at)
            if entered:
                leave_run()
            return k
        placed.append(at)
    return wanted


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


cdef int _give_bands(Walk* w, Step step, Team* team, set only_here) except -1:
    """Place large results that are needed nowhere else in bands."""
    cdef TileProgram p = step.program
    cdef Node node
    cdef int k
    for k in range(p.nstore):
        node = <Node>w.nodes[p.store_node[k]]
        if node.size > team.shape.rows and p.store_node[k] in only_here and team.bands.count < MOST_BANDS:
            add_band(&team.bands, node, team.shape.block * team.shape.length * node.itemsize)
    return 0


cdef Buffer _take_bands(Team* team):
    """Memory for bands, and for the copies of jobs that find them; None if there is none."""
    cdef npy_intp needed = team.threads * team.bands.size
    cdef Buffer memory
    cdef Job* job
    cdef char* spare
    cdef int k, _t
    for k in range(team.count):
        if reads_bands(&team.members[k].run.job):
            needed += team.threads * copy_bytes(&team.members[k].run.job)
    try:
        memory = new_workspace(needed)
    except MemoryError:
        return None
    team.bands.memory = memory.data
    spare = memory.data + team.threads * team.bands.size
    for k in range(team.count):
        job = &team.members[k].run.job
        if not reads_bands(job):
            continue
        team.members[k].copies = spare
        for _t in range(team.threads):
            copy_job(job, spare)
            spare += copy_bytes(job)
    return memory


cdef bint _lay_out(Walk* w, TileProgram p, Team* team, int k) except -1:
    """Prepare one of the programs; False if its rows are not those of the programs before it."""
    cdef Member* member = &team.members[k]
    cdef Run* run = &member.run
    cdef Job* job = &run.job
    cdef int other
    begin_run(run, p, w.nodes, not member.overwrites)
    member.length = team.shape.length if (<Node>w.nodes[p.space]).size > team.shape.rows else 1
    member.units = cut_at_rows(job, member.length, team.shape.block, is_even(p))
    if member.units == 0 or not folds_whole_rows(run, team.shape.rows):
        return False
    job.status = <int*>take_memory(job, w.nodes, run.used, 0, run.nkept, &run.fold_strides,
                                   team.threads * (job.ninstr + job.nfold) * sizeof(int))
    if job.scratch_size > team.scratch_size:
        team.scratch_size = job.scratch_size
        team.scratch = reserve(team.threads * job.scratch_size, k + 1)
    for other in range(k):
        if not share_rows(&team.members[other].run, team.members[other].length, run, member.length):
            return False
    _ask_for_what_is_new(team, k)
    return True


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


cdef bint _may_overwrite(Walk* w, list steps, int first, int k, Team* team, list moved) except -1:
    """Whether a group may use the memory that a program takes over: the group's own, or any if the group is short."""
    for entry in moved or ():
        if not _is_made_here(w, steps, first, k, entry[1]):
            team.overwrites = True
    return not team.overwrites or team.shape.work < LONGEST_UNINTERRUPTED_NS


cdef bint _is_made_here(Walk* w, list steps, int first, int count, Node node) noexcept:
    """Whether one of the programs before computes a node."""
    cdef TileProgram p
    cdef int at, k
    for at in range(first, first + count):
        p = (<Step>steps[at]).program
        for k in range(p.nstore):
            if w.nodes[p.store_node[k]] == <PyObject*>node:
                return True
        for k in range(p.nfold):
            if w.nodes[p.fold_calls[k].node] == <PyObject*>node:
                return True
    return False


cdef int _run_blocks(Team* team) except -1:
    """Take all blocks through the programs, unless a signal handler raises."""
    cdef WorkQueues* queues = &team.queues
    queues.units, queues.grab, queues.count, queues.is_shared = team.shape.blocks, 1, team.threads, True
    queues.ends = NULL
    deal_evenly(queues)
    start_watch(&team.watch, 0 if team.overwrites else team.shape.work)
    with nogil:
        run_team(team.threads, _run_share, team)
    step_ended(team.shape.work)
    return -1 if team.watch.stopped else 0


cdef void _run_share(void* whole, int thread, int threads) noexcept nogil:
    """Run blocks on one thread until none is left or the step is to stop."""
    cdef Team* team = <Team*>whole
    cdef npy_intp block, end
    cdef int turn = 0
    lz_fp_clear()
    while not must_stop(&team.watch, thread):
        block = take_units(&team.queues, thread, &turn, &end)
        if block < 0:
            break
        _run_block(team, block, thread)
    lz_stream_end()


cdef void _run_block(Team* team, npy_intp block, int thread) noexcept nogil:
    """Take one block through all programs."""
    cdef Member* member
    cdef Job* job
    cdef npy_intp unit, first
    cdef int k
    cdef double began = 0
    for k in range(team.count):
        member = &team.members[k]
        job = &member.run.job
        if member.copies is not NULL:
            job = point_at_block(&team.bands, job, member.copies, block, thread)
        first = block * member.units
        if team.timed:
            began = lz_now()
        for unit in range(first, min(first + member.units, job.units)):
            run_unit(job, unit, team.scratch + thread * team.scratch_size,
                     job.status + thread * (job.ninstr + job.nfold), unit == first)
        lz_fp_clear()  # what loops that report nothing have left
        if team.timed:
            member.seconds[thread] += lz_now() - began


cdef list _finish(Walk* w, list steps, int first, Team* team, list placed, list aliases, double began, list timeline):
    """Tell of flags, publish and give back, in the order of the plan.

    Timelines show programs as if each thread had run one after the other, not alternately for each block.
    """
    cdef int k, t
    cdef list ends = [began] * team.threads
    cdef Step step
    cdef Member* member
    cdef list raised = None, found
    for k in range(team.count):
        step, member = <Step>steps[first + k], &team.members[k]
        finish_run(&member.run, step.program, w.nodes, team.threads, w.status)
        found = end_program(w, step, placed[k], member.overwrites, aliases)
        if found is not None:
            raised = found if raised is None else raised + found
        if timeline is not None:
            shares = tuple([(t, ends[t], member.seconds[t]) for t in range(team.threads)])
            timeline.append((label_of(w, step), ends[0], member.seconds[0], 0, shares))
            ends = [end + seconds for _, end, seconds in shares]
        publish_results(w, step.program, found, member.overwrites)
        free_read(w, step)
    return raised
