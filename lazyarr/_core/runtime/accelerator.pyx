"""Steps on an accelerator: programs and calls with kernels run there, all else on the host.

A tile program becomes a kernel of the device's driver (`lazyarr/gpu`). Memory for its results is allocated here;
`kernel_launch` describes its operands. A call for which the driver has a row gets its result memory here, too, and the
row launches its own kernels.

What has no kernel runs on the host (`device_fallback`).
"""
from cpython.object cimport PyObject

from lazyarr._core.host.device_memory cimport DeviceMemory, new_memory, note_use, write_memory
from lazyarr._core.host.device_table cimport drivers
from lazyarr._core.ir.device_function cimport DeviceFunction
from lazyarr._core.ir.fingerprint cimport Walk, nans_are_watched
from lazyarr._core.ir.fp_errors cimport in_errstate, report_status, reported_flags
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL, Loop
from lazyarr._core.ir.node cimport CHANGES, EMPTY, OPAQUE, SCALAR, UPDATE, Node, first_element
from lazyarr._core.ir.overlap cimport replaced_window, same_window, shown_window, windows_clash
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport SCANS, WHOLE, LoopCall, TileProgram
from lazyarr._core.ir.ufunc_traits cimport RAISES
from lazyarr._core.runtime.backend_choice cimport backend_of, has_choice
from lazyarr._core.runtime.call_step cimport Kept, end_call, failed_call, publish_filled
from lazyarr._core.runtime.device_call cimport Call
from lazyarr._core.runtime.device_fallback cimport run_without_device, warn_later
from lazyarr._core.runtime.device_results cimport DeviceResults, device_results
from lazyarr._core.runtime.executor cimport (
    forget, label_of, must_raise, publish, publish_results, take_back)
from lazyarr._core.runtime.kernel_launch cimport Launch, is_constant, is_repeated, run_kernel, storage_of
from lazyarr._core.runtime.reference cimport uses_reference
from lazyarr._core.runtime.slice_update cimport count_copy, move_memory
from lazyarr._core.runtime.status_words cimport StatusWords

from functools import partial

import numpy as np

from lazyarr._core.runtime.device_call import NoKernel, Operand

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


class _NoRoom(Exception):
    """The device has no memory for the results of a step, which has changed nothing."""


cdef StatusWords status_words(Walk* w):
    """Return the status words of an evaluation."""
    return StatusWords(drivers[(<Node>w.nodes[w.count - 1]).device])


cdef list run_on_accelerator(Walk* w, Step step, list aliases, HostRun run_on_host, StatusWords words):
    """Run a step; return the status flags of its operations, or None if there are none or `words` has them."""
    cdef Py_ssize_t mark = words.mark()
    driver = drivers[(<Node>w.nodes[w.count - 1]).device]
    try:
        if step.kind == "empty":
            return _run_empty(w, step)
        if not (uses_reference() or nans_are_watched()):
            if step.behind_kernel:
                return _run_both(w, step, aliases, driver, words)
            if step.program is None and (<Node>w.nodes[step.node]).kind == OPAQUE:
                function = (<Node>w.nodes[step.node]).payload[1]
                if isinstance(function, DeviceFunction):
                    return _run_function(w, step, aliases, function, words)
                if type(function) is Kept or (<Node>w.nodes[step.node]).typenum < 0:    # not for a device
                    return run_without_device(w, step, aliases, run_on_host)
            if step.program is None:
                return _run_call(w, step, aliases, driver, words)
            return _run_program(w, step, aliases, driver, words)
    except NoKernel as reason:
        driver.count_host_step(label_of(w, step), str(reason))
    except _NoRoom as error:
        warn_later(f"{error}: what has no room there is computed on the host")
    words.forget(mark)
    return run_without_device(w, step, aliases, run_on_host)


cdef int _allocate(Node node) except -1:
    cdef DeviceMemory memory = new_memory(node.device, node.span)
    node.owner, node.data = memory, memory.data
    return 0


cdef list _run_empty(Walk* w, Step step):
    """Allocate storage with undefined contents."""
    cdef Node node = <Node>w.nodes[step.node]
    if node.data is NULL:
        try:
            _allocate(node)
        except MemoryError as error:
            raise _NoRoom(str(error))
        publish(w, step.node)
    return None


# ---- kernels -------------------------------------------------------------------------------------------


