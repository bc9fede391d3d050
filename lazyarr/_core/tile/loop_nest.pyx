# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Layout of the iteration space of a tile program, once per run: offsets and strides of operands.

The axes of the space are coalesced: sorted by stride, those of length 1 dropped, neighbours merged.

        kept outer axes   folded axes   inner axis
       [ k0   k1   ... ] [ r0  r1 ... ] [   L    ]        rows = every index but the inner one

Folded axes that lie outside a kept one in memory are traversed outside it, [k0] [r0] [k1] [r1] [L], so that memory is
read from front to back while the outputs along k1 accumulate in the cache.
"""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove, memset

from numpy cimport npy_intp

from lazyarr._core.host.run_context cimport MAX_DEPTH, RunContext, current_run
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport REPEAT, UPDATE, Node, dense_strides, first_element
from lazyarr._core.ir.tile_program cimport SCANS, TileProgram
from lazyarr._core.tile.job cimport REGISTER, Job, Operand
from lazyarr._core.tile.tiling cimport cut, is_walk_worth_it

cdef enum:
    MAX_SPOILED = 2         # runs in which gaps set flags, after which blocks exclude gaps

cdef struct Rows:       # stride rows of stores, loads and fold results; then repeats of loads
    int nmoving         # stores and loads
    int nrepeated       # loads that repeat their elements, with rows of repeats
    int count
    npy_intp* raw       # along all axes of the space
    npy_intp* merged    # along the merged axes
    npy_intp* order     # order of the axes, outermost first

# ---- memory of a run: grown, kept, reused --------------------------------------------------------------
# Evaluations nested in a run by a signal handler, and concurrent programs, have arenas of their own.

cdef enum:
    MAX_RUNS = MAX_DEPTH + MAX_CONCURRENT

cdef struct Memory:
    char* begin
    size_t nbytes

cdef Memory _arenas[MAX_RUNS][2]


cdef char* reserve(Part part, size_t nbytes, int ago=0) except NULL:
    """Return memory in a part of the arena of the run entered `ago` runs before the last one."""
    cdef Memory* memory = &_arenas[current_run().arenas - 1 - ago][<int>part]
    if nbytes > memory.nbytes:
        free(memory.begin)
        memory.nbytes = 0
        memory.begin = <char*>malloc(nbytes + nbytes // 4 + 128)
        if memory.begin is NULL:
            raise MemoryError()
        memory.nbytes = nbytes + nbytes // 4
    return <char*>((<size_t>memory.begin + 63) & ~<size_t>63)


cdef int enter_run() except -1:
    """Begin to use the arena of this nesting depth."""
    cdef RunContext* run = current_run()
    if run.arenas == MAX_RUNS:
        raise RecursionError("evaluations nested too deeply")
    run.arenas += 1
    return 0


cdef void leave_run() noexcept:
    current_run().arenas -= 1


# ---- laying out the iteration space -------------------------------------------------------------------


cdef void load_strides(Node node, int ndim, npy_intp* shape, npy_intp* out) noexcept nogil:
    """Compute a node's strides in the iteration space: right-aligned, 0 where it is broadcast."""
    cdef int lead = ndim - node.ndim, i
    for i in range(lead):
        out[i] = 0
    for i in range(node.ndim):
        out[lead + i] = 0 if node.shape[i] == 1 else node.strides[i]


cdef inline bint _is_repeated(Node node) noexcept:
    """Return whether a load repeats its elements, unless a kernel has done so."""
    return node.kind == REPEAT and node.data is NULL


cdef int _repeats(Node node, int ndim, npy_intp* strides, npy_intp* times) except -1:
    """Compute how often each element of a load repeats along each axis of the space."""
    cdef int lead = ndim - node.ndim, i
    for i in range(ndim):
        times[i] = node.payload[2][i - lead] if strides[i] else 1
    return 0


