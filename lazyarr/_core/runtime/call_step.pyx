"""Steps that call functions: opaque calls, and kernels with their epilogues."""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.ir.failures cimport remember_failure
from lazyarr._core.ir.fingerprint cimport Walk, sole_owner
from lazyarr._core.ir.fp_errors cimport annotate, in_errstate, raising_flags, report_status, reported_flags
from lazyarr._core.ir.history cimport history_is_kept_somewhere, remember
from lazyarr._core.ir.ndarrays cimport as_ndarray, ndarray_on, writeable_array
from lazyarr._core.ir.node cimport CHANGES, FILLS, FINISHES, HANDS_OVER, OPAQUE, RESULT, Kernel, Node, drop_inputs
from lazyarr._core.ir.overlap cimport copy_nd
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.runtime.arena cimport may_move, memory_of
from lazyarr._core.runtime.backend_choice cimport backend_of, has_choice
from lazyarr._core.runtime.executor cimport allocate, collect_status, forget, must_raise, publish, take_over
from lazyarr._core.runtime.slice_update cimport count_copy
from lazyarr._core.tile.epilogue cimport Epilogue, begin_epilogue, finish_epilogue, offer_epilogue, store_result
from lazyarr._core.tile.loop_nest cimport enter_run, leave_run

import numpy as np

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef enum:
    WORTH_BANDS = 1 << 20          # size of a result from which on it pays off not to store it
cdef char* NOWHERE = <char*>4096   # aligned address in place of the memory of a result without any


cdef object failed_call(Walk* w, Node node, object error, str name, object backend=None):
    """Annotate an error of a call; it is not kept for nodes that run again with other values or backends."""
    if backend is not None:
        name = f"{name} [{backend.name}]"
    annotate(error, name, node)
    return error if w.is_template or backend is not None else remember_failure(node, error, name)


cdef list run_opaque(Walk* w, Step step, list aliases):
    """Call the node's function on read-only arrays and keep the result.

    Returns the status flags of a kernel like `run_tile`; NumPy reports those of its own functions.
    """
    name, function, specs = (<Node>w.nodes[step.node]).payload
    if (<Node>w.nodes[step.node]).attr == CHANGES:
        return _run_changing(w, step, name, function, specs)
    return end_call(w, step, (begin_call(w, step, aliases), None), aliases)


cdef object begin_call(Walk* w, Step step, list aliases):
    """Make a call; return its name and result: the flags of a kernel, which fills the node's memory, or values."""
    cdef Node node = <Node>w.nodes[step.node]
    cdef int k
    if _fills(node):
        try:
            return _fill(w, step.node, aliases)
        except BaseException:
            forget(node)
            raise
    name, function, specs = node.payload
    backend = backend_of(node) if has_choice() else None
    values = [as_ndarray(<Node>node.inputs[k]) for k in range(node.ninputs)]
    try:
        if backend is not None:
            w.skips_memo = True
            got = in_errstate(node.err, backend.call, [values])
        elif node.number:
            got = _noting_flags(w, node.err, function, values)
        else:
            got = in_errstate(node.err, function, values)
    except Exception as error:
        raise failed_call(w, node, error, name, backend)
    if backend is not None:
        name = f"{name} [{backend.name}]"
        if specs is not None and (not isinstance(got, tuple) or len(got) != len(specs)):
            raise RuntimeError(f"{name} must return a tuple of {len(specs)} arrays")
    return name, got


cdef object _noting_flags(Walk* w, int err, object function, list values):
    """Call a NumPy function whose result the memo may keep; note if it reports flags."""
    try:
        return raising_flags(err, function, values)
    except FloatingPointError:
        w.skips_memo = True
    return in_errstate(err, function, values)


cdef bint _fills(Node node) noexcept:
    return node.attr == FILLS or node.attr == HANDS_OVER or node.attr == FINISHES