cdef list _run_program(Walk* w, Step step, list aliases, object driver, StatusWords words):
    """Run a tile program as a kernel; raise NoKernel before any change if there is none."""
    cdef TileProgram p = step.program
    cdef Launch launch
    cdef bint overwrites = False, started = False
    cdef list placed = [], raised
    cdef Py_ssize_t mark = words.mark()
    cdef int k
    _check_operands(w, p)
    launch = Launch.__new__(Launch)
    launch.w, launch.step, launch.p, launch.space = w, step, p, <Node>w.nodes[p.space]
    launch.aliases, launch.words = aliases, words
    launch.lay_out()
    if p.nfold and launch.nkept * launch.nfolded == 0:
        raise NoKernel("a fold of no elements")
    try:
        kernel = driver.kernel(p, *launch.form())
        scans = [_find_scan(launch, k, driver) for k in range(p.nfold)] if p.in_order == SCANS else []
    except MemoryError as error:
        raise _NoRoom(str(error))
    try:
        for k in range(p.nstore):
            overwrites |= _place_store(w, step, k, launch.memory, placed, driver)
        for k in range(p.nfold):
            _allocate(<Node>w.nodes[p.fold_calls[k].node])
        if launch.nkept * launch.nfolded and not (scans and scans[0][2] is not None):
            run_kernel(launch, kernel, driver, &started)
        for k in range(len(scans)):
            _run_scan(<Node>w.nodes[p.fold_calls[k].node], scans[k], driver)
        raised = words.take_urgent(mark)
        if raised is not None and not overwrites and must_raise(raised):
            report_status(raised)
    except BaseException as error:
        if not (overwrites and started):
            take_back(w, p, placed)
            words.forget(mark)
        if type(error) is MemoryError and not (overwrites and started):
            raise _NoRoom(str(error))
        raise
    publish_results(w, p, raised, overwrites)
    return raised


cdef tuple _find_scan(Launch launch, int k, object driver):
    """Return the call of a cumulative fold, its runner and its operand, None if the kernel stores that."""
    cdef int at = launch.p.fold_calls[k].node, axis = 0
    cdef Node node = <Node>launch.w.nodes[at]
    while node.ndim > 1 and not node.axes >> axis & 1:
        axis += 1
    elements, loaded = _describe(node), _only_load(launch, node)
    name = <object>launch.p.fold_calls[k].loop.name
    call = Call(name, partial(getattr(np, name.partition(".")[0]).accumulate, axis=axis),
                [elements if loaded is None else loaded], [elements], False, reported_flags(node.err), launch.words,
                launch.reported_as(at))
    return call, driver.find_call(call), loaded


cdef object _only_load(Launch launch, Node result):
    """Return the operand of a program that is only a cumulative fold, if casting is lossless; else None."""
    cdef TileProgram p = launch.p
    cdef Node load
    cdef int d, source = 0
    cdef tuple strides
    if p.nload != 1 or p.nfold != 1 or p.nstore or p.ninstr > 1 or is_repeated(launch.load(0)) \
            or is_constant(launch.load(0)):
        return None
    load = launch.load(0)
    if p.ninstr:
        if p.calls[0].mode != WHOLE or <object>p.calls[0].loop.name != "cast" \
                or not np.can_cast(load.dtype, result.dtype):
            return None
        source = p.calls[0].args[1]
    if p.fold_calls[0].source != source:
        return None
    if result.ndim == launch.space.ndim:
        strides = tuple([launch.raw[d] for d in range(result.ndim)])
    elif load.contiguous and load.size == result.size:
        strides = (load.itemsize,)
    else:
        return None
    return _operand(load, result.device)._replace(shape=_describe(result).shape, strides=strides)


cdef int _run_scan(Node node, tuple scan, object driver) except -1:
    call, run, loaded = scan
    call.results = [call.result._replace(block=(<DeviceMemory>node.owner).handle)]
    if loaded is None:
        call.operands = call.results
    run(driver, call)
    return 0


cdef int _check_operands(Walk* w, TileProgram p) except -1:
    """Raise NoKernel for operations and operands that kernels do not support."""
    cdef Node node
    cdef set stored = {p.store_node[k] for k in range(p.nstore)}
    cdef int k
    for k in range(p.ninstr):
        if _may_raise(w, p, &p.calls[k]):
            raise NoKernel("an operation that may raise for its values")
    for k in range(p.nfold):
        if p.fold_calls[k].loop.flags & LOOP_SERIAL:
            raise NoKernel("a fold by an operation that may raise for its values")
    for k in range(p.nload):
        node = <Node>w.nodes[p.load_node[k]]
        if is_constant(node):
            continue
        if storage_of(node).data is NULL:
            raise NoKernel("a selection")
        if type(storage_of(node).owner) is not DeviceMemory:
            raise NoKernel("a value that has no room there")
        note_use(storage_of(node).owner)
    for k in range(p.nstore):
        node = <Node>w.nodes[p.store_node[k]]
        if node.kind == UPDATE and (<Node>node.inputs[0]).index not in stored \
                and type((<Node>node.inputs[0]).owner) is not DeviceMemory:
            raise NoKernel("an update of what has no room there")
    return 0


