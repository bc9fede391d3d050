"""Rewrite rules, applied to one node at a time.

Rules stand in rewrite_rules.py. Of each loop its variants are kept here as arrays of numbers, from its first node on; a
node whose loop has none costs a look into a table. A rewrite makes no nodes, since a plan speaks of nodes that are
there:

- readers of a node read another one of its shape in its place; or, where the very node is wanted (its value escapes, a
  view or a call reaches for it), it becomes a copy of the other one;
- a node is computed by another loop from other operands, and so is, for a result of two operations, the last of the
  nodes between that have no other reader.

Errors are reported for the node as it was written: rules that always apply leave out no operation that could raise one.
"""
from cpython cimport array
from libc.stdlib cimport calloc, realloc
from libc.string cimport memset

from lazyarr._core.ir.data_loops cimport copy_loop
from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, GIVEN, ONE_LOOP, READERS, among
from lazyarr._core.ir.loop_table cimport LOOP_COPY, LOOP_STEADY, all_loops, loop_count
from lazyarr._core.ir.node cimport LEAF, MAP, REDUCE, SCALAR, VIEW

import array

from lazyarr.compiler.rewrite_rules import CONSTANT, INNER, OPERATION, VARIABLE, variants_of

cdef array.array _ints = array.array("i")

assert (OPERATION, CONSTANT, VARIABLE, INNER) == (OPERATION_ITEM, CONSTANT_ITEM, VARIABLE_ITEM, INNER_ITEM)

cdef struct Rules:
    bint known
    Variant* first

cdef struct RuleTable:
    Rules* by_loop
    int room

cdef RuleTable _table = RuleTable(NULL, 0)


cdef int _look_up(int loop) except -1:
    """Make room for a loop in the table, and have its variants looked up."""
    cdef Rules* grown
    cdef Variant** end
    cdef Variant* made
    if loop >= _table.room:
        grown = <Rules*>realloc(_table.by_loop, 2 * (loop + 1) * sizeof(Rules))
        if grown is NULL:
            raise MemoryError()
        memset(grown + _table.room, 0, (2 * (loop + 1) - _table.room) * sizeof(Rules))
        _table.by_loop, _table.room = grown, 2 * (loop + 1)
    if loop >= loop_count():  # a graph that is not going to run
        return 0
    found = variants_of(loop)  # which may make loops, and look up none
    end = &_table.by_loop[loop].first
    for rule, fast, computed, pattern, result in found:
        made = <Variant*>calloc(1, sizeof(Variant))
        if made is NULL:
            raise MemoryError()
        made.rule, made.fast, made.computed = rule, fast, computed
        _fill(made.pattern, pattern)
        _fill(made.result, result)
        made.size = len(result)
        for i in range(1, made.size):
            if made.result[i].what == OPERATION_ITEM:
                made.between = i
        end[0] = made
        end = &made.next
    _table.by_loop[loop].known = True
    return 0


cdef int _fill(Item* items, tuple source) except -1:
    if len(source) > MAX_ITEMS:
        raise ValueError(f"a rule has at most {MAX_ITEMS} items")
    for i, (what, which, nargs) in enumerate(source):
        items[i].what, items[i].which, items[i].nargs = what, which, nargs
    return 0


cdef int _type_of(int loop) noexcept:
    """The type of a loop's result."""
    return all_loops[loop].types[all_loops[loop].nin]


