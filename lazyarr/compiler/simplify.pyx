"""Algebraic simplification and common subexpression elimination, in one walk.

In the returned graph some nodes are replaced by others, or computed differently. Positions do not change; a node that
is no longer needed becomes a dead leaf.

Each node is visited once, after its operands: rules are applied until none matches, then the node is looked up among
the earlier ones. Rules look only at operands, which are simplified and unique already, and do not affect readers. So a
second walk would find nothing to do.

The rules are in rewrite_rules.py; this module keeps their variants by loop as arrays of numbers. A rewrite creates no
nodes, since a plan refers to nodes of the graph:

- the readers of a node read another node of its shape instead; or, if the node itself is needed (its value escapes, or
  a view or a call reads it), it becomes a copy of the other one;
- a node is computed by another loop from other operands. If the result of the rule has two operations, the last of the
  matched inner nodes without other readers computes the inner one.

Equal calls of a function are made once; those whose results escape become copies.

Errors are reported for the node as it was written. Rules that always apply remove no operation that could raise an
error, unless NumPy's function reports it itself.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

cimport cython

from lazyarr._core.ir.data_loops cimport copy_loop
from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, GIVEN, ONE_LOOP, READERS, among
from lazyarr._core.ir.loop_table cimport LOOP_COPY, LOOP_STEADY, all_loops, loop_count
from lazyarr._core.ir.node cimport CHANGES, LEAF, MAP, OPAQUE, REDUCE, RESULT, SCALAR, VIEW

from lazyarr.compiler.rewrite_rules import CONSTANT, INNER, MOST_ITEMS, MOST_VARIABLES, OPERATION, VARIABLE, variants_of

cdef enum:
    MAX_ITEMS = 8
    MAX_VARIABLES = 4
    MOST_REWRITES = 64       # per node: rules added by users may undo each other
    OPERATION_ITEM = 0
    CONSTANT_ITEM = 1
    VARIABLE_ITEM = 2
    INNER_ITEM = 3

cdef struct Item:            # a node of a pattern or a result, followed by those of its operands
    int what
    int which                # loop of an operation, mark of a constant, number of a variable or an inner operation
    int nargs

assert (MOST_ITEMS, MOST_VARIABLES) == (MAX_ITEMS, MAX_VARIABLES)
assert (OPERATION, CONSTANT, VARIABLE, INNER) == (OPERATION_ITEM, CONSTANT_ITEM, VARIABLE_ITEM, INNER_ITEM)

cdef dict _variants = {}        # by loop: lists of `_Variant`


@cython.final
cdef class _Variant:
    """A rule for one dtype and one order of operands."""
    cdef int rule
    cdef bint fast           # applies only under fast_math
    cdef bint computed       # the replacement must be the result of a ufunc: other bools may have any bytes
    cdef Item pattern[MAX_ITEMS]
    cdef Item result[MAX_ITEMS]
    cdef int size            # of the result
    cdef int between         # index of the inner operation of the result, or 0

    def __cinit__(self, int rule, bint fast, bint computed, tuple pattern, tuple result):
        cdef int i
        self.rule, self.fast, self.computed, self.size = rule, fast, computed, len(result)
        _fill(self.pattern, pattern)
        _fill(self.result, result)
        for i in range(1, self.size):
            if self.result[i].what == OPERATION_ITEM:
                self.between = i


cdef int _fill(Item* items, tuple source) except -1:
    if len(source) > MAX_ITEMS:
        raise ValueError(f"a rule has at most {MAX_ITEMS} items")
    for i, (what, which, nargs) in enumerate(source):
        items[i].what, items[i].which, items[i].nargs = what, which, nargs
    return 0


cdef list _variants_of(int loop):
    cdef list found = _variants.get(loop)
    if found is None:
        if loop >= loop_count():  # in a graph that will not run
            return []
        found = _variants[loop] = [_Variant(*variant) for variant in variants_of(loop)]
    return found


def forget_rules():
    """Clear cached rules after some were added or removed."""
    _variants.clear()


cdef int _type_of(int loop) noexcept:
    """Return the type of a loop's result."""
    return all_loops[loop].types[all_loops[loop].nin]


