"""Steps of a plan: common parts, and tile programs.

A step allocates its results, runs, and publishes what is wanted outside the graph. Memory comes from the pool or is
taken over: by an elementwise result from an input that dies in the step, by an update from its storage. If a step
fails, memory taken over is given back, unless it was overwritten; then the new value is kept.
"""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.threads cimport LONGEST_UNINTERRUPTED_NS
from lazyarr._core.ir.fingerprint cimport ESCAPES, Walk, nans_are_watched, sole_owner, node_flags
from lazyarr._core.ir.fp_errors cimport annotate, may_raise, raises, report_status, reported_flags
from lazyarr._core.ir.history cimport make_leaf
from lazyarr._core.ir.loop_table cimport LOOP_SCANS, LOOP_SERIAL, NPY_HALF
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport EXPAND, MAP, OF_SCALARS, OPAQUE, REDUCE, UPDATE, VIEW, Node, has_value
from lazyarr._core.ir.overlap cimport same_window, shown_window
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.runtime.arena cimport may_move, memory_of, watch_release
from lazyarr._core.runtime.backend_choice cimport called_name
from lazyarr._core.runtime.slice_update cimport end_detours, hand_back, move_memory, place_update
from lazyarr._core.tile.interpreter cimport run_program

import numpy as np

cnp.import_array()


cdef int publish(Walk* w, int at) except -1:
    """Turn a node that is wanted outside into a leaf once its step is complete.

    Its position identifies it: a nested evaluation may have changed `index`.
    """
    if nans_are_watched():
        _check_for_nans(<Node>w.nodes[at])
    if not w.is_template and node_flags(w)[at] & ESCAPES:
        make_leaf(<Node>w.nodes[at])
    return 0


cdef int _check_for_nans(Node node) except -1:
    """Raise FloatingPointError if a result has a NaN and no operand has one."""
    cdef int k
    if node.loop is NULL and node.kind != OPAQUE or not _has_nan(node):  # copies create none
        return 0
    for k in range(node.ninputs):
        if _has_nan(<Node>node.inputs[k]):
            return 0
    name = node.payload[0] if node.loop is NULL else name_of(node)
    raise annotate(FloatingPointError(f"{name} made the first NaN"), name, node)


cdef bint _has_nan(Node node) except -1:
    if node.typenum != NPY_HALF and not cnp.NPY_FLOAT <= node.typenum <= cnp.NPY_CLONGDOUBLE:
        return False
    if node.data is NULL and (node.kind != VIEW or (<Node>node.inputs[0]).data is NULL):
        return False
    return bool(np.isnan(as_ndarray(node)).any())


cdef str name_of(Node node):
    """Return the name under which NumPy reports a loop."""
    name = <object>node.loop.name
    if node.kind == REDUCE:
        name = "accumulate" if node.loop.flags & LOOP_SCANS else "reduce"
    # NumPy's scalars are computed by other code, with other messages
    if MAP <= node.kind <= EXPAND and node.payload is not None:
        name = node.payload
    return "scalar " + name if node.kind == MAP and node.attr & OF_SCALARS else name


cdef list collect_status(Walk* w, Step step, list aliases):
    """Return the status flags of the program just run as (serial, flags, operation, node), or None.

    Flags of recomputed values were reported by an earlier step. Ignored flags are left out.
    """
    cdef TileProgram p = step.program
    cdef int i, status, found = 0
    cdef Node node
    cdef list raised = None
    for repeated in step.recomputed:
        w.status[<int>repeated] = 0
    for i in range(p.ninstr):
        found |= w.status[p.calls[i].node]
    for i in range(p.nfold):
        found |= w.status[p.fold_calls[i].node]
    if not found:
        return None
    for left_out, computed in aliases:
        w.status[<int>left_out] |= w.status[<int>computed]
    for i in range(w.count):
        if w.status[i]:
            node = <Node>w.nodes[i]
            status = w.status[i] & reported_flags(node.err)
            w.status[i] = 0
            if status:
                if raised is None:
                    raised = []
                raised.append((node.serial, status, name_of(node), node))
    return raised


cdef int allocate(Walk* w, int at) except -1:
    """Allocate a node's memory unless it has some."""
    cdef Node node = <Node>w.nodes[at]
    cdef Buffer buffer
    if node.data is not NULL:
        return 0
    buffer = memory_of(w, at)
    node.owner = buffer
    node.data = buffer.data
    return 0


cdef int run_empty(Walk* w, Step step) except -1:
    """Allocate storage with undefined contents."""
    cdef Node node = <Node>w.nodes[step.node]
    if node.data is NULL:
        allocate(w, step.node)
        publish(w, step.node)
    return 0