cdef class Matcher:
    """The rules, at work on one graph, whose nodes are visited in order."""

    def __cinit__(self, Graph graph):
        cdef Described* node
        cdef int i, j
        cdef bint particular
        self.graph = graph
        self.counts, self.fixtures = array.clone(_ints, graph.count, True), array.clone(_ints, graph.count, True)
        self.particulars = array.clone(_ints, graph.count, True)
        self.readers, self.fixed = self.counts.data.as_ints, self.fixtures.data.as_ints
        self.particular = self.particulars.data.as_ints
        self.applied = []
        for i in range(graph.count):
            node = &graph.nodes[i]
            particular = not among(node.kind, ONE_LOOP) or node.loop >= loop_count() \
                or not all_loops[node.loop].flags & LOOP_STEADY
            for j in range(node.first_input, node.first_input + node.ninputs):
                self.readers[graph.inputs[j]] += 1
                self.particular[graph.inputs[j]] |= particular
                if not among(node.kind, READERS):
                    self.fixed[graph.inputs[j]] = True
            self.fixed[i] = node.flags & ESCAPES

    cdef int rewrite(self, int i) except -2:
        """Apply rules to a MAP until none fits; the node that its readers read instead, which may be itself."""
        cdef Described* node = &self.graph.nodes[i]
        cdef Variant* variant
        cdef int other
        while True:
            if node.loop >= _table.room or not _table.by_loop[node.loop].known:
                _look_up(node.loop)
            variant = _table.by_loop[node.loop].first
            while variant is not NULL and not self._fits(variant, i):
                variant = variant.next
            if variant is NULL:
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

    cdef bint _fits(self, Variant* variant, int i) noexcept:
        """Whether a variant can be applied to a node; binds its variables."""
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

    cdef int _same(self, Variant* variant) noexcept:
        """The node that has the result, -1 if it is to be computed."""
        if variant.result[0].what == VARIABLE_ITEM:
            return self.bound[variant.result[0].which]
        return self.inner[variant.result[0].which] if variant.result[0].what == INNER_ITEM else -1

    cdef bint _may_be_read_instead(self, int i, int j) noexcept:
        """Whether readers of node i may read node j, which has the same values, in its place.

        What comes from outside may lie in memory otherwise than the results of loops do. Of loops that are not steady,
        results then differ in their last bits, or in which of two NaNs they are. A fold's result lies as its copy does.
        """
        cdef int kind = self.graph.nodes[j].kind
        return not self.fixed[i] and (not self.particular[i] or among(kind, ELEMENTWISE)
                                      or kind == REDUCE and self.graph.nodes[i].ninputs == 1)

    cdef bint _drops(self, Variant* variant, int variable) noexcept:
        """Whether an operand would not be computed any more, which may have errors to report."""
        cdef int j = self.bound[variable], at
        if self.readers[j] > 1 or variant.result[0].what == INNER_ITEM:
            return False
        for at in range(variant.size):
            if variant.result[at].what == VARIABLE_ITEM and variant.result[at].which == variable:
                return False
        if self.graph.nodes[j].kind == VIEW:
            j = self.graph.inputs[self.graph.nodes[j].first_input]
        return not among(self.graph.nodes[j].kind, GIVEN)

    cdef int _match(self, Item* items, int at, int i) noexcept:
        """The item behind those that match node i and what is below it, -1 if they do not."""
        cdef Described* node = &self.graph.nodes[i]
        cdef Item* item = &items[at]
        cdef int k
        if item.what == VARIABLE_ITEM:
            if self.bound[item.which] < 0:
                self.bound[item.which] = i
            return at + 1 if self.bound[item.which] == i else -1
        if item.what == CONSTANT_ITEM:
            return at + 1 if node.kind == SCALAR and node.mark == item.which else -1
        if node.kind != MAP or node.loop != item.which or node.ninputs != item.nargs:
            return -1
        if at:
            self.inner[self.ninner] = i
            self.ninner += 1
        at += 1
        for k in range(item.nargs):
            at = self._match(items, at, self.graph.inputs[node.first_input + k])
            if at < 0:
                return -1
        return at

    cdef int _between(self, Variant* variant) noexcept:
        """Which of the dead nodes can be computed anew, as the operand that is an operation itself; or -1.

        It has that operation's dtype and shape, and comes behind all that it reads.
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

    cdef int _compute(self, int i, Variant* variant) except -1:
        """Compute a node as a result says."""
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
        """Compute a node by a loop from these operands."""
        cdef Described* node = &self.graph.nodes[i]
        cdef int k
        for k in range(count):
            self.readers[operands[k]] += 1
        for k in range(node.first_input, node.first_input + node.ninputs):
            self.readers[self.graph.inputs[k]] -= 1
        if count > node.ninputs:
            node.first_input = self.graph.add_inputs(count)
        for k in range(count):
            self.graph.inputs[node.first_input + k] = operands[k]
        node.loop, node.ninputs = loop, count
        return 0

    cdef void replace(self, int i, int j) noexcept:
        """Leave out a node, whose readers are to read another one."""
        self.readers[j] += self.readers[i]
        self.particular[j] |= self.particular[i]
        self._leave_out(i)

    cdef void _leave_out(self, int i) noexcept:
        """Mark a node as dead."""
        cdef Described* node = &self.graph.nodes[i]
        cdef int j
        for j in range(node.first_input, node.first_input + node.ninputs):
            self.readers[self.graph.inputs[j]] -= 1
        node.kind, node.flags, node.ninputs, node.nouts = LEAF, 0, 0, 0

    cdef void _leave_out_inner(self) noexcept:
        """Mark matched nodes without readers as dead."""
        cdef int k, i
        for k in range(self.ninner):  # each behind its readers
            i = self.inner[k]
            if self.readers[i] == 0 and not self.fixed[i] and self.graph.nodes[i].kind == MAP:
                self._leave_out(i)
