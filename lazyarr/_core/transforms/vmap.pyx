"""Batching: a graph on single elements becomes a graph on a batch of them.

`batch` walks from the arguments of a function to its results, inputs first. It rebuilds each node that depends on an
element with a *batch axis* in front (batch_layout.pyx), and shares the rest. Calls have rules, or run once per element
with stacked results (`Each`).
"""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from numpy cimport npy_intp

from lazyarr._core.control.subgraph cimport nodes_below
from lazyarr._core.frontend.handle cimport new_handle, node_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.views cimport handle_of
from lazyarr._core.ir.builder cimport (
    cast_node, map_node, masked_node, opaque_node, reduce_node, result_node, scan_node, scatter_packed, update_node,
    window_of)
from lazyarr._core.ir.loop_table cimport LOOP_SCANS, LOOP_SEARCHES, MAX_ARGS
from lazyarr._core.ir.node cimport (
    CHANGES, COMPRESS, EMPTY, EXPAND, FILLS, MAP, MASKED, MAX_DIMS, OF_SCALARS, OPAQUE, PACKED, REDUCE, REPEAT, RESULT,
    UPDATE, VIEW, Node, count_pending, finish_layout, new_window, same_layout, same_shape, set_c_strides)
from lazyarr._core.ir.provenance cimport set_input_list
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.transforms.batch_layout cimport BatchLayout
from lazyarr._core.transforms.cotangent_ops cimport select, summed, zeros
from lazyarr._core.transforms.vjp_rules cimport reads_what_it_changes

import numpy as np

from lazyarr._core.control.subgraph import traced as traced_array
from lazyarr._core.transforms import vjp

_rules = {}      # by call name


def add_batch_rule(name, rule):
    """Register the batching rule of a call: rule(call, operands, batched, size).

    Operands whose `batched` flag is set have the batch axis in front. The rule returns the result with the batch axis
    in front, or a tuple of results; or a function to call on the operands in place of the call's own, with a matching
    derivative; or None if it does not apply.
    """
    _rules[name] = rule


cdef class Call:
    """A call, as seen by rules."""
    cdef readonly object name, function, dtype
    cdef readonly tuple shape      # of the result for one element; () for several results
    cdef readonly bint several


def batch(list results, list traced, list given, npy_intp size, bint is_closed=False):
    """Return the results of a function for each element of a batch, given those for traced arrays.

    `given` has the values of each traced array, with the same dtype and a batch axis of length `size` > 0 in front. So
    have the results; None for those that depend on no traced array. If the graph `is_closed` (a sub-graph), its nodes
    may be older than the placeholders.
    """
    cdef _Batch walk = _walk_of(size)
    cdef Node node, x
    cdef uint64_t since = <uint64_t>-1
    cdef list held = [node_of(<LazyArray>one) for one in traced]
    cdef list roots = [node_of(<LazyArray>one) for one in results], out = []
    for node, values in zip(held, given):
        walk.found[node] = node_of(<LazyArray>values)
        since = 0 if is_closed else min(since, node.serial)
    cdef list order = nodes_below(roots, {id(one): one for one in held}, since)
    for node in order:
        if node not in walk.found:
            walk.visit(node)
    for node in roots:
        x = walk.found.get(node)
        if x is None:
            out.append(None)
            continue
        if x.kind == VIEW and x.typenum >= 0:  # a separate array that can be written to
            x = cast_node(x, x.typenum, None)
        out.append(new_handle(x, False))
    return out


def stand_in_for_batch(LazyArray one, npy_intp size):
    """Return a placeholder for a batch of arrays like this one, each in its layout."""
    cdef Node node = _walk_of(size).form(OPAQUE, node_of(one), 1)
    node.payload = node_of(traced_array((), np.int8)).payload
    return new_handle(node, False)


def stored_as(LazyArray batched, LazyArray one, npy_intp size):
    """Return a batch in the layout of `stand_in_for_batch`."""
    cdef Node node = node_of(batched), like = _walk_of(size).form(EMPTY, node_of(one), 1)
    if node.kind == VIEW or not same_layout(node, like):
        node = cast_node(node, node.typenum, like)
    return new_handle(node, False)


cdef _Batch _walk_of(npy_intp size):
    cdef _Batch walk = _Batch.__new__(_Batch)
    walk.size = size
    walk.found = {}
    return walk