cdef npy_intp lay_out(Job* job, TileProgram program, PyObject** nodes) except -1:
    """Fill a zeroed `job` for a program with allocated loads and stores; return the size of its space."""
    cdef Node space = <Node>nodes[program.space]
    cdef int i, nd
    cdef npy_intp n = 1
    cdef uint64_t folded = 0
    cdef Rows rows
    cdef bint flat
    for i in range(space.ndim):
        n *= space.shape[i]
    if n == 0:
        return 0
    _describe(job, program, space.ndim)
    _reserve_rows(job, program, nodes, space.ndim, &rows)
    flat = _place_stores(job, program, nodes, space.ndim, n, &rows)
    flat = _place_loads(job, program, nodes, space, n, &rows) and flat
    if flat and not program.nfold:
        nd = 1
        job.shape[0] = n
        for i in range(rows.nmoving):
            rows.merged[i] = 0 if i >= program.nstore and _load(program, nodes, i - program.nstore).size == 1 \
                else job.operands[_operand(program, i)].size
    else:
        if program.nfold:
            folded = (<Node>nodes[program.fold_calls[0].node]).axes
            _place_folds(job, program, nodes, space, folded, rows.raw + rows.nmoving * space.ndim)
        nd = _coalesce(job, &rows, space.ndim, space.shape, folded)
    _point_operands(job, program, nodes, n, nd, &rows)
    job.ndim = nd
    job.row = job.shape[nd - 1]
    job.rows = 1 if nd == 1 else n // job.row
    cut(job, program.whole and program.spoiled < MAX_SPOILED and not rows.nrepeated)
    job.fold_strides = rows.merged + rows.nmoving * nd
    return n


cdef inline Node _load(TileProgram program, PyObject** nodes, int k):
    return <Node>nodes[program.load_node[k]]


cdef inline int _operand(TileProgram program, int row) noexcept:
    """Return the operand of a stride row: rows of stores come first, operands of loads."""
    return program.nload + program.nreg + row if row < program.nstore else row - program.nstore


cdef void _describe(Job* job, TileProgram program, int ndim) noexcept:
    """Copy the properties of the program to the job."""
    job.nload, job.nreg, job.nstore = program.nload, program.nreg, program.nstore
    job.noperand = program.nload + program.nreg + program.nstore
    job.ninstr, job.nfold, job.nmerged = program.ninstr, program.nfold, program.nmerged
    job.instrs, job.merged, job.folds = program.calls, program.merged, program.fold_calls
    job.serial = program.flags & LOOP_SERIAL
    job.numbers = ndim == 0
    job.in_order = program.in_order
    job.costly = job.in_order == SCANS and program.cost > (1 + program.nfold) * program.fold_calls[0].loop.cost


cdef int _reserve_rows(Job* job, TileProgram program, PyObject** nodes, int ndim, Rows* rows) except -1:
    """Reserve memory for operands, strides and the shape, sized for the axes before merging.

    Registers have no strides; fold results do.
    """
    cdef int k
    rows.nmoving = program.nstore + program.nload
    rows.nrepeated = 0
    for k in range(program.nload):
        rows.nrepeated += _is_repeated(_load(program, nodes, k))
    rows.count = rows.nmoving + program.nfold + rows.nrepeated
    cdef size_t head = (job.noperand + program.nfold) * sizeof(Operand)
    cdef char* memory = reserve(
        LAYOUT, head + (2 * rows.count * (ndim + 1) + 2 * (ndim + 2)) * sizeof(npy_intp)
        + program.nfold * (2 * sizeof(char*) + sizeof(npy_intp)))
    memset(memory, 0, head)
    job.operands = <Operand*>memory
    rows.raw = <npy_intp*>(memory + head)
    rows.merged = rows.raw + rows.count * (ndim + 1)
    job.shape = rows.merged + rows.count * (ndim + 1)
    rows.order = job.shape + ndim + 2
    job.partial = <char**>(rows.order + ndim + 2)
    job.extrema = job.partial + program.nfold
    job.fold_scratch = <npy_intp*>(job.extrema + program.nfold)
    return 0


