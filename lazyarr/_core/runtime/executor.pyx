"""Running the steps of a plan.

A step gives its results memory, runs, and publishes what is wanted outside the graph. Memory comes from the pool, or
is taken over: by an elementwise result from an input that dies in the step, by an update from the storage it
updates. Nothing that was handed over is lost if the step fails: it is handed back unless it was overwritten, and then
the new value is kept.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

cimport cython
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.threads cimport LONGEST_UNINTERRUPTED_NS
from lazyarr._core.ir.failures cimport remember_failure
from lazyarr._core.ir.fingerprint cimport ESCAPES, Walk, nans_are_watched, sole_owner, surroundings
from lazyarr._core.ir.fp_errors cimport annotate, in_errstate, may_raise, raises, report_status, told
from lazyarr._core.ir.inner_loops cimport LOOP_SCANS, LOOP_SERIAL, NPY_HALF
from lazyarr._core.ir.node cimport (
    CHANGES, EXPAND, FILLS, FINISHES, HANDS_OVER, LEAF, MAP, OF_SCALARS, OPAQUE, REDUCE, RESULT, SCALAR, UPDATE, VIEW,
    Kernel, Node, drop_inputs, first_element, history_is_kept_somewhere, remember, settle)
from lazyarr._core.ir.overlap cimport copy_nd, same_window
from lazyarr._core.runtime.arena cimport may_move, memory_of, watch_release
from lazyarr._core.runtime.slice_update cimport count_copy, end_detours, hand_back, move_memory, place_update
from lazyarr._core.tile.epilogue cimport Epilogue, begin_epilogue, finish_epilogue, offer_epilogue, store_result
from lazyarr._core.tile.interpreter cimport run_program
from lazyarr._core.tile.loop_nest cimport enter_run, leave_run
from lazyarr._core.tile.tile_program cimport TileProgram

import numpy as np

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewFromDescr(type subtype, cnp.dtype dtype, int ndim, npy_intp* shape, npy_intp* strides, void* data,
                                int flags, PyObject* source)


@cython.final
cdef class Step:
    """One step of a plan, ready to run."""


cdef enum:
    WORTH_BANDS = 1 << 20          # bytes of a result, from which on not storing it is worth its own way
cdef char* NOWHERE = <char*>4096   # stands for the memory of a result that has none, aligned as memory is


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
    """The status flags of the program that just ran as (serial, flags, operation, node), or None.

    What it computed again has told of its flags in an earlier step. Flags that are ignored are left out.
    """
    cdef TileProgram p = step.program
    cdef int i, status, found = 0
    cdef Node node
    cdef list raised = None
    for repeated in step.again:
        w.status[<int>repeated] = 0
    for i in range(p.ninstr):
        found |= w.status[p.instrs[i].node]
    for i in range(p.nfold):
        found |= w.status[p.folds[i].node]
    if not found:
        return None
    for left_out, computed in aliases:
        w.status[<int>left_out] |= w.status[<int>computed]
    for i in range(w.count):
        if w.status[i]:
            node = <Node>w.nodes[i]
            status = w.status[i] & told(node.err)
            w.status[i] = 0
            if status:
                if raised is None:
                    raised = []
                raised.append((node.serial, status, _name_of(node), node))
    return raised


cdef int _allocate(Walk* w, int at) except -1:
    """Give a node memory, unless it has been given some."""
    cdef Node node = <Node>w.nodes[at]
    cdef Buffer buffer
    if node.data is not NULL:
        return 0
    buffer = memory_of(w, at)
    node.owner = buffer
    node.data = buffer.data
    return 0


cdef int run_empty(Walk* w, Step step) except -1:
    """Storage with undefined contents."""
    cdef Node node = <Node>w.nodes[step.node]
    if node.data is NULL:
        _allocate(w, step.node)
        _publish(w, step.node)
    return 0


# ---- tile steps ----------------------------------------------------------------------------------------


cdef list run_tile(Walk* w, Step step, list aliases):
    """Allocate, run, publish; the status flags its operations set, None if there are none.

    All that can fail for want of memory comes before the first byte of old storage is handed over, and what was handed
    over is handed back if the program does not get to run.
    """
    cdef TileProgram p = step.program
    cdef int started = 0
    cdef bint overwrites = False
    cdef list raised, placed = [] if step.moves else None
    try:
        place_results(w, step, placed, &overwrites)
        run_program(p, w.nodes, w.status, not overwrites, &started)
        raised = end_program(w, step, placed, overwrites, aliases)
    except BaseException:
        if not (overwrites and started):
            take_back(w, p, placed)
        raise
    publish_results(w, p, raised, overwrites)
    return raised


cdef int place_results(Walk* w, Step step, list placed, bint* overwrites) except -1:
    """Give the results of a program memory; what is moved, and detours, are added to `placed`, which may be None else.
    """
    cdef TileProgram p = step.program
    cdef Node node
    cdef int k
    cdef bint may_fail = _may_fail(w, p)
    cdef bint short = not may_fail and expected_work(w, p) < LONGEST_UNINTERRUPTED_NS
    for k in range(p.nstore):
        node = <Node>w.nodes[p.store_node[k]]
        if node.kind == UPDATE:
            overwrites[0] |= place_update(w, p, step.in_place, k, short, placed)
        elif step.donors and not may_fail and node.data is NULL and _take_over(w, step, k, placed):
            overwrites[0] = True
        else:
            _allocate(w, p.store_node[k])
    for k in range(p.nfold):
        _allocate(w, p.folds[k].node)
    return 0


cdef bint _may_fail(Walk* w, TileProgram p) except -1:
    """Whether an operation may raise for what it finds in values: what it has overwritten by then would be lost."""
    cdef int i
    cdef Node node
    for i in range(p.ninstr):
        node = <Node>w.nodes[p.instrs[i].node]
        if node.loop is not NULL and node.loop.flags & LOOP_SERIAL:
            return True
        if may_raise(node.err):
            return True
    return False


cdef list end_program(Walk* w, Step step, list placed, bint overwrites, list aliases):
    """The status flags of a program that has run, None if there are none; raises if it can run again."""
    cdef list raised
    if placed is not None:
        end_detours(placed)
    raised = _collect_status(w, step, aliases)
    if raised is not None and not overwrites and _must_raise(raised):
        report_status(raised)
    return raised


cdef int publish_results(Walk* w, TileProgram p, list raised, bint overwrites) except -1:
    """Publish what a program has computed; raises if it cannot run again."""
    cdef int k
    for k in range(p.nstore):
        _publish(w, p.store_node[k])
    for k in range(p.nfold):
        _publish(w, p.folds[k].node)
    if raised is not None and overwrites and _must_raise(raised):
        report_status(raised)
    return 0


cdef str label_of(Walk* w, Step step):
    """What a step computes, as the timeline and the progress name it."""
    cdef list names = []
    cdef int k
    cdef TileProgram program = step.program
    if program is None or step.behind_kernel:
        names.append((<Node>w.nodes[step.node]).payload[0] if step.kind != "empty" else "empty")
    if program is not None:
        names += [<object>program.instrs[k].loop.name for k in range(program.ninstr)]
        names += [<object>program.folds[k].loop.name + ".reduce" for k in range(program.nfold)]
    return ", ".join(names)


cdef double expected_work(Walk* w, TileProgram p) noexcept:
    """What a program is thought to take on one thread, in nanoseconds."""
    return p.cost * (<Node>w.nodes[p.space]).size


cdef void free_read(Walk* w, Step step) noexcept:
    """Give back the intermediates whose last reader a step is."""
    cdef Node node
    cdef int k
    for k in range(step.nfrees):
        node = <Node>w.nodes[<int>step.frees[k]]
        if node.kind != LEAF:
            watch_release(w, node)
            _forget(node)


cdef int take_back(Walk* w, TileProgram p, list placed) except -1:
    """Undo the allocations of a step that did not run: old storage returns to where it came from."""
    cdef int k
    if placed is not None:
        hand_back(placed)
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


cdef bint may_take_over(Walk* w, Step step, Node node, Node donor) noexcept:
    """Whether a result can lie where an operand lies, which is walked in the same order, as far as extents tell."""
    return donor.span == node.span and expected_work(w, step.program) < LONGEST_UNINTERRUPTED_NS and same_window(
        donor.ndim, donor.shape, donor.strides, donor.offset, donor.itemsize,
        node.ndim, node.shape, node.strides, node.offset, node.itemsize)


cdef bint _take_over(Walk* w, Step step, int store, list moved) except -1:
    """Let a result have the memory of an input that dies in this step."""
    cdef int at = step.program.store_node[store]
    cdef Node node = <Node>w.nodes[at], donor
    cdef tuple pair
    for pair in step.donors:
        if <int>pair[0] != store:
            continue
        donor = <Node>w.nodes[<int>pair[1]]
        if donor.data is NULL or not may_take_over(w, step, node, donor) or not sole_owner(<PyObject*>donor) \
                or not may_move(w, donor, at):
            return False
        move_memory(node, donor, moved)
        return True
    return False


# ---- opaque steps --------------------------------------------------------------------------------------


cdef object as_ndarray(Node node):
    """A read-only ndarray on the value of a node that has data."""
    cdef npy_intp* shape = node.shape
    cdef Node storage = node
    dtype = node.dtype
    if node.kind == VIEW and node.data is NULL:
        storage = <Node>node.inputs[0]
        if node.typenum < 0 and dtype == storage.dtype:
            dtype = storage.dtype
    return ndarray_on(dtype, node.ndim, shape, node.strides, first_element(node),
                      storage if storage.kind == SCALAR else storage.owner, False)


cdef object ndarray_on(object dtype, int ndim, npy_intp* shape, npy_intp* strides, char* data, object owner,
                       bint writeable):
    """An ndarray on memory that `owner` keeps."""
    cdef cnp.ndarray array
    Py_INCREF(dtype)  # whose reference the ndarray takes
    array = PyArray_NewFromDescr(cnp.ndarray, <cnp.dtype>dtype, ndim, shape, strides, data,
                                 cnp.NPY_ARRAY_WRITEABLE if writeable else 0, NULL)
    cnp.set_array_base(array, owner)
    return array


cdef object writeable_array(Node node):
    """A writeable ndarray on the value of a node that has data."""
    cdef cnp.ndarray array = as_ndarray(node)
    cnp.PyArray_ENABLEFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
    return array


cdef object _failed(Walk* w, Node node, object error, str name):
    """An error of a call, with its place; nodes that run again, with other values, may not raise it then."""
    annotate(error, name, node)
    return error if w.is_template else remember_failure(node, error, name)


cdef list run_opaque(Walk* w, Step step):
    """Call the node's function on read-only arrays and keep what it returns.

    Gives, as `run_tile` does, the status flags that a kernel has returned; NumPy reports those of its own functions.
    """
    cdef Node node = <Node>w.nodes[step.node], result
    cdef int k, i
    cdef bint later
    name, function, specs = node.payload
    if node.attr == FILLS or node.attr == HANDS_OVER or node.attr == FINISHES:
        return _run_kernel(w, step.node)
    if node.attr == CHANGES:
        return _run_changing(w, step, name, function, specs)
    values = [as_ndarray(<Node>node.inputs[k]) for k in range(node.ninputs)]
    try:
        got = in_errstate(node.err, function, values)
    except Exception as error:
        raise _failed(w, node, error, name)
    finally:
        del values
    if specs is None:
        _adopt(w, step.node, got, name)
        _publish(w, step.node)
        return None
    # besides the graph, the walk and this function refer to the node, and results that are not looked at yet
    later = not w.is_template and Py_REFCNT(<PyObject*>node) > node.uses + 2
    for i in range(w.count):
        result = <Node>w.nodes[i]
        if result.kind == RESULT and result.data is NULL and result.ninputs and <Node>result.inputs[0] is node:
            _adopt(w, i, got[result.attr], name)
            _publish(w, i)
    if later:  # they take theirs from here: the call is not made again
        if (history_is_kept_somewhere() or node.pinned) and node.origin is None:
            remember(node)
        node.payload = name, _Kept(got), specs
        drop_inputs(node)
    return None


cdef list _run_kernel(Walk* w, int at):
    cdef Node node = <Node>w.nodes[at]
    cdef list raised
    try:
        raised = _fill(w, at)
    except BaseException:
        _forget(node)
        raise
    if raised is not None and _must_raise(raised):
        _forget(node)
        report_status(raised)
    _publish(w, at)
    return raised


cdef list _fill(Walk* w, int at):
    """Have a kernel fill a node's memory, which it is given if it has none; the flags that came up, as `run_tile`."""
    cdef Node node = <Node>w.nodes[at]
    cdef int k
    name, function, _ = node.payload
    try:
        if node.data is NULL:
            _take_memory(w, at)
        if isinstance(function, Kernel):
            status = (<Kernel>function).fill(node)
        else:
            values = [as_ndarray(<Node>node.inputs[k]) for k in range(node.ninputs)]
            status = in_errstate(node.err, function, [writeable_array(node), *values])
    except Exception as error:
        raise _failed(w, node, error, name)
    return [(node.serial, status, name, node)] if status and status & told(node.err) else None


