# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Laying out the iteration space of a tile program, once a run.

    axes sorted by stride, length-1 axes dropped, neighbours merged

        kept outer axes   folded axes   inner axis
       [ k0   k1   ... ] [ r0  r1 ... ] [   L    ]        rows = every index but the inner one

Folded axes that lie outside a kept one in memory are walked outside it, [k0] [r0] [k1] [r1] [L], so that memory is
read from front to back while the outputs along k1 accumulate in the cache.
"""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from numpy cimport npy_intp

from lazyarr._core.host.run_context cimport RunContext, current_run
from lazyarr._core.ir.inner_loops cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport REPEAT, UPDATE, Node, first_element
from lazyarr._core.tile.job cimport REGISTER, Job, Operand
from lazyarr._core.tile.tile_program cimport SCANS, TileProgram
from lazyarr._core.tile.tiling cimport cut, is_walk_worth_it

cdef enum:
    MAX_SPOILED = 2         # runs of a program in which gaps set flags, after which it takes none along

# ---- memory of a run: grown, kept, reused --------------------------------------------------------------
# A signal handler that evaluates in the middle of a run nests: it has an arena of its own, and so has each program of
# those that run concurrently.

cdef enum:
    MAX_RUNS = 16 + MAX_ABREAST

cdef char* _arenas[MAX_RUNS]
cdef size_t _arena_sizes[MAX_RUNS]
memset(_arenas, 0, sizeof(_arenas))
memset(_arena_sizes, 0, sizeof(_arena_sizes))


cdef char* reserve(size_t nbytes, int ago=0) except NULL:
    """Memory in the arena of the run that was entered last, or so many before it."""
    cdef int run = current_run().arenas - 1 - ago
    if nbytes > _arena_sizes[run]:
        free(_arenas[run])
        _arena_sizes[run] = 0
        _arenas[run] = <char*>malloc(nbytes + nbytes // 4 + 128)
        if _arenas[run] is NULL:
            raise MemoryError()
        _arena_sizes[run] = nbytes + nbytes // 4
    return <char*>((<size_t>_arenas[run] + 63) & ~<size_t>63)


cdef int enter_run() except -1:
    """Start using the arena of this nesting depth."""
    cdef RunContext* run = current_run()
    if run.arenas == MAX_RUNS:
        raise RecursionError("evaluations nested too deeply")
    run.arenas += 1
    return 0


cdef void leave_run() noexcept:
    current_run().arenas -= 1


cdef char* grow(Job* job, size_t fixed, size_t total) except NULL:
    """Reserve `total` bytes, keeping the first `fixed`; pointers into that part are moved along."""
    cdef char* old = <char*>job.operands
    cdef char* saved
    cdef char* fresh
    cdef npy_intp shift
    cdef int k
    if total <= _arena_sizes[current_run().arenas - 1]:
        return old
    saved = <char*>malloc(fixed)
    if saved is NULL:
        raise MemoryError()
    memcpy(saved, old, fixed)
    try:
        fresh = reserve(total)
        memcpy(fresh, saved, fixed)
    finally:
        free(saved)
    shift = fresh - old
    job.operands = <Operand*>fresh
    job.shape = <npy_intp*>(<char*>job.shape + shift)
    job.partial = <char**>(<char*>job.partial + shift)
    job.extrema = <char**>(<char*>job.extrema + shift)
    job.fold_scratch = <npy_intp*>(<char*>job.fold_scratch + shift)
    for k in range(job.noperand):
        if job.operands[k].strides is not NULL:
            job.operands[k].strides = <npy_intp*>(<char*>job.operands[k].strides + shift)
        if job.operands[k].times is not NULL:
            job.operands[k].times = <npy_intp*>(<char*>job.operands[k].times + shift)
    return fresh


# ---- laying out the iteration space -------------------------------------------------------------------


cdef void _load_strides(Node node, int ndim, npy_intp* shape, npy_intp* out) noexcept nogil:
    """The node's strides against the iteration space: right-aligned, 0 where it is broadcast."""
    cdef int lead = ndim - node.ndim, i
    for i in range(lead):
        out[i] = 0
    for i in range(node.ndim):
        out[lead + i] = 0 if node.shape[i] == 1 else node.strides[i]


cdef inline bint _is_repeated(Node node) noexcept:
    """Whether a load repeats what it reads: no kernel has done so."""
    return node.kind == REPEAT and node.data is NULL


cdef int _repeats(Node node, int ndim, npy_intp* strides, npy_intp* times) except -1:
    """How often each element of a load stands along each axis of the space."""
    cdef int lead = ndim - node.ndim, i
    for i in range(ndim):
        times[i] = node.payload[2][i - lead] if strides[i] else 1
    return 0


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


