"""Sub-graphs: graphs that a node runs, closed over parameters.

`close` copies the graph of *traced* arrays, which have a shape and a dtype but no values. A sub-graph is never
evaluated in place: `loop_exec.pyx` runs copies, and derivatives read it as it is.
"""
from libc.stdint cimport uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.frontend.handle cimport layout_of, new_handle, node_of, write
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.pending_queue cimport link, unlink
from lazyarr._core.frontend.storage cimport is_shared
from lazyarr._core.frontend.views cimport handle_of
from lazyarr._core.ir.builder cimport cast_node, opaque_node
from lazyarr._core.ir.const_guards cimport fast_math
from lazyarr._core.ir.data_loops cimport copy_loop
from lazyarr._core.ir.device_function cimport DeviceFunction
from lazyarr._core.ir.fingerprint cimport stores_nothing
from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.node cimport (
    COMPRESS, EMPTY, MAP, OPAQUE, PACKED, REDUCE, RESULT, SCALAR, VIEW, Node, forget_pending, has_value, new_node,
    same_layout, same_shape)
from lazyarr._core.ir.placeholder cimport is_traced, copy_layout, node_like
from lazyarr._core.ir.provenance cimport put_on, set_input_list
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.ir.ufunc_traits cimport AFFINE, SUM
from lazyarr._core.kernels.gemv cimport VECTOR_PRODUCT
from lazyarr._core.kernels.matmul cimport MATRIX_PRODUCT

from lazyarr._core.control.leaf_memory import memory_as

import numpy as np

cdef object _matmul = np.matmul

DRAWN = 1
"""The lowest bit of what `dependences` gives."""


def traced(tuple shape, dtype, bint scalar=False):
    """Return a placeholder array with this shape and dtype."""
    cdef Node node = opaque_node("", None, [], shape, np.dtype(dtype), None)
    forget_pending(node)
    return new_handle(node_like(node, OPAQUE), scalar)


def reads_traced(list arrays):
    """Return whether arrays depend on placeholders."""
    cdef Node node
    for node in nodes_below([node_of(<LazyArray>x) for x in arrays], {}):
        if is_traced(node):
            return True
    return False


# ---- walking and copying -------------------------------------------------------------------------------


cdef list nodes_below(list roots, dict stops, uint64_t since=0):
    """Return all nodes reachable from the roots, inputs first.

    The walk stops at nodes in `stops` (by id), and at those older than serial `since`.
    """
    cdef list order = [], path
    cdef dict following = {}   # by node: the next input to visit
    cdef Node node, below
    cdef int k
    for root in roots:
        if root in following:
            continue
        path = [root]
        following[root] = _first_input(root, stops, since)
        while path:
            node = path[len(path) - 1]
            k = following[node]
            if k == node.ninputs:
                order.append(node)
                path.pop()
                continue
            following[node] = k + 1
            below = <Node>node.inputs[k]
            if below not in following:
                k = following[below] = _first_input(below, stops, since)
                if k == below.ninputs:
                    order.append(below)
                else:
                    path.append(below)
    return order


cdef inline int _first_input(Node node, dict stops, uint64_t since) except -1:
    """Return the index of the first input to visit, the number of inputs if there is none."""
    return node.ninputs if node.serial < since or stops and id(node) in stops else 0


cdef Node _copy_of(Node node, list inputs, int device):
    """Return the same operation on other inputs; empty storage is on `device`."""
    cdef Node made = new_node(node.kind, node.ndim, node.shape, node.dtype, node.typenum)
    cdef size_t nbytes
    memcpy(made.strides, node.strides, node.ndim * sizeof(npy_intp))
    made.offset, made.span, made.contiguous = node.offset, node.span, node.contiguous
    made.err, made.attr, made.axes, made.loop, made.payload = node.err, node.attr, node.axes, node.loop, node.payload
    made.code, made.lasti = node.code, node.lasti
    if node.window is not NULL:
        nbytes = (1 + 2 * node.window[0]) * sizeof(npy_intp)
        made.window = <npy_intp*>malloc(nbytes)
        if made.window is NULL:
            raise MemoryError()
        memcpy(made.window, node.window, nbytes)
        made.window_offset = node.window_offset
    set_input_list(made, inputs)
    if node.kind == EMPTY:
        put_on(made, device)
    return made