cdef bint _place_stores(Job* job, TileProgram program, PyObject** nodes, int ndim, npy_intp n, Rows* rows) noexcept:
    """Set base addresses and strides of stores; return whether they are all contiguous in the same order.

    Their rows come first, as their axis order matters most.
    """
    cdef Node node
    cdef Operand* op
    cdef npy_intp* row
    cdef bint flat = True
    cdef int i, k
    for k in range(program.nstore):
        node = <Node>nodes[program.store_node[k]]
        op = &job.operands[_operand(program, k)]
        op.is_store = True
        row = rows.raw + k * ndim
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
    return flat


cdef bint _place_loads(Job* job, TileProgram program, PyObject** nodes, Node space, npy_intp n, Rows* rows) except -1:
    """The same for loads, whose rows come next; after those of folds come the repeats."""
    cdef Node node
    cdef Operand* op
    cdef npy_intp* row
    cdef npy_intp* times = rows.raw + (rows.nmoving + program.nfold) * space.ndim
    cdef bint flat = True
    cdef int k
    for k in range(program.nload):
        node = _load(program, nodes, k)
        op = &job.operands[k]
        op.size = node.itemsize
        row = rows.raw + (program.nstore + k) * space.ndim
        if _is_repeated(node):
            op.base = first_element(<Node>node.inputs[0])
            op.times = times
            load_strides(<Node>node.inputs[0], space.ndim, space.shape, row)
            _repeats(node, space.ndim, row, times)
            times += space.ndim
            flat = False
            continue
        op.base = first_element(node)
        load_strides(node, space.ndim, space.shape, row)
        flat = flat and (node.size == 1 or (node.contiguous and node.size == n))
    return flat


cdef int _place_folds(Job* job, TileProgram program, PyObject** nodes, Node space, uint64_t folded,
                      npy_intp* row) except -1:
    """Set the strides of fold results."""
    cdef Node node
    cdef int k
    for k in range(program.nfold):
        node = <Node>nodes[program.fold_calls[k].node]
        if job.in_order != SCANS:
            fold_strides(node, folded, space.ndim, row)
        elif node.ndim == space.ndim:
            fold_strides(node, 0, space.ndim, row)
        else:
            dense_strides(space.ndim, space.shape, node.itemsize, row)
        row += space.ndim
    return 0


cdef int _point_operands(Job* job, TileProgram program, PyObject** nodes, npy_intp n, int nd, Rows* rows) except -1:
    """Set the strides of operands along the merged axes, and the steps of registers."""
    cdef Operand* op
    cdef int k
    cdef npy_intp* times = rows.merged + (rows.nmoving + program.nfold) * nd
    for k in range(rows.nmoving):
        op = &job.operands[_operand(program, k)]
        op.strides = rows.merged + k * nd
        if n == 1 and (k < program.nstore or _load(program, nodes, k - program.nstore).ndim):
            op.strides[0] = op.size  # NumPy's loops get the stride of a vector for one element, and 0 for a number
    for k in range(program.nload):
        if job.operands[k].times is not NULL:
            job.operands[k].times = times
            if n == 1:  # no axis left
                times[0] = 1
            times += nd
    for k in range(program.nreg):
        op = &job.operands[program.nload + k]
        op.place = REGISTER
        op.size = program.reg_size[k]
        op.step = op.size
    return 0


cdef void fold_strides(Node out, uint64_t folded, int ndim, npy_intp* row) noexcept nogil:
    """Compute the strides of a fold's result along the axes of its space: 0 along folded ones."""
    cdef int axis, d = 0
    for axis in range(ndim):
        if (folded >> axis) & 1:
            row[axis] = 0
            d += out.attr
        else:
            row[axis] = out.strides[d]
            d += 1


# ---- coalescing axes -----------------------------------------------------------------------------------


cdef int _coalesce(Job* job, Rows* rows, int ndim, npy_intp* shape, uint64_t folded) noexcept nogil:
    """Fill the job's shape and the merged rows; return how many axes are left."""
    # folds over several axes take them in the given order
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
        _group_axes(job, rows.order, nd, folded)
    nd = _merge_axes(job, rows, ndim, shape, nd, folded, &nfolded)
    if job.nfold and not job.inner_folded:
        _hoist_kept(job, rows.merged, rows.count, nd, nfolded)
    if job.nfold and not job.in_order:
        _walk_outside(job, rows.merged, rows.count, nd)
    return nd