cdef npy_intp lay_out(Job* job, TileProgram program, PyObject** nodes, int* nkept, npy_intp** fold_strides,
                      size_t* used) except -1:
    """Fill a zeroed `job` for a program whose loads and stores have their memory.

    Returns the number of elements of the space (0: nothing to do); `used` is what the layout takes of the arena.
    """
    cdef Node space_node, node
    cdef int ndim, i, k, d, noperand = program.nload + program.nreg + program.nstore
    cdef int nrepeated = 0
    for k in range(program.nload):
        nrepeated += _is_repeated(<Node>nodes[program.load_node[k]])
    # registers have no strides, outputs of folds do; loads that are repeated tell how often, too
    cdef int nmoving = noperand + program.nfold + nrepeated
    cdef npy_intp* shape
    cdef npy_intp n = 1
    space_node = <Node>nodes[program.space]
    ndim = space_node.ndim
    shape = space_node.shape
    for i in range(ndim):
        n *= shape[i]
    if n == 0:
        return 0

    job.nload, job.nreg, job.nstore = program.nload, program.nreg, program.nstore
    job.noperand, job.ninstr, job.nfold = noperand, program.ninstr, program.nfold
    job.instrs, job.merged, job.folds = program.instrs, program.merged, program.folds
    job.nmerged = program.nmerged
    job.serial = program.flags & LOOP_SERIAL
    job.numbers = ndim == 0
    job.in_order = program.in_order
    job.costly = job.in_order == SCANS and program.cost > (1 + program.nfold) * program.folds[0].loop.cost

    # fixed part of the arena: operands, their strides, the shape; generous for the axes before merging
    cdef size_t head = (noperand + program.nfold) * sizeof(Operand)
    cdef size_t strides_bytes = nmoving * (ndim + 1) * sizeof(npy_intp)
    cdef size_t fixed = head + 3 * strides_bytes + 4 * (ndim + 2) * sizeof(npy_intp) \
        + program.nfold * (2 * sizeof(char*) + sizeof(npy_intp)) + 256
    cdef char* memory = reserve(fixed)
    job.operands = <Operand*>memory
    memset(memory, 0, head)
    cdef npy_intp* raw = <npy_intp*>(memory + head)
    cdef npy_intp* merged = raw + nmoving * (ndim + 1)
    job.shape = merged + nmoving * (ndim + 1)
    cdef npy_intp* order = job.shape + ndim + 2
    job.partial = <char**>(order + ndim + 2)
    job.extrema = job.partial + program.nfold
    job.fold_scratch = <npy_intp*>(job.extrema + program.nfold)

    # operands: where they start and how they move
    cdef Operand* op
    cdef bint flat = True
    cdef int moving = program.nstore + program.nload
    cdef npy_intp* row
    cdef npy_intp* times = raw + (moving + program.nfold) * ndim
    # stores come first in `raw`: their order of axes is the one that counts most
    for k in range(program.nstore):
        node = <Node>nodes[program.store_node[k]]
        op = &job.operands[program.nload + program.nreg + k]
        op.is_store = True
        row = raw + k * ndim
        if node.kind == UPDATE:
            op.base = node.data + node.window_offset
            op.size = (<Node>node.inputs[1]).itemsize
            for i in range(ndim):
                row[i] = node.window[1 + ndim + i]
            flat = flat and n == 1
        else:
            op.base = node.data + node.offset
            op.size = node.itemsize
            for i in range(ndim):
                row[i] = node.strides[i]
            flat = flat and node.contiguous
    for k in range(program.nload):
        node = <Node>nodes[program.load_node[k]]
        op = &job.operands[k]
        op.size = node.itemsize
        row = raw + (program.nstore + k) * ndim
        if _is_repeated(node):
            op.base = first_element(<Node>node.inputs[0])
            op.times = times
            _load_strides(<Node>node.inputs[0], ndim, shape, row)
            _repeats(node, ndim, row, times)
            times += ndim
            flat = False
            continue
        op.base = first_element(node)
        _load_strides(node, ndim, shape, row)
        flat = flat and (node.size == 1 or (node.contiguous and node.size == n))

    cdef uint64_t folded = 0
    if program.nfold:
        folded = (<Node>nodes[program.folds[0].node]).axes
        flat = False
        for k in range(program.nfold):
            node = <Node>nodes[program.folds[k].node]
            row = raw + (moving + k) * ndim
            if job.in_order != SCANS:
                _fold_strides(node, folded, ndim, row)
            elif node.ndim == ndim:
                _fold_strides(node, 0, ndim, row)
            else:
                _dense_strides(ndim, shape, node.itemsize, row)
    # several axes are gone through in the order in which they are named
    cdef bint as_named = job.in_order and folded & (folded - 1)

    # merged axes
    nkept[0] = 0
    cdef int nd = 0, nfolded = 0
    if flat:
        job.shape[0] = n
        nd = 1
        for k in range(moving):
            d = (program.nload + program.nreg + k) if k < program.nstore else k - program.nstore
            merged[k] = 0 if k >= program.nstore and (<Node>nodes[program.load_node[d]]).size == 1 \
                else job.operands[d].size
    else:
        nd = 0
        for i in range(ndim):
            if shape[i] != 1:
                d = nd
                while d > 0 and not as_named and _before(raw, moving, ndim, i, <int>order[d - 1]):
                    order[d] = order[d - 1]
                    d -= 1
                order[d] = i
                nd += 1
        if program.nfold:
            _group_axes(order, nd, folded, &job.inner_folded, nkept)
        k = moving + program.nfold + nrepeated
        nd = _merge_axes(job, raw, k, ndim, shape, order, nd, folded, merged, nkept, &nfolded)
        if program.nfold and not job.inner_folded:
            nkept[0] = _hoist_kept(merged, k, nd, nkept[0], job.shape, nfolded)
        if program.nfold and not job.in_order:
            _walk_outside(job, merged, k, nd, nkept[0])
    for k in range(moving):
        d = (program.nload + program.nreg + k) if k < program.nstore else k - program.nstore
        job.operands[d].strides = merged + k * nd
        if n == 1 and (k < program.nstore or (<Node>nodes[program.load_node[d]]).ndim):
            merged[k * nd] = job.operands[d].size  # NumPy gives one element to its loops for vectors, a number not
    times = merged + (moving + program.nfold) * nd
    for k in range(program.nload):
        if job.operands[k].times is not NULL:
            job.operands[k].times = times
            if n == 1:  # no axis was left to merge
                times[0] = 1
            times += nd
    for k in range(program.nreg):
        op = &job.operands[program.nload + k]
        op.place = REGISTER
        op.size = program.reg_size[k]
        op.step = op.size
    job.ndim = nd
    job.row = job.shape[nd - 1]
    job.rows = 1 if nd == 1 else n // job.row
    cut(job, nkept[0], program.whole and program.spoiled < MAX_SPOILED and not nrepeated)
    fold_strides[0] = merged + moving * nd
    used[0] = fixed
    return n


