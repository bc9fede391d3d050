"""Constant folding: one number computed at once from evaluated numbers.

Loops over elements, `A[i, j] -= A[i, k] * A[k, j]`, read constants and make constants of them. A graph of such nodes
would take longer to build, to find a plan for and to run than the arithmetic takes, and no two would be alike. So the
loop that the graph would call is called here, and so is NumPy for the inner product of short vectors. What
sets a floating-point flag joins the graph all the same: it is reported by the evaluation, as other flags are.
"""
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.frontend.handle cimport new_handle, value_of
from lazyarr._core.host.fp_status cimport lz_fp_clear, lz_fp_take
from lazyarr._core.ir.data_loops cimport cast_loop, copy_loop
from lazyarr._core.ir.history cimport connect_nodes, history_is_kept
from lazyarr._core.ir.leaf cimport strong_scalar
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL, MAX_ARGS
from lazyarr._core.ir.node cimport LITERAL, MAP, SCALAR, is_evaluated, new_constant, new_literal, new_node
from lazyarr._core.ir.provenance cimport note_source

cdef enum:
    SHORT = 4096            # elements of a vector
    DEEPEST = 4             # operations from constants to a number made of them


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
    for i in range(nin):
        note_source(made, <Node>inputs[i])
    return made


cdef Node constant_cast(Node constant, int code):
    """A constant as another type; None where the cast sets a flag."""
    cdef PyObject* inputs[1]
    inputs[0] = <PyObject*>constant
    return constant_result(cast_loop(constant.typenum, code), 1, inputs)


cdef Node as_number(Node node):
    """A 0-d operand as a constant, if it is made of constants alone and no flag is raised; else unchanged.

    `la.full((), 2.0) * 3` is an array, which can be written to and differentiated by. So the constant remembers what it
    is the value of.
    """
    cdef Node number = _number(node, DEEPEST), made
    if number is None:
        return node
    made = new_node(SCALAR, 0, NULL, node.dtype, node.typenum)
    made.contiguous, made.span = True, made.itemsize
    made.data = <char*>made.inline_value
    memcpy(made.data, number.data, made.itemsize)
    connect_nodes(made, [node], MAP, copy_loop(node.typenum), None)
    return made


cdef Node _number(Node node, int depth):
    cdef PyObject* inputs[MAX_ARGS]
    cdef list held = []
    cdef int i
    if node.kind == SCALAR:
        return node
    if depth == 0 or node.kind != MAP or node.ndim or node.data is not NULL:
        return None
    for i in range(node.ninputs):
        number = _number(<Node>node.inputs[i], depth - 1)
        if number is None:
            return None
        held.append(number)
        inputs[i] = <PyObject*>number
    return constant_result(node.loop, node.ninputs, inputs)


cpdef LazyArray inner_product(object function, object a, object b):
    """function(a, b), NumPy's, of short vectors of one native type that are evaluated; None for other operands."""
    if history_is_kept() or not (_is_short(a) and _is_short(b)) \
            or (<LazyArray>a).node.typenum != (<LazyArray>b).node.typenum \
            or (<LazyArray>a).node.size != (<LazyArray>b).node.size:
        return None
    cdef Node made = strong_scalar(function(value_of(<LazyArray>a), value_of(<LazyArray>b)))
    note_source(made, (<LazyArray>a).node)
    note_source(made, (<LazyArray>b).node)
    return new_handle(made, True)


cdef bint _is_short(object obj):
    cdef LazyArray x
    if type(obj) is not LazyArray:
        return False
    x = <LazyArray>obj
    return x.mask is None and x.node.ndim == 1 and x.node.size <= SHORT and x.node.typenum >= 0 \
        and is_evaluated(x.node if x.root is None else x.root.node)
