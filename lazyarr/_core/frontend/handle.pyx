"""Handles: reading and writing the arrays that nodes stand for.

A base handle refers to the node that is its current value. A view refers to its base handle and a window on the base's
storage, and derives a VIEW node on each read, so it always shows the base's current value. A write re-points the base:
to the new value if the whole array is written, to an UPDATE of the old one if a view is.
"""
from cpython.object cimport PyObject

from lazyarr._core.frontend.device_sharing cimport is_shared_there, refresh, write_there
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.pending_queue cimport (
    SEALED, attention, check_budget, check_round, link, pending_handle, resolve_selection, unlink, watch_retained)
from lazyarr._core.frontend.storage cimport export, is_shared, on_memory, snapshot
from lazyarr._core.frontend.trace_scope cimport prepare_access, refuse_outside
from lazyarr._core.ir.builder cimport cast_node, iterated_axes, opaque_node, update_node, view_node
from lazyarr._core.ir.failures cimport give_up
from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport EXPAND, MAP, VIEW, is_evaluated, new_window, renew, same_layout
from lazyarr._core.ir.overlap cimport window_overlaps_itself
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.ir.slice_pushdown cimport is_worth_a_copy, restrict_layout
from lazyarr._core.runtime.evaluation cimport evaluate_nodes
from lazyarr._core.runtime.reference cimport uses_reference
from lazyarr._core.runtime.transfer cimport transfer_node

import warnings

import numpy as np

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


cdef LazyArray new_handle(Node node, bint scalar):
    cdef LazyArray handle = pending_handle(node, scalar)
    if node.failure is not None:
        give_up(node)
    elif handle.linked:
        watch_retained(handle.next)  # the list as it was before this operation
        check_budget(node)
    return handle


cdef int check_writeable(LazyArray handle, str refusal) except -1:
    """Raise ValueError if the array is read-only; warn once where NumPy does. Call this before any write."""
    if attention & SEALED:
        refuse_outside(handle)
    if attention:
        prepare_access(handle)
    if not handle.writeable:
        raise ValueError(refusal)
    if handle._warns_on_write:
        handle._warns_on_write = False
        warnings.warn(
            "Numpy has detected that you (may be) writing to an array with\noverlapping memory from "
            "np.broadcast_arrays. If this is intentional\nset the WRITEABLE flag True or make a copy immediately "
            "before writing.", DeprecationWarning, stacklevel=1)
    return 0


cdef Node node_of(LazyArray handle):
    """Return the node of the handle's current value."""
    cdef Node view
    cdef LazyArray base
    if attention:
        prepare_access(handle)
    if handle.mask is not None:
        resolve_selection(handle)
    base = handle if handle.root is None else handle.root
    if base.export is not None and is_shared(base) and not history_is_kept():
        return snapshot(handle)
    if handle.root is None:
        return handle.node
    view = view_node(handle.root.node, handle.node)
    if handle.unaligned:  # NumPy buffers such operands, too
        view = opaque_node("align", np.array, [view], shape_tuple(view), view.dtype, None, iterated_axes(view))
    return view


cdef Node layout_of(LazyArray handle):
    """Return a node with the handle's shape, strides and dtype: its value, or a view's window."""
    if handle.mask is not None:
        resolve_selection(handle)
    return handle.node


cdef LazyArray storage_of(LazyArray handle):
    """Return the handle to evaluate for this handle's values: its base (`_leave_base` may change it)."""
    cdef LazyArray base = handle.root
    cdef PyObject* node
    if base is None:
        return handle
    node = <PyObject*>base.node
    if (<Node>node).data is NULL and base.mask is None and Py_REFCNT(<PyObject*>base) == 2 and Py_REFCNT(node) == 1 \
            and not attention and not uses_reference() and is_worth_a_copy(handle.node, <Node>node):
        _leave_base(handle)
        return handle.root
    return base


