"""Slice pushdown: if only a window of an elementwise result is read, only that window is computed.

    view                   of a pending result                   (a + b)[:100]
      |
    add                                  add                     a[:100] + b[:100]
    /  \\                    ->          /   \\
   a    b                            view    view
                                      |        |
                                      a        b

The graph is changed before its plan is found, node by node, as a plan has no extents: it serves all bounds. A window is
pushed through an operation if

- all that reads the operation's result reads this window: no handle holds it, no other node reads more or other parts;
- no error is lost: its loop reports none, or its errstate ignores them;
- its loop computes each element alike, wherever it stands, and so does what reads the window, unlike sums of floats;
- its operands are slices of leaves, of what else is stored anyway, or are pushed through themselves. An operation that
  may report errors is not cut off from the one that reads it, with which it would run in one pass.

Windows are grids on a storage (`overlap.find_grid`): slices with any steps, integers, new axes, permuted axes.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.string cimport memcpy

cimport cython
from numpy cimport npy_intp

from lazyarr._core.ir.builder cimport axes_by_stride, set_strides, view_node
from lazyarr._core.ir.fingerprint cimport Walk, cuts_enough, nans_are_watched, walk
from lazyarr._core.ir.fp_errors cimport reported_flags
from lazyarr._core.ir.history cimport history_is_kept_somewhere
from lazyarr._core.ir.kinds cimport ELEMENTWISE, ONE_LOOP, among
from lazyarr._core.ir.loop_table cimport LOOP_QUIET, LOOP_SERIAL, LOOP_STEADY, Loop
from lazyarr._core.ir.node cimport (
    CHANGES, MAP, MAX_DIMS, OPAQUE, REDUCE, VIEW, Node, byte_range, count_pending, finish_layout, new_node,
    new_window)
from lazyarr._core.ir.overlap cimport Grid, find_grid, shown_window, window_overlaps_itself
from lazyarr._core.ir.provenance cimport put_on, set_input_list
from lazyarr._core.ir.ufunc_traits cimport ARITHMETIC

cdef extern from "Python.h":
    int PyGC_Disable() noexcept
    int PyGC_Enable() noexcept
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef struct Found:          # analysis of one walked node
    int reads               # readers of the window; -1: other parts are read, too
    bint may_move           # windows may be pushed through it
    bint keeps_strides      # a reader may depend on its memory layout
    bint begins             # a view not read through another view
    bint rounds             # a fold reads it, directly or not, whose rounding depends on the layout


cdef bint _push_slices(Walk* w) except -1:
    """Rewrite the graph so that operations compute only the windows read; return whether it changed."""
    cdef _Pushdown pushed
    cdef int i
    if w.remembered or w.failed or nans_are_watched():
        return False
    pushed = _Pushdown.__new__(_Pushdown)
    pushed.w = w
    if not pushed.analyse():
        return False
    for i in range(w.count - 1, -1, -1):
        pushed.find_window(i)
    for i in range(w.count):
        if pushed.operands[i] is not None:
            pushed.made[i] = pushed.compute_window(i)
    return pushed.replace_views()


cdef int walk_with_slices(Walk* w, PyObject** roots, int count) except -1:
    """Fill `w` with the graph below the roots, after the slice pushdown."""
    cdef bint collects, changed
    walk(w, roots, count)
    if not w.has_slices:
        return 0
    collects = PyGC_Disable()  # a finalizer may evaluate, and turn walked nodes into leaves
    try:
        changed = _push_slices(w)
    finally:
        if collects:
            PyGC_Enable()
    if changed:
        walk(w, roots, count)
    return 0


cdef bint is_worth_a_copy(Node window, Node node) except -1:
    """Return whether computing and copying only a window of a pending result saves time."""
    cdef PyObject* below
    cdef Grid grid
    cdef list todo = [node]
    cdef int k
    if 2 * window.size > node.size or not cuts_enough(window, node) or window.typenum != node.typenum \
            or history_is_kept_somewhere() or nans_are_watched() or not find_grid(node, shown_window(window), &grid):
        return False
    while todo:
        node = todo.pop()
        if not _lets_through(node):
            return False
        for k in range(node.ninputs):
            below = node.inputs[k]
            if _runs_with_reader(below):
                todo.append(<Node>below)
    return True


cdef void restrict_layout(Node made, Node window) noexcept:
    """Give a node the window's shape and layout, in storage that ends where the window does."""
    cdef npy_intp low, high
    byte_range(window.ndim, window.shape, window.strides, window.itemsize, &low, &high)
    memcpy(made.strides, window.strides, window.ndim * sizeof(npy_intp))
    made.offset, made.span = -low, high - low
    finish_layout(made)


