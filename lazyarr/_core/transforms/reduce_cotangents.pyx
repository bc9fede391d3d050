"""Cotangents of what is reduced: of sums and extrema here, of anything else by a rule of arrays."""
from libc.stdint cimport uint64_t

from lazyarr._core.frontend.handle cimport node_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.views cimport handle_of
from lazyarr._core.ir.builder cimport reduce_node
from lazyarr._core.ir.inner_loops cimport Ufunc, find_ufunc
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.ufunc_traits cimport EXTREMUM, SKIPS_NAN, SUM
from lazyarr._core.transforms.cotangent_ops cimport apply, cast_cotangent, chosen, spread, sum_loop
from lazyarr._core.transforms.vjp_rules cimport rule_of_fold

import numpy as np

cdef Ufunc* _divide = find_ufunc(np.divide)
cdef Ufunc* _equal = find_ufunc(np.equal)
cdef Ufunc* _maximum = find_ufunc(np.maximum)
cdef Ufunc* _multiply = find_ufunc(np.multiply)


cdef bint gives_to_all_parts(Loop* loop) noexcept:
    """Whether each element's cotangent is made of the result's alone, so that it is known where that is."""
    return loop.traits & (SUM | EXTREMUM) != 0


cdef Node reduce_cotangent(Node g, Node node, Node past):
    """The cotangent of what a node reduces, which was made as `past` says."""
    cdef Node x = <Node>past.inputs[0]
    cdef LazyArray made
    cdef int d
    if past.loop.traits & SUM:
        return spread(g, x, past.axes, past.attr)
    if past.loop.traits & EXTREMUM:
        return _shared(g, node, x, past.axes, past.attr, past.loop.traits & SKIPS_NAN != 0)
    rule = rule_of_fold(<object>past.loop.name)
    made = rule(handle_of(g), handle_of(node), handle_of(x), tuple([d for d in range(x.ndim) if past.axes >> d & 1]),
                bool(past.attr))
    return node_of(made)


cdef Node _shared(Node g, Node out, Node x, uint64_t axes, bint kept, bint skips_nan):
    """The cotangent of x, of which `out` is the extremum along axes: elements that are equal to it share g alike.

    An extremum that is NaN makes all of them NaN, unless NaNs are skipped.
    """
    cdef Node best = apply(_equal, x, spread(out, x, axes, kept)), others
    cdef Node ties = reduce_node(sum_loop(x.typenum), cast_cotangent(best, x.typenum), axes, kept)
    if skips_nan:
        g = apply(_divide, g, apply(_maximum, ties, 1.0))
        return chosen(best, spread(g, x, axes, kept), 0, x.typenum)
    others = chosen(apply(_equal, ties, 0.0), apply(_multiply, g, float("nan")), 0, x.typenum)
    return chosen(best, spread(apply(_divide, g, ties), x, axes, kept), spread(others, x, axes, kept), x.typenum)


def shared_by_ties(LazyArray g, LazyArray out, LazyArray x, tuple axes, bint kept):
    """The cotangent of a fold that gives one of its elements: those that are equal to it share alike."""
    cdef uint64_t folded = 0
    for axis in axes:
        folded |= <uint64_t>1 << <int>axis
    return handle_of(_shared(node_of(g), node_of(out), node_of(x), folded, kept, True))