cdef list substitute(list roots, dict replaced, bint shares=True, int device=-1):
    """Return the roots with some nodes replaced: `replaced` maps ids to (old, new).

    Nodes that depend on no replaced node or empty storage are shared, not copied; with `shares` false only leaves and
    constants are. Empty storage keeps its device unless one is given.
    """
    cdef Node node, below
    cdef list inputs
    cdef bint changed
    cdef dict made = {key: pair[1] for key, pair in replaced.items()}
    cdef int k
    order = nodes_below(roots, replaced)
    for node in order:
        if id(node) in made:
            continue
        inputs = []
        changed = node.kind == EMPTY or not shares and not has_value(node)
        for k in range(node.ninputs):
            below = made[id(<Node>node.inputs[k])]
            changed |= below is not <Node>node.inputs[k]
            inputs.append(below)
        made[id(node)] = _copy_of(node, inputs, node.device if device < 0 else device) if changed else node
    return [made[id(node)] for node in roots]


# ---- closed graphs -------------------------------------------------------------------------------------


cdef class Subgraph:
    """A graph from parameters to outputs that reads nothing else.

    It holds nodes, not arrays: its pending nodes are never evaluated in place.
    """

    def __len__(self):
        return len(self.params)

    @property
    def inputs(self):
        """Arrays on the parameters."""
        return [handle_of(node) for node in self.params]

    @property
    def results(self):
        """Arrays on the outputs, to extend the graph."""
        return [handle_of(node) for node in self.outputs]

    def keep(self, list nodes):
        """Output more of its nodes; return their positions among the outputs."""
        first = len(self.outputs)
        self.outputs = self.outputs + nodes
        return list(range(first, first + len(nodes)))


def close(list params, list outputs, bint redraws=False):
    """Return a sub-graph of what was computed from traced arrays, and the arrays it captures.

    Its parameters are `params`, then one per captured array. If it `redraws`, it draws random numbers anew on each run;
    otherwise they are captured.
    """
    cdef Subgraph graph = Subgraph.__new__(Subgraph)
    cdef Node node
    cdef int k
    cdef list given = [node_of(<LazyArray>x) for x in params]
    cdef list roots = [node_of(<LazyArray>y) for y in outputs]
    cdef dict inside = {id(node): True for node in given}   # whether a node depends on a parameter
    cdef dict replaced = {id(node): (node, node) for node in given}
    cdef list captured = [], order = nodes_below(roots, replaced)
    for node in order:
        if id(node) in inside:
            continue
        # packed elements have no shape for a parameter, empty storage has no values
        inside[id(node)] = node.kind in (COMPRESS, PACKED, EMPTY) or redraws and draws(node)
        for k in range(node.ninputs):
            if inside[id(<Node>node.inputs[k])]:
                inside[id(node)] = True
    for node in order:
        if inside[id(node)]:
            for k in range(node.ninputs):
                _capture(<Node>node.inputs[k], inside, replaced, captured)
    for node in roots:
        _capture(node, inside, replaced, captured)
    graph.params = given + [replaced[id(node)][1] for node in captured]
    graph.outputs = substitute(roots, replaced)
    _forget_all(graph.outputs)
    return graph, [handle_of(node) for node in captured]


cdef int _forget_all(list roots) except -1:
    """Exclude nodes and their dependencies from pending counts."""
    cdef Node node
    for node in nodes_below(roots, {}):
        if not has_value(node):
            forget_pending(node)
    return 0


cdef bint draws(Node node) except -1:
    """Return whether a node is a call that draws random numbers."""
    return node.kind == OPAQUE and node.payload is not None and hasattr(node.payload[1], "draws")


cdef int _capture(Node node, dict inside, dict replaced, list captured) except -1:
    if inside[id(node)] or node.kind == SCALAR or id(node) in replaced:
        return 0
    replaced[id(node)] = node, node_like(node, OPAQUE)
    captured.append(node)
    return 0


def instantiate(Subgraph graph, list arrays):
    """Return the outputs of a sub-graph computed from arrays with the layouts of its parameters."""
    cdef dict replaced = {}
    cdef Node node, given
    for node, x in zip(graph.params, arrays):
        given = node_of(<LazyArray>x)
        if given.kind == VIEW:  # a view of the parameter can only be a view of storage
            given = cast_node(given, given.typenum, node)
        replaced[id(node)] = node, given
    return [handle_of(node) for node in substitute(graph.outputs, replaced)]


def behind(LazyArray x, LazyArray y):
    """Return a copy of x that waits for y, so that no pass merges computations from both."""
    cdef Node node = node_of(x), made = opaque_node("checkpoint", _FIRST, [node, node_of(y)], shape_tuple(node),
                                                    node.dtype, None)
    copy_layout(made, node)
    return new_handle(made, x.scalar)


