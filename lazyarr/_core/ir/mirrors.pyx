"""Copies of host values in device memory."""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.host.device_table cimport accelerates
from lazyarr._core.host.device_values cimport Mirror, new_mirror
from lazyarr._core.ir.node cimport LEAF, REMOTE, Node

import numpy as np

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


cdef object own_memory(Node leaf):
    """Return the object that owns a leaf's host memory, without the device copy."""
    return (<Mirror>leaf.owner).memory if type(leaf.owner) is Mirror else leaf.owner


cdef void drop_mirror(Node leaf) noexcept:
    """Forget a leaf's device copy before its memory is written to, unless another leaf uses the copy."""
    if type(leaf.owner) is Mirror and Py_REFCNT(<PyObject*>leaf.owner) == 1:
        leaf.owner = (<Mirror>leaf.owner).memory


cdef Node copy_on(Node source, int device):
    """Return the node with the copy of another one's value on a device, or None."""
    cdef Node copy = None
    if source.kind == REMOTE:
        copy = source
    elif source.kind == LEAF and type(source.owner) is Mirror and (<Mirror>source.owner).copy is not NULL:
        copy = <Node>(<Mirror>source.owner).copy
    # an operation may have taken over its memory, or moved it to the host temporarily
    if copy is None or copy.device != device or copy.owner is None \
            or accelerates(device) != (type(copy.owner) is DeviceMemory):
        return None
    return copy


cdef Mirror mirror_for(Node source):
    """Return the future owner of a leaf's memory and its device copy; None if there can be no copy."""
    if source.kind != LEAF:
        return None
    if type(source.owner) is Mirror:
        return <Mirror>source.owner if (<Mirror>source.owner).copy is NULL else None
    return new_mirror(source.owner, source.data) if _has_own_memory(source) else None


cdef bint _has_own_memory(Node leaf):
    """Return whether only this leaf refers to its memory."""
    if Py_REFCNT(<PyObject*>leaf.owner) != 1:
        return False
    return type(leaf.owner) is Buffer \
        or type(leaf.owner) is np.ndarray and cnp.PyArray_CHKFLAGS(<cnp.ndarray>leaf.owner, cnp.NPY_ARRAY_OWNDATA)
