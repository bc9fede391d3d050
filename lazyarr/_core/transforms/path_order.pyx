"""The nodes between results and inputs, in topological order for the reverse walk.

Several walks may be active: a rule may differentiate, and so may another thread while a rule runs.
"""
from cpython.object cimport PyObject
from libc.stdlib cimport free, realloc

from lazyarr._core.ir.history cimport history_of
from lazyarr._core.ir.node cimport MAP, Node

from lazyarr._core.transforms.watch import STOPPED

# `seen` is the epoch of the walk; epoch - 1 marks an unvisited target. `place` is 0 for nodes without a target below
# them, else positive; in the end it is the position, counted from 1.
cdef unsigned int _walk = 0
cdef list _under_way = []


cdef class PathNodes:
    """Nodes in order, and their positions."""

    cdef int remember(self) except -1:
        """Save the positions before another walk overwrites them in the nodes."""
        cdef Node node
        cdef int place
        self.places = {<size_t><PyObject*>node: place for place, node in enumerate(self.order, 1)}
        return 0

    cdef int leave(self) except -1:
        """End the walk: its positions are not needed any more."""
        if self in _under_way:
            _under_way.remove(self)
        return 0


cdef PathNodes nodes_between(list results, list wanted, bint cut=False, list ends=None):
    """Return the nodes between `wanted` and the results, each after its inputs.

    Wanted nodes may depend on others, unless the graph is `cut` there. Nodes that have dropped their history are
    appended to `ends`. Positions are valid until `leave`.
    """
    cdef PathNodes found = PathNodes.__new__(PathNodes)
    found.order = []
    while True:
        while not _are_remembered():
            pass
        if _put_in_order(found.order, results, wanted, cut, ends):
            found.walk = _walk
            _under_way.append(found)
            return found


cdef bint _are_remembered() except -1:
    """Return whether all active walks have saved their positions; otherwise save those of one."""
    cdef PathNodes other
    for other in _under_way:
        if other.places is None:
            other.remember()
            return False
    return True


cdef bint _put_in_order(list order, list results, list wanted, bint cut, list ends) except -1:
    """Fill the list of nodes; return False if another walk interfered, e.g. from a finalizer."""
    global _walk
    cdef list path
    cdef int* following = NULL  # by node on the path: the next input to visit
    cdef int room = 0, depth
    cdef unsigned int number
    cdef Node node, past, below
    order.clear()
    if ends is not None:
        ends.clear()
    _walk += 2
    number = _walk
    for node in wanted:
        node.seen, node.place = number - 1, 0
    try:
        for root in results:
            if (<Node>root).seen == number:
                continue
            path = [root]
            while path:
                depth = <int>len(path) - 1
                node = path[depth]
                if depth >= room:
                    room = 2 * room + 64
                    following = <int*>_grown(following, room * sizeof(int))
                if node.seen != number:
                    node.place = node.seen == number - 1
                    node.seen = number
                    following[depth] = 0
                    if cut and node.place:
                        order.append(node)
                        node.place = <int>len(order)
                        path.pop()
                        continue
                past = history_of(node)
                if following[depth] > 0:
                    node.place |= (<Node>past.inputs[following[depth] - 1]).place > 0
                if past.kind == MAP and past.payload is STOPPED:
                    path.pop()
                    continue
                while following[depth] < past.ninputs:
                    below = <Node>past.inputs[following[depth]]
                    following[depth] += 1
                    if below.seen == number:
                        node.place |= below.place > 0
                    elif below.ninputs or below.origin is not None or below.seen == number - 1:
                        path.append(below)
                        break
                    else:
                        below.seen, below.place = number, 0
                        if ends is not None and (below.nsources or below.at_once):
                            ends.append(below)
                else:
                    if node.place:
                        order.append(node)
                        node.place = <int>len(order)
                    path.pop()
    finally:
        free(following)
    return _walk == number


cdef void* _grown(void* memory, size_t nbytes) except NULL:
    cdef void* grown = realloc(memory, nbytes)
    if grown is NULL:
        raise MemoryError()
    return grown
