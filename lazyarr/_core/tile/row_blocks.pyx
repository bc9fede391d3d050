# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Tile programs on blocks of rows: fused steps (row_fusion.pyx) and scans (scan_parallel.pyx).

    lay out    cut each program so that a block of rows is whole units of all of them
    run        a thread takes blocks through all programs, or through all rounds of them

A block consists of units that a standalone program has, or of parts of them that round alike, so the bits are those of
sequential runs. All programs count elements in traversal order: row r begins at element r * length, or at element r of
a program over one value per row, such as row sums. A block is a power of two of rows. Units keep their size or shrink,
by a power of two if they span several rows; this does not change results, as each row is folded separately.

Two programs access the same rows of a value if both traverse it element by element, in memory order, from the same
start; a value with one element per row may be read again for each element of the row.

Operands *move* if their address depends on the thread, the block or the round. Each thread then has a copy of the job,
in which it moves them. So a value that only the group reads needs memory for one block per thread, a *band*. During
layout such a value has an address without memory.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport lz_fp_clear
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.ir.loop_table cimport LOOP_STEADY, Loop
from lazyarr._core.ir.node cimport Node, byte_range
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.ir.ufunc_traits cimport ARITHMETIC, EXTREMUM
from lazyarr._core.tile.interpreter cimport Run, begin_run, run_unit, take_memory
from lazyarr._core.tile.job cimport REGISTER, Job, Operand
from lazyarr._core.tile.reduce cimport folds_in_place

cdef enum:
    VECTORS = 64            # elements; whole vectors of any type
    APART = 48              # bits; distance between values without memory


cdef bint lay_out_rows(Team* team, int k, TileProgram p, PyObject** nodes, bint interruptible) except -1:
    """Lay out program k of the team, in an entered run; return False if it cannot be cut at blocks of rows."""
    cdef Member* member = &team.members[k]
    cdef Run* run = &member.run
    cdef Job* job = &run.job
    cdef int nmoving
    begin_run(run, p, nodes, interruptible)
    member.has_rows, member.length, member.units = run.elements > 1, run.elements // team.rows, job.units
    if member.has_rows:
        if run.elements % team.rows:
            return False
        if team.blocks > 1:
            member.units = _cut_at_rows(job, member.length, team.block, _is_even(p))
    if member.units == 0 or not (_folds_whole_rows(job, team.rows) if team.blocks > 1 else _folds_are_in_place(job)):
        return False
    nmoving = job.noperand + job.nfold
    member.moving = <Moving*>take_memory(
        job, nodes, 0, nmoving * sizeof(Moving) + team.threads * (job.ninstr + job.nfold) * sizeof(int))
    job.status, job.threads = <int*>(member.moving + nmoving), team.threads
    member.nmoving, member.copies = 0, NULL
    return True


cdef Buffer take_thread_memory(Team* team, npy_intp scratch, npy_intp more):
    """Allocate at least `scratch` bytes of workspace per thread, jobs if operands move, and `more` bytes first."""
    cdef npy_intp needed = whole_lines(more)
    cdef Member* member
    cdef Job* job
    cdef Buffer memory
    cdef char* spare
    cdef int k
    for k in range(team.count):
        member, job = &team.members[k], &team.members[k].run.job
        scratch = max(scratch, job.scratch_size)
        if member.nmoving:
            member.apart = copy_bytes(job)
            needed += team.threads * member.apart
    team.scratch_size = whole_lines(scratch)
    memory = new_workspace(needed + team.threads * team.scratch_size)
    spare = memory.data + whole_lines(more)
    for k in range(team.count):
        member = &team.members[k]
        if member.nmoving:
            member.copies = spare
            copy_job(&member.run.job, spare, team.threads)
            spare += team.threads * member.apart
    team.scratch = spare
    return memory


cdef npy_intp copy_bytes(Job* job) noexcept:
    """Return the size of a thread's copy of a job."""
    return whole_lines(sizeof(Job) + job.noperand * sizeof(Operand) + job.nfold * sizeof(char*))


cdef void copy_job(Job* job, char* to, int threads) noexcept:
    """Copy a job for each thread, with separate operands and fold addresses."""
    cdef Job* copy
    cdef int t
    for t in range(threads):
        copy = <Job*>(to + t * copy_bytes(job))
        copy[0] = job[0]
        copy.operands = <Operand*>(copy + 1)
        copy.partial = <char**>(copy.operands + job.noperand)
        memcpy(copy.operands, job.operands, job.noperand * sizeof(Operand))
        memcpy(copy.partial, job.partial, job.nfold * sizeof(char*))