cdef bint _lets_through(Node node) except -1:
    """Return whether computing only a part of a node gives the same bits and loses no error."""
    cdef Loop* loop = node.loop
    if node.kind != MAP or node.data is not NULL or node.devices or node.pinned or node.poisoned or loop.nout != 1:
        return False
    # a loop that is not steady may round differently in its vectorised part and its tail
    if loop.flags & LOOP_SERIAL or not (loop.flags & LOOP_STEADY or loop.traits & ARITHMETIC):
        return False
    if not loop.flags & LOOP_QUIET and reported_flags(node.err):
        return False
    return node.span == node.size * node.itemsize and not window_overlaps_itself(node)


cdef bint _runs_with_reader(PyObject* operand) noexcept:
    """Return whether an operand has one reader and runs in one pass with it."""
    return Py_REFCNT(operand) == 1 and (<Node>operand).data is NULL and among((<Node>operand).kind, ELEMENTWISE)


cdef bint _ignores_layout(Node reader) noexcept:
    """Return whether a node's result does not depend on the memory layout of its operands."""
    return among(reader.kind, ONE_LOOP) and (reader.loop.flags & LOOP_STEADY or reader.loop.traits & ARITHMETIC)


cdef bint _are_equal(Node a, Node b) noexcept:
    """Return whether two windows on one storage have the same shape and place."""
    cdef int d
    if a.ndim != b.ndim or a.offset != b.offset or a.typenum != b.typenum:
        return False
    for d in range(a.ndim):
        if a.shape[d] != b.shape[d] or a.strides[d] != b.strides[d] and a.shape[d] != 1:
            return False
    return True


