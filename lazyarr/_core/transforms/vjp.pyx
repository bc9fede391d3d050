"""Reverse-mode derivatives as graphs: the graph of a result is its own tape.

`pull_back` visits nodes from the results to the inputs in reverse order, and accumulates for each its *cotangent*, the
derivative of the result by each element, with the node's shape and dtype. Cotangents are plain transposes, without
conjugation, so the rule of a holomorphic function is that of the real one. Rules are found as `_core.transforms`
describes; those of views and updates are here.
"""
from cpython.object cimport PyObject

from lazyarr._core.frontend.handle cimport new_handle, node_of
from lazyarr._core.frontend.hooks cimport defer
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.trace_scope cimport is_sealed
from lazyarr._core.frontend.views cimport handle_of, new_view
from lazyarr._core.ir.builder cimport (
    broadcast_node, cast_node, empty_like, opaque_node, result_nodes, scatter_packed, update_node, view_node, window_of)
from lazyarr._core.ir.history cimport history_of
from lazyarr._core.ir.inner_loops cimport Ufunc, find_ufunc
from lazyarr._core.ir.leaf cimport scalar_from_memory
from lazyarr._core.ir.node cimport (
    BESIDE, CHANGES, COMPRESS, EXPAND, MAP, MASKED, OPAQUE, PACKED, REDUCE, REPEAT, RESULT, SCALAR, UPDATE, VIEW, Node,
    has_value, new_window, same_shape)
from lazyarr._core.ir.overlap cimport window_overlaps_itself, windows_tile
from lazyarr._core.ir.provenance cimport may_be_made_of
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.runtime.transfer cimport transfer_node
from lazyarr._core.transforms.cotangent_ops cimport (
    apply, apply_unary, as_numbers, cast_cotangent, chosen, distinct, either, gives_to_all_parts, is_complex,
    is_inexact, mixes_parts, position, reduce_cotangent, run_rule, same_storage, shows_imaginary_parts, spread, summed,
    truth_of, view_cotangent, where_taken, zeros)
from lazyarr._core.transforms.path_order cimport PathNodes, nodes_between, place_of
from lazyarr._core.transforms.vjp_rules cimport call_rule, change_rule, reads_what_it_changes, rules_of_loop

import numpy as np

from lazyarr._core.control.residuals import add_tapes
from lazyarr._core.transforms.vjp_rules import NotDifferentiable
from lazyarr._core.transforms.vjp_rules import (
    add_call_rule, add_change_rule, add_fold_rule, add_rule, call_rule, change_rule)  # no-cython-lint
from lazyarr._core.transforms.watch import (
    alias, another, become, connect, is_history_kept, one, recording, stop)  # no-cython-lint

cdef Ufunc* _add = find_ufunc(np.add)
cdef Ufunc* _negative = find_ufunc(np.negative)

cdef Node _sum_of_tapes(Node a, Node b):
    return opaque_node("the sum of tapes", add_tapes, [a, b], shape_tuple(a), a.dtype, None)


# ---- the walk ------------------------------------------------------------------------------------------


def pin(list results, list inputs):
    """Keep the history of all nodes between inputs and results when they are evaluated."""
    cdef Node node
    cdef PathNodes between = nodes_between(
        [node_of(<LazyArray>y) for y in results], [node_of(<LazyArray>x) for x in inputs])
    between.leave()
    for node in between.order:
        node.pinned = True


def pull_back(list results, list cotangents, list inputs, bint cut=False, list leads=None):
    """Return the cotangents of `inputs`, given those of `results`; None if no result depends on an input.

    A cotangent has its result's shape and dtype. By views derivatives are by the elements that they show. To `cut` is
    to stop at the inputs, none of which depends on another: needed by rules in particular, which run in the middle of
    another walk.

    A list `leads`, if given, is filled: for each input, whether the results are made of it; None if they have forgotten
    that in part: then there are no cotangents.

    Raises
    ------
    NotDifferentiable
        Where there is no rule for an operation on the way.
    """
    cdef _ReverseWalk pull = _ReverseWalk()
    defer(1)
    try:
        return _pull_back(pull, results, cotangents, inputs, cut, leads)
    finally:
        defer(-1)
        if pull.between is not None:
            pull.between.leave()


