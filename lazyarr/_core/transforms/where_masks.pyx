"""Masks of `where`: values of a sub-graph that count only where a branch is taken.

A derivative is zero where `where` took the other branch, even if its value there is NaN. It reads values of the
sub-graph that are valid under the same mask only. The second derivative gives these values cotangents that are zero
elsewhere, but zero times an infinite slope is NaN, so the values themselves are masked.
"""
from libc.string cimport memcmp, memset

from lazyarr._core.control.subgraph cimport Subgraph, nodes_below, own_nodes
from lazyarr._core.frontend.handle cimport node_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.builder cimport cast_node
from lazyarr._core.ir.node cimport LEAF, MAP, SCALAR, VIEW, Node, forget_pending, same_layout, same_shape
from lazyarr._core.transforms.cotangent_ops cimport chosen, either, is_inexact


def where_read(Subgraph graph, list outputs, list nodes):
    """Return values of a sub-graph for its derivative to read, 1 where no output depends on them.

    `nodes` are those of the sub-graph that `outputs`, the derivative, read; the result has their order.
    """
    cdef dict stops = {id(node): node for node in nodes}, own = own_nodes(graph)
    cdef dict masks = {}    # by id: the masks under which a node is read; None: everywhere
    cdef Node node, below
    cdef int k
    roots = [node_of(<LazyArray>y) for y in outputs]
    for node in roots:
        masks[id(node)] = None
    for node in reversed(nodes_below(roots, stops)):
        if id(node) in stops:
            continue
        for k in range(node.ninputs):
            below = <Node>node.inputs[k]
            if _chooses_or_zero(node):
                under = [<Node>node.inputs[0]] if k == 1 else None
            elif _is_elementwise(node, below):
                under = masks[id(node)]
            else:
                under = None
            before = masks.get(id(below), under)
            if before is not under and before is not None and under is not None:
                under = before + [mask for mask in under if mask not in before]
            masks[id(below)] = None if before is None else under
    return [_under(node, masks[id(node)], own) for node in nodes]


cdef bint _chooses_or_zero(Node node) noexcept:
    """Return whether a node is `where(mask, x, 0)`."""
    cdef Node other
    cdef long double zero[2]
    if node.kind != MAP or node.loop.ufunc is not NULL or node.ninputs != 3:
        return False
    other = <Node>node.inputs[2]
    memset(zero, 0, sizeof(zero))
    return other.kind == SCALAR and memcmp(other.inline_value, zero, other.itemsize) == 0


cdef bint _is_elementwise(Node node, Node below) noexcept:
    """Return whether each element depends on one element of an input at the same index, or is a part of it."""
    return same_shape(node, below) and (node.kind == MAP or node.kind == VIEW and memcmp(
        node.strides, below.strides, node.ndim * sizeof(node.strides[0])) == 0)


cdef Node _under(Node node, masks, dict own):
    """Return a node where any of the masks is true, 1 elsewhere; the node itself if the masks do not fit."""
    cdef Node mask, other, made
    if not masks or not is_inexact(node) or node.size == 0:
        return node
    for other in nodes_below(masks, own):
        if other.ninputs == 0 and other.kind != SCALAR and id(other) not in own:
            return node
    mask = masks[0]
    for other in masks[1:]:
        mask = either(mask, other)
    if not same_shape(mask, node):
        return node
    made = chosen(mask, node, 1, node.typenum)
    if not same_layout(made, node):
        made = cast_node(made, node.typenum, node)
    for other in nodes_below([made], own):
        if other.kind != LEAF and other.kind != SCALAR:
            forget_pending(other)
    return made
