"""Running the steps of a plan.

A step gives its results memory, runs, and publishes what is wanted outside the graph. Memory comes from the pool, or
is taken over: by an elementwise result from an input that dies in the step, by an update from the storage it
updates. Nothing that was handed over is lost if the step fails: it is handed back unless it was overwritten, and then
the new value is kept.
"""
from cpython.object cimport PyObject

cimport cython
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.buffers cimport Buffer, new_buffer
from lazyarr._core.epilogue cimport Epilogue, begin_epilogue, finish_epilogue, offer_epilogue
from lazyarr._core.errors cimport annotate, in_errstate, raises, report_status
from lazyarr._core.loops cimport LOOP_SCANS, NPY_HALF
from lazyarr._core.node cimport (
    CHANGES, EMPTY, EXPAND, FILLS, HANDS_OVER, MAP, OF_SCALARS, OPAQUE, REDUCE, REPEAT, RESULT, SCALAR, UPDATE, VIEW,
    Kernel, Node, drop_inputs, first_element, history_is_kept, remember, settle)
from lazyarr._core.program cimport TileProgram
from lazyarr._core.space cimport enter_run, leave_run
from lazyarr._core.tile cimport run_program
from lazyarr._core.walk cimport ESCAPES, Walk, nans_are_watched, sole_owner, surroundings
from lazyarr._core.window cimport copy_nd, copy_outside, same_window, windows_clash

