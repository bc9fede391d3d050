"""The reference backend: evaluates graphs node by node with NumPy.

While it is enabled, an evaluation makes no plan. Nodes are computed in the order of the walk, each by NumPy's own
function and in memory of its own: nothing is fused, rewritten, merged or done in place. That is slow and obvious, so
that plans can be compared with it.

    kind                                     computed by
    MAP                                      the ufunc of its loop, `astype` or `np.where`
    MASKED, COMPRESS, PACKED, EXPAND         the same on the elements under the mask
    REDUCE                                   `reduce` or `accumulate` of the ufunc, `np.argmin`, `np.argmax`
    UPDATE                                   a copy of the old storage, to which the window is assigned
    OPAQUE, REPEAT: a kernel                 its method `reference`
    OPAQUE: another function                 a call, as in a plan

Bodies of loops and branches are computed like this, too, round by round. A kernel that `vmap` calls for each element
runs natively: it is a part of a function that the reference does not look into.

NumPy finds the floating-point flags and names the function that raised them; they are reported as those of plans are,
under the errstate and with the line of their node, after the evaluation unless they raise.
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.string cimport memset

cimport cython
cimport numpy as cnp

from lazyarr._core.host.run_context cimport current_run
from lazyarr._core.ir.failures cimport remember_failure
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.fp_errors cimport annotate, report_status, reported_flags
from lazyarr._core.ir.loop_table cimport LOOP_SCANS, LOOP_SEARCHES, Loop, descr_of
from lazyarr._core.ir.ndarrays cimport as_ndarray, ndarray_on, writeable_array
from lazyarr._core.ir.node cimport (
    COMPRESS, EMPTY, EXPAND, MAP, MASKED, OF_SCALARS, OPAQUE, PACKED, REDUCE, RESULT, UPDATE, VIEW, Kernel, Node,
    has_value)
from lazyarr._core.ir.overlap cimport Window, copy_nd, replaced_window
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.ir.ufunc_traits cimport operator_of
from lazyarr._core.runtime cimport plan_cache
from lazyarr._core.runtime.call_step cimport run_opaque
from lazyarr._core.runtime.executor cimport allocate, forget, must_raise, publish
from lazyarr._core.runtime.progress cimport is_watched, report_step

import time

import numpy as np

from lazyarr._core.ir.step import Step

cnp.import_array()

cdef struct Mode:
    bint enabled

cdef Mode _mode = Mode(False)

# Set directly, since a signal handler may raise inside `np.errstate`, after which its state would stay.
cdef object _errstate = np._core.umath._extobj_contextvar

# Flag names in NumPy's log messages.
cdef dict _FLAGS = {"divide by zero": 1, "overflow": 2, "underflow": 4, "invalid value": 8}


def set_enabled(bint enabled):
    """Enable or disable the reference backend; return whether it was enabled."""
    before, _mode.enabled = bool(_mode.enabled), enabled
    return before


def is_enabled():
    """Return whether the reference backend is enabled."""
    return bool(_mode.enabled)


cdef bint uses_reference() noexcept:
    return _mode.enabled


cdef int compute_nodes(Walk* w, list raised, list timeline) except -1:
    """Compute the pending nodes of a walk; append the status flags like those of `run_steps`.

    What each node took is appended to `timeline`, unless that is None. It stops where an evaluation inside this one has
    taken place, as plans do.
    """
    cdef _Log log = _new_log()
    try:
        return _compute_all(w, log, raised, timeline)
    finally:
        log.errstate = None  # breaks a reference cycle that the garbage collector cannot see


cdef int _compute_all(Walk* w, _Log log, list raised, list timeline) except -1:
    cdef long long number = plan_cache.evaluations
    cdef dict several = {}              # results of nodes with several results, by address
    cdef bint followed = current_run().depth == 1 and not w.is_template and is_watched()
    cdef double began = 0
    cdef Node node
    cdef str label = None
    cdef int i
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if node.kind == VIEW or has_value(node):
            continue
        if node.data is not NULL and (node.kind == RESULT or not w.is_template):  # templates' nodes may lack values
            continue
        PyErr_CheckSignals()
        if number != plan_cache.evaluations and not w.is_template:
            w.reentered = True
            return 0
        if followed or timeline is not None:
            label, began = _label_of(node), time.perf_counter()
        if followed and is_watched():
            report_step(i, w.count, label)
        _compute(w, i, several, log, raised)
        if timeline is not None:
            timeline.append((label, began, time.perf_counter() - began, 0, ()))
    return 0


cdef str _label_of(Node node):
    """Return the label of a node for timelines and progress reports."""
    if node.loop is not NULL:
        return <object>node.loop.name + (".reduce" if node.kind == REDUCE else "")
    return "update" if node.kind == UPDATE else "empty" if node.kind == EMPTY else node.payload[0]


cdef int _compute(Walk* w, int at, dict several, _Log log, list raised) except -1:
    """Compute one node, whose inputs have values."""
    cdef Node node = <Node>w.nodes[at]
    if node.kind == OPAQUE and not (node.attr and isinstance(node.payload[1], Kernel)):
        found = run_opaque(w, Step("opaque", at), [])
        if found is not None:
            raised += found
        return 0
    try:
        if node.kind == EMPTY:
            allocate(w, at)
            memset(node.data, 0, node.span)
        elif node.kind == UPDATE:
            _update(w, at)
        elif node.kind == RESULT:
            _store(w, at, several[<size_t>node.inputs[0]][node.attr])
        else:
            value = _reported(w, node, log, raised)
            if node.kind == MAP and node.loop.nout > 1:
                several[<size_t><PyObject*>node] = value
                return 0
            _store(w, at, value)
    except BaseException:
        forget(node)
        raise
    publish(w, at)
    return 0


cdef object _reported(Walk* w, Node node, _Log log, list raised):
    """Return the value or values of a node; append its flags to `raised`, or raise."""
    cdef tuple flags
    cdef str name = _given_name(node)
    before, log.flags = _errstate.get(), 0
    _errstate.set(log.errstate)
    try:
        value = _value(node)
    except Exception as error:
        name = name or <object>node.loop.name
        annotate(error, name, node)
        raise error if w.is_template else remember_failure(node, error, name)
    finally:
        _errstate.set(before)
    log.flags &= reported_flags(node.err)
    if log.flags:
        flags = (node.serial, log.flags, name or log.name, node)
        if must_raise([flags]):
            report_status([flags])
        raised.append(flags)
    return value


cdef str _given_name(Node node):
    """Return the name under which a node's errors are reported, if it is not NumPy's."""
    return node.payload if node.loop is not NULL else node.payload[0]


@cython.final
cdef class _Log:
    """Collects NumPy's log messages of an errstate: status flags and the function that raised them."""
    cdef object errstate
    cdef int flags
    cdef str name

    def write(self, str message):
        """Receive a message of NumPy."""
        text, self.name = message.removeprefix("Warning: ").strip().split(" encountered in ")
        self.flags |= <int>_FLAGS[text]


