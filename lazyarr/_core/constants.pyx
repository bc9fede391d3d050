"""What is computed at once, because it is one number made of numbers that are there.

Loops over elements, `A[i, j] -= A[i, k] * A[k, j]`, read constants and make constants of them. A graph of such nodes
would take longer to build, to find a plan for and to run than the arithmetic takes, and no two would be alike. So the
loop that the graph would call is called here, and so is NumPy for the inner product of short vectors. What
sets a floating-point flag joins the graph all the same: it is reported where others are.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.build cimport strong_scalar
from lazyarr._core.flags cimport lz_fp_clear, lz_fp_take
from lazyarr._core.handles cimport new_handle, value_of
from lazyarr._core.loops cimport LOOP_SERIAL, MAX_ARGS, Loop, cast_loop
from lazyarr._core.node cimport LITERAL, SCALAR, Node, history_is_kept, is_evaluated, new_constant, new_literal

cdef enum:
    SHORT = 4096            # elements of a vector


cdef Node constant_result(Loop* loop, int nin, PyObject** inputs):
    """The loop's one result for constants, as a constant; None for other operands, and where a flag is set.

    What is made of literals alone is one.
    """
    cdef char* args[MAX_ARGS]
    cdef npy_intp steps[MAX_ARGS]
    cdef npy_intp one = 1
    cdef long double value[2]
    cdef bint literal = True
    cdef Node made
    cdef int i
    if loop.nout != 1 or loop.flags & LOOP_SERIAL:
        return None
    for i in range(nin):
        if (<Node>inputs[i]).kind != SCALAR:
            return None
        literal = literal and (<Node>inputs[i]).attr == LITERAL
        args[i] = <char*>(<Node>inputs[i]).inline_value
        steps[i] = 0  # as NumPy calls it: a loop for vectors may raise other flags
    args[nin] = <char*>value
    steps[nin] = loop.sizes[nin]
    lz_fp_clear()
    loop.fn(args, &one, steps, loop.data)
    if lz_fp_take():
        return None
    if literal:
        return new_literal(loop.types[nin], value)
    made = new_constant(loop.types[nin])
    memcpy(made.inline_value, value, made.itemsize)
    return made


cdef Node constant_cast(Node constant, int code):
    """A constant as another type; None where the cast sets a flag."""
    cdef PyObject* inputs[1]
    inputs[0] = <PyObject*>constant
    return constant_result(cast_loop(constant.typenum, code), 1, inputs)


cdef LazyArray inner_product(object function, object a, object b):
    """function(a, b), NumPy's, of short vectors of one native type that are evaluated; None for other operands."""
    if history_is_kept() or not (_is_short(a) and _is_short(b)) \
            or (<LazyArray>a).node.typenum != (<LazyArray>b).node.typenum \
            or (<LazyArray>a).node.size != (<LazyArray>b).node.size:
        return None
    return new_handle(strong_scalar(function(value_of(<LazyArray>a), value_of(<LazyArray>b))), True)


cdef bint _is_short(object obj):
    cdef LazyArray x
    if type(obj) is not LazyArray:
        return False
    x = <LazyArray>obj
    return x.mask is None and x.node.ndim == 1 and x.node.size <= SHORT and x.node.typenum >= 0 \
        and is_evaluated(x.node if x.root is None else x.root.node)