cdef list end_call(Walk* w, Step step, tuple made, list aliases):
    """Store the result of a call, or raise its exception; return the status flags, or None."""
    cdef Node node = <Node>w.nodes[step.node]
    cdef int i
    cdef list calls, places, read_later
    got, error = made
    if error is not None:
        raise error
    if _fills(node):
        return publish_filled(w, step.node, got)
    name, got = got
    if node.payload[2] is None:
        _adopt(w, step.node, got, name)
        publish(w, step.node)
        return None
    calls, places = pending_results(w, step.node, aliases)
    # references: the graph and the walk to the call, this frame to the one it runs
    read_later = calls_read_later(w, step.node, calls)
    for i in places:
        _adopt(w, i, got[(<Node>w.nodes[i]).attr], name)
        publish(w, i)
    for i in read_later:
        keep_results(<Node>w.nodes[i], Kept(got))
    return None


cdef tuple pending_results(Walk* w, int at, list aliases):
    """Return the positions of a call and equal ones, and of their results in the walk.

    Positions identify nodes: nested evaluations may have renumbered them.
    """
    cdef Node result
    cdef int i
    cdef list calls = [at], places = []
    cdef set left_out = set()
    for left, computed in aliases:
        left_out.add(left)
        if <int>computed == at:
            calls.append(left)
    for i in range(w.count):
        result = <Node>w.nodes[i]
        if result.kind == RESULT and result.data is NULL and result.ninputs and i not in left_out \
                and _is_among(w, calls, result.inputs[0]):
            places.append(i)
    return calls, places


cdef list calls_read_later(Walk* w, int at, list calls):
    """Return those calls with results outside the walk, or to which derivatives may return.

    Besides the graph and the walk, one reference is the caller's, to the call at `at`.
    """
    cdef int i
    return [] if w.is_template else [
        i for i in calls if Py_REFCNT(w.nodes[<int>i]) > (<Node>w.nodes[<int>i]).uses + 1 + (<int>i == at)
        or w.remembered and hasattr((<Node>w.nodes[at]).payload[1], "once")]


cdef bint _is_among(Walk* w, list places, PyObject* node) except -1:
    for i in places:
        if w.nodes[<int>i] == node:
            return True
    return False


cdef int keep_results(Node call, Kept kept) except -1:
    """Let results that are read later use the kept ones: the call is not made again."""
    name, _, specs = call.payload
    if (history_is_kept_somewhere() or call.pinned) and call.origin is None:
        remember(call)
    call.payload = name, kept, specs
    drop_inputs(call)
    return 0


cdef list publish_filled(Walk* w, int at, list raised):
    """Publish the result of a kernel unless its flags raise."""
    cdef Node node = <Node>w.nodes[at]
    if raised is not None and must_raise(raised):
        forget(node)
        report_status(raised)
    publish(w, at)
    return raised


cdef list _fill(Walk* w, int at, list aliases):
    """Run a kernel on a node's memory, allocated if needed; return the flags like `run_tile`."""
    cdef Node node = <Node>w.nodes[at]
    cdef int k
    name, function, _ = node.payload
    # if the result is not stored, the caller has asked before, and it was None
    backend = backend_of(node) if has_choice() and node.data != NOWHERE else None
    if backend is not None:
        w.skips_memo = True
    try:
        if node.data is NULL:
            _take_memory(w, at)
        status = (<Kernel>function).fill(node) if isinstance(function, Kernel) and backend is None else -2
        if status == -2:
            values = [as_ndarray(<Node>node.inputs[k]) for k in range(node.ninputs)]
            if backend is None:
                status = in_errstate(node.err, function, [writeable_array(node), *values])
            else:
                status = in_errstate(node.err, backend.fill, [writeable_array(node), values])
    except Exception as error:
        raise failed_call(w, node, error, name, backend)
    return _flags_of_call(w, at, status or 0, aliases)


