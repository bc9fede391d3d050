# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Loops on a team whose threads take some rows through all rounds.

A recurrent layer processes each sequence of a batch independently: a row of what is carried depends on the same row of
the round before, and on what all rows read and none writes. A thread then need not wait for other threads at the end
of each step, and finds in its own cache what it wrote in the last.

                 rows of thread 0             rows of thread 1
    round 0      step | step | step           step | step | step
    round 1      step | step | step           step | step | step
    ...

Steps are laid out once, for round 0. A table has the address of a value's home in each round (`scan_body.pyx`); threads
have operands of their own, which they move there. Homes lie so that in no round a thread writes what another one reads,
if each keeps to its rows of each home.

Bits are those of the same steps run separately: programs are cut between units, or so that parts round alike
(`row_split.pyx`), products take terms in the same order.
"""
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from numpy cimport npy_intp

from lazyarr._core.control.scan_body cimport MOST_ROUNDS, RowBody
from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport lz_fp_clear, lz_fp_take
from lazyarr._core.host.threads cimport (
    Watch, book_work, most_threads, must_stop, run_team, start_watch, step_ended, team_for)
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.fp_errors cimport told
from lazyarr._core.ir.node cimport LEAF, Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.kernels.gemm cimport cache_bytes, count_parts
from lazyarr._core.kernels.matmul cimport Product, begin_rows, bytes_for_rows, multiply_rows, pack_whole
from lazyarr._core.runtime.concurrent_steps cimport are_harmless
from lazyarr._core.runtime.executor cimport end_program
from lazyarr._core.tile.interpreter cimport Run, begin_run, book_status, run_unit, take_memory
from lazyarr._core.tile.job cimport REGISTER, Job
from lazyarr._core.tile.loop_nest cimport enter_run, leave_run
from lazyarr._core.tile.reduce cimport folds_in_place
from lazyarr._core.tile.row_buffers cimport copy_bytes, copy_job
from lazyarr._core.tile.row_split cimport cut_at_rows, folds_whole_rows, is_even
from lazyarr._core.ir.tile_program cimport TileProgram

cdef extern from "simd/copy.h":
    void lz_stream_end() noexcept nogil

cdef enum:
    FEWEST_ROWS = 8         # a thread: all of a small matrix is read for their sake
    LOPSIDED = 8            # parts of a thread's rows, by one of which one may have more
    LINE = 64               # bytes

# A round of more, of too few rows to be shared, has its steps shared in other ways.
cdef double SHARED_OTHERWISE_NS = 30000.0

cdef struct ScanState:
    bint enabled, always
    long long rounds, shared  # rounds run in this way; those of them on several threads

cdef ScanState _state = ScanState(True, False, 0, 0)

cdef struct Patch:              # an operand that lies in a home
    int operand
    int home
    npy_intp apart              # bytes from one thread's to the next; 0 where they share it
    npy_intp offset

cdef struct Copy:
    int source, target          # homes
    npy_intp pitch              # bytes of a row

cdef struct Member:             # a step
    Run run                     # of a program
    bint has_rows
    npy_intp units              # of a block of them
    char* copies                # of the job, one a thread
    npy_intp apart              # bytes from one of them to the next
    bint multiplies
    Product product
    npy_intp each               # rows of the product a row
    int* flags                  # of the product, by thread, a cache line apart
    Patch* patches
    int npatch

cdef struct Team:
    Member* members
    int count, threads
    int entered                 # runs
    Copy* copies
    int ncopies
    npy_intp rows, block, blocks
    npy_intp rounds, ran
    char** at
    Team* test                  # of the steps of the loop condition, NULL if there is none
    char** answers              # where they write the answer
    char* scratch
    npy_intp scratch_size       # of a thread
    Watch watch


def set_enabled(bint enabled, bint always=False):
    """Allow rounds to run in this way, `always` on as many threads as may be; return the old values. For tests."""
    before = bool(_state.enabled), bool(_state.always)
    _state.enabled, _state.always = enabled, always
    return before


def counts():
    """How many rounds have run so far in this way, and how many of them on several threads."""
    return _state.rounds, _state.shared


cdef bint may_run(RowBody body, npy_intp rounds) except -1:
    """Whether this many rounds may run in this way, as far as is known before they are laid out."""
    cdef Team team
    team.rounds = rounds
    return _state.enabled and not body.unsuited and _find_team(body, &team) and are_harmless(body.w) \
        and (body.test is None or are_harmless(body.test.w))


cdef list run_rounds(RowBody body, npy_intp rounds, npy_intp* ran, bint* fits):
    """Run at most `rounds` rounds; return the raised flags, None if there are none.

    `ran` receives how many there were, `fits` whether they could be laid out. If not, nothing has run.
    """
    cdef list raised = _try_to_run(body, rounds, ran, fits)
    if not fits[0] and body.apart:
        body.apart = False
        if may_run(body, rounds):
            raised = _try_to_run(body, rounds, ran, fits)
    body.unsuited = not fits[0]
    return raised


cdef list _try_to_run(RowBody body, npy_intp rounds, npy_intp* ran, bint* fits):
    cdef Team team, test
    cdef list raised = None, more
    memset(&team, 0, sizeof(Team))
    memset(&test, 0, sizeof(Team))
    try:
        fits[0] = _set_up(body, &team, rounds) and (body.test is None or _set_up(body.test, &test, rounds))
        if fits[0]:
            _memory = _take_memory(body, &team)
            if body.test is not None:
                _other_memory = _take_memory(body.test, &test)
                team.test, team.answers = &test, body.test.places(body.answer)
            book_work(body.work * rounds)
            _run(&team, body.work * rounds)
            ran[0] = team.ran
            _state.rounds += team.ran
            _state.shared += team.ran if team.threads > 1 else 0
            raised = _finish(body, &team)
            if body.test is not None:
                more = _finish(body.test, &test)
                raised = raised + more if raised and more else raised or more
    finally:
        _tear_down(body, &team)
        if body.test is not None:
            _tear_down(body.test, &test)
    return raised


# ---- laying out ----------------------------------------------------------------------------------------


cdef bint _set_up(RowBody body, Team* team, npy_intp rounds) except -1:
    """Lay out what a zeroed team runs; False if rows of one step depend on other rows."""
    cdef int k
    team.members = <Member*>calloc(
        1, 2 * len(body.steps) * sizeof(Member) + len(body.copied) * sizeof(Copy) + 1)
    if team.members is NULL:
        raise MemoryError()
    team.rounds, team.at = rounds, body.at
    _find_team(body, team)
    team.copies, team.ncopies = <Copy*>(team.members + 2 * len(body.steps)), <int>len(body.copied)
    for k, (source, target) in enumerate(body.copied):
        team.copies[k].source, team.copies[k].target = source, target
        team.copies[k].pitch = (<Node>body.nodes[source]).span // team.rows
    body.point_at_homes()
    return _lay_out(body, team)


cdef int _tear_down(RowBody body, Team* team) except -1:
    cdef int k, _k
    for _k in range(team.entered):
        leave_run()
    if team.members is not NULL:
        for k in range(2 * len(body.steps)):
            free(team.members[k].patches)
        free(team.members)
    return 0


cdef bint _find_team(RowBody body, Team* team) noexcept:
    """Threads, and blocks of rows so that none has many more than its share; False if steps are better shared."""
    cdef npy_intp share, most = max(body.rows // FEWEST_ROWS, <npy_intp>1) if body.apart else 1
    team.rows = body.rows if body.apart else 1
    team.threads = <int>min(<npy_intp>team_for(body.work * team.rounds), most)
    if _state.always:
        team.threads = <int>min(<npy_intp>most_threads(), team.rows)
    share = team.block = team.rows
    if team.threads > 1:
        share, team.block = count_parts(team.rows, team.threads), 1
        while 2 * team.block <= share:
            team.block *= 2
    while count_parts(count_parts(team.rows, team.block), team.threads) * team.block > share + share // LOPSIDED:
        team.block //= 2
    team.blocks = count_parts(team.rows, team.block)
    if _state.always:
        return True
    # what does not stay in the caches is better overwritten in place
    return body.nbytes <= team.threads * cache_bytes() and (
        team.threads == most_threads() or body.work <= SHARED_OTHERWISE_NS)


cdef bint _lay_out(RowBody body, Team* team) except -1:
    cdef Walk* w = body.w
    cdef Step step
    cdef Member* member
    cdef int at = 0
    for step in body.steps:
        if step.program is None or step.behind_kernel:
            if step.kind != "empty":
                if not _lay_out_product(body, <Node>w.nodes[step.node], &team.members[at], team):
                    return False
                at += 1
        if step.program is not None:
            member = &team.members[at]
            enter_run()
            team.entered += 1
            if not _lay_out_program(body, step.program, member, team):
                return False
            at += 1
    team.count = at
    return True


cdef bint _lay_out_program(RowBody body, TileProgram p, Member* member, Team* team) except -1:
    cdef Walk* w = body.w
    cdef Job* job = &member.run.job
    cdef Node node
    cdef npy_intp* strides
    cdef npy_intp size
    cdef char* base
    cdef int k, home
    begin_run(&member.run, p, w.nodes, True)
    member.has_rows = member.run.elements > 1
    if member.run.elements == 0 or member.has_rows and member.run.elements % team.rows:
        return False
    member.units = job.units
    if member.has_rows and team.blocks > 1:
        member.units = cut_at_rows(job, member.run.elements // team.rows, team.block, is_even(p))
    if member.units == 0 or not _folds_are_complete(&member.run, team):
        return False
    job.status = <int*>take_memory(job, w.nodes, member.run.used, 0, member.run.nkept, &member.run.fold_strides,
                                   team.threads * (job.ninstr + job.nfold) * sizeof(int))
    member.patches = <Patch*>malloc((job.noperand + job.nfold) * sizeof(Patch))
    if member.patches is NULL:
        raise MemoryError()
    for k in range(job.noperand + job.nfold):
        if k >= job.noperand:
            node = <Node>w.nodes[job.folds[k - job.noperand].node]
            base, strides = job.partial[k - job.noperand], member.run.fold_strides + (k - job.noperand) * job.ndim
            size = node.itemsize
        elif job.operands[k].place == REGISTER:
            continue
        else:
            node = <Node>w.nodes[p.load_node[k] if k < p.nload else p.store_node[k - p.nload - p.nreg]]
            if job.operands[k].times is not NULL:
                node = <Node>node.inputs[0]  # which is repeated
            base, strides, size = job.operands[k].base, job.operands[k].strides, job.operands[k].size
        home = body.home(node)
        if home < 0:
            continue
        if not _patch(body, member, k, home, base):
            return False
        if team.blocks > 1 and _is_in_rows(body, home) and (
                k < job.noperand and job.operands[k].times is not NULL
                or not _keeps_to_rows(body, job.ndim, job.shape, strides, size, &member.patches[member.npatch - 1])):
            return False
    return True


cdef bint _folds_are_complete(Run* run, Team* team) noexcept:
    """Whether folds are where they belong when a program's units have run."""
    cdef Job* job = &run.job
    cdef int k
    if team.blocks > 1:
        return folds_whole_rows(run, team.rows)
    for k in range(job.nfold):
        if not folds_in_place(job, job.folds[k].loop.sizes[1], run.nkept, run.fold_strides + k * job.ndim):
            return False
    return True


