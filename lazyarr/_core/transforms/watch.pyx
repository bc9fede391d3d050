"""Watched inputs: aliases that identify the inputs of differentiation, and connections of eager results.

Differentiation identifies arrays by node. So an argument becomes an alias, a node that nothing else reads; and eager
results record what they were computed from.
"""
from lazyarr._core.frontend.handle cimport new_handle, node_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.builder cimport cast_node
from lazyarr._core.ir.data_loops cimport copy_loop
from lazyarr._core.ir.history cimport connect_nodes, count_recordings, history_is_kept, history_is_kept_somewhere
from lazyarr._core.ir.leaf cimport leaf_node, weak_node
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport LEAF, MAP, OPAQUE, VIEW, Node, forget_sources, is_evaluated, same_layout
from lazyarr._core.ir.overlap cimport window_overlaps_itself
from lazyarr._core.ir.provenance cimport note_source

STOPPED = "stop_gradient"   # payload of a copy whose derivative is zero


cdef class recording:
    """A block in which evaluated arrays keep their history, in all threads: `with recording():`.

    Native enter and exit keep signal handlers from raising in between.
    """

    def __enter__(self):
        count_recordings(1)

    def __exit__(self, *_):
        count_recordings(-1)


def is_history_kept():
    """Return whether this thread is in a `recording` block."""
    return history_is_kept()


def alias(LazyArray x):
    """Return a new alias of x that identifies it as an input of differentiation."""
    cdef Node node = node_of(x), made
    if not is_evaluated(node) or window_overlaps_itself(node):
        return new_handle(cast_node(node, node.typenum, None), x.scalar)
    made = leaf_node(as_ndarray(node), True)  # no copy needed: it is marked as a copy
    made.waits = node.waits
    connect_nodes(made, [node], MAP, copy_loop(node.typenum), None)
    return new_handle(made, x.scalar)


def another(LazyArray x):
    """Return another array on x's value: writes to it leave x unchanged."""
    return new_handle(node_of(x), x.scalar)


def become(LazyArray x, LazyArray made):
    """Replace x's node by its alias: with a single node for the memory, updates of x can run in place.

    Not done while an enclosing derivative may still lead from the alias to x.
    """
    cdef Node node = made.node, own = node_of(x), past = node.origin
    if history_is_kept_somewhere() or own.pinned or past is None or x.root is not None \
            or <Node>past.inputs[0] is not own:
        return
    if own.kind != LEAF or node.kind != LEAF or not same_layout(node, own):  # constants are stored in the node itself
        return
    node.origin = node.payload = None
    note_source(node, own)
    node.first_reader = own.first_reader  # it replaces that node
    node.owner, node.data = own.owner, own.data
    x.node = node


def connect(LazyArray made, inputs, str name):
    """Record the operands of an eagerly computed array, so that it is not taken for a constant."""
    cdef Node node = _storage(node_of(made)), x
    cdef list held = [node_of(<LazyArray>y) for y in inputs]
    for x in held:
        if _storage(x) is node:  # a view of a recorded array
            return
    for x in held:
        note_source(node, x)
    if node.size and history_is_kept():
        connect_nodes(node, held, OPAQUE, NULL, (name + ", which was computed at once,", None, None))


cdef Node _storage(Node node):
    return <Node>node.inputs[0] if node.kind == VIEW else node


def one(LazyArray like):
    """Return the number 1 as the cotangent of a 0-d result."""
    return new_handle(weak_node(1, like.node.typenum), like.scalar)


def stop(LazyArray x):
    """Return a copy of x whose derivative is zero."""
    cdef Node node = node_of(x), made = cast_node(node, node.typenum, None)
    made.payload = STOPPED
    forget_sources(made)
    return new_handle(made, x.scalar)
