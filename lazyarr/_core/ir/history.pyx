"""History: the operands of evaluated nodes, kept for derivatives."""
from cpython.object cimport PyObject
from libc.stdlib cimport free

from lazyarr._core.host.device_values cimport forget_value, note_value
from lazyarr._core.ir.inner_loops cimport Loop
from lazyarr._core.ir.node cimport LEAF, REMOTE, VIEW, Node, drop_inputs, forget_pending
from lazyarr._core.ir.provenance cimport set_input_list

cdef extern from *:
    """static __thread int lz_own_recordings;  /* of those that are counted below, this thread's */"""
    int lz_own_recordings

recordings = 0


cdef void count_recordings(int change) noexcept:
    """Begin (1) or end (-1) a block of this thread that keeps history."""
    global recordings, lz_own_recordings
    recordings += change
    lz_own_recordings += change


cdef bint history_is_kept() noexcept:
    """Return whether this thread keeps history."""
    return recordings > 0 and lz_own_recordings > 0


cdef bint history_is_kept_somewhere() noexcept:
    """Return whether any thread keeps history."""
    return recordings > 0


cdef Node history_of(Node node):
    """Return the node with the kind, inputs and parameters that made this one: itself until it is evaluated."""
    return node if node.origin is None else node.origin


cdef int remember(Node node) except -1:
    """Move a node's kind, inputs and parameters to a new node, its `origin`."""
    cdef Node past = Node.__new__(Node)
    cdef int i
    past.kind, past.attr, past.axes, past.loop, past.payload = node.kind, node.attr, node.axes, node.loop, node.payload
    past.window, past.window_offset = node.window, node.window_offset
    past.ninputs = node.ninputs
    past.inputs = node.inputs
    if node.inputs == node.inline_inputs:
        past.inputs = past.inline_inputs
        for i in range(node.ninputs):
            past.inputs[i] = node.inputs[i]
    node.window, node.inputs, node.ninputs = NULL, NULL, 0
    node.origin = past
    return 0


cdef int connect_nodes(Node made, list inputs, int kind, Loop* loop, object payload) except -1:
    """Record as the history of an eagerly computed leaf what it was computed from, and how."""
    cdef Node past
    if made.origin is not None or made.ninputs:
        return 0
    past = Node.__new__(Node)
    past.kind, past.loop, past.payload = kind, loop, payload
    set_input_list(past, inputs)
    made.origin = past
    return 0


cdef void make_leaf(Node node) noexcept:
    """Turn an evaluated node into a leaf: it keeps its data and drops its inputs, unless history is kept."""
    forget_pending(node)
    if (recordings or node.pinned) and node.ninputs:
        remember(node)
    node.kind = LEAF
    if node.devices:
        _place(node)
    node.payload = None
    node.poisoned, node.failure = False, None
    forget_history(node)


cdef void _place(Node node) noexcept:
    """Record on which device an evaluated node's value is."""
    cdef int k
    node.devices = 0
    if node.device:
        for k in range(node.ninputs):
            _note_taken(<Node>node.inputs[k])
        node.kind, node.devices = REMOTE, 1 << node.device
        note_value(node.device, <PyObject*>node, node.span)


cdef void _note_taken(Node operand) noexcept:
    """Stop counting device memory of an operand that its reader has taken over."""
    if operand.kind == VIEW:
        operand = <Node>operand.inputs[0]
    if operand.kind == REMOTE and operand.owner is None and operand.devices:
        operand.devices = 0
        forget_value(operand.device, <PyObject*>operand, operand.span)


cdef void forget_history(Node node) noexcept:
    """Drop the inputs and parameters of a node."""
    if node.window is not NULL:
        free(node.window)
        node.window = NULL
    drop_inputs(node)
