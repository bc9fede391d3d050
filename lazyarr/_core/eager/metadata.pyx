"""Functions of only the shape or dtype of an array, evaluated or not."""
from lazyarr._core.eager.forms cimport LazyArray, Node, PyObject, add_native
from lazyarr._core.ir.shape cimport shape_tuple

cdef enum Fact:
    NDIM, SHAPE, SIZE, ITERABLE, ISCOMPLEXOBJ, ISREALOBJ


cdef object _fact(PyObject** args, Py_ssize_t n, object names, int which):
    """Return a property of the only argument, unless its shape is unknown."""
    cdef Node node
    if n != 1 or names is not None or type(<object>args[0]) is not LazyArray or (<LazyArray>args[0]).mask is not None:
        return NotImplemented
    node = (<LazyArray>args[0]).node
    if which == NDIM:
        return node.ndim
    if which == SHAPE:
        return shape_tuple(node)
    if which == SIZE:
        return node.size
    if which == ITERABLE:
        return node.ndim > 0
    return (node.dtype.kind == "c") == (which == ISCOMPLEXOBJ)


add_native("ndim", _fact, NDIM)
add_native("shape", _fact, SHAPE)
add_native("size", _fact, SIZE)
add_native("iterable", _fact, ITERABLE)
add_native("iscomplexobj", _fact, ISCOMPLEXOBJ)
add_native("isrealobj", _fact, ISREALOBJ)