cdef list _pull_back(_ReverseWalk pull, list results, list cotangents, list inputs, bint cut, list leads):
    cdef Node node
    cdef Py_ssize_t i
    cdef list order, made = [node_of(<LazyArray>y) for y in results]
    cdef list wanted = [node_of((<LazyArray>x) if (<LazyArray>x).root is None else (<LazyArray>x).root) for x in inputs]
    cdef LazyArray x
    cdef bint dense
    cdef list ends = None if leads is None else []
    pull.between = nodes_between(made, wanted, cut, ends)
    order = pull.between.order
    if leads is not None:
        leads.extend([pull.leads(node, ends) for node in wanted])
        if None in leads:
            return [None] * len(inputs)
    pull.found = [None] * len(order)
    pull.reach = [None] * len(order)
    pull.windows = [None] * len(order)
    pull.part, pull.reached = None, {}
    for node, y in zip(made, cotangents):
        pull.add(node, node_of(<LazyArray>y))
    for i in range(len(order) - 1, -1, -1):
        node = order[i]
        pull.join_windows(node)
        g = pull.found[i]
        if g is not None and (node.origin is not None or not has_value(node)):
            pull.part = pull.reach[i]
            if pull.part is not None and is_complex(<Node>pull.part):  # a complex number is nonzero if either part is
                pull.part = truth_of(<Node>pull.part)
            pull.visit(node, g)
    out = []
    for x, node in zip(inputs, wanted):
        place = place_of(pull.between, node)
        g = pull.found[place - 1] if place else None
        if g is not None:
            g = pull.where_reached(<Node>g, pull.reach[place - 1])
        if g is not None and x.root is not None:
            g = _shown(<Node>g, node, x.node)
        if g is not None and (<Node>g).kind == VIEW:  # a separate array that can be written to
            dense = x.root is None and node.span == node.size * node.itemsize and not window_overlaps_itself(node)
            g = cast_node(<Node>g, node.typenum, node if dense else None)
        elif g is not None and (<Node>g).kind == SCALAR:
            g = scalar_from_memory(<Node>g, (<Node>g).data)
        if g is not None and (<Node>g).device != node.device:
            g = transfer_node(<Node>g, node.device)
        out.append(None if g is None else new_handle(<Node>g, x.scalar))
    return out


cdef Node _shown(Node g, Node storage, Node window):
    """Return the window of a view on the cotangent of its storage."""
    if window.typenum != storage.typenum:
        raise NotDifferentiable(f"nothing is differentiated by a view of {storage.dtype} as {window.dtype}")
    return view_node(g if same_storage(g, storage) else cast_node(g, storage.typenum, storage), window)


