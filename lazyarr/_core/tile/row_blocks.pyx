# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Running tile programs on one block of rows after the other: fused steps (row_fusion.pyx), scans (scan_parallel.pyx).

    lay out    each program is cut so that a block of rows is whole units of all of them
    run        a thread takes some blocks through all programs, or through all rounds of them, then others

Each block of a program is made of units that the program has alone, or of parts of them that round alike, so that the
bits are those of running one after the other (row_split.pyx).

Operands *move* if their memory depends on the thread, the block or the round. Each thread then has a copy of the
job, in which it moves them. So the values that only the programs of a group read need no memory but one block a thread,
a *band*. While programs are laid out such a value has an address at which there is no memory.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport lz_fp_clear
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.interpreter cimport Run, begin_run, run_unit, take_memory
from lazyarr._core.tile.job cimport Job, Operand
from lazyarr._core.tile.row_split cimport cut_at_rows, folds_are_in_place, folds_whole_rows, is_even

cdef enum:
    APART = 48              # bits: values without memory are so far from each other


cdef bint lay_out_rows(Team* team, int k, TileProgram p, PyObject** nodes, bint interruptible) except -1:
    """Lay out the team's program number k, in a run that was entered; False if it cannot be cut at blocks of rows."""
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
            member.units = cut_at_rows(job, member.length, team.block, is_even(p))
    if member.units == 0 or not (folds_whole_rows(run, team.rows) if team.blocks > 1 else folds_are_in_place(run)):
        return False
    nmoving = job.noperand + job.nfold
    member.moving = <Moving*>take_memory(
        job, nodes, run.used, 0, run.nkept, &run.fold_strides,
        nmoving * sizeof(Moving) + team.threads * (job.ninstr + job.nfold) * sizeof(int))
    job.status, job.threads = <int*>(member.moving + nmoving), team.threads
    member.nmoving, member.copies = 0, NULL
    return True


cdef Buffer take_thread_memory(Team* team, npy_intp scratch, npy_intp more):
    """Memory for threads: at least `scratch` bytes of scratch, and jobs if operands move; `more` bytes come first."""
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
    """Bytes of a thread's copy of a job."""
    return whole_lines(sizeof(Job) + job.noperand * sizeof(Operand) + job.nfold * sizeof(char*))


cdef void copy_job(Job* job, char* to, int threads) noexcept:
    """Make copies of a job, one a thread, with operands and places of folds of their own."""
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
    """Run program number k on some blocks of rows in round t; on one block if the place of operands depends on it."""
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
    lz_fp_clear()  # what loops that report nothing have left


# ---- bands -----------------------------------------------------------------------------------------------


cdef inline size_t _nowhere() noexcept nogil:
    """An address behind those that memory has."""
    return <size_t>1 << 62


cdef bint is_in_band(char* p) noexcept nogil:
    """Whether what an operand begins with lies in bands."""
    return <size_t>p >= _nowhere()


cdef int add_band(Bands* bands, Node node, npy_intp nbytes) except -1:
    """Place a value, whose blocks take `nbytes` bytes, in bands."""
    node.data = <char*>(_nowhere() + (<size_t>bands.count << APART))
    bands.steps[bands.count], bands.offsets[bands.count] = nbytes, bands.size
    bands.size += whole_lines(nbytes)
    bands.count += 1
    return 0


cdef void move_bands(Bands* bands, Team* team) noexcept:
    """Let operands that lie in bands begin where they would have to for the block at hand to lie in the band."""
    cdef Member* member
    cdef size_t away
    cdef int k, i, band
    for k in range(team.count):
        member = &team.members[k]
        for i in range(member.run.job.noperand):
            if is_in_band(member.run.job.operands[i].base):
                away = <size_t>member.run.job.operands[i].base - _nowhere()
                band = <int>(away >> APART)
                member.moving[member.nmoving] = Moving(
                    i, &bands.memory, bands.offsets[band] + <npy_intp>(away - (<size_t>band << APART)),
                    -bands.steps[band], bands.size)
                member.nmoving += 1
