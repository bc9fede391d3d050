"""Constant guards: plans are specialised on operands equal to 0, 1, 2, -1 or 0.5 where a rewrite rule needs it.

A plan serves all values of its constants, so that a loop with another factor in each iteration has one plan. Rewrite
rules are the exception: `x + k` is `x` for a k of zero. So the fingerprint marks those constants, and only as operands
of loops with a rule about the number: `k` as a factor of floats is not marked, as no exact rule has one.
"""
from libc.math cimport signbit

cimport numpy as cnp

from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

CONSTANTS = {0: <int>ZERO, 1: <int>ONE, 2: <int>TWO, -1: <int>MINUS_ONE, 0.5: <int>HALF}
"""The numbers that rules may name, and their marks."""

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


cdef int mark_of(Loop* loop, Node constant) except -1:
    """The mark of a constant operand of a loop: `ANY` where no rule in force asks which number it is."""
    cdef int mark, asked = loop.marks[_fast_math]
    if asked < 0:
        loop.marks[0], loop.marks[1] = _rules(loop.id) if _rules is not None else (0, 0)
        asked = loop.marks[_fast_math]
    if asked == 0:
        return ANY
    mark = _which(constant)
    return mark if asked >> mark & 1 else <int>ANY


cdef int _which(Node constant) noexcept:
    """Which of the numbers a constant of native type is; complex ones have +0 for an imaginary part."""
    cdef char* data = constant.data
    cdef int code = constant.typenum
    if code >= cnp.NPY_CFLOAT and code <= cnp.NPY_CLONGDOUBLE:
        code -= cnp.NPY_CFLOAT - cnp.NPY_FLOAT
        if _real(data + constant.itemsize // 2, code) != ZERO:
            return ANY
    return _real(data, code)


cdef int _real(char* data, int code) noexcept:
    cdef double number
    if code == cnp.NPY_BOOL or code == cnp.NPY_UBYTE:
        number = -1 if data[0] == <char>0xff else <unsigned char>data[0]
    elif code == cnp.NPY_BYTE:
        number = <signed char>data[0]
    elif code == cnp.NPY_SHORT or code == cnp.NPY_USHORT:
        number = (<short*>data)[0]  # the largest unsigned number is -1; no rule asks for others beyond the signed range
    elif code == cnp.NPY_INT or code == cnp.NPY_UINT:
        number = (<int*>data)[0]
    elif code == cnp.NPY_LONG or code == cnp.NPY_ULONG:
        number = (<long*>data)[0]
    elif code == cnp.NPY_LONGLONG or code == cnp.NPY_ULONGLONG:
        number = (<long long*>data)[0]
    elif code == cnp.NPY_FLOAT:
        number = (<float*>data)[0]
    elif code == cnp.NPY_DOUBLE:
        number = (<double*>data)[0]
    elif code == cnp.NPY_LONGDOUBLE:
        number = <double>(<long double*>data)[0]
        if number != (<long double*>data)[0]:
            return ANY
    else:
        return _half((<unsigned short*>data)[0])
    if number == 0:
        return ANY if signbit(number) else ZERO
    return ONE if number == 1 else TWO if number == 2 else MINUS_ONE if number == -1 else HALF if number == 0.5 else ANY


cdef int _half(unsigned short bits) noexcept:
    return (ZERO if bits == 0 else ONE if bits == 0x3c00 else TWO if bits == 0x4000 else MINUS_ONE if bits == 0xbc00
            else HALF if bits == 0x3800 else ANY)
