"""Tile programs: instructions over registers, and folds."""
from lazyarr._core.ir.loop_table cimport Loop, LoopFn, MAX_ARGS

cdef enum:
    MAX_OPERANDS = 512      # of a program

cdef enum Mode:
    WHOLE     # all elements of a block
    UNDER     # elements where a mask is true; mask and old values precede the output
    FRONT     # packed elements: as many as the mask has true values; it precedes the output

cdef enum InOrder:
    SEARCHES = 1   # ordered folds: argmin and argmax
    SCANS = 2      # cumulative sums and products

cdef class LoopUse:
    cdef readonly int loop          # index in the loop table
    cdef readonly int node

cdef class Instruction(LoopUse):
    cdef readonly int mode
    cdef readonly bint moves
    cdef readonly tuple operands

cdef class Fold(LoopUse):
    cdef readonly int source

cdef struct LoopCall:       # one instruction, for the interpreter
    Loop* loop
    LoopFn fn               # function of the loop or of a fused pair
    int nargs
    int node                # position of the node it computes, which gets status flags and errors
    int mode
    int args[MAX_ARGS + 2]  # operand numbers: loads, then registers, then stores

cdef struct FoldCall:
    Loop* loop
    int source              # the reduced operand
    int node

cdef class TileProgram:
    cdef readonly int space         # position of a node whose shape is the iteration space
    cdef readonly tuple loads, registers, stores, instructions, folds
    cdef readonly bint updates      # whether stores go into windows
    cdef readonly dict kernels      # compiled device kernels, by driver and signature
    # C arrays of the above for the interpreter, in one block of memory
    cdef bytearray memory
    cdef int nload, nreg, nstore, ninstr, nfold
    cdef int* load_node
    cdef int* reg_size
    cdef int* store_node
    cdef LoopCall* calls
    cdef LoopCall* merged   # the same with pairs of operations fused; it cannot attribute status flags
    cdef int nmerged
    cdef FoldCall* fold_calls
    cdef double cost        # ns per element
    cdef int flags          # union of the loops' flags
    cdef int in_order       # 0, SEARCHES or SCANS: kind of its ordered folds
    cdef bint whole         # no instruction reads a mask
    cdef int spoiled        # runs in which padding between rows has set flags