cdef bint _lay_out_product(RowBody body, Node node, Member* member, Team* team) except -1:
    cdef Product* product = &member.product
    cdef npy_intp shape[2]
    cdef npy_intp strides[2]
    cdef Node a = <Node>node.inputs[0]
    cdef double work
    cdef int home = body.home(a)
    begin_rows(product, node, &work)
    if product.m % team.rows:
        return False
    member.multiplies = True
    member.each = product.m // team.rows
    member.patches = <Patch*>malloc(2 * sizeof(Patch))
    if member.patches is NULL:
        raise MemoryError()
    _patch(body, member, 1, body.home(node), product.c)
    if home >= 0:
        _patch(body, member, 0, home, product.a)
    if team.blocks == 1 or home < 0 or not _is_in_rows(body, home):
        return True
    shape[0], shape[1] = product.m, product.k
    strides[0], strides[1] = product.a_row, product.a_term
    return _keeps_to_rows(body, 2, shape, strides, product.size, &member.patches[1])


cdef inline bint _is_in_rows(RowBody body, int home) noexcept:
    """Whether a home is written by the loop, each row by the thread that has it."""
    return home < body.inherited or (<Node>body.nodes[home]).kind != LEAF and not body.is_number(home)


cdef bint _patch(RowBody body, Member* member, int operand, int home, char* base) noexcept:
    """Register an operand that moves with a home; False if it does not begin there."""
    cdef Patch* patch = &member.patches[member.npatch]
    patch.operand, patch.home, patch.offset = operand, home, base - body.places(home)[0]
    patch.apart = LINE if body.is_number(home) else 0
    member.npatch += 1
    return 0 <= patch.offset < max((<Node>body.nodes[home]).span, <npy_intp>1)


