# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Laying out the iteration space of a tile program, once a run: where operands begin and how they move."""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from numpy cimport npy_intp

from lazyarr._core.host.run_context cimport MAX_DEPTH, RunContext, current_run
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport REPEAT, UPDATE, Node, first_element
from lazyarr._core.ir.tile_program cimport SCANS, TileProgram
from lazyarr._core.tile.coalesce cimport Rows, coalesce
from lazyarr._core.tile.job cimport REGISTER, Job, Operand
from lazyarr._core.tile.tiling cimport cut

cdef enum:
    MAX_SPOILED = 2         # runs of a program in which gaps set flags, after which it takes none along

# ---- memory of a run: grown, kept, reused --------------------------------------------------------------
# A signal handler that evaluates in the middle of a run nests: it has an arena of its own, and so has each program of
# those that run concurrently.

cdef enum:
    MAX_RUNS = MAX_DEPTH + MAX_CONCURRENT

cdef char* _arenas[MAX_RUNS]
cdef size_t _arena_sizes[MAX_RUNS]
memset(_arenas, 0, sizeof(_arenas))
memset(_arena_sizes, 0, sizeof(_arena_sizes))


cdef char* reserve(size_t nbytes, int ago=0) except NULL:
    """Memory in the arena of the run that was entered last, or of the run `ago` before it."""
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


cdef npy_intp lay_out(Job* job, TileProgram program, PyObject** nodes, int* nkept, npy_intp** fold_strides,
                      size_t* used) except -1:
    """Fill a zeroed `job` for a program whose loads and stores have their memory.

    Returns the number of elements of the space (0: nothing to do); `used` is what the layout takes of the arena.
    """
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
    used[0] = _reserve_rows(job, program, nodes, space.ndim, &rows)
    flat = _place_stores(job, program, nodes, space.ndim, n, &rows)
    flat = _place_loads(job, program, nodes, space, n, &rows) and flat
    nkept[0] = 0
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
        nd = coalesce(job, &rows, space.ndim, space.shape, folded, nkept)
    _point_operands(job, program, nodes, n, nd, &rows)
    job.ndim = nd
    job.row = job.shape[nd - 1]
    job.rows = 1 if nd == 1 else n // job.row
    cut(job, nkept[0], program.whole and program.spoiled < MAX_SPOILED and not rows.nrepeated)
    fold_strides[0] = rows.merged + rows.nmoving * nd
    return n


cdef inline Node _load(TileProgram program, PyObject** nodes, int k):
    return <Node>nodes[program.load_node[k]]


cdef inline int _operand(TileProgram program, int row) noexcept:
    """The operand that a row of strides belongs to: rows of stores come first, operands of loads."""
    return program.nload + program.nreg + row if row < program.nstore else row - program.nstore


cdef void _describe(Job* job, TileProgram program, int ndim) noexcept:
    """What the job takes over from the program."""
    job.nload, job.nreg, job.nstore = program.nload, program.nreg, program.nstore
    job.noperand = program.nload + program.nreg + program.nstore
    job.ninstr, job.nfold, job.nmerged = program.ninstr, program.nfold, program.nmerged
    job.instrs, job.merged, job.folds = program.calls, program.merged, program.fold_calls
    job.serial = program.flags & LOOP_SERIAL
    job.numbers = ndim == 0
    job.in_order = program.in_order
    job.costly = job.in_order == SCANS and program.cost > (1 + program.nfold) * program.fold_calls[0].loop.cost


cdef size_t _reserve_rows(Job* job, TileProgram program, PyObject** nodes, int ndim, Rows* rows) except 0:
    """Reserve the fixed part of the arena: operands, their strides, the shape; generous for the axes before merging.

    Registers have no strides, results of folds do.
    """
    cdef int k
    rows.nmoving = program.nstore + program.nload
    rows.nrepeated = 0
    for k in range(program.nload):
        rows.nrepeated += _is_repeated(_load(program, nodes, k))
    rows.count = rows.nmoving + program.nfold + rows.nrepeated
    cdef size_t head = (job.noperand + program.nfold) * sizeof(Operand)
    cdef size_t fixed = head + 3 * (job.noperand + program.nfold + rows.nrepeated) * (ndim + 1) * sizeof(npy_intp) \
        + 4 * (ndim + 2) * sizeof(npy_intp) + program.nfold * (2 * sizeof(char*) + sizeof(npy_intp)) + 256
    cdef char* memory = reserve(fixed)
    memset(memory, 0, head)
    job.operands = <Operand*>memory
    rows.raw = <npy_intp*>(memory + head)
    rows.merged = rows.raw + rows.count * (ndim + 1)
    job.shape = rows.merged + rows.count * (ndim + 1)
    rows.order = job.shape + ndim + 2
    job.partial = <char**>(rows.order + ndim + 2)
    job.extrema = job.partial + program.nfold
    job.fold_scratch = <npy_intp*>(job.extrema + program.nfold)
    return fixed


cdef bint _place_stores(Job* job, TileProgram program, PyObject** nodes, int ndim, npy_intp n, Rows* rows) noexcept:
    """Where stores begin and how they move; whether they do so as if there were one axis.

    Their rows come first: their order of axes is the one that counts most.
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
    """The same of loads, whose rows come next; after those of folds there are the repeats."""
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
            _load_strides(<Node>node.inputs[0], space.ndim, space.shape, row)
            _repeats(node, space.ndim, row, times)
            times += space.ndim
            flat = False
            continue
        op.base = first_element(node)
        _load_strides(node, space.ndim, space.shape, row)
        flat = flat and (node.size == 1 or (node.contiguous and node.size == n))
    return flat


cdef int _place_folds(Job* job, TileProgram program, PyObject** nodes, Node space, uint64_t folded,
                      npy_intp* row) except -1:
    """How results of folds move."""
    cdef Node node
    cdef int k
    for k in range(program.nfold):
        node = <Node>nodes[program.fold_calls[k].node]
        if job.in_order != SCANS:
            _fold_strides(node, folded, space.ndim, row)
        elif node.ndim == space.ndim:
            _fold_strides(node, 0, space.ndim, row)
        else:
            _dense_strides(space.ndim, space.shape, node.itemsize, row)
        row += space.ndim
    return 0


cdef int _point_operands(Job* job, TileProgram program, PyObject** nodes, npy_intp n, int nd, Rows* rows) except -1:
    """Give operands their strides along the axes that are left, and registers their step."""
    cdef Operand* op
    cdef int k
    cdef npy_intp* times = rows.merged + (rows.nmoving + program.nfold) * nd
    for k in range(rows.nmoving):
        op = &job.operands[_operand(program, k)]
        op.strides = rows.merged + k * nd
        if n == 1 and (k < program.nstore or _load(program, nodes, k - program.nstore).ndim):
            op.strides[0] = op.size  # NumPy gives one element to its loops for vectors, a number not
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
    return 0


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