import numpy as np

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    static PyObject *lz_wrap(PyObject *dtype, int nd, npy_intp *shape, npy_intp *strides, void *data, PyObject *owner)
    {
        Py_INCREF(dtype);
        PyObject *out = PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)dtype, nd, shape, strides, data, 0, NULL);
        if (out == NULL) return NULL;
        Py_INCREF(owner);
        if (PyArray_SetBaseObject((PyArrayObject *)out, owner) < 0) { Py_DECREF(out); return NULL; }
        return out;
    }
    """
    object lz_wrap(object dtype, int nd, npy_intp* shape, npy_intp* strides, void* data, object owner)

# Overwriting cannot be undone, so a step that does it is not interrupted: it must be short.
cdef double LONGEST_UNINTERRUPTED_NS = 1e8


@cython.final
cdef class Step:
    """One step of a plan, ready to run."""


cdef long long _copies = 0


def copies():
    """How often storage was copied to be written to, since its old values were still wanted."""
    return _copies


cdef inline int _publish(Walk* w, int at) except -1:
    """A node that is wanted outside becomes a leaf as soon as its step is complete.

    It is told by its position in the walk: an evaluation inside this one may have changed `index`.
    """
    if nans_are_watched():
        _check_for_nans(<Node>w.nodes[at])
    if not w.is_template and surroundings(w)[at] & ESCAPES:
        settle(<Node>w.nodes[at])
    return 0


cdef int _check_for_nans(Node node) except -1:
    """Raise FloatingPointError if there is a NaN in a result and in none of the operands."""
    cdef int k
    if node.loop is NULL and node.kind != OPAQUE or not _has_nan(node):  # moves alone make none
        return 0
    for k in range(node.ninputs):
        if _has_nan(<Node>node.inputs[k]):
            return 0
    name = node.payload[0] if node.loop is NULL else _name_of(node)
    raise annotate(FloatingPointError(f"{name} made the first NaN"), name, node)


cdef bint _has_nan(Node node) except -1:
    if node.typenum != NPY_HALF and not cnp.NPY_FLOAT <= node.typenum <= cnp.NPY_CLONGDOUBLE:
        return False
    if node.data is NULL and (node.kind != VIEW or (<Node>node.inputs[0]).data is NULL):
        return False
    return bool(np.isnan(as_ndarray(node)).any())


cdef str _name_of(Node node):
    """What NumPy calls a loop where it reports it."""
    name = <object>node.loop.name
    if node.kind == REDUCE:
        name = "accumulate" if node.loop.flags & LOOP_SCANS else "reduce"
    # NumPy computes scalars by other code than arrays, and says so
    if MAP <= node.kind <= EXPAND and node.payload is not None:
        name = node.payload
    return "scalar " + name if node.kind == MAP and node.attr & OF_SCALARS else name


cdef list _collect_status(Walk* w, Step step, list aliases):
    """The status flags of the step that just ran as (serial, flags, operation, node), or None.

    What it computed again has told of its flags in an earlier step.
    """
    cdef int i
    cdef Node node
    cdef list raised = None
    for repeated in step.again:
        w.status[<int>repeated] = 0
    for left_out, computed in aliases:
        w.status[<int>left_out] |= w.status[<int>computed]
    for i in range(w.count):
        if w.status[i]:
            node = <Node>w.nodes[i]
            if raised is None:
                raised = []
            raised.append((node.serial, w.status[i], _name_of(node), node))
            w.status[i] = 0
    return raised


cdef int _allocate(Node node) except -1:
    """Give a node memory, unless it has been given some."""
    if node.data is not NULL:
        return 0
    cdef Buffer buffer = new_buffer(node.span)
    node.owner = buffer
    node.data = buffer.data
    return 0


cdef int run_empty(Walk* w, Step step) except -1:
    """Storage with undefined contents."""
    cdef Node node = <Node>w.nodes[step.node]
    if node.data is NULL:
        _allocate(node)
        _publish(w, step.node)
    return 0


# ---- tile steps ----------------------------------------------------------------------------------------


cdef list run_tile(Walk* w, Step step, list aliases):
    """Allocate, run, publish; the status flags its operations set, None if there are none.

    All that can fail for want of memory comes before the first byte of old storage is handed over, and what was handed
    over is handed back if the program does not get to run.
    """
    cdef TileProgram p = step.program
    cdef Node node
    cdef int k, started = 0
    cdef double work = p.cost * (<Node>w.nodes[p.space]).size
    cdef bint overwrites = False
    cdef list moved = None       # (node, the node whose memory it has); the lists are made when needed
    cdef list detours = None
    cdef list raised
    try:
        for k in range(p.nstore):
            node = <Node>w.nodes[p.store_node[k]]
            if moved is None and (node.kind == UPDATE or step.donors):
                moved = []
                detours = []
            if node.kind == UPDATE:
                overwrites |= _place_update(w, step, k, work, moved, detours)
            elif step.donors and node.data is NULL and work < LONGEST_UNINTERRUPTED_NS \
                    and _take_over(w, step, k, node, moved):
                overwrites = True
            else:
                _allocate(node)
        for k in range(p.nfold):
            _allocate(<Node>w.nodes[p.folds[k].node])
        run_program(p, w.nodes, w.status, not overwrites, &started)
        if detours is not None:
            for detour in detours:
                _end_detour(detour)
        raised = _collect_status(w, step, aliases)
        if raised is not None and not overwrites and _must_raise(raised):
            report_status(raised)
    except BaseException:
        if not (overwrites and started):
            _take_back(w, p, moved, detours)
        raise
    for k in range(p.nstore):
        _publish(w, p.store_node[k])
    for k in range(p.nfold):
        _publish(w, p.folds[k].node)
    if raised is not None and overwrites and _must_raise(raised):
        report_status(raised)
    return raised


cdef int _take_back(Walk* w, TileProgram p, list moved, list detours) except -1:
    """Undo the allocations of a step that did not run: old storage returns to where it came from."""
    cdef Node node, donor
    cdef int k
    for detour in detours or ():
        node = detour[0]
        node.owner, node.data = detour[2], <char*><size_t>detour[3]
        _restore_window(detour)
    for node, donor in reversed(moved or ()):  # several windows on one storage hand it on
        donor.owner = node.owner
    for k in range(p.nstore):
        _forget(<Node>w.nodes[p.store_node[k]])
    for k in range(p.nfold):
        _forget(<Node>w.nodes[p.folds[k].node])
    return 0


cdef void _forget(Node node) noexcept:
    node.data = NULL
    node.owner = None


cdef bint _must_raise(list raised) except -1:
    """Whether the flags at hand lead to an exception under the errstates of their nodes."""
    for _, status, _, node in raised:
        if raises((<Node>node).err, status):
            return True
    return False


cdef int _move_memory(Node node, Node donor, list moved) except -1:
    node.owner = donor.owner
    node.data = donor.data
    donor.owner = None
    moved.append((node, donor))
    return 0


cdef bint _take_over(Walk* w, Step step, int store, Node node, list moved) except -1:
    """Let a result have the memory of an input that dies in this step and is walked in the same order."""
    cdef Node donor
    cdef tuple pair
    for pair in step.donors:
        if <int>pair[0] != store:
            continue
        donor = <Node>w.nodes[<int>pair[1]]
        if donor.data is NULL or donor.span != node.span or not sole_owner(<PyObject*>donor):
            return False
        if not same_window(donor.ndim, donor.shape, donor.strides, donor.offset, donor.itemsize,
                           node.ndim, node.shape, node.strides, node.offset, node.itemsize):
            return False
        _move_memory(node, donor, moved)
        return True
    return False


cdef bint _place_update(Walk* w, Step step, int store, double work, list moved, list detours) except -1:
    """Give an update its storage. True when the program will overwrite old values as it runs.

    old storage is ours, and there is nothing in it yet      fill the window
    ... and it dies here, reads do not clash                 overwrite the window
    ... but they clash, and the window is small              compute the window beside it, then copy it in
    otherwise                                                new storage; copy what the window leaves out
    """
    cdef int at = step.program.store_node[store]
    cdef Node node = <Node>w.nodes[at], old = <Node>node.inputs[0]
    cdef Buffer block
    global _copies
    cdef int nd = <int>node.window[0], d
    cdef npy_intp* shape = node.window + 1
    cdef npy_intp* strides = node.window + 1 + nd
    cdef npy_intp size = (<Node>node.inputs[1]).itemsize, elements = 1
    cdef bint clash
    for d in range(nd):
        elements *= shape[d]
    if at in step.in_place and sole_owner(<PyObject*>old):
        if old.kind == EMPTY or _is_stored_before(w, step.program, store, old):
            _move_memory(node, old, moved)
            return False
        clash = _reads_clash(w, step.program, old, nd, shape, strides, node.window_offset, size)
        if clash and elements * size * 2 < old.span:
            block = new_buffer(elements * size)
            _move_memory(node, old, moved)
            detours.append(_detour(node, block))
            return False
        if not clash and work < LONGEST_UNINTERRUPTED_NS:
            _move_memory(node, old, moved)
            return True
    _copies += 1
    block = new_buffer(node.span)
    copy_outside(old, block.data, old.data, nd, shape, strides, node.window_offset, size)
    node.owner = block
    node.data = block.data
    return False


cdef bint _is_stored_before(Walk* w, TileProgram p, int store, Node node) noexcept:
    cdef int k
    for k in range(store):
        if w.nodes[p.store_node[k]] == <PyObject*>node:
            return True
    return False


cdef bint _reads_clash(Walk* w, TileProgram p, Node old, int nd, npy_intp* shape, npy_intp* strides, npy_intp offset,
                       npy_intp size) noexcept:
    cdef int k
    cdef bint repeated
    cdef Node load
    for k in range(p.nload):
        load = <Node>w.nodes[p.load_node[k]]
        repeated = load.kind == REPEAT and load.data is NULL
        if repeated:
            load = <Node>load.inputs[0]
        if load.kind == VIEW and load.data is NULL:
            if <Node>load.inputs[0] is not old:
                continue
        elif load is not old:
            continue
        if not repeated and same_window(load.ndim, load.shape, load.strides, load.offset, load.itemsize,
                                        nd, shape, strides, offset, size):
            continue
        if windows_clash(old, load.ndim, load.shape, load.strides, load.offset, load.itemsize,
                         nd, shape, strides, offset, size):
            return True
    return False


cdef tuple _detour(Node node, Buffer block):
    """Point an update at a block of its window's size; `_end_detour` copies it in and restores the window."""
    cdef int nd = <int>node.window[0], d
    cdef npy_intp step = (<Node>node.inputs[1]).itemsize
    saved = (node, block, node.owner, <size_t>node.data, node.window_offset,
             [node.window[1 + nd + d] for d in range(nd)])
    for d in range(nd - 1, -1, -1):
        node.window[1 + nd + d] = step
        step *= node.window[1 + d]
    node.data = block.data
    node.window_offset = 0
    return saved


