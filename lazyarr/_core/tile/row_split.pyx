# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Fused rows: where the units of programs end, and whether the programs mean the same rows.

All count elements as their spaces are walked, so row number r begins at element r * length; of a program over one value
a row, as the sums of rows are, at element r. A block is a power of two of rows. Units are made as large as before or
smaller, by a power of two where they are several rows: what a program computes does not depend on that, since each
row is folded separately.

What one program writes and another reads or writes belongs to the same rows if both walk it element by element, as
it lies in memory, from the same place on; what has one value a row may be read again for each element of it.
"""
from numpy cimport npy_intp

from lazyarr._core.ir.loop_table cimport LOOP_STEADY, Loop
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.ir.ufunc_traits cimport ARITHMETIC, EXTREMUM
from lazyarr._core.tile.interpreter cimport Run
from lazyarr._core.tile.job cimport REGISTER, Job
from lazyarr._core.tile.reduce cimport folds_in_place

cdef enum:
    VECTORS = 64        # elements: whole vectors of any type


cdef bint is_even(TileProgram p) noexcept:
    """Whether all loops compute each element alike, whatever stands beside it."""
    cdef int k
    cdef Loop* loop
    for k in range(p.ninstr):
        loop = p.calls[k].loop
        # one instruction an element, in vectors and beside them
        if not loop.flags & LOOP_STEADY and not loop.traits & (ARITHMETIC | EXTREMUM):
            return False
    return True


cdef npy_intp cut_at_rows(Job* job, npy_intp length, npy_intp rows, bint even) noexcept:
    """Align work units with blocks of `rows` rows. Return units per block, 0 if impossible.

    Nothing but sizes of units is changed, so that memory must not have been taken yet. Where loops are not `even`, a
    line is only cut where NumPy's loops over all of it go from one vector to the next.
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
    """A space that is one line: units of several rows, or of an even part of one."""
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
    """Units of several rows of `lines` short lines, or of an even part of one."""
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


cdef bint folds_whole_rows(Run* run, npy_intp outputs) noexcept:
    """Whether each unit completes its folds: `outputs` outputs, of lines that are not folded in chunks."""
    cdef Job* job = &run.job
    if job.nfold and (job.walked or not job.inner_folded or job.chunks > 1 or job.kept != outputs):
        return False
    return folds_are_in_place(run)


cdef bint folds_are_in_place(Run* run) noexcept:
    """Whether folds are where they belong when all units have run."""
    cdef Job* job = &run.job
    cdef int k
    for k in range(job.nfold):
        if not folds_in_place(job, job.folds[k].loop.sizes[1], run.nkept, run.fold_strides + k * job.ndim):
            return False
    return True


# ---- what programs share ---------------------------------------------------------------------------------

cdef enum Extent:
    OTHER         # than the next two
    ONE_A_ROW     # one value for each row
    EACH          # one for each element


cdef bint share_rows(Run* a, npy_intp length_a, Run* b, npy_intp length_b) noexcept:
    """Whether all that one of two programs writes and the other reads or writes belongs to the same rows.

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
    """Describe the memory that operand k, or the fold behind the operands, accesses; False if it accesses none."""
    cdef Job* job = &run.job
    cdef int fold = k - job.noperand
    if fold < 0:
        if job.operands[k].place == REGISTER:
            return False
        access.base, access.strides, access.size = job.operands[k].base, job.operands[k].strides, job.operands[k].size
        access.repeats = job.operands[k].times is not NULL
    else:
        access.base, access.strides = job.partial[fold], run.fold_strides + fold * job.ndim
        access.size, access.repeats = job.folds[fold].loop.sizes[1], False
    access.writes = k >= job.nload
    find_extent(access, job.ndim, job.shape)
    return True


cdef void find_extent(Access* access, int ndim, npy_intp* shape) noexcept:
    """Find where the memory begins and ends that is accessed from `base` on."""
    cdef npy_intp reach
    cdef int d
    access.begin, access.end = access.base, access.base + access.size
    for d in range(ndim):
        reach = access.strides[d] * (shape[d] - 1)
        if reach < 0:
            access.begin += reach
        else:
            access.end += reach


cdef Extent _extent(Job* job, Access* access, npy_intp length) noexcept:
    """The part of each row that is accessed, rows following each other."""
    if access.repeats:
        return OTHER
    if _is_walked_in_order(job, access, length):
        return ONE_A_ROW
    return EACH if _is_walked_in_order(job, access, 1) else OTHER


cdef bint _is_walked_in_order(Job* job, Access* access, npy_intp alike) noexcept:
    """Whether elements are adjacent in memory in traversal order, each for `alike` elements of the space."""
    cdef npy_intp expected = access.size, passed = 1
    cdef int d
    for d in range(job.ndim - 1, -1, -1):
        if passed < alike:
            if access.strides[d]:
                return False
            passed *= job.shape[d]
        else:
            if access.strides[d] != expected:
                return False
            expected *= job.shape[d]
    return passed == alike