@cython.final
cdef class _Matcher:
    """Applies the rules to the nodes of one graph, in order."""
    cdef Graph graph
    cdef int* readers            # by node: number of reads by other nodes
    cdef int* fixed              # by node: whether it is needed other than as an operand of a tile program
    cdef int* particular         # by node: whether a loop whose results depend on memory layout reads it
    cdef int* first              # by node: the first node of equal value
    cdef list applied            # numbers of rules
    cdef int bound[MAX_VARIABLES]    # of the current match: the nodes bound to variables, or -1
    cdef int inner[MAX_ITEMS]        # and to operations except the root
    cdef int ninner

    def __cinit__(self, Graph graph):
        cdef Described* node
        cdef int i, j
        cdef bint particular
        self.graph = graph
        self.readers, self.fixed = graph.ints(graph.count), graph.ints(graph.count)
        self.particular, self.first = graph.ints(graph.count), graph.ints(graph.count)
        self.applied = []
        for i in range(graph.count):
            node = &graph.nodes[i]
            particular = not among(node.kind, ONE_LOOP) or node.loop >= loop_count() \
                or not all_loops[node.loop].flags & LOOP_STEADY
            for j in node.inputs[:node.ninputs]:
                self.readers[j] += 1
                self.particular[j] |= particular
                self.fixed[j] |= not among(node.kind, READERS)
            self.fixed[i] = node.flags & ESCAPES

    cdef int rewrite(self, int i) except -2:
        """Apply rules to a MAP until none matches; return the node to read instead, possibly itself."""
        cdef Described* node = &self.graph.nodes[i]
        cdef _Variant variant
        cdef int other, _round
        for _round in range(MOST_REWRITES):
            for variant in _variants_of(node.loop):
                if self._fits(variant, i):
                    break
            else:
                return i
            self.applied.append(variant.rule)
            other = self._same(variant)
            if other < 0:
                self._compute(i, variant)
            else:
                if self._may_be_read_instead(i, other):
                    self.replace(i, other)
                    self._leave_out_inner()
                    return other
                self._take(i, copy_loop(_type_of(node.loop)).id, 1, &other)
            self._leave_out_inner()
        return i

    cdef bint _fits(self, _Variant variant, int i) noexcept:
        """Return whether a variant applies to a node; bind its variables."""
        cdef Graph graph = self.graph
        cdef Described* node = &graph.nodes[i]
        cdef Described* other
        cdef int k, j
        if variant.fast and not graph.fast_math:
            return False
        memset(self.bound, 0xff, sizeof(self.bound))
        self.ninner = 0
        if self._match(variant.pattern, 0, i) < 0:
            return False
        j = self._same(variant)
        if j >= 0:
            other = &graph.nodes[j]
            if other.shape != node.shape or all_loops[node.loop].flags & LOOP_COPY \
                    and not self._may_be_read_instead(i, j):
                return False
            if variant.computed and not (other.kind == MAP and all_loops[other.loop].ufunc is not NULL):
                return False
        elif variant.between and self._between(variant) < 0:
            return False
        for k in range(MAX_VARIABLES):
            if self.bound[k] >= 0 and self._drops(variant, k):
                return False
        return True

    cdef int _same(self, _Variant variant) noexcept:
        """Return the node that is the result, or -1 if the result must be computed."""
        if variant.result[0].what == VARIABLE_ITEM:
            return self.bound[variant.result[0].which]
        return self.inner[variant.result[0].which] if variant.result[0].what == INNER_ITEM else -1

    cdef bint _may_be_read_instead(self, int i, int j) noexcept:
        """Return whether readers of node i may read node j, of equal values, instead.

        Inputs of the graph may have other memory layouts than results of loops. Results of loops that are not steady
        depend on the layout, in their last bits or in which of two NaNs is kept. A fold's result has the layout of its
        copy.
        """
        cdef int kind = self.graph.nodes[j].kind
        return not self.fixed[i] and (not self.particular[i] or among(kind, ELEMENTWISE)
                                      or kind == REDUCE and self.graph.nodes[i].ninputs == 1)

    cdef bint _drops(self, _Variant variant, int variable) noexcept:
        """Return whether an operand, which may have errors to report, would no longer be computed."""
        cdef int j = self.bound[variable], at
        if self.readers[j] > 1 or variant.result[0].what == INNER_ITEM:
            return False
        for at in range(variant.size):
            if variant.result[at].what == VARIABLE_ITEM and variant.result[at].which == variable:
                return False
        if self.graph.nodes[j].kind == VIEW:
            j = self.graph.nodes[j].inputs[0]
        return not among(self.graph.nodes[j].kind, GIVEN)

    cdef int _match(self, Item* items, int at, int i) noexcept:
        """Return the index of the item after those that match node i and its operands, or -1 without a match."""
        cdef Described* node = &self.graph.nodes[i]
        cdef Item* item = &items[at]
        cdef int k
        if item.what == VARIABLE_ITEM:
            if self.bound[item.which] < 0:
                self.bound[item.which] = i
            return at + 1 if self.bound[item.which] == i else -1
        if item.what == CONSTANT_ITEM:
            return at + 1 if self._constant(i) == item.which else -1
        if node.kind != MAP or node.loop != item.which or node.ninputs != item.nargs:
            return -1
        if at:
            self.inner[self.ninner] = i
            self.ninner += 1
        at += 1
        for k in range(item.nargs):
            at = self._match(items, at, node.inputs[k])
            if at < 0:
                return -1
        return at

    cdef int _constant(self, int i) noexcept:
        """Return the mark of a constant, or of an array filled with one; -1 for other nodes."""
        cdef Described* node = &self.graph.nodes[i]
        while node.kind != SCALAR:
            i = node.inputs[0] if node.ninputs == 1 else -1
            if i < 0 or self.graph.nodes[i].typenum != node.typenum \
                    or node.kind != VIEW and not (node.kind == MAP and all_loops[node.loop].flags & LOOP_COPY):
                return -1
            node = &self.graph.nodes[i]
        return node.mark

    cdef int _between(self, _Variant variant) noexcept:
        """Return the matched node to reuse for the inner operation of the result, or -1.

        It has that operation's dtype and shape, and comes after all its operands.
        """
        cdef Graph graph = self.graph
        cdef Item* operation = &variant.result[variant.between]
        cdef int k, j, chosen = -1
        cdef bint one_shape = False
        for k in range(self.ninner):
            chosen = max(chosen, self.inner[k])
        if self.readers[chosen] != 1 or self.fixed[chosen] \
                or _type_of(graph.nodes[chosen].loop) != _type_of(operation.which):
            return -1
        for k in range(operation.nargs):
            j = self.bound[operation[1 + k].which]
            if j >= chosen or graph.nodes[j].shape != graph.nodes[chosen].shape and graph.nodes[j].kind != SCALAR:
                return -1
            one_shape = one_shape or graph.nodes[j].shape == graph.nodes[chosen].shape
        return chosen if one_shape else -1

    cdef int _compute(self, int i, _Variant variant) except -1:
        """Rewrite a node to compute the result of a rule."""
        cdef Item* item = &variant.result[variant.between]
        cdef int operands[MAX_VARIABLES]
        cdef int k, at = 1, chosen = -1
        if variant.between:
            chosen = self._between(variant)
            for k in range(item.nargs):
                operands[k] = self.bound[item[1 + k].which]
            self._take(chosen, item.which, item.nargs, operands)
        for k in range(variant.result[0].nargs):
            item = &variant.result[at]
            operands[k] = self.bound[item.which] if item.what == VARIABLE_ITEM else chosen
            at += 1 + item.nargs
        return self._take(i, variant.result[0].which, variant.result[0].nargs, operands)

    cdef int _take(self, int i, int loop, int count, int* operands) except -1:
        """Rewrite a node to compute a loop of these operands."""
        cdef Described* node = &self.graph.nodes[i]
        cdef int k
        for k in operands[:count]:
            self.readers[k] += 1
        for k in node.inputs[:node.ninputs]:
            self.readers[k] -= 1
        if count > node.ninputs:
            node.inputs = self.graph.ints(count)
        memcpy(node.inputs, operands, count * sizeof(int))
        node.loop, node.ninputs = loop, count
        return 0

    cdef int copy_call(self, int i, int j) except -1:
        """Turn a call into a copy of an equal one."""
        cdef Described* node = &self.graph.nodes[i]
        self._take(i, copy_loop(node.typenum).id, 1, &j)
        node.kind, node.attr, node.nouts, node.outs = MAP, 0, 1, self.graph.ints(1)
        node.outs[0] = node.itemsize
        return 0

    cdef void replace(self, int i, int j) noexcept:
        """Remove a node; the caller has its readers read another one."""
        self.readers[j] += self.readers[i]
        self.particular[j] |= self.particular[i]
        self.leave_out(i)

    cdef void leave_out(self, int i) noexcept:
        """Mark a node as dead."""
        cdef Described* node = &self.graph.nodes[i]
        cdef int j
        for j in node.inputs[:node.ninputs]:
            self.readers[j] -= 1
        node.kind, node.flags, node.ninputs, node.nouts = LEAF, 0, 0, 0

    cdef void _leave_out_inner(self) noexcept:
        """Mark matched nodes without readers as dead."""
        cdef int k, i
        for k in range(self.ninner):  # readers before their operands
            i = self.inner[k]
            if self.readers[i] == 0 and not self.fixed[i] and self.graph.nodes[i].kind == MAP:
                self.leave_out(i)


