"""Tile programs: instructions over registers, and reductions of operands."""
from lazyarr._core.ir.loop_table cimport Loop, LoopFn, MAX_ARGS

cdef enum:
    MAX_OPERANDS = 512      # of a program

cdef enum Mode:
    WHOLE     # all elements of a block
    UNDER     # those under a mask, in place; mask and old values stand before the output
    FRONT     # as many elements at the front of each operand as a mask has true values; it stands before the output

cdef enum InOrder:
    SEARCHES = 1   # folds that go from first to last: the places of extrema
    SCANS = 2      # running sums and products

cdef class LoopUse:
    cdef readonly int loop          # number in the table of loops
    cdef readonly int node

cdef class Instruction(LoopUse):
    cdef readonly int mode
    cdef readonly bint moves
    cdef readonly tuple operands

cdef class Fold(LoopUse):
    cdef readonly int source

cdef struct LoopCall:       # an instruction, for the interpreter
    Loop* loop
    LoopFn fn               # the loop's, or that of a pair of operations
    int nargs
    int node                # walk index of the node it computes: status and errors are booked there
    int mode
    int args[MAX_ARGS + 2]  # operand numbers: loads, then registers, then stores

cdef struct FoldCall:
    Loop* loop
    int source              # operand that is folded
    int node

cdef class TileProgram:
    cdef readonly int space         # walk index of a node whose shape is the iteration space
    cdef readonly tuple loads, registers, stores, instructions, folds
    cdef readonly bint updates      # whether it stores into windows of storage
    cdef readonly dict kernels      # what devices have compiled it to, by driver and form
    # the same for the interpreter, in one block of memory
    cdef bytearray memory
    cdef int nload, nreg, nstore, ninstr, nfold
    cdef int* load_node
    cdef int* reg_size
    cdef int* store_node
    cdef LoopCall* calls
    cdef LoopCall* merged   # the same with pairs of operations in one pass; it cannot attribute status flags
    cdef int nmerged
    cdef FoldCall* fold_calls
    cdef double cost        # ns an element
    cdef int flags          # union of the loops' flags
    cdef int in_order       # whether its folds go from first to last, and how
    cdef bint whole         # no instruction reads a mask
    cdef int spoiled        # runs in which values in gaps between rows have set flags
