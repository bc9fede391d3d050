"""Constant guards: plans are specialised on operands equal to 0, 1, 2, -1 or 0.5 where a rewrite rule needs it.

A plan serves all values of its constants, so that a loop with another factor in each iteration has one plan. Rewrite
rules are the exception: `x + k` is `x` for a k of zero. So the fingerprint marks those constants, and only as operands
of loops with a rule about the number: `k` as a factor of floats is not marked, as no exact rule has one.
"""
from libc.string cimport memcmp, memcpy

from lazyarr._core.ir.loop_table cimport LOOP_COPY, NCODES, Loop, all_loops, descr_of, is_native, loop_count
from lazyarr._core.ir.node cimport MAP, SCALAR, VIEW, Node

import numpy as np

cdef extern from "<float.h>":
    int LDBL_MANT_DIG

CONSTANTS = {0: <int>ZERO, 1: <int>ONE, 2: <int>TWO, -1: <int>MINUS_ONE, 0.5: <int>HALF}
"""The numbers that rules may name, and their marks."""

cdef struct Pattern:            # of a type: its bytes for the numbers, by mark
    int known                   # which it has, a bit each
    int nbytes, second          # that count; where the imaginary part begins, 0 for reals
    char numbers[HALF + 1][32]

cdef Pattern _patterns[NCODES]
cdef bint _fast_math = False
cdef object _rules = None


def set_fast_math(bint on):
    """Also apply the rules that change bits to plans made from now on."""
    global _fast_math
    _fast_math = on


def get_fast_math():
    """Whether they are."""
    return bool(_fast_math)


cdef bint fast_math() noexcept:
    return _fast_math


cdef void set_marks(object function):
    """function(loop id) -> for exact rules, then for all, the marks that they ask for, a bit each."""
    global _rules
    _rules = function


def forget_marks():
    """Ask again which marks the rules need, as some were added or removed."""
    cdef int i
    for i in range(loop_count()):
        all_loops[i].marks[0] = all_loops[i].marks[1] = -1


cdef Node constant_of(Node operand):
    """The constant that an operand is, or has as each of its elements, as an array of zeros does; None for others."""
    while operand.kind != SCALAR:
        if operand.data is not NULL or operand.ninputs != 1 or operand.typenum != (<Node>operand.inputs[0]).typenum \
                or operand.kind != VIEW and not (operand.kind == MAP and operand.loop.flags & LOOP_COPY):
            return None
        operand = <Node>operand.inputs[0]
    return operand


cdef int mark_of(Loop* loop, Node operand) except -1:
    """The mark of a constant operand of a loop: `ANY` for no constant, and if no rule in force asks for its number."""
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
    """Which of the numbers asked for a native constant is, by its bytes; complex ones have +0 for an imaginary part."""
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
    """Fill in what the numbers look like in each native type that has them."""
    cdef Pattern* pattern
    cdef bytes number
    cdef int code, mark
    for code in range(NCODES):
        if not is_native(code):
            continue
        pattern, dtype = &_patterns[code], descr_of(code)
        pattern.second = dtype.itemsize // 2 if dtype.kind == "c" else 0
        pattern.nbytes = pattern.second or dtype.itemsize
        if dtype.char in "gG" and LDBL_MANT_DIG == 64:  # the x87's: the rest is undefined
            pattern.nbytes = 10
        for value, mark in CONSTANTS.items():
            made = np.array(value).astype(dtype)
            if made == value or value == -1 and dtype.kind == "u":
                number = made.tobytes()
                memcpy(pattern.numbers[mark], <char*>number, len(number))
                pattern.known |= 1 << mark
    return 0


_describe_numbers()
