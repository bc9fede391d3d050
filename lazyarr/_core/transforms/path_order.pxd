"""The nodes between results and inputs."""
from cpython.object cimport PyObject
from lazyarr._core.ir.node cimport Node

cdef class PathNodes:
    cdef list order             # the nodes
    cdef unsigned int walk
    cdef dict places            # positions by id, saved when another walk overwrites those in the nodes

    cdef int remember(self) except -1
    cdef int leave(self) except -1

cdef PathNodes nodes_between(list results, list wanted, bint cut=*, list ends=*)


cdef inline int place_of(PathNodes between, Node node) except -1:
    """Return the position of a node, counted from 1; 0 if it is not on a path."""
    if between.places is None:
        return node.place if node.seen == between.walk else 0
    return between.places.get(<size_t><PyObject*>node, 0)