cdef void run_rows(Team* team, int k, npy_intp t, npy_intp first, npy_intp end, int thread) noexcept nogil:
    """Run program k on blocks of rows in round t; on one block if operand addresses depend on it."""
    cdef Member* member = &team.members[k]
    cdef Job* job = job_of(member, thread)
    cdef Moving* moving
    cdef char* place
    cdef npy_intp unit
    for k in range(member.nmoving):
        moving = &member.moving[k]
        place = place_of(moving, t, first, thread)
        if moving.operand < job.noperand:
            job.operands[moving.operand].base = place
        else:
            job.partial[moving.operand - job.noperand] = place
    if member.has_rows:
        first, end = first * member.units, min(end * member.units, job.units)
    else:
        first, end = 0, job.units
    for unit in range(first, end):
        run_unit(job, unit, team.scratch + thread * team.scratch_size,
                 job.status + thread * (job.ninstr + job.nfold), unit == first)
    lz_fp_clear()  # left by loops that report nothing


# ---- units that end where blocks of rows do ----------------------------------------------------------------


cdef bint _is_even(TileProgram p) noexcept:
    """Return whether all loops compute each element alike, whatever its neighbours."""
    cdef int k
    cdef Loop* loop
    for k in range(p.ninstr):
        loop = p.calls[k].loop
        # one instruction per element, both in vectors and in tails
        if not loop.flags & LOOP_STEADY and not loop.traits & (ARITHMETIC | EXTREMUM):
            return False
    return True


cdef npy_intp _cut_at_rows(Job* job, npy_intp length, npy_intp rows, bint even) noexcept:
    """Align work units with blocks of `rows` rows. Return units per block, 0 if impossible.

    Only changes unit sizes, so memory must not be allocated yet. If loops are not `even`, a line is cut only at vector
    boundaries of NumPy's loop over the whole line.
    """
    cdef npy_intp lines
    if job.copies and job.across >= 0 or job.pitch != job.row:
        return 0
    if job.nfold and (job.long_rows or job.fold_rows > 1):
        return rows
    if job.ndim == 1 and not job.nfold:
        return _cut_one_line(job, length, rows, even)
    if length % job.row:
        return 0
    lines = length // job.row
    if job.long_rows:
        return rows * lines * job.pieces
    return _cut_short_lines(job, lines, rows)