cdef int _restore_window(tuple saved) except -1:
    cdef Node node = saved[0]
    cdef int nd = <int>node.window[0], d
    node.window_offset = saved[4]
    for d in range(nd):
        node.window[1 + nd + d] = saved[5][d]
    return 0


cdef int _end_detour(tuple saved) except -1:
    cdef Node node = saved[0]
    cdef Buffer block = saved[1]
    cdef int nd = <int>node.window[0], d
    cdef npy_intp packed[64]
    for d in range(nd):
        packed[d] = node.window[1 + nd + d]
    node.owner = saved[2]
    node.data = <char*><size_t>saved[3]
    _restore_window(saved)
    copy_nd(node.data + node.window_offset, node.window + 1 + nd, block.data, packed, node.window + 1, nd,
            (<Node>node.inputs[1]).itemsize)
    return 0


# ---- opaque steps --------------------------------------------------------------------------------------


cdef object as_ndarray(Node node):
    """A read-only ndarray on the value of a node that has data."""
    cdef npy_intp* shape = node.shape
    cdef object owner = node.owner
    if node.kind == VIEW and node.data is NULL:
        owner = (<Node>node.inputs[0]).owner
    if node.kind == SCALAR:
        owner = node
    return lz_wrap(node.dtype, node.ndim, shape, node.strides, first_element(node), owner)


