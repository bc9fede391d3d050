# cython: cdivision=True
# (extents are never negative, and no divisor is zero)
"""Coalescing the axes of an iteration space: sorted by stride, those of length 1 dropped, neighbours merged.

        kept outer axes   folded axes   inner axis
       [ k0   k1   ... ] [ r0  r1 ... ] [   L    ]        rows = every index but the inner one

Folded axes that lie outside a kept one in memory are walked outside it, [k0] [r0] [k1] [r1] [L], so that memory is
read from front to back while the outputs along k1 accumulate in the cache.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memmove
from numpy cimport npy_intp

from lazyarr._core.tile.job cimport Job
from lazyarr._core.tile.tiling cimport is_walk_worth_it


cdef int coalesce(Job* job, Rows* rows, int ndim, npy_intp* shape, uint64_t folded, int* nkept) noexcept nogil:
    """Fill the job's shape and the merged rows; returns how many axes are left. `nkept` are the kept outer ones."""
    # several axes are gone through in the order in which they are named
    cdef bint as_named = job.in_order and folded & (folded - 1)
    cdef int i, d, nd = 0, nfolded = 0
    for i in range(ndim):
        if shape[i] != 1:
            d = nd
            while d > 0 and not as_named and _before(rows.raw, rows.nmoving, ndim, i, <int>rows.order[d - 1]):
                rows.order[d] = rows.order[d - 1]
                d -= 1
            rows.order[d] = i
            nd += 1
    if job.nfold:
        _group_axes(rows.order, nd, folded, &job.inner_folded, nkept)
    nd = _merge_axes(job, rows.raw, rows.count, ndim, shape, rows.order, nd, folded, rows.merged, nkept, &nfolded)
    if job.nfold and not job.inner_folded:
        nkept[0] = _hoist_kept(rows.merged, rows.count, nd, nkept[0], job.shape, nfolded)
    if job.nfold and not job.in_order:
        _walk_outside(job, rows.merged, rows.count, nd, nkept[0])
    return nd


cdef inline npy_intp _length(npy_intp stride) noexcept nogil:
    return -stride if stride < 0 else stride


cdef bint _before(npy_intp* strides, int noperand, int ndim, int a, int b) noexcept nogil:
    """Whether axis a belongs further out than axis b: the first operand that moves along both decides."""
    cdef int k
    cdef npy_intp sa, sb
    for k in range(noperand):
        sa = strides[k * ndim + a]
        sb = strides[k * ndim + b]
        if sa and sb:
            sa = _length(sa)
            sb = _length(sb)
            if sa != sb:
                return sa > sb
    return a < b


cdef void _group_axes(npy_intp* order, int nd, uint64_t folded, bint* inner_folded, int* nkept) noexcept nogil:
    """Reorder sorted axes for folding: kept, folded, and the run of kept axes that was innermost stays so.

    Where every folded axis has length 1 nothing is folded: all axes are the innermost run, the fold copies.
    """
    cdef npy_intp sorted_axes[64]
    cdef int i, out = 0, last
    if nd == 0:
        inner_folded[0] = False
        nkept[0] = 0
        return
    for i in range(nd):
        sorted_axes[i] = order[i]
    last = nd - 1
    inner_folded[0] = (folded >> sorted_axes[last]) & 1
    if not inner_folded[0]:
        while last > 0 and not (folded >> sorted_axes[last - 1]) & 1:
            last -= 1
    else:
        last = nd
    for i in range(last):
        if not (folded >> sorted_axes[i]) & 1:
            order[out] = sorted_axes[i]
            out += 1
    nkept[0] = out
    for i in range(last):
        if (folded >> sorted_axes[i]) & 1:
            order[out] = sorted_axes[i]
            out += 1
    for i in range(last, nd):
        order[out] = sorted_axes[i]
        out += 1


