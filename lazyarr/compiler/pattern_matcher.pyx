"""Rewrite rules, applied to one node at a time.

Rules stand in rewrite_rules.py. Of each loop its variants are kept here as arrays of numbers, from its first node on. A
rewrite makes no nodes, since a plan speaks of nodes that are
there:

- readers of a node read another one of its shape in its place; or, where the very node is wanted (its value escapes, a
  view or a call reaches for it), it becomes a copy of the other one;
- a node is computed by another loop from other operands, and so is, for a result of two operations, the last of the
  nodes between that have no other reader.

Errors are reported for the node as it was written: rules that always apply leave out no operation that could raise one.
"""
from libc.string cimport memcpy, memset

cimport cython

from lazyarr._core.ir.data_loops cimport copy_loop
from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, GIVEN, ONE_LOOP, READERS, among
from lazyarr._core.ir.loop_table cimport LOOP_COPY, LOOP_STEADY, all_loops, loop_count
from lazyarr._core.ir.node cimport LEAF, MAP, REDUCE, SCALAR, VIEW

from lazyarr.compiler.rewrite_rules import CONSTANT, INNER, OPERATION, VARIABLE, variants_of

assert (OPERATION, CONSTANT, VARIABLE, INNER) == (OPERATION_ITEM, CONSTANT_ITEM, VARIABLE_ITEM, INNER_ITEM)

cdef dict _variants = {}        # by loop: lists of `Variant`


@cython.final
cdef class Variant:
    """A rule for one dtype and one order of operands."""

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
        if loop >= loop_count():  # in a graph that is not going to run
            return []
        found = _variants[loop] = [Variant(*variant) for variant in variants_of(loop)]
    return found


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
        self.readers, self.fixed = graph.ints(graph.count), graph.ints(graph.count)
        self.particular = graph.ints(graph.count)
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
        """Apply rules to a MAP until none fits; the node that its readers read instead, which may be itself."""
        cdef Described* node = &self.graph.nodes[i]
        cdef Variant variant
        cdef int other
        while True:
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

    cdef bint _fits(self, Variant variant, int i) noexcept:
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

    cdef int _same(self, Variant variant) noexcept:
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

    cdef bint _drops(self, Variant variant, int variable) noexcept:
        """Whether an operand would not be computed any more, which may have errors to report."""
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
            at = self._match(items, at, node.inputs[k])
            if at < 0:
                return -1
        return at

    cdef int _between(self, Variant variant) noexcept:
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

    cdef int _compute(self, int i, Variant variant) except -1:
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
        for k in operands[:count]:
            self.readers[k] += 1
        for k in node.inputs[:node.ninputs]:
            self.readers[k] -= 1
        if count > node.ninputs:
            node.inputs = self.graph.ints(count)
        memcpy(node.inputs, operands, count * sizeof(int))
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
        for j in node.inputs[:node.ninputs]:
            self.readers[j] -= 1
        node.kind, node.flags, node.ninputs, node.nouts = LEAF, 0, 0, 0

    cdef void _leave_out_inner(self) noexcept:
        """Mark matched nodes without readers as dead."""
        cdef int k, i
        for k in range(self.ninner):  # each behind its readers
            i = self.inner[k]
            if self.readers[i] == 0 and not self.fixed[i] and self.graph.nodes[i].kind == MAP:
                self._leave_out(i)