cdef bint _may_raise(Walk* w, TileProgram p, LoopCall* call) except -1:
    """Return whether an operation may raise for its values, like integer powers with negative exponents."""
    cdef Loop* loop = call.loop
    cdef int exponent = call.args[1]
    cdef Node node
    if not loop.flags & LOOP_SERIAL:
        return False
    if not loop.traits & RAISES or loop.nin != 2:
        return True
    if exponent < p.nload:
        node = <Node>w.nodes[p.load_node[exponent]]
        if is_constant(node) and (<signed char*>first_element(node))[node.itemsize - 1] >= 0:
            return False
    return loop.types[1] % 2    # signed types have odd numbers


cdef bint _place_store(Walk* w, Step step, int store, list memory, list placed, object driver) except -1:
    """Allocate a stored node; return True if the kernel overwrites old values.

    An update takes over its storage if nothing else reads that, else it gets a copy.
    """
    cdef TileProgram p = step.program
    cdef int at = p.store_node[store], k
    cdef Node node = <Node>w.nodes[at], old
    cdef DeviceMemory block
    if node.kind != UPDATE:
        if node.data is NULL:
            _allocate(node)
        memory.append(node.owner)
        return False
    old = <Node>node.inputs[0]
    is_new = old.kind == EMPTY
    for k in range(store):
        is_new = is_new or w.nodes[p.store_node[k]] == <PyObject*>old
    if at in step.in_place and type(old.owner) is DeviceMemory \
            and Py_REFCNT(<PyObject*>old.owner) == 1 + _times_among(memory, old.owner) \
            and (is_new or not _reads_clash(w, p, old, node)):
        move_memory(node, old, placed)
        memory.append(node.owner)
        return not is_new
    count_copy()
    _allocate(node)
    block = node.owner
    driver.copy(block.handle, (<DeviceMemory>old.owner).handle, node.span)
    memory.append(block)
    return False


cdef int _times_among(list blocks, object block) except -1:
    cdef int times = 0
    for other in blocks:
        times += other is block
    return times


cdef bint _reads_clash(Walk* w, TileProgram p, Node old, Node update) except -1:
    """Return whether a program reads elements of a storage that it overwrites at other positions."""
    cdef Node load
    cdef bint repeated
    cdef int k
    for k in range(p.nload):
        load = <Node>w.nodes[p.load_node[k]]
        if storage_of(load) is not old:
            continue
        repeated = is_repeated(load)
        if repeated:
            load = <Node>load.inputs[0]
        if (repeated or not same_window(shown_window(load), replaced_window(update))) \
                and windows_clash(old, shown_window(load), replaced_window(update)):
            return True
    return False


# ---- calls ---------------------------------------------------------------------------------------------


cdef list _run_both(Walk* w, Step step, list aliases, object driver, StatusWords words):
    """Run a kernel, then the tile program that reads its result."""
    cdef list raised = _run_call(w, step, aliases, driver, words), found
    try:
        found = _run_program(w, step, aliases, driver, words)
    except (NoKernel, _NoRoom):
        forget(<Node>w.nodes[step.node])    # both run on the host
        raise
    return found if raised is None else raised if found is None else raised + found


cdef list _run_call(Walk* w, Step step, list aliases, object driver, StatusWords words):
    """Run a call on the device; raise NoKernel before any change if no row of the driver accepts it."""
    cdef Node node = <Node>w.nodes[step.node]
    cdef bint in_place = False
    cdef list raised
    cdef Py_ssize_t mark = words.mark()
    cdef Call call
    if _has_several(node):
        return _run_several(w, step, aliases, driver, words)
    try:
        call = _describe_call(node, words, _reported_as(w, step.node, aliases))
        run = driver.find_call(call)
        if call.changes:
            in_place = _place_change(w, step, driver)
        elif node.data is NULL:
            _allocate(node)
        call.results = [call.result._replace(block=(<DeviceMemory>node.owner).handle)]
        run(driver, call)
        raised = words.take_urgent(mark)
    except BaseException as error:
        if in_place and call.started[0]:
            raise       # partial changes stay, as on the host
        if in_place:
            (<Node>node.inputs[0]).owner = node.owner
        forget(node)
        words.forget(mark)
        if type(error) is MemoryError:
            raise _NoRoom(str(error))
        raise
    if call.changes:
        publish(w, step.node)
        return raised
    return publish_filled(w, step.node, raised)


cdef bint _has_several(Node node) except -1:
    return node.kind == OPAQUE and node.attr != CHANGES and node.payload[2] is not None