cdef int _hoist_kept(npy_intp* merged, int moving, int nd, int nkept, npy_intp* shape, int nfolded) noexcept nogil:
    """Of the inner run of kept axes only the last stays inside: [kept][folded][run][inner] becomes
    [kept][run][folded][inner]. Returns the number of kept outer axes."""
    cdef int run = nd - nkept - nfolded - 1
    if run <= 0:
        return nkept
    _move_behind(merged, moving, nd, shape, nkept, nfolded, run)
    return nkept + run


cdef void _move_behind(npy_intp* merged, int moving, int nd, npy_intp* shape, int first, int count,
                       int others) noexcept nogil:
    """Move `count` axes, from the first on, behind the `others` that follow them."""
    cdef npy_intp moved[64]
    cdef int k
    cdef npy_intp* row
    for k in range(-1, moving):
        row = first + (shape if k < 0 else merged + k * nd)
        memcpy(moved, row, count * sizeof(npy_intp))
        memmove(row, row + count, others * sizeof(npy_intp))
        memcpy(row + others, moved, count * sizeof(npy_intp))


cdef void _walk_outside(Job* job, npy_intp* merged, int moving, int nd, int nkept) noexcept nogil:
    """[kept][last kept][folded][inner] becomes [kept][walked][last kept][folded][inner] where memory lies so.

    Of the folded axes one stays inside: the inner one, or else the last before it.
    """
    cdef int walked = nd - 1 - nkept - (0 if job.inner_folded else 1), last = nkept - 1, d
    cdef npy_intp among, below
    if walked < 1 or nkept < 1 or _length(merged[last]) >= _length(merged[last + walked]):
        return
    among, below = job.shape[last], 1 if job.inner_folded else job.shape[nd - 2]
    if not is_walk_worth_it(job, among, below, job.shape[nd - 1], nd):
        return
    _move_behind(merged, moving, nd, job.shape, last, 1, walked)
    job.walked, job.outer = walked, last
    job.among, job.below = among, below
    job.walk = 1
    for d in range(last, last + walked):
        job.walk *= job.shape[d]


cdef bint _joins(Job* job, npy_intp* raw, int ndim, npy_intp a, npy_intp b, npy_intp extent) noexcept nogil:
    """Whether every operand and fold walks axis a and, inside it, axis b of this extent as one axis."""
    cdef int k
    cdef npy_intp step
    cdef npy_intp* times
    for k in range(job.nstore + job.nload + job.nfold):
        step = raw[k * ndim + b] * extent
        times = job.operands[k - job.nstore].times if job.nstore <= k < job.nstore + job.nload else NULL
        if times is not NULL:
            if times[a] > 1:
                return False
            step //= times[b]
        if raw[k * ndim + a] != step:
            return False
    return True


cdef int _merge_axes(Job* job, npy_intp* raw, int moving, int ndim, npy_intp* shape, npy_intp* order, int nd,
                     uint64_t folded, npy_intp* merged, int* nkept, int* nfolded) noexcept nogil:
    """Merge neighbouring axes that are walked as one into those of the job; returns how many are left (at least 1).

    Writes strides row by row (operand-major, dense) and keeps kept and folded axes apart.
    """
    cdef int starts[65]
    cdef int i, k, d = 0, kept = 0
    cdef npy_intp a, b
    cdef bint joins
    if nd == 0:
        job.shape[0] = 1
        for k in range(moving):
            merged[k] = 0
        nkept[0] = 0
        return 1
    for i in range(nd):
        b = order[i]
        joins = i > 0 and i != nkept[0]
        if joins:
            a = order[i - 1]
            joins = ((folded >> a) & 1) == ((folded >> b) & 1) and _joins(job, raw, ndim, a, b, shape[b])
        if joins:
            job.shape[d - 1] *= shape[b]
            starts[d - 1] = <int>b
        else:
            job.shape[d] = shape[b]
            starts[d] = <int>b
            if i < nkept[0]:
                kept = d + 1
            elif (folded >> b) & 1:
                nfolded[0] += 1
            d += 1
    for k in range(moving):
        for i in range(d):
            merged[k * d + i] = raw[k * ndim + starts[i]]
    nkept[0] = kept
    return d