cdef class _First(DeviceFunction):
    """Returns its first operand."""

    def __call__(self, x, y):
        return x

    def run_on_device(self, int device, list operands, words):
        return [memory_as(device, operands[0])]

    def pull_back(self, g, out, operands, wanted):
        return g, None


cdef _First _FIRST = _First()


def set_aside(list arrays):
    """Exclude arrays without values and their dependants from evaluation and pending counts."""
    cdef LazyArray x
    for x in arrays:
        unlink(x if x.root is None else x.root)
    _forget_all([node_of(<LazyArray>x) for x in arrays])


def exchange(list arrays, list others):
    """Swap the nodes of two lists of base arrays."""
    cdef LazyArray x, y
    for x, y in zip(arrays, others):
        if x.root is not None or y.root is not None:
            raise ValueError("only arrays that are no views can be exchanged")
        if is_shared(x) or is_shared(y):  # other code uses their memory
            own, other = node_of(x), node_of(y)
            write(x, other, False)
            write(y, own, False)
            continue
        x.node, y.node = y.node, x.node
        link(x)
        link(y)


cdef dict own_nodes(Subgraph graph):
    """Return the nodes of a sub-graph, by id."""
    cdef Node node
    cdef dict own = {id(node): node for node in nodes_below(graph.outputs, {})}
    for node in graph.params:
        own[id(node)] = node
    return own


def split(Subgraph graph, list outputs):
    """Return the nodes of a sub-graph that a graph built on them reads.

    Views and nodes without storage are rebuilt from their operands, as are affine functions of other nodes that are
    read: computing them is cheaper than keeping them.
    """
    cdef list roots = [node_of(<LazyArray>y) for y in outputs]
    cdef dict own = own_nodes(graph), stops = {}
    cdef Node node
    for node in own.values():
        if not (node.kind == SCALAR or node.kind == COMPRESS or node.kind == PACKED or stores_nothing(node)):
            stops[id(node)] = node
    for node in nodes_below(roots, stops):
        # a result that the sub-graph itself does not output
        if node.kind == RESULT and id(<Node>node.inputs[0]) in own:
            stops[id(node)] = node
    read = {id(node) for node in nodes_below(roots, stops) if id(node) in stops}
    for node in own.values():
        if id(node) in read:
            _look_through_multiples(node, read, stops)
    return [node for node in nodes_below(roots, stops) if id(node) in stops]


def frontier(Subgraph graph, list changed):
    """Return the nodes independent of the `changed` parameters that dependent nodes read.

    Random numbers depend on all parameters. Views and nodes without storage are skipped.
    """
    cdef dict depends = {id(graph.params[k]): True for k in changed}, found = {}
    cdef Node node
    cdef bint moves
    cdef int k
    for node in nodes_below(graph.outputs, {}):
        moves = id(node) in depends or draws(node)
        for k in range(node.ninputs):
            moves |= <bint>depends[id(<Node>node.inputs[k])]
        depends[id(node)] = moves
        if moves:
            for k in range(node.ninputs):
                _stored(<Node>node.inputs[k], depends, found)
    for node in graph.outputs:
        _stored(node, depends, found)
    return list(found.values())


def dependences(Subgraph graph):
    """Return by node a bit set of the parameters it depends on; `DRAWN` is the bit of random numbers."""
    cdef dict found = {node: DRAWN << k for k, node in enumerate(graph.params, 1)}
    cdef Node node
    cdef int k
    for node in nodes_below(graph.outputs, {}):
        if node not in found:
            bits = DRAWN if draws(node) else 0
            for k in range(node.ninputs):
                bits |= found[<Node>node.inputs[k]]
            found[node] = bits
    return found


cdef int _stored(Node node, dict depends, dict found) except -1:
    """Record an independent node; for one without storage, its operands."""
    cdef list stack = [node]
    cdef int k
    while stack:
        node = stack.pop()
        if depends[id(node)] or is_traced(node) or has_value(node):
            continue
        if node.kind == COMPRESS or node.kind == PACKED or stores_nothing(node):
            for k in range(node.ninputs):
                stack.append(<Node>node.inputs[k])
        else:
            found[id(node)] = node
    return 0


def with_outputs(Subgraph graph, list nodes):
    """Return a graph of the same parameters with these of its nodes as outputs."""
    cdef Subgraph made = Subgraph.__new__(Subgraph)
    made.params, made.outputs = graph.params, nodes
    return made