cdef npy_intp _cut_one_line(Job* job, npy_intp length, npy_intp rows, bint even) noexcept:
    """Cut a space of one line into units of several rows, or of an even part of one."""
    cdef npy_intp parts = (length + job.tile - 1) // job.tile, together
    if parts == 1:
        together = _power_of_two(min(rows, job.tile // length))
        while not even and together * length % VECTORS:
            together *= 2
        if together > rows or together * length > 2 * job.tile:
            return 0
        job.tile = together * length
    else:
        if length % (VECTORS * parts):
            return 0
        job.tile = length // parts
    job.pieces = (job.row + job.tile - 1) // job.tile
    job.units = job.pieces
    return rows * length // job.tile


cdef npy_intp _cut_short_lines(Job* job, npy_intp lines, npy_intp rows) noexcept:
    """Cut into units of several rows of `lines` short lines, or of an even part of one."""
    cdef npy_intp parts = (lines + job.tile - 1) // job.tile
    if parts == 1:
        job.tile = _power_of_two(min(rows, job.tile // lines)) * lines
    else:
        if lines % parts:
            return 0
        job.tile = lines // parts
    job.units = (job.rows + job.tile - 1) // job.tile
    return rows * lines // job.tile


cdef npy_intp _power_of_two(npy_intp most) noexcept:
    cdef npy_intp power = 1
    while 2 * power <= most:
        power *= 2
    return power


cdef bint _folds_whole_rows(Job* job, npy_intp outputs) noexcept:
    """Return whether each unit completes its folds: `outputs` outputs, of lines without chunks."""
    if job.nfold and (job.walked or not job.inner_folded or job.chunks > 1 or job.kept != outputs):
        return False
    return _folds_are_in_place(job)


cdef bint _folds_are_in_place(Job* job) noexcept:
    """Return whether fold results are in place when all units have run."""
    cdef int k
    for k in range(job.nfold):
        if not folds_in_place(job, k):
            return False
    return True


# ---- what programs share ---------------------------------------------------------------------------------

cdef enum Extent:
    OTHER         # neither of the next two
    ONE_A_ROW     # one value per row
    EACH          # one per element


cdef bint share_rows(Run* a, npy_intp length_a, Run* b, npy_intp length_b) noexcept:
    """Return whether everything one program writes and the other accesses belongs to the same rows.

    A row has `length_a` or `length_b` elements of its program's space.
    """
    cdef Access of_a, of_b
    cdef int i, k
    cdef Extent extent
    for i in range(a.job.noperand + a.job.nfold):
        if not find_access(a, i, &of_a):
            continue
        for k in range(b.job.noperand + b.job.nfold):
            if not find_access(b, k, &of_b) or not (of_a.writes or of_b.writes):
                continue
            if of_b.end <= of_a.begin or of_a.end <= of_b.begin:
                continue
            extent = _extent(&a.job, &of_a, length_a)
            if of_a.base != of_b.base or extent == OTHER or extent != _extent(&b.job, &of_b, length_b):
                return False
    return True


cdef bint find_access(Run* run, int k, Access* access) noexcept:
    """Describe the memory accessed by operand k, or a fold after the operands; return False if there is none."""
    cdef Job* job = &run.job
    cdef int fold = k - job.noperand
    if fold < 0:
        if job.operands[k].place == REGISTER:
            return False
        access.base, access.strides, access.size = job.operands[k].base, job.operands[k].strides, job.operands[k].size
        access.repeats = job.operands[k].times is not NULL
    else:
        access.base, access.strides = job.partial[fold], job.fold_strides + fold * job.ndim
        access.size, access.repeats = job.folds[fold].loop.sizes[1], False
    access.writes = k >= job.nload
    find_extent(access, job.ndim, job.shape)
    return True


cdef void find_extent(Access* access, int ndim, npy_intp* shape) noexcept:
    """Compute the byte range accessed from `base` on."""
    cdef npy_intp low, high
    byte_range(ndim, shape, access.strides, access.size, &low, &high)
    access.begin, access.end = access.base + low, access.base + high


cdef Extent _extent(Job* job, Access* access, npy_intp length) noexcept:
    """Return the part of each row that is accessed, if rows are consecutive."""
    if access.repeats:
        return OTHER
    if is_walked_in_order(job, access.strides, access.size, length):
        return ONE_A_ROW
    return EACH if is_walked_in_order(job, access.strides, access.size, 1) else OTHER


cdef bint is_walked_in_order(Job* job, npy_intp* strides, npy_intp size, npy_intp alike) noexcept:
    """Return whether elements are adjacent in memory in traversal order, each for `alike` elements of the space."""
    cdef npy_intp expected = size, passed = 1
    cdef int d
    for d in range(job.ndim - 1, -1, -1):
        if passed < alike:
            if strides[d]:
                return False
            passed *= job.shape[d]
        else:
            if strides[d] != expected:
                return False
            expected *= job.shape[d]
    return passed == alike


# ---- bands -----------------------------------------------------------------------------------------------


cdef inline size_t _unmapped_address() noexcept nogil:
    """Return an address above all memory."""
    return <size_t>1 << 62


cdef bint is_in_band(char* p) noexcept nogil:
    """Return whether an address is in bands."""
    return <size_t>p >= _unmapped_address()


cdef int add_band(Bands* bands, Node node, npy_intp nbytes) except -1:
    """Place a value, whose blocks take `nbytes` bytes, in bands."""
    node.data = <char*>(_unmapped_address() + (<size_t>bands.count << APART))
    bands.steps[bands.count], bands.offsets[bands.count] = nbytes, bands.size
    bands.size += whole_lines(nbytes)
    bands.count += 1
    return 0


cdef void move_bands(Bands* bands, Team* team) noexcept:
    """Set base addresses of operands in bands so that the current block lies in its band."""
    cdef Member* member
    cdef size_t away
    cdef int k, i, band
    for k in range(team.count):
        member = &team.members[k]
        for i in range(member.run.job.noperand):
            if is_in_band(member.run.job.operands[i].base):
                away = <size_t>member.run.job.operands[i].base - _unmapped_address()
                band = <int>(away >> APART)
                member.moving[member.nmoving] = Moving(
                    i, &bands.memory, bands.offsets[band] + <npy_intp>(away - (<size_t>band << APART)),
                    -bands.steps[band], bands.size)
                member.nmoving += 1