def simplify(Graph graph):
    """Apply rewrite rules, and compute equal expressions, folds and calls once; merge equal views and constants.

    Returns
    -------
    graph : Graph
    aliases : list of (int, int)
        Removed nodes, each with the node computed instead: floating-point errors of the latter are also reported for
        the former, with its errstate and line.
    applied : list of int
        Indices in `rules.RULES` of the applied rules.

    Examples
    --------
    >>> from lazyarr._core.ir.graph_ir import Graph
    >>> from lazyarr._core.ir.inner_loops import loop_number
    >>> from lazyarr.compiler.schedule import ESCAPES, LEAF, MAP
    >>> a = LEAF, (), 0, 8, 0, 0, (), 0
    >>> twice = MAP, (0, 0), 0, 8, 0, loop_number("add", "ddd"), (8,), 0
    >>> product = MAP, (1, 2), 0, 8, ESCAPES, loop_number("hypot", "ddd"), (8,), 0
    >>> graph, aliases, _ = simplify(Graph([a, twice, twice, product]))
    >>> graph[3].inputs, aliases
    ((1, 1), [(2, 1)])
    """
    cdef Graph out = graph.copy()
    cdef _Matcher matcher = _Matcher(out)
    cdef list aliases = []
    cdef int* instead = graph.ints(graph.count)
    cdef int* table
    cdef Described* node
    cdef int i, j, first, room = 16
    while room < 2 * graph.count:
        room *= 2
    table = graph.ints(room)
    for i in range(graph.count):
        node = &out.nodes[i]
        for j in range(node.ninputs):
            node.inputs[j] = instead[node.inputs[j]]
        instead[i] = matcher.first[i] = i
        if among(node.kind, 1 << VIEW | 1 << SCALAR):
            instead[i] = matcher.first[i] = node.like
            if node.like != i:
                out.nodes[node.like].mark |= node.mark
                matcher.readers[node.like] += matcher.readers[i]
                matcher.readers[i] = 0
        if not _may_be_equal(out, node):
            continue
        if node.kind == MAP:
            instead[i] = matcher.rewrite(i)
            matcher.first[i] = matcher.first[instead[i]]
            if instead[i] != i:
                continue
        first = matcher.first[i] = _find_equal(matcher, i, table, room)
        if first == i:
            continue
        if not matcher.fixed[i]:
            instead[i] = first
            aliases.append((i, first))
            matcher.replace(i, first)
        elif node.kind == OPAQUE:
            aliases.append((i, first))
            matcher.copy_call(i, first)
    for i in range(graph.count - 1, -1, -1):  # nodes read only by removed ones
        node = &out.nodes[i]
        if matcher.readers[i] == 0 and not node.flags & ESCAPES and not among(node.kind, GIVEN):
            if matcher.first[i] != i and not among(graph.nodes[i].kind, 1 << VIEW | 1 << OPAQUE):  # these are known
                aliases.append((i, matcher.first[i]))
            matcher.leave_out(i)
    return out, aliases, matcher.applied


