"""ndarrays on a node's memory."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.ir.node cimport SCALAR, VIEW, Node, first_element

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewFromDescr(type subtype, cnp.dtype dtype, int ndim, npy_intp* shape, npy_intp* strides, void* data,
                                int flags, PyObject* source)


cdef object as_ndarray(Node node):
    """Return a read-only ndarray on the data of an evaluated node."""
    cdef npy_intp* shape = node.shape
    cdef Node storage = node
    dtype = node.dtype
    if node.kind == VIEW and node.data is NULL:
        storage = <Node>node.inputs[0]
        if node.typenum < 0 and dtype == storage.dtype:
            dtype = storage.dtype
    return ndarray_on(dtype, node.ndim, shape, node.strides, first_element(node),
                      storage if storage.kind == SCALAR else storage.owner, False)


cdef object ndarray_on(object dtype, int ndim, npy_intp* shape, npy_intp* strides, char* data, object owner,
                       bint writeable):
    """Return an ndarray on memory that `owner` keeps alive."""
    cdef cnp.ndarray array
    Py_INCREF(dtype)  # the ndarray steals this reference
    array = PyArray_NewFromDescr(cnp.ndarray, <cnp.dtype>dtype, ndim, shape, strides, data,
                                 cnp.NPY_ARRAY_WRITEABLE if writeable else 0, NULL)
    cnp.set_array_base(array, owner)
    return array


cdef object writeable_array(Node node):
    """Return a writeable ndarray on the data of an evaluated node."""
    cdef cnp.ndarray array = as_ndarray(node)
    cnp.PyArray_ENABLEFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
    return array