cdef list _flags_of_call(Walk* w, int at, int status, list aliases):
    """Return the flags of a call under its node and equal calls it stands for; None if there are none."""
    cdef Node node = <Node>w.nodes[at], other
    cdef list raised
    if not status or not status & reported_flags(node.err):
        return None
    name = node.payload[0]
    raised = [(node.serial, status, name, node)]
    for left_out, computed in aliases:
        if <int>computed == at:
            other = <Node>w.nodes[<int>left_out]
            raised.append((other.serial, status, name, other))
    return raised


cdef list run_with_epilogue(Walk* w, Step step, list aliases):
    """Run a kernel, and its epilogue on each finished part of the result.

    Both can run again after a failure as long as the program overwrites only the kernel's result. Where it overwrites
    leaves, both run to the end, and flags are reported after publication.
    """
    cdef Node kernel = <Node>w.nodes[step.node], node
    cdef TileProgram p = step.program
    cdef list raised = None, found, moved = []
    cdef bint filled = False, in_place = False, overwrites
    cdef int k
    try:
        if is_not_stored(kernel, step):
            kernel.data = NOWHERE
        else:
            allocate(w, step.node)
    except Exception as error:
        raise annotate(error, kernel.payload[0], kernel)
    try:
        for k in range(p.nstore):
            node = <Node>w.nodes[p.store_node[k]]
            if node.data is not NULL or not take_over(w, step, k, moved):
                allocate(w, p.store_node[k])
        for node, donor in moved:
            if donor is kernel:
                kernel.owner = node.owner  # shared for now
                in_place = True
        overwrites = len(moved) > in_place
        raised = _run_both(w, step, in_place, overwrites, &filled, aliases)
        found = collect_status(w, step, aliases)
        if found is not None and not moved and must_raise(found):
            report_status(found)
    except BaseException:
        for node, donor in moved:
            if donor is not kernel:  # nothing has run yet
                (<Node>donor).owner = node.owner
        for k in range(p.nstore):
            forget(<Node>w.nodes[p.store_node[k]])
        if in_place or not filled or kernel.owner is None:
            forget(kernel)
        raise
    if in_place or kernel.owner is None:
        forget(kernel)
    for k in range(p.nstore):
        publish(w, p.store_node[k])
    found = found if raised is None else raised if found is None else raised + found
    if found is not None and moved and must_raise(found):
        report_status(found)
    return found


cdef bint is_not_stored(Node kernel, Step step) except -1:
    """Return whether it pays off to compute a kernel's result for its epilogue only, without storing it."""
    if not step.behind_kernel or kernel.attr != FINISHES or kernel.span < WORTH_BANDS \
            or has_choice() and backend_of(kernel) is not None:
        return False
    for _, donor in step.donors:
        if <int>donor == step.node:  # it is stored, then overwritten
            return False
    return True


cdef list _run_both(Walk* w, Step step, bint in_place, bint overwrites, bint* filled, list aliases):
    """Run a kernel and its epilogue; return the kernel's flags; set `filled` once its result is complete."""
    cdef TileProgram p = step.program
    cdef Node kernel = <Node>w.nodes[step.node]
    cdef Epilogue epilogue
    cdef Epilogue* before
    cdef list raised
    enter_run()
    try:
        begin_epilogue(&epilogue, p, w.nodes, kernel, in_place, overwrites)
        if epilogue.unstored and not (epilogue.elements and epilogue.possible):
            store_result(&epilogue, kernel)
        before = offer_epilogue(&epilogue)
        try:
            raised = _fill(w, step.node, aliases)
        finally:
            offer_epilogue(before)
        if raised is not None and not overwrites and must_raise(raised):
            report_status(raised)
        filled[0] = True
        finish_epilogue(&epilogue, p, w.status)
    finally:
        leave_run()
    return raised


cdef class Kept:
    """Provides the results of a call that was made already."""

    def __init__(self, results):
        self.results = results

    def __call__(self):
        return self.results