cdef object writeable_array(Node node):
    """A writeable ndarray on the value of a node that has data."""
    cdef cnp.ndarray array = as_ndarray(node)
    cnp.PyArray_ENABLEFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
    return array


cdef list run_opaque(Walk* w, Step step):
    """Call the node's function on read-only arrays and keep what it returns.

    Gives, as `run_tile` does, the status flags that a kernel has returned; NumPy reports those of its own functions.
    """
    cdef Node node = <Node>w.nodes[step.node], result
    cdef int k, i
    cdef bint later
    name, function, specs = node.payload
    if node.attr == FILLS or node.attr == HANDS_OVER:
        return _run_kernel(w, step.node)
    if node.attr == CHANGES:
        return _run_changing(w, step, name, function, specs)
    values = [as_ndarray(<Node>node.inputs[k]) for k in range(node.ninputs)]
    try:
        got = in_errstate(node.err, function, values)
    except Exception as error:
        raise annotate(error, name, node)
    finally:
        del values
    if specs is None:
        _adopt(node, got, name)
        _publish(w, step.node)
        return None
    # besides the graph, the walk and this function refer to the node, and results that are not looked at yet
    later = not w.is_template and Py_REFCNT(<PyObject*>node) > node.uses + 2
    for i in range(w.count):
        result = <Node>w.nodes[i]
        if result.kind == RESULT and result.data is NULL and result.ninputs and <Node>result.inputs[0] is node:
            _adopt(result, got[result.attr], name)
            _publish(w, i)
    if later:  # they take theirs from here: the call is not made again
        if (history_is_kept() or node.pinned) and node.origin is None:
            remember(node)
        node.payload = name, _Kept(got), specs
        drop_inputs(node)
    return None


cdef list _run_kernel(Walk* w, int at):
    cdef Node node = <Node>w.nodes[at]
    cdef list raised
    try:
        raised = _fill(node)
    except BaseException:
        _forget(node)
        raise
    if raised is not None and _must_raise(raised):
        _forget(node)
        report_status(raised)
    _publish(w, at)
    return raised


cdef list _fill(Node node):
    """Have a kernel fill a node's memory, which it is given if it has none; the flags that came up, as `run_tile`."""
    cdef int k
    name, function, _ = node.payload
    try:
        if node.data is NULL:
            _take_memory(node)
        if isinstance(function, Kernel):
            status = (<Kernel>function).fill(node)
        else:
            values = [as_ndarray(<Node>node.inputs[k]) for k in range(node.ninputs)]
            status = in_errstate(node.err, function, [writeable_array(node), *values])
    except Exception as error:
        raise annotate(error, name, node)
    return [(node.serial, status, name, node)] if status else None


cdef list run_with_epilogue(Walk* w, Step step, list aliases):
    """Run a kernel, and the tile program that alone reads its result on the parts of it that are finished.

    Both can run again if either fails: of what the program overwrites there is only the kernel's result.
    """
    cdef Node kernel = <Node>w.nodes[step.node], node
    cdef TileProgram p = step.program
    cdef list raised, found, moved = []
    cdef bint filled = False
    cdef int k
    try:
        _allocate(kernel)
    except Exception as error:
        raise annotate(error, kernel.payload[0], kernel)
    try:
        for k in range(p.nstore):
            node = <Node>w.nodes[p.store_node[k]]
            if node.data is not NULL or not _take_over(w, step, k, node, moved):
                _allocate(node)
        if moved:
            kernel.owner = (<Node>moved[0][0]).owner  # theirs together for now
        raised = _run_both(w, p, kernel, len(moved) > 0, &filled)
        found = _collect_status(w, step, aliases)
        if found is not None and not moved and _must_raise(found):
            report_status(found)
    except BaseException:
        for k in range(p.nstore):
            _forget(<Node>w.nodes[p.store_node[k]])
        if moved or not filled:
            _forget(kernel)
        raise
    if moved:
        _forget(kernel)
    for k in range(p.nstore):
        _publish(w, p.store_node[k])
    if found is not None and moved and _must_raise(found):
        report_status(found)
    return found if raised is None else raised if found is None else raised + found