# ---- tile steps ----------------------------------------------------------------------------------------


cdef list run_tile(Walk* w, Step step, list aliases):
    """Allocate, run and publish a tile program; return the status flags of its operations, or None.

    Everything that can run out of memory comes before the first take-over of storage, which is undone if the program
    does not run.
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
    """Allocate a program's results; append moved memory and detours to `placed` (None if there is none)."""
    cdef TileProgram p = step.program
    cdef Node node
    cdef int k
    cdef bint may_fail = _may_fail(w, p)
    cdef bint short = not may_fail and expected_work(w, p) < LONGEST_UNINTERRUPTED_NS
    for k in range(p.nstore):
        node = <Node>w.nodes[p.store_node[k]]
        if node.kind == UPDATE:
            overwrites[0] |= place_update(w, p, step.in_place, k, short, placed)
        elif step.donors and not may_fail and node.data is NULL and take_over(w, step, k, placed):
            overwrites[0] = True
        else:
            allocate(w, p.store_node[k])
    for k in range(p.nfold):
        allocate(w, p.fold_calls[k].node)
    return 0


cdef bint _may_fail(Walk* w, TileProgram p) except -1:
    """Return whether an operation may raise for its values, which loses what it has overwritten."""
    cdef int i
    cdef Node node
    for i in range(p.ninstr):
        node = <Node>w.nodes[p.calls[i].node]
        if node.loop is not NULL and node.loop.flags & LOOP_SERIAL:
            return True
        if may_raise(node.err):
            return True
    return False


cdef list end_program(Walk* w, Step step, list placed, bint overwrites, list aliases):
    """Return the status flags of a finished program, or None; raise if it can run again."""
    cdef list raised
    if placed is not None:
        end_detours(placed)
    raised = collect_status(w, step, aliases)
    if raised is not None and not overwrites and must_raise(raised):
        report_status(raised)
    return raised


cdef int publish_results(Walk* w, TileProgram p, list raised, bint overwrites) except -1:
    """Publish the results of a program; raise if it cannot run again."""
    cdef int k
    for k in range(p.nstore):
        publish(w, p.store_node[k])
    for k in range(p.nfold):
        publish(w, p.fold_calls[k].node)
    if raised is not None and overwrites and must_raise(raised):
        report_status(raised)
    return 0


cdef str label_of(Walk* w, Step step):
    """Return the label of a step for timelines and progress reports."""
    cdef list names = []
    cdef int k
    cdef TileProgram program = step.program
    if program is None or step.behind_kernel:
        names.append(called_name(<Node>w.nodes[step.node]) if step.kind != "empty" else "empty")
    if program is not None:
        names += [<object>program.calls[k].loop.name for k in range(program.ninstr)]
        names += [<object>program.fold_calls[k].loop.name + ".reduce" for k in range(program.nfold)]
    return ", ".join(names)


cdef double expected_work(Walk* w, TileProgram p) noexcept:
    """Return the estimated time of a program on one thread in ns."""
    return p.cost * (<Node>w.nodes[p.space]).size


cdef void free_read(Walk* w, Step step) noexcept:
    """Free the intermediates whose last reader is this step."""
    cdef Node node
    cdef int k
    for k in range(step.nfrees):
        node = <Node>w.nodes[<int>step.frees[k]]
        if not has_value(node):
            watch_release(w, node)
            forget(node)


cdef int take_back(Walk* w, TileProgram p, list placed) except -1:
    """Undo the allocations of a step that did not run."""
    cdef int k
    if placed is not None:
        hand_back(placed)
    for k in range(p.nstore):
        forget(<Node>w.nodes[p.store_node[k]])
    for k in range(p.nfold):
        forget(<Node>w.nodes[p.fold_calls[k].node])
    return 0


cdef void forget(Node node) noexcept:
    node.data = NULL
    node.owner = None


cdef bint must_raise(list raised) except -1:
    """Return whether the flags raise under the errstates of their nodes."""
    for _, status, _, node in raised:
        if raises((<Node>node).err, status):
            return True
    return False


cdef bint may_take_over(Walk* w, Step step, Node node, Node donor) noexcept:
    """Return whether a result may overwrite an operand, judged by extents and strides."""
    return (donor.span == node.span and expected_work(w, step.program) < LONGEST_UNINTERRUPTED_NS
            and same_window(shown_window(donor), shown_window(node)))


cdef bint take_over(Walk* w, Step step, int store, list moved) except -1:
    """Give a result the memory of an input that dies in this step."""
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
