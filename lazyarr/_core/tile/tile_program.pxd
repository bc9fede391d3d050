"""Tile programs as data."""
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

cdef struct Instr:
    Loop* loop
    LoopFn fn               # the loop's, or that of a pair of operations
    int nargs
    int node                # walk index of the node it computes: status and errors are booked there
    int mode
    int args[MAX_ARGS + 2]  # operand numbers: loads, then registers, then stores

cdef struct Fold:
    Loop* loop
    int source              # operand that is folded
    int node

cdef class TileProgram:
    cdef int space          # walk index of a node whose shape is the iteration space
    cdef int nload, nreg, nstore, ninstr, nfold
    cdef int* load_node
    cdef int* reg_size
    cdef int* store_node
    cdef Instr* instrs
    cdef Instr* merged      # the same with pairs of operations in one pass; it cannot attribute status flags
    cdef int nmerged
    cdef Fold* folds
    cdef double cost        # ns an element
    cdef int flags          # union of the loops' flags
    cdef int in_order       # whether its folds go from first to last, and how
    cdef bint whole         # no instruction reads a mask
    cdef int spoiled        # runs in which values in gaps between rows have set flags
    cdef object source      # what it was made from, for printing

cdef TileProgram make_program(tuple source)
