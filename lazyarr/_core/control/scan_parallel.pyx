# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Parallel scans: each thread takes its rows through all rounds of a loop.

A row of what is carried depends on the same row of the round before, and on what all rows read and none writes. So a
thread waits for no other one, and finds in its own cache what it wrote in the last step.

                 rows of thread 0             rows of thread 1
    round 0      step | step | step           step | step | step
    round 1      step | step | step           step | step | step
    ...

Steps are laid out once, for round 0 (`tile/row_blocks.pyx`). A table has the address of a value's home in each round
(`scan_body.pyx`), to which threads move their operands. Homes lie so that in no round a thread writes what another one
reads, if each keeps to its rows of each home.

Bits are those of the same steps run separately: products take terms in the same order, too.
"""
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from numpy cimport npy_intp

from lazyarr._core.control.scan_body cimport RowBody, multiplies
from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport lz_fetch_or, lz_fp_take
from lazyarr._core.host.switch cimport Switch
from lazyarr._core.host.threads cimport (
    Watch, book_work, first_of_share, free_threads, most_threads, must_stop, run_watched, team_for)
from lazyarr._core.ir.fp_errors cimport reported_flags
from lazyarr._core.ir.node cimport LEAF, Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.kernels.gemm cimport cache_bytes, count_parts
from lazyarr._core.kernels.matmul cimport Product, begin_rows, bytes_for_rows, multiply_rows, pack_whole
from lazyarr._core.runtime.executor cimport end_program
from lazyarr._core.runtime.step_group cimport are_harmless
from lazyarr._core.tile.interpreter cimport book_status
from lazyarr._core.tile.job cimport Job
from lazyarr._core.tile.loop_nest cimport enter_run, leave_run
from lazyarr._core.tile.row_blocks cimport (
    Access, Member, Moving, Team, find_access, find_extent, job_of, lay_out_rows, place_of, run_rows,
    take_thread_memory, whole_lines)

cdef extern from "simd/copy.h":
    void lz_stream_end() noexcept nogil

cdef enum:
    FEWEST_ROWS = 8         # fewest rows per thread: each thread reads a whole matrix for them
    LOPSIDED = 8            # a thread may have up to 1/8 more rows than another
    LINE = 64               # bytes of a cache line

# Costlier rounds with too few rows for all threads parallelise their steps instead.
cdef double SHARED_OTHERWISE_NS = 30000.0

cdef Switch _switch = Switch()  # counts rounds, and those on several threads
set_enabled, counts = _switch.set_enabled, _switch.counts

cdef struct Part:               # a product or a program of a round
    int program                 # index among the team's programs; -1 for a product
    Product product
    npy_intp each               # rows of the product per row
    int flags                   # flags raised by the product
    Moving c, a
    bint moves                  # whether `a` moves

cdef struct Copy:               # a copy between homes at the end of a round
    char** source
    char** target
    npy_intp pitch              # bytes per row

cdef struct Scan:
    Team team                   # the programs
    Part* parts
    int count
    int first                   # first part of the body; those of the loop condition precede it
    Copy* copies
    int ncopies
    npy_intp rounds, ran
    char** answers              # results of the loop condition by round, or NULL
    int entered                 # number of entered runs
    Watch watch


cdef bint may_run(RowBody body, npy_intp rounds) except -1:
    """Return whether this many rounds may run in parallel, as far as is known before layout."""
    cdef Team team
    return _switch.enabled and not body.unsuited and _find_team(body, &team, rounds) and are_harmless(body.w) \
        and (body.test is None or are_harmless(body.test.w))


cdef list run_rounds(RowBody body, npy_intp rounds, npy_intp* ran, bint* fits):
    """Run at most `rounds` rounds; return the status flags, or None.

    Sets `ran` to their number, and `fits` to whether they could be laid out. If not, nothing has run.
    """
    cdef list raised = _try_to_run(body, rounds, ran, fits)
    if not fits[0] and body.apart:
        body.apart = False
        if may_run(body, rounds):
            raised = _try_to_run(body, rounds, ran, fits)
    body.unsuited = not fits[0]
    return raised


cdef list _try_to_run(RowBody body, npy_intp rounds, npy_intp* ran, bint* fits):
    cdef Scan scan
    cdef list raised = []
    cdef int _k
    memset(&scan, 0, sizeof(Scan))
    try:
        fits[0] = _set_up(body, &scan, rounds)
        if not fits[0]:
            return None
        _memory = _take_memory(&scan)
        book_work(body.work * rounds)
        run_watched(&scan.watch, body.work * rounds, scan.team.threads, _run_share, &scan)
        ran[0] = scan.ran
        _switch.runs += scan.ran
        _switch.parts += scan.ran if scan.team.threads > 1 else 0
        _finish(body, &scan, scan.first, raised)
        if body.test is not None:
            _finish(body.test, &scan, 0, raised)
    finally:
        for _k in range(scan.entered):
            leave_run()
        free(scan.parts)
    return raised or None


# ---- laying out ----------------------------------------------------------------------------------------


cdef bint _set_up(RowBody body, Scan* scan, npy_intp rounds) except -1:
    """Lay out a zeroed scan; return False if rows of one step depend on other rows."""
    cdef Py_ssize_t most = len(body.steps) + (len(body.test.steps) if body.test is not None else 0)
    cdef int k
    scan.parts = <Part*>calloc(1, most * (2 * sizeof(Part) + sizeof(Member)) + len(body.copied) * sizeof(Copy) + 1)
    if scan.parts is NULL:
        raise MemoryError()
    scan.team.members = <Member*>(scan.parts + 2 * most)
    scan.copies, scan.ncopies = <Copy*>(scan.team.members + most), <int>len(body.copied)
    scan.rounds = rounds
    _find_team(body, &scan.team, rounds)
    for k, (source, target) in enumerate(body.copied):
        scan.copies[k] = Copy(body.places(source), body.places(target),
                              (<Node>body.nodes[source]).span // scan.team.rows)
    if body.test is not None:
        if not _lay_out(body.test, scan):
            return False
        scan.first, scan.answers = scan.count, body.test.places(body.answer)
    return _lay_out(body, scan)


cdef bint _find_team(RowBody body, Team* team, npy_intp rounds) noexcept:
    """Choose threads and balanced blocks of rows; return False if parallel steps are better."""
    cdef npy_intp share, most = max(body.rows // FEWEST_ROWS, <npy_intp>1) if body.apart else 1
    team.rows = body.rows if body.apart else 1
    team.threads = <int>min(<npy_intp>team_for(body.work * rounds), most)
    if _switch.always:
        team.threads = <int>min(<npy_intp>most_threads(), team.rows)
    share = team.block = team.rows
    if team.threads > 1:
        share, team.block = count_parts(team.rows, team.threads), 1
        while 2 * team.block <= share:
            team.block *= 2
    while count_parts(count_parts(team.rows, team.block), team.threads) * team.block > share + share // LOPSIDED:
        team.block //= 2
    team.blocks = count_parts(team.rows, team.block)
    if _switch.always:
        return True
    # data that leaves the caches is better overwritten in place
    return body.nbytes <= team.threads * cache_bytes() and (
        team.threads >= free_threads() or body.work <= SHARED_OTHERWISE_NS)


cdef bint _lay_out(RowBody body, Scan* scan) except -1:
    cdef Step step
    cdef Part* part
    body.point_at_homes()
    for step in body.steps:
        if multiplies(step):
            part = &scan.parts[scan.count]
            scan.count += 1
            part.program = -1
            if not _lay_out_product(body, <Node>body.w.nodes[step.node], part, &scan.team):
                return False
        if step.program is not None:
            scan.parts[scan.count].program = scan.team.count
            scan.count += 1
            enter_run()
            scan.entered += 1
            if not _lay_out_program(body, step.program, &scan.team):
                return False
            scan.team.count += 1
    return True


cdef bint _lay_out_program(RowBody body, TileProgram p, Team* team) except -1:
    cdef Member* member = &team.members[team.count]
    cdef Job* job = &member.run.job
    cdef Access access
    cdef Node node
    cdef int k, home
    if not lay_out_rows(team, team.count, p, body.w.nodes, True):
        return False
    for k in range(job.noperand + job.nfold):
        if not find_access(&member.run, k, &access):
            continue
        if k >= job.noperand:
            node = <Node>body.w.nodes[job.folds[k - job.noperand].node]
        else:
            node = <Node>body.w.nodes[p.load_node[k] if k < p.nload else p.store_node[k - p.nload - p.nreg]]
        home = body.home(<Node>node.inputs[0] if access.repeats else node)
        if home < 0:
            continue
        member.moving[member.nmoving] = _move(body, k, home, access.base)
        if not 0 <= member.moving[member.nmoving].offset < max((<Node>body.nodes[home]).span, <npy_intp>1):
            return False
        member.nmoving += 1
        if team.blocks > 1 and not _keeps_to_rows(body, home, &access, job.shape[0]):
            return False
    return True


cdef bint _lay_out_product(RowBody body, Node node, Part* part, Team* team) except -1:
    cdef Product* product = &part.product
    cdef npy_intp shape[2]
    cdef npy_intp strides[2]
    cdef Access access
    cdef double work
    cdef int home = body.home(<Node>node.inputs[0])
    begin_rows(product, node, &work)
    if product.m % team.rows:
        return False
    part.each = product.m // team.rows
    part.c = _move(body, 0, body.home(node), product.c)
    if home < 0:
        return True
    part.a, part.moves = _move(body, 0, home, product.a), True
    shape[0], shape[1] = product.m, product.k
    strides[0], strides[1] = product.a_row, product.a_term
    access.base, access.strides, access.size, access.repeats = product.a, strides, product.size, False
    find_extent(&access, 2, shape)
    return team.blocks == 1 or _keeps_to_rows(body, home, &access, product.m)


cdef inline Moving _move(RowBody body, int operand, int home, char* base) noexcept:
    """Return an operand that moves with a home; each thread has its own numbers."""
    return Moving(operand, body.places(home), base - body.places(home)[0], 0, LINE if body.is_number(home) else 0)


cdef inline bint _is_in_rows(RowBody body, int home) noexcept:
    """Return whether the loop writes a home row by row."""
    return home < body.ncarry or (<Node>body.nodes[home]).kind != LEAF and not body.is_number(home)


cdef bint _keeps_to_rows(RowBody body, int home, Access* access, npy_intp extent) noexcept:
    """Return whether elements of a row lie in the same row of a home with consecutive rows.

    `extent` is that of the outermost axis.
    """
    cdef npy_intp span = (<Node>body.nodes[home]).span
    cdef char* begin = body.places(home)[0]
    if not _is_in_rows(body, home):
        return True
    return not access.repeats and extent % body.rows == 0 \
        and access.strides[0] * (extent // body.rows) == span // body.rows \
        and begin <= access.begin and access.end <= begin + span


# ---- running -------------------------------------------------------------------------------------------


cdef Buffer _take_memory(Scan* scan):
    """Allocate memory for threads and packed matrices, and pack these."""
    cdef npy_intp packed = 0, scratch = 0
    cdef Part* part
    cdef Buffer memory
    cdef char* spare
    cdef int k
    for k in range(scan.count):
        part = &scan.parts[k]
        if part.program < 0:
            packed += whole_lines(part.product.packed_bytes)
            scratch = max(scratch, bytes_for_rows(&part.product))
    memory = take_thread_memory(&scan.team, scratch, packed)
    spare = memory.data
    for k in range(scan.count):
        part = &scan.parts[k]
        if part.program < 0:
            pack_whole(&part.product, spare)
            spare += whole_lines(part.product.packed_bytes)
    return memory


cdef void _run_share(void* whole, int thread, int threads) noexcept nogil:
    """Take a thread's blocks of rows through all rounds."""
    cdef Scan* scan = <Scan*>whole
    cdef npy_intp first = first_of_share(scan.team.blocks, thread, threads)
    cdef npy_intp end = first_of_share(scan.team.blocks, thread + 1, threads)
    cdef npy_intp row = first * scan.team.block, last = min(end * scan.team.block, scan.team.rows), t
    cdef npy_intp ran = 0       # not counted in shared memory
    cdef Copy* copy
    cdef int k
    for t in range(scan.rounds):
        if scan.answers is not NULL:  # one thread only
            for k in range(scan.first):
                _run_part(scan, &scan.parts[k], t, first, end, thread)
            if not scan.answers[t][0]:
                break
        for k in range(scan.first, scan.count):
            _run_part(scan, &scan.parts[k], t, first, end, thread)
        for k in range(scan.ncopies):
            copy = &scan.copies[k]
            memcpy(copy.target[t] + row * copy.pitch, copy.source[t] + row * copy.pitch, (last - row) * copy.pitch)
        ran += 1
        if must_stop(&scan.watch, thread):
            break
    if thread == 0:
        scan.ran = ran
    lz_stream_end()


