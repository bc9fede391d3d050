"""Guards on constants: plans are specialised on operands 0, 1, 2, -1 or 0.5 where a rewrite rule needs it.

Otherwise a plan serves all values of its constants, so a loop with another factor in each iteration has one plan.
Rewrite rules are the exception: `x + k` becomes `x` for k = 0. So the fingerprint marks those constants, but only as
operands of loops with a rule for the number: a factor `k` of floats is not marked, as no exact rule asks for it.
"""
from libc.string cimport memcmp, memcpy

from lazyarr._core.ir.loop_table cimport LOOP_COPY, NCODES, Loop, all_loops, descr_of, is_native, loop_count
from lazyarr._core.ir.node cimport MAP, SCALAR, VIEW, Node

import numpy as np

cdef extern from "<float.h>":
    int LDBL_MANT_DIG

CONSTANTS = {0: <int>ZERO, 1: <int>ONE, 2: <int>TWO, -1: <int>MINUS_ONE, 0.5: <int>HALF}
"""The numbers that rules may name, and their marks."""

cdef struct Pattern:            # byte patterns of the numbers in one dtype, by mark
    int known                   # bit set of the numbers that the dtype has
    int nbytes, second          # significant bytes; offset of the imaginary part, 0 for real dtypes
    char numbers[HALF + 1][32]

cdef Pattern _patterns[NCODES]
cdef bint _fast_math = False
cdef object _rules = None


def set_fast_math(bint on):
    """Set whether plans made from now on use rules that change bits."""
    global _fast_math
    _fast_math = on


def get_fast_math():
    """Return whether such rules apply."""
    return bool(_fast_math)


cdef bint fast_math() noexcept:
    return _fast_math


cdef void set_marks(object function):
    """Set function(loop id) -> (marks that exact rules ask for, marks that all rules ask for), as bit sets."""
    global _rules
    _rules = function


def forget_marks():
    """Clear the cached marks, because rules were added or removed."""
    cdef int i
    for i in range(loop_count()):
        all_loops[i].marks[0] = all_loops[i].marks[1] = -1


cdef Node constant_of(Node operand):
    """Return the constant that an operand is, or that all its elements equal (as for zeros); None otherwise."""
    while operand.kind != SCALAR:
        if operand.data is not NULL or operand.ninputs != 1 or operand.typenum != (<Node>operand.inputs[0]).typenum \
                or operand.kind != VIEW and not (operand.kind == MAP and operand.loop.flags & LOOP_COPY):
            return None
        operand = <Node>operand.inputs[0]
    return operand


cdef int mark_of(Loop* loop, Node operand) except -1:
    """Return the mark of a loop's operand; `ANY` if it is no constant or no active rule asks for its value."""
    cdef int asked = loop.marks[_fast_math]
    cdef Node constant
    if asked < 0:
        loop.marks[0], loop.marks[1] = _rules(loop.id) if _rules is not None else (0, 0)
        asked = loop.marks[_fast_math]
    if not asked:
        return ANY
    constant = constant_of(operand)
    return ANY if constant is None else _which(constant, asked)


cdef int _which(Node constant, int asked) noexcept:
    """Return which of the requested numbers a native constant is, by bytes; complex ones need a +0 imaginary part."""
    cdef Pattern* pattern = &_patterns[constant.typenum]
    cdef char* number
    cdef int mark
    for mark in range(ZERO, HALF + 1):
        number = pattern.numbers[mark]
        if asked & pattern.known & 1 << mark and memcmp(constant.data, number, pattern.nbytes) == 0 and memcmp(
                constant.data + pattern.second, number + pattern.second, pattern.nbytes) == 0:
            return mark
    return ANY


cdef int _describe_numbers() except -1:
    """Fill in the byte patterns of the numbers in each native dtype."""
    cdef Pattern* pattern
    cdef bytes number
    cdef int code, mark
    for code in range(NCODES):
        if not is_native(code):
            continue
        pattern, dtype = &_patterns[code], descr_of(code)
        pattern.second = dtype.itemsize // 2 if dtype.kind == "c" else 0
        pattern.nbytes = pattern.second or dtype.itemsize
        if dtype.char in "gG" and LDBL_MANT_DIG == 64:  # x87: the rest is padding
            pattern.nbytes = 10
        for value, mark in CONSTANTS.items():
            made = np.array(value).astype(dtype)
            if made == value or value == -1 and dtype.kind == "u":
                number = made.tobytes()
                memcpy(pattern.numbers[mark], <char*>number, len(number))
                pattern.known |= 1 << mark
    return 0


_describe_numbers()