cdef bint _keeps_to_rows(RowBody body, int ndim, npy_intp* shape, npy_intp* strides, npy_intp size,
                         Patch* patch) noexcept:
    """Whether the elements of each row lie in the same row of the home, which is one after the other in memory."""
    cdef npy_intp pitch = (<Node>body.nodes[patch.home]).span // body.rows, outer = shape[0] // body.rows
    cdef npy_intp first = patch.offset, last = patch.offset, reach
    cdef int d
    if shape[0] % body.rows or strides[0] * outer != pitch:
        return False
    for d in range(ndim):
        reach = strides[d] * ((outer if d == 0 else shape[d]) - 1)
        first += min(reach, <npy_intp>0)
        last += max(reach, <npy_intp>0)
    return 0 <= first and last + size <= pitch


# ---- running -------------------------------------------------------------------------------------------


cdef Buffer _take_memory(RowBody body, Team* team):
    """Memory for packed matrices, which are packed, and for threads."""
    cdef npy_intp shared = 0, each = 0
    cdef Member* member
    cdef Buffer memory
    cdef char* spare
    cdef int k, _t
    for k in range(team.count):
        member = &team.members[k]
        if member.multiplies:
            shared += _lines(member.product.packed_bytes) + team.threads * LINE
            each = max(each, bytes_for_rows(&member.product))
        else:
            member.apart = _lines(copy_bytes(&member.run.job) + member.run.job.nfold * sizeof(char*))
            shared += team.threads * member.apart
            each = max(each, member.run.job.scratch_size)
    team.scratch_size = _lines(each)
    memory = new_workspace(shared + team.threads * team.scratch_size)
    spare = memory.data
    for k in range(team.count):
        member = &team.members[k]
        if member.multiplies:
            pack_whole(&member.product, spare)
            spare += _lines(member.product.packed_bytes)
            member.flags = <int*>spare
            for _t in range(team.threads):
                (<int*>spare)[0] = 0
                spare += LINE
        else:
            member.copies = spare
            for _t in range(team.threads):
                copy_job(&member.run.job, spare)
                (<Job*>spare).partial = <char**>(spare + copy_bytes(&member.run.job))
                spare += member.apart
    team.scratch = spare
    return memory


