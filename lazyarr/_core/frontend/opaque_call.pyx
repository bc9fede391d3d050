"""Opaque calls: Python functions on the values of arrays, which compute results or change storage."""
cimport numpy as cnp

from lazyarr._core.frontend.device_sharing cimport is_shared_there, write_there
from lazyarr._core.frontend.handle cimport check_writeable, force, layout_of, new_handle, node_of, value_of
from lazyarr._core.frontend.hooks cimport call_hook, note_fallback
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.pending_queue cimport check_budget, link
from lazyarr._core.frontend.storage cimport is_private, is_shared, private_leaf
from lazyarr._core.ir.builder cimport cast_node, opaque_node, result_nodes, view_node
from lazyarr._core.ir.fp_errors cimport current_errstate, mark_origin, report_status
from lazyarr._core.ir.history cimport connect_nodes, history_is_kept
from lazyarr._core.ir.leaf cimport leaf_node
from lazyarr._core.ir.ndarrays cimport as_ndarray, writeable_array
from lazyarr._core.ir.node cimport (
    CHANGES, EMPTY, FILLS, HANDS_OVER, OPAQUE, REPEAT, Kernel, Node, finish_layout, new_node, new_window, renew)
from lazyarr._core.ir.provenance cimport note_source, put_on
from lazyarr._core.ir.shape cimport shape_tuple

import numpy as np


def opaque(str name, function, inputs, tuple shape, dtype, axes=None):
    """Return the lazy result of function(*ndarrays), an ndarray of this shape and dtype.

    Its axes lie in memory in the order of `axes`, outermost first, by default in C order.
    """
    note_fallback(name)
    node = opaque_node(name, function, [node_of(<LazyArray?>x) for x in inputs], shape, np.dtype(dtype), None, axes)
    return new_handle(node, False)


def kernel(str name, function, inputs, tuple shape, dtype, axes=None):
    """Return the lazy result of a kernel or of function(out, *ndarrays), which fills `out`.

    Its axes lie in memory in the order of `axes`, outermost first, by default in C order. The function may return
    floating-point status flags.
    """
    cdef bint is_kernel = isinstance(function, Kernel)
    times = function.repeats if is_kernel else None
    cdef list nodes = [node_of(<LazyArray?>x) for x in inputs]
    cdef Node node = opaque_node(name, function, nodes, shape, np.dtype(dtype), None, axes)
    node.attr = HANDS_OVER if is_kernel and function.hands_over else FILLS
    if times is not None:
        node.kind = REPEAT
        node.payload = (name, function, times)
    return new_handle(node, False)


def opaque_multi(str name, function, inputs, specs, bint is_native=False):
    """Return the lazy results of a function with a tuple of ndarrays; specs are (shape, dtype[, axes]).

    The function is called once, whichever result is evaluated first. `is_native`: it is no fallback to NumPy.
    """
    if not is_native:
        note_fallback(name)
    node = opaque_node(name, function, [node_of(<LazyArray?>x) for x in inputs], (), np.dtype(np.int8), tuple(specs))
    return tuple([new_handle(<Node>result, False) for result in result_nodes(node)])


def update(str name, LazyArray x, function, inputs, bint is_native=False):
    """Change `x` lazily: call function(array, *values) with a writeable array on x and the values of `inputs`.

    The function returns None, or (status flags, the name to report them under).
    """
    cdef LazyArray base = x if x.root is None else x.root
    cdef Node spec = layout_of(x), old, node
    cdef int d
    check_writeable(x, "assignment destination is read-only")
    if is_shared(base):
        found = mutate(x, lambda array: function(array, *[value_of(<LazyArray?>y) for y in inputs]), name)
        if found is not None:
            report(*found)
        return
    old = base.node
    if not is_native:
        note_fallback(name)
    if x.root is None:  # window: the whole array
        spec = new_window(old.ndim, old.shape, old.strides, old.offset, old.dtype, old.typenum)
    held = [old] + [node_of(<LazyArray?>y) for y in inputs]
    node = opaque_node(name, function, held, shape_tuple(old), old.dtype, spec)
    del held
    node.attr = CHANGES
    node.device = old.device
    for d in range(old.ndim):
        node.strides[d] = old.strides[d]
    node.offset = old.offset
    node.span = old.span
    finish_layout(node)
    old = None
    base.node = node
    link(base)
    check_budget(node)


def mutate(LazyArray x, function, str name="a write at once", operands=()):
    """Evaluate `x`, call function(ndarray) with a writeable array on its memory, and return its result.

    The memory is copied first if anything else refers to it. While history is kept, the new value remembers the old one
    and the operands, under this name.
    """
    cdef LazyArray base = x if x.root is None else x.root
    cdef Node node, other
    cdef bint alone
    check_writeable(x, "assignment destination is read-only")
    if is_shared_there(base):
        array = np.array(value_of(x), order="K")
        found = function(array)
        write_there(x, leaf_node(array, True))
        return found
    force(base)
    alone = (is_private(base) or is_shared(base)) and not history_is_kept()
    node = base.node
    held = [node_of(<LazyArray?>y) for y in operands]  # these may be views of x
    if not alone and (node.typenum < 0 or history_is_kept()):
        before, node = node, leaf_node(call_hook("private_copy", (as_ndarray(node),)), True)
        node.waits, node.stays_on_host = before.waits, before.stays_on_host
        put_on(node, before.device)
        base.node = node
        if history_is_kept():
            connect_nodes(node, [before] + held, OPAQUE, NULL, (name + ", which was done at once,", None, None))
    elif not alone and node.device:  # its copy on the device becomes outdated
        base.node = node = private_leaf(node)
    elif not alone:
        node = cast_node(node, node.typenum, node)
        base.node = node
        link(base)
        force(base)
    elif operands:
        renew(node)
    for other in held:
        note_source(node, other)
    node.number = 0
    try:
        return function(writeable_array(node if x.root is None else view_node(node, x.node)))
    finally:
        node.number = 0  # set if the function evaluates


def report(int flags, str name):
    """Report floating-point flags as those of an operation on the program's current line."""
    cdef Node node = new_node(EMPTY, 0, NULL, np.dtype(np.int8), cnp.NPY_BYTE)
    node.err = current_errstate()
    mark_origin(node)
    report_status([(0, flags, name, node)])