cdef class _ReverseWalk:
    """One reverse walk."""
    cdef PathNodes between        # the nodes to visit, last to first
    cdef list found             # by position: the cotangent so far; a dict for several results
    # By position: a mask, bool or nonzero numbers, where taken branches lead; None for everywhere. Elsewhere the
    # cotangent is undefined, and becomes 0 before a non-elementwise operation reads it.
    cdef list reach
    cdef object part            # the mask of the visited node
    cdef list windows           # by position: cotangents of windows on a storage: None, or a list of (window, g)
    cdef dict reached           # by id: masked cotangents, see `where_reached`

    cdef object leads(self, Node source, list ends):
        """Return whether the results depend on a node; None if unknown, as some ends have dropped their history."""
        cdef Node end
        for end in ends:
            if end is not source and may_be_made_of(end, source):
                return None
        return place_of(self.between, source) > 0

    cdef Node where_reached(self, Node g, object part):
        """Return a cotangent with 0 where no taken branch leads; cached for all its readers."""
        cdef Node made
        if part is None:
            return g
        known = self.reached.get(<size_t><PyObject*>g)
        if known is not None and (<tuple>known)[1] is part:
            return (<tuple>known)[2]
        made = chosen(truth_of(<Node>part), g, 0, g.typenum)
        self.reached[<size_t><PyObject*>g] = g, part, made
        return made

    cdef bint propagates(self, Node node) noexcept:
        """Return whether a node passes its cotangent to its operands."""
        cdef Node past = history_of(node)
        cdef int i
        for i in range(past.ninputs):
            if place_of(self.between, <Node>past.inputs[i]):
                return True
        return False

    cdef int add(self, Node node, Node g) except -1:
        """Add to the cotangent of a node, if it is needed."""
        cdef Node before
        cdef int place = place_of(self.between, node) - 1
        if place < 0:
            return 0
        if g.dtype.hasobject:  # residuals of a loop, or loops for each element of a batch
            self.found[place] = g if self.found[place] is None else _sum_of_tapes(<Node>self.found[place], g)
            return 0
        if not is_inexact(node):
            if node.typenum < 0:
                raise NotDifferentiable(f"an array of {node.dtype} has no derivative")
            return 0
        if g.typenum != node.typenum:
            g = cast_cotangent(g, node.typenum)
        before, reach, part = self.found[place], self.reach[place], self.part
        if part is not None:
            part = part if (<Node>part).typenum == node.typenum else truth_of(<Node>part)
            if not same_shape(g, node):
                g = summed(self.where_reached(g, part), node)  # 0 where no taken branch leads
                part = summed(<Node>part, node) if self.propagates(node) else None
        if before is not None and reach is not part:
            before, g = self.where_reached(before, reach), self.where_reached(g, part)
            part = None if reach is None or part is None else either(<Node>reach, <Node>part)
        elif part is None:
            g = summed(g, node)
        self.found[place] = g if before is None else apply(_add, before, summed(g, node))
        self.reach[place] = part
        return 0

    cdef int branch(self, Node condition, bint holds, Node x, Node g) except -1:
        """Add g where a condition is true, or where it is false."""
        cdef object part = self.part
        if not place_of(self.between, x):
            return 0
        self.part = broadcast_node(where_taken(condition, holds, part), g.ndim, g.shape)
        self.add(x, g)
        self.part = part
        return 0

    cdef int visit(self, Node node, object g) except -1:
        cdef Node past = history_of(node)
        if past.kind not in (MAP, MASKED, COMPRESS, EXPAND, PACKED) and not isinstance(g, dict):
            g = self.where_reached(<Node>g, self.part)
        if past.kind == VIEW:
            self._view(<Node>past.inputs[0], node, g)
        elif past.kind == MAP:
            self._elementwise(node, past, g)
        elif past.kind == RESULT:
            self._one_of_several(node, past, g)
        elif past.kind == MASKED:
            self._masked(node, past, g)
        elif past.kind == UPDATE:
            self._update(node, past, g)
        elif past.kind == REDUCE:
            self._fold(node, past, g)
        elif past.kind == OPAQUE and past.attr == CHANGES:
            self._change(node, past, g)
        elif past.kind == OPAQUE or past.kind == REPEAT:
            self._call(node, past, g)
        elif past.kind == COMPRESS:
            self.add(<Node>past.inputs[0], g)
        elif past.kind == EXPAND:
            self.branch(<Node>past.inputs[1], True, <Node>past.inputs[0], g)
            self.branch(<Node>past.inputs[1], False, <Node>past.inputs[2], g)
        else:
            self._packed(node, past, g)
        return 0

    # ---- elementwise

    cdef int _through_loop(self, object key, Node node, Node past, int nin, Node g, Node mask) except -1:
        """Add the cotangents of a loop's operands: everywhere, or under a mask."""
        cdef Node x, result = node, made = past
        cdef int i
        if past.loop.ufunc is NULL and nin == 1:  # a copy or a cast
            if past.kind == MASKED:
                return self.branch(mask, True, <Node>past.inputs[0], g)
            return self.add(<Node>past.inputs[0], g)
        if past.kind == PACKED:
            result = scatter_packed(node)
            made = history_of(result)
        programs = rules_of_loop(key, is_complex(<Node>past.inputs[0]))
        for i in range(nin):
            x = <Node>past.inputs[i]
            if not place_of(self.between, x) or not is_inexact(x):
                continue
            if programs is None:
                name = f"result {key[1]} of {key[0]}" if isinstance(key, tuple) else key
                raise NotDifferentiable(f"{name} has no derivative")
            if programs[i] is None:
                continue
            found = run_rule(programs[i], g, result, made, nin)
            if mask is None:
                self.add(x, found)
            else:
                self.branch(mask, True, x, found)
        return 0

    cdef int _elementwise(self, Node node, Node past, Node g) except -1:
        if past.loop.ufunc is NULL and past.ninputs == 3:  # a selection by its first input
            self.branch(<Node>past.inputs[0], True, <Node>past.inputs[1], g)
            return self.branch(<Node>past.inputs[0], False, <Node>past.inputs[2], g)
        return self._through_loop(<object>past.loop.name, node, past, past.ninputs, g, None)

    cdef int _one_of_several(self, Node node, Node past, Node g) except -1:
        cdef Node source = <Node>past.inputs[0], call = history_of(source)
        if call.kind == OPAQUE:
            place = place_of(self.between, source) - 1
            found = self.found[place]
            if found is None:
                found = self.found[place] = {}
            if past.attr not in found:
                found[past.attr] = g
            elif g.dtype.hasobject:  # a tape read by two derivatives of a loop
                found[past.attr] = _sum_of_tapes(<Node>found[past.attr], g)
            else:
                found[past.attr] = apply(_add, found[past.attr], g)
            return 0
        return self._through_loop((<object>call.loop.name, past.attr), node, call, call.ninputs, g, None)

    cdef int _packed(self, Node node, Node past, Node g) except -1:
        """Scatter cotangents of packed elements to where the elements come from, zero elsewhere."""
        cdef int nin = past.ninputs - 1
        return self._through_loop(<object>past.loop.name, node, past, nin, g, <Node>past.inputs[nin])

    cdef int _masked(self, Node node, Node past, Node g) except -1:
        """Add the cotangents of a masked loop: of its operands under the mask, of the old values elsewhere."""
        cdef int nin = past.ninputs - 2
        cdef Node mask = <Node>past.inputs[nin]
        self.branch(mask, False, <Node>past.inputs[nin + 1], g)
        return self._through_loop(<object>past.loop.name, node, past, nin, g, mask)

    # ---- storage

    cdef int _view(self, Node storage, Node window, Node g) except -1:
        cdef int place = place_of(self.between, storage) - 1
        cdef bint known
        cdef object part = self.part
        if place < 0 or window.size == 0:
            return 0
        if is_inexact(window):
            once, whole = distinct(window, g)
            whole = view_cotangent(<Node>whole, <Node>once, storage)
            if whole is not None:
                if part is not None:
                    once, self.part = distinct(window, <Node>part)
                    self.part = view_cotangent(<Node>self.part, <Node>once, storage)
                self.add(storage, <Node>whole)
                self.part = part
                return 0
        if part is None:
            return self._into_window(None, storage, window, g)
        if window.typenum != storage.typenum:  # parts of numbers that share a mask
            g = self.where_reached(g, part)
        self.join_windows(storage)
        known = self.part is not None and (self.found[place] is None or self.reach[place] is not None)
        if self.found[place] is not None:
            self.found[place] = self.where_reached(self.found[place], self.reach[place])
        self._into_window(self.found, storage, window, g)
        if known:
            if self.reach[place] is not None:
                self.reach[place] = as_numbers(<Node>self.reach[place], storage)
            self._into_window(self.reach, storage, window, as_numbers(<Node>self.part, window))
        else:
            self.reach[place] = None
        return 0

    cdef int _into_window(self, list lane, Node storage, Node window, Node g) except -1:
        """Add the cotangent of a view to its window of the storage's cotangent; without a lane, later."""
        cdef Node so_far = None
        cdef int d, shortest = -1, place = place_of(self.between, storage) - 1
        if storage.typenum < 0 or not is_inexact(window) or mixes_parts(window, storage):
            raise NotDifferentiable(f"a view of {storage.dtype} as {window.dtype} has no derivative")
        g = g if g.typenum == window.typenum else cast_node(g, window.typenum, None)
        window, g = distinct(window, g)
        if window_overlaps_itself(window):  # one index of the shortest axis after another
            for d in range(window.ndim):
                if window.shape[d] > 1 and (shortest < 0 or window.shape[d] < window.shape[shortest]):
                    shortest = d
            for d in range(window.shape[shortest]):
                self._into_window(lane, storage, position(window, shortest, d),
                                  window_of(g, position(g, shortest, d)))
            return 0
        if lane is not self.reach and shows_imaginary_parts(window, storage):  # alternates with i
            g = apply_unary(_negative, g)
        if lane is None:
            if self.windows[place] is None:
                self.windows[place] = []
            self.windows[place].append((window, g))
            return 0
        so_far = lane[place]
        if so_far is None:
            so_far = cast_node(zeros(storage), storage.typenum, storage)
        else:
            if not same_storage(so_far, storage):
                so_far = cast_node(so_far, storage.typenum, storage)
            g = apply(_add, view_node(so_far, window), g)
        lane[place] = update_node(so_far, window, g)
        return 0

    cdef int join_windows(self, Node storage) except -1:
        """Add the cotangents of all windows on a storage. Windows that tile it need no zeros."""
        cdef int place = place_of(self.between, storage) - 1
        cdef list parts = self.windows[place]
        cdef Node window, g, so_far
        cdef bint onto_nothing, tiles = False
        if parts is None:
            return 0
        so_far = self.found[place]
        onto_nothing = so_far is None
        if onto_nothing:
            tiles = windows_tile(storage, [window for window, _ in parts])
            so_far = empty_like(storage) if tiles else cast_node(zeros(storage), storage.typenum, storage)
        else:
            so_far = self.where_reached(so_far, self.reach[place])
            if not same_storage(so_far, storage):
                so_far = cast_node(so_far, storage.typenum, storage)
        for window, g in parts:
            if not onto_nothing:
                g = apply(_add, view_node(so_far, window), g)
            so_far = update_node(so_far, window, g)
            so_far.attr = BESIDE if tiles else 0
            onto_nothing = tiles
        self.found[place], self.reach[place], self.windows[place] = so_far, None, None
        return 0

    cdef int _update(self, Node node, Node past, Node g) except -1:
        """Add the cotangents of an update: the window's goes to the value, the rest to the old storage."""
        cdef Node old = <Node>past.inputs[0], value = <Node>past.inputs[1], window, held = g
        cdef int nd = <int>past.window[0]
        window = new_window(nd, past.window + 1, past.window + 1 + nd, past.window_offset, value.dtype, value.typenum)
        if mixes_parts(window, node):
            raise NotDifferentiable(f"writing to {node.dtype} through a view as {window.dtype} has no derivative")
        if not same_storage(held, node):
            held = cast_node(held, node.typenum, node)
        if place_of(self.between, value) and is_inexact(value):
            part = view_node(held, window)
            if shows_imaginary_parts(window, node):
                part = apply_unary(_negative, part)
            reach = self.part
            if reach is not None:
                self.part = as_numbers(<Node>reach, node)
                if not same_storage(<Node>self.part, node):
                    self.part = cast_node(<Node>self.part, node.typenum, node)
                self.part = view_node(<Node>self.part, window)
            self.add(value, part)
            self.part = reach
        if place_of(self.between, old):
            self.add(old, update_node(held, window, zeros(window)))
        return 0

    # ---- folds and calls

    cdef int _fold(self, Node node, Node past, Node g) except -1:
        cdef Node x = <Node>past.inputs[0]
        if self.part is not None:
            self.part = spread(<Node>self.part, x, past.axes, past.attr) if gives_to_all_parts(past.loop) else None
        return self.add(x, reduce_cotangent(g, node, past))

    cdef int _call(self, Node node, Node past, object g) except -1:
        cdef list operands = [<Node>past.inputs[i] for i in range(past.ninputs)]  # the rule may evaluate them
        cdef Node x
        cdef int i
        name, function = past.payload[0], past.payload[1]
        rule, options = call_rule(name, function)
        out, reach, self.part = None, self.part, None
        if isinstance(g, dict):
            g = {which: handle_of(<Node>one) for which, one in g.items()}
            out = tuple([handle_of(<Node>result) for result in result_nodes(node)])
        else:
            g, out = handle_of(<Node>g), handle_of(node)
        wanted = [place_of(self.between, x) > 0 for x in operands]
        handles = [handle_of(x) for x in operands]
        parts = [None] * len(operands)
        if reach is not None and getattr(rule, "moves", False):
            parts = rule(handle_of(as_numbers(<Node>reach, node)), out, handles, wanted, **options)
        for x, made, part in zip(operands, rule(g, out, handles, wanted, **options), parts):
            if made is not None and place_of(self.between, x):
                self.part = None if part is None else node_of(<LazyArray>part)
                self.add(x, node_of(<LazyArray>made))
        return 0

    cdef int _change(self, Node node, Node past, Node g) except -1:
        """Add the cotangents of a call that changed storage; the rule clears what old values did not contribute."""
        cdef Node window = past.payload[2], old = <Node>past.inputs[0], held = g, x
        cdef list operands = [<Node>past.inputs[i] for i in range(1, past.ninputs)]
        cdef LazyArray made, storage
        name, function = past.payload[0], past.payload[1]
        rule, options = change_rule(name, function)
        self.part = None
        if window.typenum != node.typenum:
            raise NotDifferentiable(f"{name} through a view of {node.dtype} as {window.dtype} has no derivative")
        if not same_storage(held, node) or is_sealed(held):  # arrays from outside cannot be written
            held = cast_node(held, node.typenum, node)
        storage = new_handle(held, False)
        if reads_what_it_changes(name):
            operands.insert(0, view_node(old, window))
        found = rule(new_view(storage, view_node(held, window), True), [handle_of(x) for x in operands],
                     [place_of(self.between, x) > 0 for x in operands], **options)
        self.add(old, node_of(storage))
        for x, made in zip(operands, found):
            if made is not None and place_of(self.between, x):
                self.add(x, node_of(made))
        return 0
