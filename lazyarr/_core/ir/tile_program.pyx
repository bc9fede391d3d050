"""Tile programs, and fusion of pairs of operations into one pass.

A program has operands (loads, registers, stores), instructions (inner-loop calls) and folds (reductions of an operand).
It has no extents; `tile/loop_nest` lays it out and `tile/interpreter` runs it.
"""
from libc.string cimport memcpy

cimport cython

from lazyarr._core.ir.inner_loops cimport pair_loop
from lazyarr._core.ir.loop_table cimport LOOP_SCANS, LOOP_SEARCHES, LoopFn, all_loops, loop_count

from lazyarr._core.ir.loop_table import describe

cdef tuple _MODES = ("", " under a mask", " packed")


cdef class LoopUse:
    """An inner loop, by index, and the node that it computes."""

    @property
    def op(self):
        """The name of the operation."""
        return describe(self.loop)[0]

    @property
    def dtypes(self):
        """Type characters of the loop, as in ``numpy.ufunc.types``."""
        chars, nin = describe(self.loop)[1], all_loops[self.loop].nin
        return f"{chars[:nin]}->{chars[nin:]}"


@cython.final
cdef class Instruction(LoopUse):
    """One call of an inner loop on a block.

    Attributes
    ----------
    loop : int
        Number of the inner loop; `op` and `dtypes` name it.
    node : int
        The node that is computed, which gets the status flags.
    mode : int
        WHOLE, UNDER a mask, or at the FRONT of packed operands.
    moves : bool
        Whether it only moves the node's value: from memory to the front of a register, back, or into a window.
    operands : tuple of int
        Inputs, then outputs. A program's loads come first, then its registers, then its stores.

    Examples
    --------
    >>> from lazyarr._core.ir.inner_loops import loop_number
    >>> Instruction(loop_number("add", "ddd"), 2, (0, 1, 2))
    <Instruction node 2: add dd->d (0, 1, 2)>
    """
    def __init__(self, int loop, int node, tuple operands, int mode=WHOLE, bint moves=False):
        _check_loop(loop)
        if not 1 <= len(operands) <= MAX_ARGS + 2:
            raise ValueError(f"an instruction has 1 to {MAX_ARGS + 2} operands, got {len(operands)}")
        self.loop, self.node, self.operands, self.mode, self.moves = loop, node, operands, mode, moves

    def __repr__(self):
        return f"<Instruction node {self.node}: {self.op} {self.dtypes} {self.operands}{_MODES[self.mode]}>"


@cython.final
cdef class Fold(LoopUse):
    """A reduction of an operand, which makes a node.

    Attributes
    ----------
    loop : int
        Number of the binary inner loop; `op` and `dtypes` name it.
    source : int
        The operand.
    node : int
        The result, which says along which axes.
    """
    def __init__(self, int loop, int source, int node):
        _check_loop(loop)
        self.loop, self.source, self.node = loop, source, node

    def __repr__(self):
        return f"<Fold node {self.node}: {self.op}.reduce {self.dtypes} ({self.source})>"


cdef int _check_loop(int loop) except -1:
    if not 0 <= loop < loop_count():
        raise IndexError(f"there is no inner loop {loop}")
    return 0


