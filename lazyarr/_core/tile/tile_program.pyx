"""Tile programs: making them, and putting pairs of operations into one pass.

A program has operands (loads, registers, stores), instructions (inner-loop calls) and folds (reductions of an
operand). It is plain data and says nothing of extents; `loop_nest` lays it out and `interpreter` runs it.
"""
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.string cimport memcpy

cimport cython

from lazyarr._core.ir.inner_loops cimport pair_loop
from lazyarr._core.ir.loop_table cimport LOOP_SCANS, LOOP_SEARCHES, LoopFn, all_loops


@cython.final
cdef class TileProgram:
    """A compiled tile program: plain data, immutable (see `make_program`)."""

    def __dealloc__(self):
        PyMem_Free(self.load_node)
        PyMem_Free(self.reg_size)
        PyMem_Free(self.store_node)
        PyMem_Free(self.instrs)
        PyMem_Free(self.merged)
        PyMem_Free(self.folds)


cdef int* _ints(values) except? NULL:
    cdef int* out = <int*>PyMem_Calloc(max(len(values), 1), sizeof(int))
    if out is NULL:
        raise MemoryError()
    for i, v in enumerate(values):
        out[i] = v
    return out


cdef TileProgram make_program(tuple source):
    """From (space, loads, register sizes, stores, instructions, folds).

    An instruction is (loop id, node, mode, operands), a fold (loop id, source operand, node); operands
    number loads first, then registers, then stores.
    """
    cdef TileProgram p = TileProgram.__new__(TileProgram)
    space, loads, registers, stores, instrs, folds = source
    p.source = source
    p.space = space
    p.nload, p.nreg, p.nstore = len(loads), len(registers), len(stores)
    p.ninstr, p.nfold = len(instrs), len(folds)
    if len(loads) + len(registers) + len(stores) > MAX_OPERANDS:
        raise ValueError(f"a tile program has at most {MAX_OPERANDS} operands")
    p.whole = True
    p.load_node = _ints(loads)
    p.reg_size = _ints(registers)
    p.store_node = _ints(stores)
    p.instrs = <Instr*>PyMem_Calloc(max(p.ninstr, 1), sizeof(Instr))
    p.folds = <Fold*>PyMem_Calloc(max(p.nfold, 1), sizeof(Fold))
    if p.instrs is NULL or p.folds is NULL:
        raise MemoryError()
    for i, (loop, node, mode, operands) in enumerate(instrs):
        p.instrs[i].loop = all_loops[loop]
        p.instrs[i].fn = all_loops[loop].fn
        p.instrs[i].node = node
        p.whole = p.whole and mode == WHOLE
        p.instrs[i].mode = mode
        p.instrs[i].nargs = len(operands)
        for k, operand in enumerate(operands):
            p.instrs[i].args[k] = operand
        p.cost += p.instrs[i].loop.cost
        p.flags |= p.instrs[i].loop.flags
    for i, (loop, operand, node) in enumerate(folds):
        p.folds[i].loop = all_loops[loop]
        p.folds[i].source = operand
        p.folds[i].node = node
        p.cost += p.folds[i].loop.cost
        p.flags |= p.folds[i].loop.flags
        p.in_order = SEARCHES if p.flags & LOOP_SEARCHES else SCANS if p.flags & LOOP_SCANS else 0
    _merge_pairs(p)
    return p


cdef int _merge_pairs(TileProgram p) except -1:
    """Copy the instructions, with an operation and the one reader of its result in one pass where a loop does both.

    The first operation moves down to the second: what it reads must not be overwritten in between.
    """
    cdef int i, j, k, side, first_register = p.nload, last_register = p.nload + p.nreg, result, nreaders
    cdef Instr* a
    cdef Instr* b
    cdef LoopFn fn
    cdef bint* taken = <bint*>PyMem_Calloc(max(p.ninstr, 1), sizeof(bint))
    p.merged = <Instr*>PyMem_Calloc(max(p.ninstr, 1), sizeof(Instr))
    if p.merged is NULL or taken is NULL:
        raise MemoryError()
    memcpy(p.merged, p.instrs, p.ninstr * sizeof(Instr))
    for i in range(p.ninstr):
        a = &p.merged[i]
        if a.mode != WHOLE or not a.loop.arithmetic or a.nargs != 3 or taken[i]:
            continue
        result = a.args[2]
        if result < first_register or result >= last_register or _is_folded(p, result):
            continue
        for j in range(i + 1, p.ninstr):
            b = &p.merged[j]
            if b.args[0] == result or (b.nargs > 2 and b.args[1] == result) or _reads(b, result):
                break
            if _writes_any(b, a):
                j = p.ninstr
                break
        else:
            continue
        if j >= p.ninstr or taken[j] or b.mode != WHOLE or b.nargs != 3 \
                or (b.args[0] == result) == (b.args[1] == result):
            continue
        nreaders = 0
        for k in range(j + 1, p.ninstr):
            if p.instrs[k].args[p.instrs[k].nargs - 1] == result:
                nreaders += _reads(&p.instrs[k], result)
                break
            nreaders += _reads(&p.instrs[k], result)
        side = b.args[1] == result
        fn = pair_loop(a.loop, b.loop, side)
        if nreaders or fn is NULL:
            continue
        k = b.args[0] if side else b.args[1]
        result = b.args[2]
        b.fn = fn
        b.args[0], b.args[1], b.args[2], b.args[3] = a.args[0], a.args[1], k, result
        b.nargs = 4
        taken[i] = taken[j] = True
        a.nargs = 0
    k = 0
    for i in range(p.ninstr):
        if p.merged[i].nargs:
            p.merged[k] = p.merged[i]
            k += 1
    p.nmerged = k
    PyMem_Free(taken)
    return 0


cdef bint _reads(Instr* instr, int operand) noexcept:
    cdef int i
    for i in range(instr.nargs - 1):
        if instr.args[i] == operand:
            return True
    return False


cdef bint _writes_any(Instr* instr, Instr* reader) noexcept:
    """Whether `instr` overwrites an operand of `reader`, its result included."""
    cdef int i, k
    for k in range(instr.loop.nin, instr.nargs):
        for i in range(reader.nargs):
            if instr.args[k] == reader.args[i]:
                return True
    return False


cdef bint _is_folded(TileProgram p, int operand) noexcept:
    cdef int i
    for i in range(p.nfold):
        if p.folds[i].source == operand:
            return True
    return False