cdef class _Batch(BatchLayout):
    """One batching walk."""

    # ---- nodes

    cdef int visit(self, Node node) except -1:
        cdef int k
        cdef bint depends = False
        cdef Node made
        for k in range(node.ninputs):
            if <Node>node.inputs[k] in self.found:
                depends = True
        if not depends:
            return 0
        if node.kind == RESULT and type(self.found[<Node>node.inputs[0]]) is tuple:
            made = (<tuple>self.found[<Node>node.inputs[0]])[node.attr]
            if made is not None:
                self.found[node] = made
            return 0
        if node.kind == OPAQUE or node.kind == REPEAT:
            return self._call(node)
        made = self._made_again(node)
        self.found[node] = _of_origin(made, node)
        return 0

    cdef Node _made_again(self, Node node):
        cdef PyObject* inputs[MAX_ARGS + 2]
        cdef list held = []
        cdef Node source = <Node>node.inputs[0], made
        cdef bint plain
        cdef int k
        if node.kind == VIEW:
            made = self.storage(source, max(node.itemsize, <npy_intp>1))
            return window_of(made, self.window(source, made, node.ndim, node.shape, node.strides, node.offset, node))
        if node.kind == MAP or node.kind == MASKED:
            for k in range(node.ninputs):
                held.append(self.aligned(<Node>node.inputs[k], node.ndim))
            if node.kind == MASKED:
                held[node.ninputs - 1] = self.whole(<Node>node.inputs[node.ninputs - 1])
            for k in range(node.ninputs):
                inputs[k] = <PyObject*>held[k]
            if node.kind == MASKED:
                made = masked_node(MASKED, node.loop, node.ninputs, inputs)
            else:
                plain = _is_plain(node)
                made = map_node(node.loop, node.ninputs, inputs, None if plain else self.form(EMPTY, node, 1))
                if plain and not made.contiguous:
                    set_c_strides(made)
            made.attr, made.payload = node.attr & ~OF_SCALARS, node.payload
            return made
        if node.kind == COMPRESS:
            return self.whole(source)
        if node.kind == PACKED:
            return self._packed(node)
        if node.kind == EXPAND:
            return self._expanded(node)
        if node.kind == REDUCE:
            return self._folded(node)
        if node.kind == UPDATE:
            return self._updated(node)
        if source.kind == MAP:
            made = result_node(self.found[source], node.attr, node.dtype, node.typenum)
        else:
            made = self.form(RESULT, node, 1)
            set_input_list(made, [self.found[source]])
            count_pending(made)
        made.attr, made.payload = node.attr, node.payload
        return made

    cdef Node _packed(self, Node node):
        """Keep packed elements in place: masks differ between elements."""
        cdef PyObject* inputs[MAX_ARGS + 2]
        cdef int k, nin = node.ninputs - 1
        cdef Node x, made
        cdef list held = []
        for k in range(nin):
            x = <Node>node.inputs[k]
            held.append(self.aligned(x, node.ndim) if x in self.found else scatter_packed(x))
        held.append(self.whole(<Node>node.inputs[nin]))
        held.append(zeros(self.form(EMPTY, node, 1)))
        for k in range(nin + 2):
            inputs[k] = <PyObject*>held[k]
        made = masked_node(MASKED, node.loop, nin + 2, inputs)
        made.payload = node.payload
        return made

    cdef Node _expanded(self, Node node):
        cdef Node packed = <Node>node.inputs[0]
        packed = self.found[packed] if packed in self.found else scatter_packed(packed)
        return select(self.whole(<Node>node.inputs[1]), packed, self.whole(<Node>node.inputs[2]))

    cdef Node _updated(self, Node node):
        """Batch an update; each element gets its own copy of an old storage that is not batched."""
        cdef Node old = <Node>node.inputs[0], value = <Node>node.inputs[1], made, window
        cdef int nd = node.window[0]
        made = self.own_storage(old, value.itemsize)
        window = self.window(old, made, nd, node.window + 1, node.window + 1 + nd, node.window_offset, value)
        made = update_node(made, window, self.whole(value))
        made.attr = node.attr
        return made

    cdef Node _folded(self, Node node):
        cdef Node source = <Node>node.inputs[0], x = self.found[source], made
        cdef npy_intp shape[MAX_DIMS]
        cdef npy_intp strides[MAX_DIMS]
        cdef bint single = node.axes != 0 and node.axes & (node.axes - 1) == 0
        cdef int axis = 0, d
        if not node.loop.flags & (LOOP_SCANS | LOOP_SEARCHES):
            return reduce_node(node.loop, x, node.axes << 1, node.attr)
        if single:
            while not node.axes >> axis & 1:
                axis += 1
        elif source.ndim != 1:  # all elements in C order
            x = self.lines(x)
        if node.loop.flags & LOOP_SCANS:
            return scan_node(node.loop, x, axis + 1, None)
        made = reduce_node(node.loop, x, <uint64_t>1 << (axis + 1), node.attr)
        if made.ndim != node.ndim + 1:  # with keepdims
            shape[0], strides[0] = self.size, made.strides[0]
            for d in range(node.ndim):
                shape[d + 1], strides[d + 1] = 1, 0
            made = window_of(made, new_window(node.ndim + 1, shape, strides, made.offset, made.dtype, made.typenum))
        return made

    # ---- calls

    cdef int _call(self, Node node) except -1:
        """Batch a call by its rule, or make it once per element."""
        cdef list operands = [<Node>node.inputs[k] for k in range(node.ninputs)]
        cdef Call call = Call.__new__(Call)
        cdef Each each
        cdef object made = None
        call.name, call.function, specs = node.payload
        call.shape, call.dtype = shape_tuple(node), node.dtype
        if node.attr == CHANGES and node.kind == OPAQUE:
            self.found[node] = self._changed(node, call, specs, operands)
            return 0
        batched = tuple([x in self.found for x in operands])
        values = [self.found.get(x, x) for x in operands]
        call.several = node.kind == OPAQUE and node.attr == 0 and specs is not None
        rule = getattr(call.function, "batch", None) or _rules.get(
            getattr(call.function, "batched_as", None) or call.name)
        if rule is not None:
            made = rule(call, [handle_of(<Node>x) for x in values], batched, self.size)
        if isinstance(made, tuple):
            self.found[node] = tuple([None if y is None else node_of(<LazyArray>y) for y in made])
        elif isinstance(made, LazyArray):
            self.found[node] = node_of(<LazyArray>made)
        else:
            each = self._each(call, batched)
            each.fills = node.attr != 0 or node.kind == REPEAT
            if made is None:
                values = [self._as_before(<Node>x) for x in operands]
            self.found[node] = _of_origin(self._called(node, call, _or_each(made, each), values), node)
        return 0

    cdef Node _as_before(self, Node x):
        """Return the batched operand, each element in the layout that the call expects."""
        if x not in self.found:
            return x
        return self.found[x] if x.kind == VIEW or x.typenum < 0 else self.storage(x, 1)

    cdef Node _called(self, Node node, Call call, object function, list operands):
        """Return the node of a call on the batch."""
        cdef Node made
        if call.several:
            specs = tuple([((self.size, *shape), dtype) for shape, dtype, *_ in node.payload[2]])
            return opaque_node(call.name, function, operands, (), node.dtype, specs)
        made = self.form(OPAQUE, node, 1)
        made.attr = FILLS if node.attr != 0 or node.kind == REPEAT else 0
        made.payload = (call.name, function, None)
        set_input_list(made, operands)
        count_pending(made)
        return made

    cdef Each _each(self, Call call, tuple batched):
        """Return the call once per element."""
        cdef Each each = Each.__new__(Each)
        each.call, each.batched, each.size = call, batched, self.size
        return each

    cdef Node _changed(self, Node node, Call call, Node spec, list operands):
        """Batch a call that changes a window of a storage; only rules that return a function apply."""
        cdef Node old = operands[0], made
        cdef Each each = self._each(call, (True, *[x in self.found for x in operands[1:]]))
        values = [self.own_storage(old, spec.itemsize), *[self._as_before(<Node>x) for x in operands[1:]]]
        each.changes = True
        rule = getattr(call.function, "batch", None)
        function = None if rule is None else rule(call, [handle_of(<Node>x) for x in values], each.batched, self.size)
        made = self.form(OPAQUE, node, 1)
        old = values[0]
        made.strides[0], made.offset, made.span = old.strides[0], old.offset, old.span
        finish_layout(made)
        made.attr = CHANGES
        spec = self.window(operands[0], old, spec.ndim, spec.shape, spec.strides, spec.offset, spec)
        made.payload = (call.name, _or_each(function, each), spec)
        set_input_list(made, values)
        count_pending(made)
        return _of_origin(made, node)