cdef void _run_part(Scan* scan, Part* part, npy_intp t, npy_intp first, npy_intp end, int thread) noexcept nogil:
    """Take blocks of rows through a product or a program."""
    cdef Team* team = &scan.team
    cdef npy_intp row = first * team.block, rows = min(end * team.block, team.rows) - row
    cdef int flags
    if part.program >= 0:
        run_rows(team, part.program, t, first, end, thread)
        return
    multiply_rows(&part.product, place_of(&part.a, t, first, thread) if part.moves else part.product.a,
                  place_of(&part.c, t, first, thread), row * part.each, rows * part.each,
                  team.scratch + thread * team.scratch_size)
    flags = lz_fp_take()
    if flags:
        lz_fetch_or(&part.flags, flags)


cdef int _finish(RowBody body, Scan* scan, int at, list raised) except -1:
    """Append the flags of all rounds, once per operation; the body's parts begin at `at`."""
    cdef Step step
    cdef Node node
    cdef Member* member
    cdef int flags
    for step in body.steps:
        if multiplies(step):
            node = <Node>body.w.nodes[step.node]
            flags = scan.parts[at].flags
            if flags & reported_flags(node.err):
                raised.append((node.serial, flags, node.payload[0], node))
            at += 1
        if step.program is not None:
            member = &scan.team.members[scan.parts[at].program]
            book_status(&member.run.job, scan.team.threads, body.w.status)
            step.program.spoiled += job_of(member, 0).spoiled  # by one thread only
            raised += end_program(body.w, step, None, True, body.aliases) or []
            at += 1
    return 0