cdef void _fold_strides(Node out, uint64_t folded, int ndim, npy_intp* row) noexcept nogil:
    """The strides of a fold's result along the axes of the space it folds: 0 along the folded ones."""
    cdef int axis, d = 0
    for axis in range(ndim):
        if (folded >> axis) & 1:
            row[axis] = 0
            d += out.attr
        else:
            row[axis] = out.strides[d]
            d += 1


cdef void _dense_strides(int ndim, npy_intp* shape, npy_intp step, npy_intp* row) noexcept nogil:
    cdef int d
    for d in range(ndim - 1, -1, -1):
        row[d] = step
        step *= shape[d]


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
    cdef npy_intp moved[64]
    cdef int k, i, run = nd - nkept - nfolded - 1
    cdef npy_intp* row
    if run <= 0:
        return nkept
    for k in range(-1, moving):
        row = shape if k < 0 else merged + k * nd
        for i in range(nfolded):
            moved[i] = row[nkept + i]
        for i in range(run):
            row[nkept + i] = row[nkept + nfolded + i]
        for i in range(nfolded):
            row[nkept + run + i] = moved[i]
    return nkept + run


cdef void _walk_outside(Job* job, npy_intp* merged, int moving, int nd, int nkept) noexcept nogil:
    """[kept][last kept][folded][inner] becomes [kept][walked][last kept][folded][inner] where memory lies so.

    Of the folded axes one stays inside: the inner one, or else the last before it.
    """
    cdef int walked = nd - 1 - nkept - (0 if job.inner_folded else 1), last = nkept - 1, d, k
    cdef npy_intp among, below, moved
    cdef npy_intp* row
    if walked < 1 or nkept < 1 or _length(merged[last]) >= _length(merged[last + walked]):
        return
    among, below = job.shape[last], 1 if job.inner_folded else job.shape[nd - 2]
    if not is_walk_worth_it(job, among, below, job.shape[nd - 1], nd):
        return
    for k in range(-1, moving):
        row = job.shape if k < 0 else merged + k * nd
        moved = row[last]
        for d in range(last, last + walked):
            row[d] = row[d + 1]
        row[last + walked] = moved
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