cdef inline npy_intp _lines(npy_intp nbytes) noexcept nogil:
    return count_parts(nbytes, LINE) * LINE


cdef int _run(Team* team, double work) except -1:
    """Take all rows through all rounds, unless a signal handler raises."""
    start_watch(&team.watch, work)
    with nogil:
        run_team(team.threads, _run_share, team)
    step_ended(work)
    return -1 if team.watch.stopped else 0


cdef void _run_share(void* whole, int thread, int threads) noexcept nogil:
    cdef Team* team = <Team*>whole
    cdef npy_intp first = team.blocks * thread // threads, end = team.blocks * (thread + 1) // threads, t
    lz_fp_clear()
    for t in range(team.rounds):
        if team.test is not NULL:  # there is one thread
            _run_round(team.test, t, 0, 1, 0)
            if not team.answers[t][0]:
                break
        _run_round(team, t, first, end, thread)
        if thread == 0:
            team.ran = t + 1
        if must_stop(&team.watch, thread):
            break
    lz_stream_end()


cdef void _run_round(Team* team, npy_intp t, npy_intp first, npy_intp end, int thread) noexcept nogil:
    """Take some blocks of rows through all steps."""
    cdef Member* member
    cdef int k
    for k in range(team.count):
        member = &team.members[k]
        if member.multiplies:
            _run_product(team, member, t, first * team.block, min(end * team.block, team.rows), thread)
        else:
            _run_program(team, member, t, first, end, thread)
    for k in range(team.ncopies):
        _run_copy(team, &team.copies[k], t, first * team.block, min(end * team.block, team.rows))