cdef _Log _new_log():
    cdef _Log log = _Log()
    before = _errstate.get()
    try:
        with np.errstate(all="log", call=log):
            log.errstate = _errstate.get()
    finally:
        _errstate.set(before)
    return log


cdef int _store(Walk* w, int at, object value) except -1:
    """Write a value to the node's memory; products may have another shape with as many elements."""
    cdef Node node = <Node>w.nodes[at]
    value = np.asarray(value)
    if value.dtype != node.dtype or value.size != node.size:
        raise RuntimeError(f"the reference made an array of shape {value.shape} and dtype {value.dtype}, expected "
                           f"{shape_tuple(node)} and {node.dtype}")
    if node.typenum < 0:  # object references must be initialised
        node.owner = np.empty(node.span // max(node.itemsize, 1), node.dtype)
        node.data = <char*>cnp.PyArray_DATA(<cnp.ndarray>node.owner)
    else:
        allocate(w, at)
    writeable_array(node)[...] = value.reshape(shape_tuple(node))
    return 0


cdef int _update(Walk* w, int at) except -1:
    """Copy the old storage and assign to the window."""
    cdef Node node = <Node>w.nodes[at], old = <Node>node.inputs[0], value = <Node>node.inputs[1]
    cdef Window window = replaced_window(node)
    allocate(w, at)
    copy_nd(node.data + old.offset, old.strides, old.data + old.offset, old.strides, old.shape, old.ndim, old.itemsize)
    ndarray_on(value.dtype, window.ndim, window.shape, window.strides, node.data + window.offset, node.owner,
               True)[...] = as_ndarray(value)
    return 0


# ---- values --------------------------------------------------------------------------------------------


cdef object _value(Node node):
    cdef list operands = [as_ndarray(<Node>node.inputs[k]) for k in range(node.ninputs)]
    if node.kind == MAP:
        return _mapped(node, operands)
    if node.kind == MASKED or node.kind == COMPRESS or node.kind == PACKED or node.kind == EXPAND:
        return _masked(node, operands)
    if node.kind == REDUCE:
        return _reduced(node, operands[0])
    return node.payload[1].reference(*operands)


cdef object _mapped(Node node, list operands):
    """Apply a node's loop to ndarrays."""
    cdef Loop* loop = node.loop
    if loop.ufunc is not NULL:
        operator = operator_of(<object>loop.ufunc) if node.kind == MAP and node.attr & OF_SCALARS else None
        if operator is not None:
            return operator(*[x[()] for x in operands])
        return (<object>loop.ufunc)(
            *operands, signature=tuple([descr_of(loop.types[i]) for i in range(loop.nin + loop.nout)]))
    if <object>loop.name == "where":
        return np.where(*operands)
    [x] = operands
    if x.dtype.kind == "c" and node.dtype.kind in "iuf":
        x = x.real  # the constructor of the node has warned already
    return x.astype(node.dtype)


cdef object _masked(Node node, list operands):
    """Apply an elementwise operation under a mask; elsewhere keep the old values, or zeros."""
    cdef tuple shape = shape_tuple(node)
    cdef bint has_old = node.kind == MASKED or node.kind == EXPAND
    made = np.array(np.broadcast_to(operands.pop(), shape)) if has_old else np.zeros(shape, node.dtype)
    mask = np.broadcast_to(operands.pop(), shape)
    if mask.any():
        packed = [np.broadcast_to(x, shape)[mask] if x.ndim else x for x in operands]
        made[mask] = packed[0] if node.kind == COMPRESS or node.kind == EXPAND else _mapped(node, packed)
    return made


cdef object _reduced(Node node, object x):
    cdef Loop* loop = node.loop
    cdef tuple axes = tuple([d for d in range(x.ndim) if node.axes >> <int>d & 1])
    cdef str name = <object>loop.name
    if loop.flags & LOOP_SCANS:
        ufunc = np.multiply if name == "multiply.accumulate" else np.add
        if len(axes) != 1:  # over all axes
            return ufunc.accumulate(x.ravel(), dtype=node.dtype)
        return ufunc.accumulate(x, axes[0], dtype=node.dtype)
    if loop.flags & LOOP_SEARCHES:
        return getattr(np, name)(x, axes[0] if len(axes) == 1 else None)
    return (<object>loop.ufunc).reduce(x, axes, dtype=node.dtype, keepdims=bool(node.attr))