cdef list run_with_epilogue(Walk* w, Step step, list aliases):
    """Run a kernel, and the tile program that alone reads its result on the parts of it that are finished.

    Both can run again if either fails, if of what the program overwrites there is only the kernel's result. Where it
    overwrites leaves, both run to their end, and flags are told of when their results are there.
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
            _allocate(w, step.node)
    except Exception as error:
        raise annotate(error, kernel.payload[0], kernel)
    try:
        for k in range(p.nstore):
            node = <Node>w.nodes[p.store_node[k]]
            if node.data is not NULL or not _take_over(w, step, k, moved):
                _allocate(w, p.store_node[k])
        for node, donor in moved:
            if donor is kernel:
                kernel.owner = node.owner  # theirs together for now
                in_place = True
        overwrites = len(moved) > in_place
        raised = _run_both(w, step, in_place, overwrites, &filled)
        found = _collect_status(w, step, aliases)
        if found is not None and not moved and _must_raise(found):
            report_status(found)
    except BaseException:
        for node, donor in moved:
            if donor is not kernel:  # nothing has run
                (<Node>donor).owner = node.owner
        for k in range(p.nstore):
            _forget(<Node>w.nodes[p.store_node[k]])
        if in_place or not filled or kernel.owner is None:
            _forget(kernel)
        raise
    if in_place or kernel.owner is None:
        _forget(kernel)
    for k in range(p.nstore):
        _publish(w, p.store_node[k])
    found = found if raised is None else raised if found is None else raised + found
    if found is not None and moved and _must_raise(found):
        report_status(found)
    return found


cdef bint is_not_stored(Node kernel, Step step) except -1:
    """Whether a kernel's result is worth to be computed where only the program behind it sees it."""
    if not step.behind_kernel or kernel.attr != FINISHES or kernel.span < WORTH_BANDS:
        return False
    for _, donor in step.donors:
        if <int>donor == step.node:  # it is stored, and then overwritten
            return False
    return True