cdef inline char* _place(Team* team, Patch* patch, npy_intp t, int thread) noexcept nogil:
    return team.at[<npy_intp>patch.home * MOST_ROUNDS + t] + patch.offset + thread * patch.apart


cdef void _run_program(Team* team, Member* member, npy_intp t, npy_intp first, npy_intp end, int thread) noexcept nogil:
    cdef Job* job = <Job*>(member.copies + thread * member.apart)
    cdef npy_intp unit
    cdef int k
    for k in range(member.npatch):
        if member.patches[k].operand < job.noperand:
            job.operands[member.patches[k].operand].base = _place(team, &member.patches[k], t, thread)
        else:
            job.partial[member.patches[k].operand - job.noperand] = _place(team, &member.patches[k], t, thread)
    if member.has_rows:
        first, end = first * member.units, min(end * member.units, job.units)
    else:
        first, end = 0, job.units
    for unit in range(first, end):
        run_unit(job, unit, team.scratch + thread * team.scratch_size,
                 job.status + thread * (job.ninstr + job.nfold), unit == first)
    lz_fp_clear()  # what loops that report nothing have left


cdef void _run_product(Team* team, Member* member, npy_intp t, npy_intp row, npy_intp end, int thread) noexcept nogil:
    cdef Product* product = &member.product
    cdef char* a = product.a
    cdef char* c = _place(team, &member.patches[0], t, thread)
    if member.npatch > 1:
        a = _place(team, &member.patches[1], t, thread)
    multiply_rows(product, a, c, row * member.each, (end - row) * member.each,
                  team.scratch + thread * team.scratch_size)
    member.flags[thread * LINE // sizeof(int)] |= lz_fp_take()


cdef void _run_copy(Team* team, Copy* copy, npy_intp t, npy_intp row, npy_intp end) noexcept nogil:
    memcpy(team.at[<npy_intp>copy.target * MOST_ROUNDS + t] + row * copy.pitch,
           team.at[<npy_intp>copy.source * MOST_ROUNDS + t] + row * copy.pitch, (end - row) * copy.pitch)


cdef list _finish(RowBody body, Team* team):
    """The flags of all rounds, each operation's once."""
    cdef Walk* w = body.w
    cdef list raised = [], more
    cdef Step step
    cdef Node node
    cdef int at = 0, flags, t
    for step in body.steps:
        if (step.program is None or step.behind_kernel) and step.kind != "empty":
            node = <Node>w.nodes[step.node]
            flags = 0
            for t in range(team.threads):
                flags |= team.members[at].flags[t * LINE // sizeof(int)]
            if flags & told(node.err):
                raised.append((node.serial, flags, node.payload[0], node))
            at += 1
        if step.program is not None:
            book_status(&team.members[at].run.job, team.threads, w.status)
            step.program.spoiled += (<Job*>team.members[at].copies).spoiled  # by one thread alone
            more = end_program(w, step, None, True, body.aliases)
            raised += more or []
            at += 1
    return raised or None