cdef list _run_both(Walk* w, TileProgram p, Node kernel, bint in_place, bint* filled):
    """The kernel with the program behind it; gives the kernel's flags, and sets `filled` when its result is there."""
    cdef Epilogue epilogue
    cdef Epilogue* before
    cdef list raised
    enter_run()
    try:
        begin_epilogue(&epilogue, p, w.nodes, kernel, in_place)
        before = offer_epilogue(&epilogue)
        try:
            raised = _fill(kernel)
        finally:
            offer_epilogue(before)
        if raised is not None and _must_raise(raised):
            report_status(raised)
        filled[0] = True
        finish_epilogue(&epilogue, p, w.status)
    finally:
        leave_run()
    return raised


@cython.final
cdef class _Kept:
    """Gives the results of a call that has been made."""
    cdef object results

    def __cinit__(self, results):
        self.results = results

    def __call__(self):
        return self.results


cdef list _run_changing(Walk* w, Step step, str name, object function, Node window):
    """Call a function that changes a window of its first input's storage: in place if nobody needs the old values.

    Gives, as `run_tile` does, the status flags that it has returned, with the name of what raised them.
    """
    global _copies
    cdef Node node = <Node>w.nodes[step.node], old = <Node>node.inputs[0]
    cdef Buffer block
    cdef int k
    cdef bint in_place = step.node in step.in_place and sole_owner(<PyObject*>old)
    if in_place:
        node.owner = old.owner
        node.data = old.data
        old.owner = None
    else:
        _copies += 1
        block = new_buffer(node.span)
        copy_nd(block.data + old.offset, old.strides, old.data + old.offset, old.strides, old.shape, old.ndim,
                old.itemsize)
        node.owner = block
        node.data = block.data
    try:
        array = lz_wrap(window.dtype, window.ndim, window.shape, window.strides, node.data + window.offset, node.owner)
        cnp.PyArray_ENABLEFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
        found = in_errstate(node.err, function,
                            [array, *[as_ndarray(<Node>node.inputs[k]) for k in range(1, node.ninputs)]])
    except Exception as error:
        if in_place:
            _publish(w, step.node)  # as far as it got, like NumPy
        else:
            _forget(node)
        raise annotate(error, name, node)
    _publish(w, step.node)
    return None if found is None else [(node.serial, *found, node)]


cdef int _adopt(Node node, object value, str name) except -1:
    """Take an ndarray as a node's value; its layout becomes the node's own if it is a plain one."""
    cdef cnp.ndarray array = np.asarray(value)
    cdef tuple expected = tuple([node.shape[d] for d in range(node.ndim)])
    if (<object>array).shape != expected or array.dtype != node.dtype:
        raise RuntimeError(
            f"{name} returned an array of shape {(<object>array).shape} and dtype {array.dtype}, expected "
            f"{expected} and {node.dtype}")
    if not _same_strides(array, node) or not array.dtype.isnative or not array.flags.aligned \
            or not (array.flags.owndata or type((<object>array).base) is Buffer):
        _take_memory(node)
        writeable_array(node)[...] = array
        return 0
    node.owner = array if array.flags.owndata else (<object>array).base
    node.data = <char*>cnp.PyArray_DATA(array)
    return 0


cdef bint _same_strides(cnp.ndarray array, Node node) noexcept:
    cdef int d
    if node.offset != 0:
        return False
    for d in range(node.ndim):
        if node.shape[d] > 1 and cnp.PyArray_STRIDE(array, d) != node.strides[d]:
            return False
    return True


cdef int _take_memory(Node node) except -1:
    """Give a node of any dtype storage."""
    cdef cnp.ndarray array
    if node.typenum < 0:  # references to Python objects must start out as such
        array = np.empty(node.span // max(node.itemsize, 1), node.dtype)
        node.owner = array
        node.data = <char*>cnp.PyArray_DATA(array)
    else:
        _allocate(node)
    return 0
