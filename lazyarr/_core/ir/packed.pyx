"""Elements packed under a mask, put back where they come from."""
from cpython.object cimport PyObject
from libc.string cimport memset

from lazyarr._core.ir.builder cimport broadcast_node, masked_node
from lazyarr._core.ir.history cimport how_made
from lazyarr._core.ir.loop_table cimport MAX_ARGS
from lazyarr._core.ir.node cimport COMPRESS, MASKED, PACKED, Node, new_literal


cdef Node spread_out(Node node):
    """Packed elements where they come from, computed nowhere but under their mask; what is not packed as it is."""
    cdef Node past = how_made(node), mask
    cdef PyObject* inputs[MAX_ARGS + 2]
    cdef list held = []
    cdef int i, nin = past.ninputs - 1
    if past.kind == COMPRESS:
        return <Node>past.inputs[0]
    if past.kind != PACKED:
        return node
    mask = <Node>past.inputs[nin]
    for i in range(nin):
        held.append(spread_out(<Node>past.inputs[i]))
        inputs[i] = <PyObject*>held[i]
    held.append(broadcast_node(zero(node.typenum), mask.ndim, mask.shape))
    inputs[nin], inputs[nin + 1] = <PyObject*>mask, <PyObject*>held[nin]
    return masked_node(MASKED, past.loop, nin + 2, inputs)


cdef Node zero(int code):
    cdef long double zero[2]
    memset(zero, 0, sizeof(zero))
    return new_literal(code, zero)
