"""Rewrites of repeats and adjacent updates before scheduling. Each returns a graph with other kinds of nodes."""
from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, ONE_LOOP, among
from lazyarr._core.ir.node cimport BESIDE, OPAQUE, REPEAT, UPDATE, VIEW


def repeats(Graph graph):
    """Turn repeats that only elementwise operations read into views, and the others into kernels.

    A tile program reads through such a view.

    Examples
    --------
    >>> from lazyarr._core.ir.graph_ir import Graph
    >>> from lazyarr.compiler.schedule import ESCAPES, LEAF, MAP, OPAQUE, REPEAT, VIEW
    >>> a, twice = (LEAF, (), 0, 8, 0, 0, (), 0), (REPEAT, (0,), 1, 8, 0, 0, (), 2)
    >>> total = MAP, (1, 1), 1, 8, ESCAPES, 5, (8,), 0
    >>> repeats(Graph([a, twice, total]))[1].kind == VIEW
    True
    >>> seen = REPEAT, (0,), 1, 8, ESCAPES, 0, (), 2
    >>> repeats(Graph([a, seen, total]))[1].kind == OPAQUE
    True
    """
    cdef Graph out
    cdef Described* node
    cdef Described* below
    cdef int* stored
    cdef int i, j
    if not _has(graph, REPEAT, 0):
        return graph
    out = graph.copy()
    stored = graph.ints(graph.count)
    for i in range(graph.count):
        node = &graph.nodes[i]
        if not among(node.kind, ONE_LOOP):
            for j in node.inputs[:node.ninputs]:
                stored[j] = True
    for i in range(graph.count):
        node = &out.nodes[i]
        if node.kind != REPEAT:
            continue
        if stored[i] or node.flags & ESCAPES:
            node.kind = OPAQUE
        else:
            node.kind = VIEW
            below = &graph.nodes[node.inputs[0]]
            if below.kind == VIEW:
                node.inputs[0] = below.inputs[0]
    return out


def beside(Graph graph):
    """Keep the mark BESIDE only on updates that write computed values, if nothing else reads the update below.

    Examples
    --------
    >>> from lazyarr._core.ir.graph_ir import Graph
    >>> from lazyarr.compiler.schedule import BESIDE, EMPTY, ESCAPES, LEAF, MAP, UPDATE
    >>> nodes = [(LEAF, (), 0, 8, 0, 0, (), 0), (EMPTY, (), 1, 8, 0, 0, (), 0), (MAP, (0, 0), 0, 8, 0, 5, (8,), 0),
    ...          (UPDATE, (1, 2), 1, 8, 0, 0, (), BESIDE), (UPDATE, (3, 2), 1, 8, ESCAPES, 0, (), BESIDE)]
    >>> [node.attr for node in beside(Graph(nodes))][3:] == [0, BESIDE]
    True
    >>> nodes[3] = UPDATE, (1, 2), 1, 8, ESCAPES, 0, (), BESIDE
    >>> [node.attr for node in beside(Graph(nodes))][3:]
    [0, 0]
    """
    cdef Graph out
    cdef Described* node
    cdef int* readers
    cdef int i, j
    if not _has(graph, UPDATE, BESIDE):
        return graph
    out = graph.copy()
    readers = graph.ints(graph.count)
    for i in range(graph.count):
        node = &graph.nodes[i]
        for j in node.inputs[:node.ninputs]:
            readers[j] += 1
    for i in range(graph.count):
        node = &out.nodes[i]
        if node.kind == UPDATE and node.attr == BESIDE and not (
                readers[node.inputs[0]] == 1 and _both_write_what_is_computed(graph, i)):
            node.attr = 0
    return out


cdef bint _both_write_what_is_computed(Graph graph, int i) noexcept:
    cdef int* inputs = graph.nodes[i].inputs
    cdef Described* below = &graph.nodes[inputs[0]]
    return (below.kind == UPDATE and not below.flags & ESCAPES
            and among(graph.nodes[inputs[1]].kind, ELEMENTWISE)
            and among(graph.nodes[below.inputs[1]].kind, ELEMENTWISE))


cdef bint _has(Graph graph, int kind, int attr) noexcept:
    cdef int i
    for i in range(graph.count):
        if graph.nodes[i].kind == kind and (attr == 0 or graph.nodes[i].attr == attr):
            return True
    return False