@cython.final
cdef class _Pushdown:
    """One pass over a walked graph."""
    cdef Walk* w
    cdef Found* found           # by node; owned by `memory`
    cdef object memory          # owns `found`
    cdef list windows           # by node: the only window of its storage that is read, as a VIEW without input; or None
    cdef list operands          # by operation: the windows of its operands, None for all
    cdef list made              # by node: its replacement

    cdef bint analyse(self) except -1:
        """Analyse the nodes one by one; return whether there is any view to push."""
        cdef Walk* w = self.w
        cdef PyObject* p            # borrowed, as reference counts are examined
        cdef bint any_begins = False
        cdef int i
        self.memory = bytearray((w.count + 1) * sizeof(Found))
        self.found = <Found*><char*>self.memory
        for i in range(w.count - 1, -1, -1):
            self.look_for_folds(<Node>w.nodes[i])
        for i in range(w.count):
            p = w.nodes[i]
            if (<Node>p).data is not NULL:
                continue
            if (<Node>p).kind == VIEW:
                self.found[i].begins = self.begins(p)
                any_begins |= self.found[i].begins
            else:
                self.found[i].may_move = self.may_move(<Node>p)
                self.look_at_views(<Node>p)
        if any_begins:
            self.windows, self.operands, self.made = [None] * w.count, [None] * w.count, [None] * w.count
        return any_begins

    cdef void look_for_folds(self, Node reader) noexcept:
        """Mark the operands of a node that reach a fold whose rounding may depend on the program."""
        cdef int k
        if reader.data is NULL and (among(reader.kind, ELEMENTWISE) and self.found[reader.index].rounds
                                    or reader.kind == REDUCE and not reader.loop.flags & LOOP_STEADY):
            for k in range(reader.ninputs):
                self.found[(<Node>reader.inputs[k]).index].rounds = True

    cdef void look_at_views(self, Node reader) noexcept:
        """Record what a reader of views requires of them."""
        cdef PyObject* view
        cdef int k
        for k in range(reader.ninputs):
            view = reader.inputs[k]
            if (<Node>view).kind != VIEW or (<Node>view).data is not NULL:
                continue
            if reader.kind == OPAQUE and reader.attr == CHANGES:
                self.found[(<Node>view).index].reads = -1
            if not _ignores_layout(reader):
                self.found[(<Node>view).index].keeps_strides = True

    cdef bint begins(self, PyObject* view) noexcept:
        """Return whether a view omits much of an operand with few other readers."""
        cdef PyObject* below = (<Node>view).inputs[0]
        return Py_REFCNT(view) == (<Node>view).uses and Py_REFCNT(below) == (<Node>below).uses \
            and cuts_enough(<Node>view, <Node>below) and not self.found[(<Node>view).index].rounds \
            and self.found[(<Node>below).index].may_move

    cdef bint may_move(self, Node node) except -1:
        """Return whether windows may be pushed through an operation; operands fused with it follow."""
        cdef PyObject* below
        cdef int k
        if not _lets_through(node):
            return False
        for k in range(node.ninputs):
            below = node.inputs[k]
            if _runs_with_reader(below) and not self.found[(<Node>below).index].may_move:
                return False
        return True

    cdef int find_window(self, int i) except -1:
        """Find the single window of a node that all readers want, and what it requires of the operands."""
        cdef PyObject* p = self.w.nodes[i]
        cdef Node node, window, part
        cdef Grid grid
        cdef list parts
        cdef int k
        if (<Node>p).data is not NULL or (<Node>p).kind != VIEW and not self.found[i].may_move:
            return 0
        window = self.windows[i]
        if window is None:
            if not self.found[i].begins or self.found[i].reads:
                return 0
            window = <Node>p
        elif self.found[i].reads != Py_REFCNT(p):
            return 0
        node = <Node>p
        if node.kind == VIEW:
            if self.found[i].begins and window is node and self.found[i].keeps_strides:
                self.found[(<Node>node.inputs[0]).index].keeps_strides = True
            return self.note_read(<Node>node.inputs[0], window)
        if window.typenum != node.typenum or not find_grid(node, shown_window(window), &grid):
            return 0
        parts = []
        for k in range(node.ninputs):
            part = _window_of_operand(node, <Node>node.inputs[k], window, &grid)
            parts.append(part)
            if part is not None:
                self.note_read(<Node>node.inputs[k], part)
        self.operands[i] = parts
        return 0

    cdef int note_read(self, Node node, Node window) except -1:
        """Record that a window of the storage of a node is read."""
        cdef Found* found
        if node.data is not NULL:
            return 0
        found = &self.found[node.index]
        if self.windows[node.index] is None:
            self.windows[node.index] = window
        elif not _are_equal(self.windows[node.index], window):
            found.reads = -1
        if found.reads >= 0:
            found.reads += 1
        return 0

    cdef Node compute_window(self, int i):
        """Return the operation applied to the operands' parts that make up the window."""
        cdef Node node = <Node>self.w.nodes[i], window = self.windows[i], made
        cdef int perm[MAX_DIMS]
        cdef int k
        cdef list inputs = []
        for k in range(node.ninputs):
            inputs.append(self.part_of(<Node>node.inputs[k], self.operands[i][k]))
        made = new_node(MAP, window.ndim, window.shape, node.dtype, node.typenum)
        made.loop = node.loop
        if self.found[i].keeps_strides:
            restrict_layout(made, window)
        else:
            axes_by_stride(window, perm)
            set_strides(made, perm)
        set_input_list(made, inputs)
        # inherits errstate and source location
        made.serial, made.err, made.attr, made.payload = node.serial, node.err, node.attr, node.payload
        made.code, made.lasti, made.waits, made.at_once = node.code, node.lasti, node.waits, node.at_once
        put_on(made, node.device)
        if node.pending_counted:
            count_pending(made)
        return made

    cdef Node part_of(self, Node operand, Node window):
        """Return an operand's part under a window (None: all of it): its replacement, or a view."""
        cdef Node storage = <Node>operand.inputs[0] if operand.kind == VIEW else operand
        if storage.data is NULL and self.made[storage.index] is not None:
            return self.made[storage.index]
        return operand if window is None else view_node(storage, window)

    cdef bint replace_views(self) except -1:
        """Let readers of views read the replacements; return whether any were replaced."""
        cdef Walk* w = self.w
        cdef Node node, view, made
        cdef list dropped = []  # keeps old operands alive until the end
        cdef int i, k
        for i in range(w.count):
            node = <Node>w.nodes[i]
            if node.data is not NULL or node.kind == VIEW or self.operands[i] is not None:
                continue
            for k in range(node.ninputs):
                view = <Node>node.inputs[k]
                if view.kind != VIEW or view.data is not NULL or (<Node>view.inputs[0]).data is not NULL:
                    continue
                made = self.made[(<Node>view.inputs[0]).index]
                if made is not None:
                    dropped.append(view)
                    Py_INCREF(made)
                    node.inputs[k] = <PyObject*>made
                    Py_DECREF(view)
        return len(dropped) > 0


cdef Node _window_of_operand(Node node, Node operand, Node window, Grid* grid):
    """Return the window of an operand needed for a window of the result; None for all of it.

    It has the axes of the result's window; where the operand is broadcast or lacks the axis, its extent is 1.
    """
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp offset = operand.offset, step
    cdef int lead = node.ndim - operand.ndim, axis, k
    cdef bint whole = operand.ndim == window.ndim
    if operand.ndim == 0:
        return None
    for axis in range(operand.ndim):
        if operand.shape[axis] != 1:
            offset += grid.start[lead + axis] * operand.strides[axis]
    for k in range(window.ndim):
        axis = grid.axis[k] - lead
        shape[k], strides[k] = 1, 0
        if grid.axis[k] < lead or operand.shape[axis] == 1:
            whole = whole and operand.shape[k] == 1
            continue
        step = grid.step[grid.axis[k]] * operand.strides[axis]
        shape[k] = window.shape[k]
        if window.strides[k] < 0:
            offset += step * (shape[k] - 1)
            step = -step
        strides[k] = step
        whole = whole and shape[k] == operand.shape[k] and step == operand.strides[k]
    if whole and offset == operand.offset:
        return None
    return new_window(window.ndim, shape, strides, offset, operand.dtype, operand.typenum)
