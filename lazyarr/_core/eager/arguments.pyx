"""Arguments of native forms, read as numbers and as float64 elements."""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.eager.creation cimport is_number
from lazyarr._core.eager.forms cimport LazyArray, Node, cast_elements, first_of, new_base


cdef bint read_number(PyObject* given, double* into) except -1:
    """Read a number that float64 holds, and keep the default where none is given; False for anything else."""
    if given is NULL:
        return True
    if not is_number(<object>given):
        return False
    into[0] = <double><object>given
    return True


cdef bint read_flag(PyObject* given, bint* into) except -1:
    """The same of True and False."""
    if given is NULL:
        return True
    into[0] = <object>given is True
    return type(<object>given) is bool


cdef LazyArray as_doubles(LazyArray x):
    """Return x if it holds float64 side by side, else a copy that does; None for types that NumPy would not cast so.

    None, too, for several axes out of C order, which have a say in the layout of results.
    """
    cdef Node node = x.node
    if not node.contiguous and node.ndim > 1:
        return None
    if node.typenum == cnp.NPY_DOUBLE:
        if node.contiguous:
            return x
    elif node.typenum > cnp.NPY_ULONGLONG:
        return None
    return new_base(cast_elements(node, first_of(x), cnp.NPY_DOUBLE))