cdef bint _may_be_equal(Graph graph, Described* node) noexcept:
    """Return whether a node is a pure function of its operands, so that an equal node can replace it."""
    if node.kind == RESULT:
        return graph.nodes[node.inputs[0]].kind == OPAQUE
    if node.kind == OPAQUE:
        return node.attr != CHANGES
    return among(node.kind, ONE_LOOP) and node.nouts == 1 or node.kind == REDUCE


cdef int _find_equal(_Matcher matcher, int i, int* table, int room) noexcept:
    """Return the first node equal to node i, or enter node i into the table and return it."""
    cdef Graph graph = matcher.graph
    cdef Described* node = &graph.nodes[i]
    cdef Described* other
    cdef int like = node.like if node.kind == OPAQUE else -1
    cdef uint64_t h = (<uint64_t>node.loop * 31 + node.kind + node.axes) * 31 + like
    cdef int j, at, left_out = -1
    for j in node.inputs[:node.ninputs]:
        h = (h ^ <uint64_t>matcher.first[j]) * 0x9E3779B97F4A7C15ULL
    at = <int>(h >> 32) & (room - 1)
    while table[at]:
        other = &graph.nodes[table[at] - 1]
        if other.kind == LEAF and left_out < 0:
            left_out = at
        if other.kind == node.kind and other.loop == node.loop and other.shape == node.shape \
                and other.attr == node.attr and other.axes == node.axes and other.ninputs == node.ninputs \
                and (like < 0 or other.like == like) and _same_operands(matcher, other, node):
            return table[at] - 1
        at = (at + 1) & (room - 1)
    table[at if left_out < 0 else left_out] = i + 1
    return i


cdef inline bint _same_operands(_Matcher matcher, Described* a, Described* b) noexcept:
    """Return whether the operands of two nodes are equal; distinct nodes must have the same memory layout."""
    cdef Described* nodes = matcher.graph.nodes
    cdef int i, j, k
    for k in range(a.ninputs):
        i, j = a.inputs[k], b.inputs[k]
        if i != j and (matcher.first[i] != matcher.first[j] or not (nodes[i].contiguous and nodes[j].contiguous)):
            return False
    return True