cdef bint was_called(Node result):
    """Return whether a pending result belongs to a call that was made for another of its results."""
    if result.kind != RESULT or (<Node>result.inputs[0]).kind != OPAQUE:
        return False
    return isinstance((<Node>result.inputs[0]).payload[1], Kept)


cdef list _run_changing(Walk* w, Step step, str name, object function, Node window):
    """Call a function that changes a window of its first input's storage, in place if nothing reads the old values.

    Returns the status flags like `run_tile`, under the name that the function returned.
    """
    cdef Node node = <Node>w.nodes[step.node], old = <Node>node.inputs[0]
    cdef Buffer block
    cdef int k
    cdef bint in_place = step.node in step.in_place and sole_owner(<PyObject*>old) \
        and may_move(w, old, step.node)
    if in_place:
        node.owner = old.owner
        node.data = old.data
        old.owner = None
    else:
        count_copy()
        block = memory_of(w, step.node)
        copy_nd(block.data + old.offset, old.strides, old.data + old.offset, old.strides, old.shape, old.ndim,
                old.itemsize)
        node.owner = block
        node.data = block.data
    try:
        array = ndarray_on(window.dtype, window.ndim, window.shape, window.strides, node.data + window.offset,
                           node.owner, True)
        found = in_errstate(node.err, function,
                            [array, *[as_ndarray(<Node>node.inputs[k]) for k in range(1, node.ninputs)]])
    except Exception as error:
        if in_place:
            publish(w, step.node)  # as far as it got, as in NumPy
        else:
            forget(node)
        raise failed_call(w, node, error, name)
    publish(w, step.node)
    return None if found is None else [(node.serial, *found, node)]


cdef int _adopt(Walk* w, int at, object value, str name) except -1:
    """Use an ndarray as a node's value; the node takes its layout if that is regular."""
    cdef Node node = <Node>w.nodes[at]
    cdef cnp.ndarray array
    if type(value) is DeviceMemory:     # from a sub-graph run on the node's device
        node.owner, node.data = value, (<DeviceMemory>value).data
        return 0
    if not isinstance(value, np.ndarray) and node.typenum < 0:  # an object or a variable-length string
        value = np.array(value, node.dtype)
    array = np.asarray(value)
    cdef tuple expected = tuple([node.shape[d] for d in range(node.ndim)])
    if (<object>array).shape != expected or array.dtype != node.dtype:
        raise RuntimeError(
            f"{name} returned an array of shape {(<object>array).shape} and dtype {array.dtype}, expected "
            f"{expected} and {node.dtype}")
    if not _same_strides(array, node) or not array.dtype.isnative or not array.flags.aligned \
            or not (array.flags.owndata or _is_block((<object>array).base)):
        _take_memory(w, at)
        writeable_array(node)[...] = array
        return 0
    if node.typenum < 0:
        node.dtype = array.dtype  # a StringDType instance owns the memory of long strings
    node.owner = array if array.flags.owndata else (<object>array).base
    node.data = <char*>cnp.PyArray_DATA(array)
    return 0


cdef bint _is_block(owner) noexcept:
    """Return whether a buffer may outlive the evaluation; parts of an arena may not."""
    return type(owner) is Buffer and (<Buffer>owner).whole is None


cdef bint _same_strides(cnp.ndarray array, Node node) noexcept:
    cdef int d
    if node.offset != 0:
        return False
    for d in range(node.ndim):
        if node.shape[d] > 1 and cnp.PyArray_STRIDE(array, d) != node.strides[d]:
            return False
    return True


cdef int _take_memory(Walk* w, int at) except -1:
    """Allocate storage of any dtype for a node."""
    cdef Node node = <Node>w.nodes[at]
    cdef cnp.ndarray array
    if node.typenum < 0:  # object references must be initialised
        array = np.empty(node.span // max(node.itemsize, 1), node.dtype)
        node.owner = array
        node.data = <char*>cnp.PyArray_DATA(array)
    else:
        allocate(w, at)
    return 0
