"""Functions of nothing but the shape or the dtype of an array, evaluated or not."""
from cpython.object cimport PyObject

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.native_forms cimport add_native
from lazyarr._core.ir.shape cimport shape_tuple


cdef LazyArray looked_at(PyObject** args, Py_ssize_t n, object names):
    """The array that is the only argument; None for other calls, and where the shape has to be found out."""
    if n != 1 or names is not None or type(<object>args[0]) is not LazyArray:
        return None
    return <LazyArray>args[0] if (<LazyArray>args[0]).mask is None else None


cdef object _ndim(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = looked_at(args, n, names)
    return NotImplemented if x is None else x.node.ndim


cdef object _shape(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = looked_at(args, n, names)
    return NotImplemented if x is None else shape_tuple(x.node)


cdef object _size(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = looked_at(args, n, names)
    return NotImplemented if x is None else x.node.size


cdef object _iterable(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = looked_at(args, n, names)
    return NotImplemented if x is None else x.node.ndim > 0


cdef object _iscomplexobj(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = looked_at(args, n, names)
    return NotImplemented if x is None else x.node.dtype.kind == "c"


cdef object _isrealobj(PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = looked_at(args, n, names)
    return NotImplemented if x is None else x.node.dtype.kind != "c"


cdef int _register() except -1:
    add_native("ndim", _ndim)
    add_native("shape", _shape)
    add_native("size", _size)
    add_native("iterable", _iterable)
    add_native("iscomplexobj", _iscomplexobj)
    add_native("isrealobj", _isrealobj)
    return 0


_register()