cdef int _look_through_multiples(Node node, set read, dict stops) except -1:
    """Remove a node from `stops` if it is an affine function, by constants, of another node that is read."""
    cdef list steps = []
    while node.kind == MAP and node.ninputs == 2 and node.loop.traits & AFFINE:
        steps.append(id(node))
        if (<Node>node.inputs[1]).kind == SCALAR:
            node = <Node>node.inputs[0]
        elif (<Node>node.inputs[0]).kind == SCALAR:
            node = <Node>node.inputs[1]
        else:
            return 0
        if id(node) in read and id(node) in stops:
            for step in steps:
                stops.pop(step, None)
            return 0
    return 0


def detach(list outputs, list nodes):
    """Replace nodes by placeholders below the outputs; return the placeholders and the new outputs."""
    cdef dict replaced = {id(node): (node, node_like(<Node>node, OPAQUE)) for node in nodes}
    roots = substitute([node_of(<LazyArray>y) for y in outputs], replaced)
    return [handle_of(replaced[id(node)][1]) for node in nodes], [handle_of(node) for node in roots]


def factors(LazyArray x):
    """Return the operands a.T and b of a product of two matrices a @ b, None for anything else."""
    cdef Node node = node_of(x), a
    if node.kind != OPAQUE or node.ninputs != 2 or node.payload[1] not in (MATRIX_PRODUCT, VECTOR_PRODUCT, _matmul):
        return None
    a = <Node>node.inputs[0]
    if a.ndim != 2 or (<Node>node.inputs[1]).ndim != 2:
        return None
    if a.kind == VIEW and _shows_transposed(a, <Node>a.inputs[0]):
        return handle_of(<Node>a.inputs[0]), handle_of(<Node>node.inputs[1])
    return handle_of(a).T, handle_of(<Node>node.inputs[1])


def folded(LazyArray x):
    """Return the operand and axes of a sum with the same dtype, in any shape; None if x is no such sum."""
    cdef Node node = node_of(x), whole
    while node.kind == VIEW and node.size == (<Node>node.inputs[0]).size or _is_copy(node):
        node = <Node>node.inputs[0]
    if node.kind != REDUCE or not node.loop.traits & SUM:
        return None
    whole = <Node>node.inputs[0]
    if whole.typenum != node.typenum:
        return None
    return handle_of(whole), [axis for axis in range(whole.ndim) if node.axes >> axis & 1]


cdef bint _is_copy(Node node) noexcept:
    return node.kind == MAP and node.loop is copy_loop(node.typenum)


cdef bint _shows_transposed(Node view, Node storage) noexcept:
    return (storage.ndim == 2 and view.offset == storage.offset and view.typenum == storage.typenum
            and view.shape[0] == storage.shape[1] and view.shape[1] == storage.shape[0]
            and view.strides[0] == storage.strides[1] and view.strides[1] == storage.strides[0])


def surroundings():
    """Return the context that new operations record, as numbers, and the current code object.

    It has the errstate and the source location, whether history is kept, and whether products and folds may round
    differently.
    """
    cdef Node node = opaque_node("", None, [], (), np.dtype(np.bool_), None)
    forget_pending(node)
    return (node.err, id(node.code), node.lasti, fast_math(), history_is_kept()), node.code


def node_id(LazyArray x):
    """Return an id shared by arrays of one node while any refers to it; views have their own."""
    return id(x.node) if x.root is None else id(x)


def base_id(LazyArray x):
    """Return an id shared by all views of one array."""
    return id(x if x.root is None else x.root)


def lies_as(LazyArray x, LazyArray like):
    """Return whether an array has the shape, dtype and memory layout of another."""
    cdef Node a = layout_of(x), b = layout_of(like)
    return a.dtype == b.dtype and same_shape(a, b) and same_layout(a, b)


def result_of(Node call, int which, tuple shape, dtype):
    """Return one more result of a pending call with several results."""
    cdef Node node = opaque_node("", None, [], shape, np.dtype(dtype), None)
    node.kind, node.attr, node.payload = RESULT, which, None
    set_input_list(node, [call])
    return new_handle(node, False)


def call_of(LazyArray x):
    """Return the call that an array is one of several results of; None if it has run."""
    cdef Node node = node_of(x), call
    if node.kind != RESULT:
        return None
    call = <Node>node.inputs[0]
    return call if call.ninputs else None
