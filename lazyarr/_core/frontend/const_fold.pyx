"""Constant folding: compute numbers from evaluated numbers at once.

Loops over elements, `A[i, j] -= A[i, k] * A[k, j]`, read constants and make constants. Building, compiling and running
a graph for them takes longer than the arithmetic, and no two graphs are alike. So the loop of the graph is called at
once, or NumPy for the inner product of short vectors. If that sets a status flag, the operation joins the graph
instead, whose evaluation reports it.
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
    SHORT = 4096            # longest vector
    DEEPEST = 4             # operations between constants and a number folded


cdef Node constant_result(Loop* loop, int nin, PyObject** inputs):
    """Return the loop's single result on constants as a constant; None for other operands, or if a flag is set.

    The result of literals is a literal.
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
        steps[i] = 0  # as NumPy calls it: vectorised loops may set other flags
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
    """Return a constant as another type; None if the cast sets a flag."""
    cdef PyObject* inputs[1]
    inputs[0] = <PyObject*>constant
    return constant_result(cast_loop(constant.typenum, code), 1, inputs)


cdef Node as_number(Node node):
    """Fold a 0-d operand to a constant if it depends on constants only and no flag is set; else return it unchanged.

    `la.full((), 2.0) * 3` is an array that can be written to and differentiated by, so the constant remembers its node.
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
    """Call NumPy's function(a, b) on short evaluated vectors of one native dtype; None for other operands."""
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
