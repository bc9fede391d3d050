"""The nodes between results and what they are made of."""
from cpython.object cimport PyObject
from lazyarr._core.ir.node cimport Node

cdef class Between:
    cdef list order             # the nodes
    cdef unsigned int walk
    cdef dict places            # by id, once another walk has begun, which leaves its own numbers with the nodes

    cdef int remember(self) except -1
    cdef int leave(self) except -1

cdef Between nodes_between(list results, list wanted, bint cut=*, list ends=*)


cdef inline int place_of(Between between, Node node) except -1:
    """The position of a node, counted from 1; 0 for one that is not among them."""
    if between.places is None:
        return node.place if node.seen == between.walk else 0
    return between.places.get(<size_t><PyObject*>node, 0)