cdef bint _is_plain(Node node) noexcept:
    """Return whether a storage is exactly its elements in C order."""
    return node.contiguous and node.offset == 0 and node.span == node.size * node.itemsize and node.ndim < MAX_DIMS


cdef object _or_each(object function, Each each):
    """Return a batched function with the derivative of the per-element call; that call if it is None."""
    if function is None:
        return each
    if function is not each.call.function and not hasattr(function, "pull_back") and (
            each.changes or hasattr(each.call.function, "pull_back")):
        function.pull_back = each.pull_back
    return function


cdef Node _of_origin(Node made, Node node):
    """Copy the error context of another node."""
    made.err, made.code, made.lasti = node.err, node.code, node.lasti
    return made


cdef class Each:
    """A call made once per element of a batch, as a function of arrays."""
    cdef Call call
    cdef tuple batched             # by operand: whether it has the batch axis
    cdef Py_ssize_t size
    cdef bint fills                # it fills an output array that precedes its operands
    cdef bint changes              # it writes to its first operand

    def __call__(self, *arrays):
        return self._each_changed(arrays) if self.fills or self.changes else self._each_returned(arrays)

    cdef list _given(self, object arrays, Py_ssize_t i):
        return [x[i, ...] if batched else x for x, batched in zip(arrays, self.batched)]

    cdef object _each_returned(self, tuple arrays):
        cdef Py_ssize_t i
        found = [self.call.function(*self._given(arrays, i)) for i in range(self.size)]
        if self.call.several:
            return tuple([np.stack(several) for several in zip(*found)])
        return np.stack(found)

    cdef object _each_changed(self, tuple arrays):
        """Call functions that fill or change their first array; return the status flags."""
        cdef Py_ssize_t i
        flags, name = 0, None
        for i in range(self.size):
            if self.fills:
                found = self.call.function(arrays[0][i, ...], *self._given(arrays[1:], i))
            else:
                found = self.call.function(*self._given(arrays, i))
            if found and self.changes:
                found, name = found
            flags |= found or 0
        return None if not flags else flags if self.fills else (flags, name)

    def pull_back(self, g, *args):
        """Return the derivative of the per-element call: its rule for one placeholder element, batched."""
        cdef list traced = [], given = [], made
        *results, operands, wanted = args   # none for a call that changes an array
        batched = self.batched

        def one(x):
            y = traced_array(x.shape[1:], x.dtype)
            traced.append(y)
            given.append(x)
            return y

        with vjp.recording():
            own = {k: one(x) for k, x in g.items()} if self.call.several else one(g)
            if self.changes:
                rule, options = vjp.change_rule(self.call.name, self.call.function)
                own = vjp.another(own)
                batched = batched if reads_what_it_changes(self.call.name) else batched[1:]
            else:
                rule, options = vjp.call_rule(self.call.name, self.call.function)
                results = [tuple([one(x) for x in out]) if self.call.several else one(out) for out in results]
            operands = [one(x) if is_batched else x for x, is_batched in zip(operands, batched)]
            made = _of_forms(rule(own, *results, operands, wanted, **options), operands)
            if self.changes:  # the rule has turned the cotangent into that of the old values
                made.insert(0, own)
            found = iter(batch([x for x in made if x is not None], traced, given, self.size))
            # an unbatched cotangent counts once per element
            made = [None if x is None else _for_each(next(found), x, self.size) for x in made]
            if self.changes:
                g[...] = made.pop(0)
            return made


cdef list _of_forms(made, list operands):
    """Sum cotangents to the shapes of the operands, as an unbatched walk would."""
    return [None if g is None else _of_form(g, x) for g, x in zip(made, operands)]


cdef LazyArray _of_form(LazyArray g, LazyArray x):
    cdef Node given = node_of(g), like = node_of(x)
    return g if given.dtype.hasobject or same_shape(given, like) else new_handle(summed(given, like), False)


cdef LazyArray _for_each(LazyArray batched, LazyArray one, npy_intp size):
    if batched is not None:
        return batched
    return np.broadcast_to(one, (size, *one.shape))