cdef list _run_several(Walk* w, Step step, list aliases, object driver, StatusWords words):
    """Run a call with several results on the device; raise NoKernel as `_run_call` does."""
    cdef Node node = <Node>w.nodes[step.node]
    cdef DeviceResults results = device_results(w, step.node, aliases)
    cdef list raised = None
    cdef Py_ssize_t mark = words.mark()
    cdef Call call
    if results.memory is None:
        call = _describe_call(node, words, _reported_as(w, step.node, aliases), results.results)
        run = driver.find_call(call)
        try:
            results.allocate(node.device)
            call.results = results.results
            run(driver, call)
        except MemoryError as error:
            raise _NoRoom(str(error))
        raised = words.take_urgent(mark)
        if raised is not None and must_raise(raised):
            report_status(raised)
    results.publish_all(w)
    return raised


cdef list _reported_as(Walk* w, int at, list aliases):
    """Return the nodes of a call and of equal calls it stands for, with the names NumPy reports them under."""
    name = (<Node>w.nodes[at]).payload[0]
    if name.endswith(".accumulate"):
        name = "accumulate"
    return [(<Node>w.nodes[at], name)] + [
        (<Node>w.nodes[<int>left_out], name) for left_out, computed in aliases if <int>computed == at]


cdef Call _describe_call(Node node, StatusWords words, list nodes, list results=None):
    """Return the description of a call that rows get."""
    cdef bint changes = node.attr == CHANGES
    cdef int k
    name, function, form = node.payload
    if has_choice() and backend_of(node) is not None:
        raise NoKernel("a backend was chosen")
    if changes and type((<Node>node.inputs[0]).owner) is not DeviceMemory:
        raise NoKernel("an update of what has no room there")
    operands = [_operand(<Node>node.inputs[k], node.device) for k in range(changes, node.ninputs)]
    if results is None:
        results = [_describe(form if changes else node)]
    return Call(name, function, operands, results, changes, reported_flags(node.err), words, nodes)


cdef object _describe(Node node):
    return Operand(None, node.offset, tuple([node.shape[d] for d in range(node.ndim)]),
                   tuple([node.strides[d] for d in range(node.ndim)]), node.dtype)


cdef object _operand(Node node, int device):
    """Return an operand of a call; constants are copied to the device."""
    cdef Node storage = storage_of(node)
    cdef DeviceMemory memory
    if storage.kind == SCALAR:
        memory = new_memory(device, node.itemsize)
        write_memory(memory, memory.data, first_element(node), node.itemsize)
        return _describe(node)._replace(block=memory.handle, offset=0)
    if storage.data is NULL:
        raise NoKernel("a selection")
    if type(storage.owner) is not DeviceMemory:
        raise NoKernel("a value that has no room there")
    memory = storage.owner
    note_use(memory)
    return _describe(node)._replace(block=memory.handle, offset=<Py_ssize_t>(first_element(node) - memory.data))


cdef bint _place_change(Walk* w, Step step, object driver) except -1:
    """Allocate storage that a call changes: the old one, returning True, if nothing else reads it; else a copy."""
    cdef Node node = <Node>w.nodes[step.node], old = <Node>node.inputs[0]
    cdef int k
    cdef bint in_place = step.node in step.in_place and Py_REFCNT(<PyObject*>old.owner) == 1
    for k in range(1, node.ninputs):
        in_place = in_place and storage_of(<Node>node.inputs[k]) is not old
    if in_place:
        node.owner, node.data = old.owner, old.data
        old.owner = None
        return True
    count_copy()
    _allocate(node)
    driver.copy((<DeviceMemory>node.owner).handle, (<DeviceMemory>old.owner).handle, node.span)
    return False


cdef list _run_function(Walk* w, Step step, list aliases, object function, StatusWords words):
    """Run a loop, a branch or a traced function on the device."""
    cdef Node node = <Node>w.nodes[step.node], operand
    cdef list operands = [<Node>node.inputs[k] for k in range(node.ninputs)]
    name = node.payload[0]
    for operand in operands:
        if storage_of(operand).data is NULL:
            raise NoKernel("a selection")
        if operand.typenum >= 0 and storage_of(operand).kind != SCALAR \
                and type(storage_of(operand).owner) is not DeviceMemory:
            raise NoKernel("a value that has no room there")
    try:
        got = in_errstate(node.err, function.run_on_device, [node.device, operands, words])
    except NoKernel:
        raise
    except MemoryError as error:
        raise _NoRoom(str(error))
    except Exception as error:
        raise failed_call(w, node, error, name)
    if node.payload[2] is None:
        got = got[0]
    node = None     # another reference would look like that of a result which is read later
    return end_call(w, step, ((name, got), None), aliases)