cdef int _leave_base(LazyArray view) except -1:
    """Detach the only view of a pending base: its window becomes a new array of as many elements.

    The copy keeps the window's layout, and its evaluation computes no more than the window reads.
    """
    cdef Node window = view.node, whole = view.root.node, made
    cdef Node like = new_window(window.ndim, window.shape, window.strides, 0, window.dtype, window.typenum)
    cdef LazyArray base
    restrict_layout(like, window)
    made = cast_node(view_node(whole, window), window.typenum, like)
    made.code, made.lasti, made.err = whole.code, whole.lasti, whole.err
    base = pending_handle(made, False)
    base.writeable, base._warns_on_write, base._is_cut = view.root.writeable, view.root._warns_on_write, True
    view.node = new_window(window.ndim, window.shape, window.strides, made.offset, window.dtype, window.typenum)
    view.root = base
    return 0


cdef int force(LazyArray handle) except -1:
    """Evaluate the handle's storage."""
    cdef LazyArray base
    cdef PyObject* root[1]
    if attention:
        prepare_access(handle)
    if handle.mask is not None:
        resolve_selection(handle)
    base = handle if handle.root is None else storage_of(handle)
    if is_shared_there(base):
        refresh(base)
    if not is_evaluated(base.node):
        held = base.node
        root[0] = <PyObject*>held
        evaluate_nodes(root, 1)
        if base.node is held:
            unlink(base)
    return 0


cdef object value_of(LazyArray handle):
    """Return a read-only ndarray on the current value."""
    cdef LazyArray base
    force(handle)
    base = handle if handle.root is None else handle.root
    if base.export is not None and not is_shared_there(base) and is_shared(base):
        return on_memory(handle, base.export, False)
    return as_ndarray(handle.node if handle.root is None else view_node(handle.root.node, handle.node))


cpdef object lend(LazyArray handle):
    """Return an ndarray on the current value for other libraries; it is writeable if the array is."""
    force(handle)
    lent = export(handle)
    if lent is None:
        lent = value_of(handle)
        if handle.node.size == 0 and handle.writeable and not handle.scalar:
            lent = np.empty_like(lent)  # an empty array without writeable elements
    return lent


cdef int _write_shared(LazyArray handle, Node value) except -1:
    """Write to shared storage at once."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    cdef PyObject* root = <PyObject*>value
    if is_shared_there(base):
        return write_there(handle, value)
    evaluate_nodes(&root, 1)
    np.copyto(on_memory(handle, base.export, True), as_ndarray(value), casting="unsafe")
    renew(base.node)
    return 0


cdef int write(LazyArray handle, Node value, bint fresh) except -1:
    """Replace the handle's contents by `value` (of its shape and dtype).

    `fresh`: nothing else refers to the node, so it may become the base's value itself.
    """
    cdef Node old
    cdef LazyArray base
    check_writeable(handle, "assignment destination is read-only")
    if handle.root is not None:
        base = handle.root
        if value.size == 0:
            return 0
        # fields of records, and overlapping elements, must be written in order
        if base.node.typenum < 0 or handle.unaligned or window_overlaps_itself(handle.node):
            if value.kind == VIEW and value.devices:  # the fetched copy is no view
                value = cast_node(value, value.typenum, None)
            call_hook("setitem", (handle, Ellipsis, new_handle(value, False)))
            return 0
        if is_shared(base):
            return _write_shared(handle, value)
        base.node = update_node(base.node, handle.node, value)
    else:
        base = handle
        if is_shared(base):
            return _write_shared(handle, value)
        old = base.node
        if not (fresh and (value.kind == MAP or value.kind == EXPAND) and same_layout(value, old)):
            value = cast_node(value, old.typenum, old)
        if value.device != old.device:
            value = transfer_node(value, old.device)
        value.waits |= old.waits
        value.stays_on_host = old.stays_on_host
        base.node = value
    link(base)
    return check_round(base.node) if base.node.failure is None else give_up(base.node)


cdef object dummy(object operand):
    """Return an array of the operand's shape and dtype without memory, for NumPy to raise its own errors on."""
    if isinstance(operand, LazyArray):
        return np.broadcast_to(np.ones((), (<LazyArray>operand).node.dtype), shape_tuple(layout_of(<LazyArray>operand)))
    return operand