@cython.final
cdef class TileProgram:
    """A tile program, immutable; printed, one line an operation.

    Attributes
    ----------
    space : int
        A node of the shape that the program traverses.
    loads : tuple of int
        Nodes that are read.
    registers : tuple of int
        Bytes an element of each register.
    stores : tuple of int
        Nodes that are stored.
    instructions : tuple of Instruction
    folds : tuple of Fold
    updates : bool
        Whether stores go into windows of storage.

    Examples
    --------
    >>> from lazyarr._core.ir.inner_loops import loop_number
    >>> add, multiply = loop_number("add", "ddd"), loop_number("multiply", "ddd")
    >>> twice, square = Instruction(add, 1, (0, 0, 1)), Instruction(multiply, 2, (1, 1, 2))
    >>> print(TileProgram(2, (0,), (8,), (2,), (twice, square), (Fold(add, 2, 3),)))
    r0 = add dd->d (n0, n0)
    n2 = multiply dd->d (r0, r0)
    n3 = add.reduce dd->d (n2)
    """
    def __init__(self, int space, tuple loads, tuple registers, tuple stores, tuple instructions, tuple folds,
                 bint updates=False):
        cdef Instruction instruction
        cdef Fold fold
        cdef LoopCall* call
        cdef int i, k
        if len(loads) + len(registers) + len(stores) > MAX_OPERANDS:
            raise ValueError(f"a tile program has at most {MAX_OPERANDS} operands")
        if self.memory is not None:
            raise TypeError("a tile program is immutable")
        self.space, self.updates, self.whole, self.kernels = space, updates, True, {}
        self.loads, self.registers, self.stores = loads, registers, stores
        self.instructions, self.folds = instructions, folds
        self.nload, self.nreg, self.nstore = len(loads), len(registers), len(stores)
        self.ninstr, self.nfold = len(instructions), len(folds)
        self.memory = bytearray(2 * self.ninstr * sizeof(LoopCall) + self.nfold * sizeof(FoldCall)
                                + (self.nload + self.nreg + self.nstore) * sizeof(int))
        self.calls = <LoopCall*><char*>self.memory
        self.merged = self.calls + self.ninstr
        self.fold_calls = <FoldCall*>(self.merged + self.ninstr)
        self.load_node = <int*>(self.fold_calls + self.nfold)
        self.reg_size = self.load_node + self.nload
        self.store_node = self.reg_size + self.nreg
        for i, k in enumerate(loads + registers + stores):
            self.load_node[i] = k
        for i in range(self.ninstr):
            instruction = instructions[i]
            call = &self.calls[i]
            call.loop = all_loops[instruction.loop]
            call.fn = call.loop.fn
            call.node, call.mode, call.nargs = instruction.node, instruction.mode, len(instruction.operands)
            self.whole = self.whole and call.mode == WHOLE
            for k in range(call.nargs):
                call.args[k] = _checked(self, instruction.operands[k])
            self.cost += call.loop.cost
            self.flags |= call.loop.flags
        for i in range(self.nfold):
            fold = folds[i]
            self.fold_calls[i].loop = all_loops[fold.loop]
            self.fold_calls[i].source, self.fold_calls[i].node = _checked(self, fold.source), fold.node
            self.cost += all_loops[fold.loop].cost
            self.flags |= all_loops[fold.loop].flags
        if self.nfold:
            self.in_order = SEARCHES if self.flags & LOOP_SEARCHES else SCANS if self.flags & LOOP_SCANS else 0
        _merge_pairs(self)

    def __str__(self):
        names = [f"n{node}" for node in self.loads]
        names += [f"r{number}" for number in range(self.nreg)]
        names += [f"n{node}" for node in self.stores]
        lines = []
        for instruction in self.instructions:
            outputs = all_loops[(<Instruction>instruction).loop].nout
            operands = [names[operand] for operand in instruction.operands]
            results, read = operands[len(operands) - outputs:], operands[:len(operands) - outputs]
            lines.append(f"{', '.join(results)} = {instruction.op} {instruction.dtypes} ({', '.join(read)})"
                         f"{_MODES[instruction.mode]}")
        lines += [f"n{fold.node} = {fold.op}.reduce {fold.dtypes} ({names[fold.source]})" for fold in self.folds]
        return "\n".join(lines)


cdef int _checked(TileProgram program, int operand) except -1:
    if not 0 <= operand < program.nload + program.nreg + program.nstore:
        raise IndexError(f"a tile program has no operand {operand}")
    return operand


cdef int _merge_pairs(TileProgram p) except -1:
    """Copy the instructions, fusing an operation with the only reader of its result where a pair loop exists.

    The first operation moves down to the second, so its operands must not be overwritten in between.
    """
    cdef int i, j, k, side, first_register = p.nload, last_register = p.nload + p.nreg, result, nreaders
    cdef LoopCall* a
    cdef LoopCall* b
    cdef LoopFn fn
    cdef bytearray taken = bytearray(p.ninstr)
    memcpy(p.merged, p.calls, p.ninstr * sizeof(LoopCall))
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
            if p.calls[k].args[p.calls[k].nargs - 1] == result:
                nreaders += _reads(&p.calls[k], result)
                break
            nreaders += _reads(&p.calls[k], result)
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
    return 0


cdef bint _reads(LoopCall* instr, int operand) noexcept:
    cdef int i
    for i in range(instr.nargs - 1):
        if instr.args[i] == operand:
            return True
    return False


cdef bint _writes_any(LoopCall* instr, LoopCall* reader) noexcept:
    """Return whether `instr` overwrites an operand or the result of `reader`."""
    cdef int i, k
    for k in range(instr.loop.nin, instr.nargs):
        for i in range(reader.nargs):
            if instr.args[k] == reader.args[i]:
                return True
    return False


cdef bint _is_folded(TileProgram p, int operand) noexcept:
    cdef int i
    for i in range(p.nfold):
        if p.fold_calls[i].source == operand:
            return True
    return False
