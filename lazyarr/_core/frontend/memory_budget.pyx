"""Memory that only pending nodes keep: arrays that a program has released and that pending nodes will read.

NumPy would have read them and given them back. So there is a bound on what they take: as much as the results that they
would be exchanged for, or a part of the budget of bytes. Finding out takes a walk of what is pending, which is done
whenever so much work has come to be pending since the last one that running it takes twenty times as long.
"""
from cpython.ref cimport _Py_REFCNT as Py_REFCNT
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.fingerprint cimport Walk, release_walk, walk
from lazyarr._core.ir.node cimport LEAF, VIEW, Node, has_value, pending_bytes
from lazyarr._core.runtime.evaluation_lock cimport enter, leave

cdef double BETWEEN = 1 << 19   # measurements: bytes of results to compute, at least
cdef enum:
    A_NODE = 1 << 15            # and for each node that was walked
    PART = 1024                 # of the budget of bytes, which may be retained in any case
cdef struct RetainedState:
    double measured_at      # bytes of results that were pending
    int walked              # nodes
    double retained, allowed  # bytes

cdef RetainedState _state = RetainedState(0, 0, 0, 0)


cdef bint retains_more(double factor) noexcept:
    """Whether the bytes retained exceed `factor` times the bytes allowed."""
    return _state.retained > _state.allowed * factor


cdef void forget_retained() noexcept:
    """Take what is pending for evaluated."""
    _state.retained = 0


cdef int measure_retained(PyObject* newest, double budget) except -1:
    """Find out what is retained by the handles from this one on, if there is much more work than last time."""
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
        newest = (<LazyArray>newest).after
    _state.retained, _state.allowed = _retained_bytes(roots), max(results, budget / PART)
    return 0


cdef double _retained_bytes(list roots) except -1:
    """Bytes of the leaves that only pending nodes refer to."""
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