cdef inline npy_intp _length(npy_intp stride) noexcept nogil:
    return -stride if stride < 0 else stride


cdef bint _before(npy_intp* strides, int noperand, int ndim, int a, int b) noexcept nogil:
    """Return whether axis a goes outside axis b: the first operand that moves along both decides."""
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


cdef void _group_axes(Job* job, npy_intp* order, int nd, uint64_t folded) noexcept nogil:
    """Reorder sorted axes for folding: kept, folded; the innermost run of kept axes stays innermost.

    If all folded axes have length 1, all axes form the innermost run, and the fold is a copy.
    """
    cdef npy_intp sorted_axes[64]
    cdef int i, out = 0, last
    if nd == 0:
        return
    for i in range(nd):
        sorted_axes[i] = order[i]
    last = nd - 1
    job.inner_folded = (folded >> sorted_axes[last]) & 1
    if not job.inner_folded:
        while last > 0 and not (folded >> sorted_axes[last - 1]) & 1:
            last -= 1
    else:
        last = nd
    for i in range(last):
        if not (folded >> sorted_axes[i]) & 1:
            order[out] = sorted_axes[i]
            out += 1
    job.nkept = out
    for i in range(last):
        if (folded >> sorted_axes[i]) & 1:
            order[out] = sorted_axes[i]
            out += 1
    for i in range(last, nd):
        order[out] = sorted_axes[i]
        out += 1


cdef void _hoist_kept(Job* job, npy_intp* merged, int moving, int nd, int nfolded) noexcept nogil:
    """Keep only the last kept axis of the inner run inside.

    [kept][folded][run][inner] becomes [kept][run][folded][inner].
    """
    cdef int run = nd - job.nkept - nfolded - 1
    if run > 0:
        _move_behind(merged, moving, nd, job.shape, job.nkept, nfolded, run)
        job.nkept += run


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


cdef void _walk_outside(Job* job, npy_intp* merged, int moving, int nd) noexcept nogil:
    """Turn [kept][last kept][folded][inner] into [kept][walked][last kept][folded][inner] if memory has that order.

    One of the folded axes stays inside: the inner one, or else the last before it.
    """
    cdef int walked = nd - 1 - job.nkept - (0 if job.inner_folded else 1), last = job.nkept - 1, d
    cdef npy_intp among, below
    if walked < 1 or last < 0 or _length(merged[last]) >= _length(merged[last + walked]):
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
    """Return whether every operand and fold can traverse axis a and inner axis b as one."""
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


cdef int _merge_axes(Job* job, Rows* rows, int ndim, npy_intp* shape, int nd, uint64_t folded,
                     int* nfolded) noexcept nogil:
    """Merge neighbouring axes into those of the job; return how many are left (at least 1).

    Writes dense strides row by row and keeps kept and folded axes apart.
    """
    cdef int starts[65]
    cdef int i, k, d = 0, kept = 0
    cdef npy_intp a, b
    cdef bint joins
    if nd == 0:
        job.shape[0] = 1
        for k in range(rows.count):
            rows.merged[k] = 0
        return 1
    for i in range(nd):
        b = rows.order[i]
        joins = i > 0 and i != job.nkept
        if joins:
            a = rows.order[i - 1]
            joins = ((folded >> a) & 1) == ((folded >> b) & 1) and _joins(job, rows.raw, ndim, a, b, shape[b])
        if joins:
            job.shape[d - 1] *= shape[b]
            starts[d - 1] = <int>b
        else:
            job.shape[d] = shape[b]
            starts[d] = <int>b
            if i < job.nkept:
                kept = d + 1
            elif (folded >> b) & 1:
                nfolded[0] += 1
            d += 1
    for k in range(rows.count):
        for i in range(d):
            rows.merged[k * d + i] = rows.raw[k * ndim + starts[i]]
    job.nkept = kept
    return d