cdef list _run_both(Walk* w, Step step, bint in_place, bint overwrites, bint* filled):
    """The kernel with the program behind it; gives the kernel's flags, and sets `filled` when its result is there."""
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
            raised = _fill(w, step.node)
        finally:
            offer_epilogue(before)
        if raised is not None and not overwrites and _must_raise(raised):
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


cdef bint was_called(Node result):
    """Whether a pending node is one of several results of a call that has been made for another of them."""
    if result.kind != RESULT or (<Node>result.inputs[0]).kind != OPAQUE:
        return False
    return isinstance((<Node>result.inputs[0]).payload[1], _Kept)


cdef list _run_changing(Walk* w, Step step, str name, object function, Node window):
    """Call a function that changes a window of its first input's storage: in place if nobody needs the old values.

    Gives, as `run_tile` does, the status flags that it has returned, with the name of what raised them.
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
            _publish(w, step.node)  # as far as it got, like NumPy
        else:
            _forget(node)
        raise _failed(w, node, error, name)
    _publish(w, step.node)
    return None if found is None else [(node.serial, *found, node)]


cdef int _adopt(Walk* w, int at, object value, str name) except -1:
    """Take an ndarray as a node's value; its layout becomes the node's own if it is a plain one."""
    cdef Node node = <Node>w.nodes[at]
    cdef cnp.ndarray array
    if not isinstance(value, np.ndarray) and node.typenum < 0:  # an object, or a string of its own length
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
        node.dtype = array.dtype  # one of NumPy's variable-width strings holds the memory of long ones
    node.owner = array if array.flags.owndata else (<object>array).base
    node.data = <char*>cnp.PyArray_DATA(array)
    return 0


cdef bint _is_block(owner) noexcept:
    """Whether it may go on for as long as it likes: parts of an arena may not."""
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
    """Give a node of any dtype storage."""
    cdef Node node = <Node>w.nodes[at]
    cdef cnp.ndarray array
    if node.typenum < 0:  # references to Python objects must start out as such
        array = np.empty(node.span // max(node.itemsize, 1), node.dtype)
        node.owner = array
        node.data = <char*>cnp.PyArray_DATA(array)
    else:
        _allocate(w, at)
    return 0
