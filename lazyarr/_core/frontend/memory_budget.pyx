"""Memory retained by pending nodes only: arrays that the program has released and pending nodes will read.

NumPy would have freed them. So it is limited to the size of the pending results, or a part of the byte budget.
Measuring it takes a walk of the pending graph, done whenever the pending work has grown by twenty times the walk's
cost.
"""
from cpython.ref cimport _Py_REFCNT as Py_REFCNT
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.fingerprint cimport Walk, release_walk, walk
from lazyarr._core.ir.node cimport LEAF, VIEW, Node, has_value, pending_bytes
from lazyarr._core.runtime.evaluation_lock cimport enter, leave

cdef double BETWEEN = 1 << 19   # least bytes of new pending results between measurements
cdef enum:
    A_NODE = 1 << 15            # and per walked node
    PART = 1024                 # fraction (1/1024) of the byte budget that may always be retained
cdef struct RetainedState:
    double measured_at      # bytes of pending results at the last measurement
    int walked              # walked nodes
    double retained, allowed  # bytes

cdef RetainedState _state = RetainedState(0, 0, 0, 0)


cdef bint retains_more(double factor) noexcept:
    """Return whether the retained bytes exceed `factor` times the limit."""
    return _state.retained > _state.allowed * factor


cdef void forget_retained() noexcept:
    """Reset the measurement after an evaluation."""
    _state.retained = 0


cdef int measure_retained(PyObject* newest, double budget) except -1:
    """Measure what the handles from this one on retain, if there is much more work than last time."""
    cdef double pending = pending_bytes(), results = 0
    cdef list roots
    cdef Node node
    if pending < _state.measured_at:
        _state.measured_at, _state.retained, _state.walked = pending, 0, 0
    if pending < _state.measured_at + max(BETWEEN, <double>_state.walked * A_NODE):
        return 0
    _state.measured_at = pending
    roots = []
    while newest is not NULL:
        node = (<LazyArray>newest).node
        if not (has_value(node) or node.poisoned or node.kind == VIEW):
            roots.append(node)
            results += node.span
        newest = (<LazyArray>newest).next
    _state.retained, _state.allowed = _retained_bytes(roots), max(results, budget / PART)
    return 0


cdef double _retained_bytes(list roots) except -1:
    """Return the bytes of leaves that only pending nodes refer to."""
    cdef Walk w
    cdef PyObject** nodes
    cdef PyObject* leaf
    cdef double found = 0
    cdef int i
    memset(&w, 0, sizeof(Walk))
    enter()
    nodes = <PyObject**>malloc((len(roots) + 1) * sizeof(PyObject*))
    try:
        if nodes is NULL:
            raise MemoryError()
        for i in range(<int>len(roots)):
            nodes[i] = <PyObject*>roots[i]
        walk(&w, nodes, <int>len(roots))
        _state.walked = w.count
        for i in range(w.count):
            leaf = w.nodes[i]
            if (<Node>leaf).kind == LEAF and Py_REFCNT(leaf) == (<Node>leaf).uses \
                    and Py_REFCNT(<PyObject*>(<Node>leaf).owner) == 1:
                found += (<Node>leaf).span
    finally:
        leave()
        release_walk(&w)
        free(nodes)
    return found
