"""Leaves: nodes with values from outside, ndarrays and scalars."""
from libc.string cimport memcpy

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.ir.loop_table cimport WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, descr_of, is_native
from lazyarr._core.ir.node cimport (
    LEAF, LITERAL, Node, byte_range, finish_layout, new_constant, new_literal, new_node, set_c_strides)

import numpy as np

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_ISALIGNED(cnp.ndarray a)
    bint PyArray_ISWRITEABLE(cnp.ndarray a)


cdef int code_of(object dtype) except? -2:
    """Return the type number of a native dtype, -1 for any other."""
    cdef int num = (<cnp.dtype>dtype).type_num
    if is_native(num) and (<cnp.dtype>dtype).byteorder != b">":
        return num
    return -1


cdef int operand_code(object obj) except? -2:
    """Return the code of a Python scalar (weak), -1 for anything else."""
    cdef type t = type(obj)
    if t is float:
        return WEAK_FLOAT
    if t is int:
        return WEAK_INT
    if t is complex:
        return WEAK_COMPLEX
    return -1


cdef bint is_immutable(object array):
    """Return whether neither an ndarray nor any owner of its memory is writeable."""
    cdef object at = array
    while isinstance(at, cnp.ndarray):
        if PyArray_ISWRITEABLE(<cnp.ndarray>at):
            return False
        if cnp.PyArray_BASE(<cnp.ndarray>at) is NULL:
            return True
        at = <object>cnp.PyArray_BASE(<cnp.ndarray>at)
    if isinstance(at, memoryview):
        at = at.obj if at.readonly else None
    return isinstance(at, bytes) or type(at) is Buffer


cdef object _copied(cnp.ndarray array):
    """Return a copy with order "K"; broadcast elements that share memory are copied once."""
    own = tuple([slice(None) if cnp.PyArray_STRIDE(array, d) else slice(1) for d in range(cnp.PyArray_NDIM(array))])
    copied = np.array((<object>array)[own], order="K", copy=True)
    return np.broadcast_to(copied, (<object>array).shape)


cdef Node leaf_node(object obj, bint share):
    """Return a leaf on an ndarray's memory if `share` or if it is immutable, else on a copy."""
    cdef cnp.ndarray array = obj
    cdef Node node
    cdef Buffer block
    cdef int code = code_of(array.dtype), d
    cdef npy_intp low, high
    if code >= 0 and not PyArray_ISALIGNED(array):
        array = np.array(array, order="K", copy=True)
        share = True
    share = share or is_immutable(array)
    if code >= 0 and not share:
        node = new_node(LEAF, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), array.dtype, code)
        if cnp.PyArray_IS_C_CONTIGUOUS(array):
            set_c_strides(node)
            block = new_buffer(node.span)
            memcpy(block.data, cnp.PyArray_DATA(array), node.span)
            node.owner = block
            node.data = block.data
            return node
    if code < 0 and not share:
        array = array.copy(order="K")
    elif not share:
        array = _copied(array)
    node = new_node(LEAF, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), array.dtype, code)
    for d in range(node.ndim):
        node.strides[d] = cnp.PyArray_STRIDE(array, d)
    byte_range(node.ndim, node.shape, node.strides, node.itemsize, &low, &high)
    if node.size == 0:
        set_c_strides(node)
        low = high = 0
    finish_layout(node)
    node.offset = -low
    node.span = high - low
    node.data = <char*>cnp.PyArray_DATA(array) + low
    node.owner = array
    if _checking and share and code >= 0:
        node.payload = _checksum(array)
    return node


cdef object _checksum(object array):
    from zlib import crc32  # rarely needed

    return crc32(np.ascontiguousarray(array))


cdef bint _checking = False


def set_check_views(bint check):
    """Set whether memory shared by `asarray` is checksummed, and checked when the array is evaluated."""
    global _checking
    _checking = check


def get_check_views():
    """Return whether shared memory is checked."""
    return bool(_checking)


cdef int verify_shared(Node node) except -1:
    """Raise if memory shared with the caller has changed since the leaf was made."""
    if _checksum(node.owner) != node.payload:
        raise RuntimeError(
            "an array given to lazyarr.asarray was written to before the arrays made from it were evaluated")
    return 0


cdef Node weak_node(object value, int code):
    """Return a Python scalar as a constant of native type `code`; raise NumPy's OverflowError if it does not fit."""
    cdef Node node = new_constant(code)
    cdef cnp.ndarray array
    cdef double number
    node.attr = LITERAL
    if code == cnp.NPY_DOUBLE and type(value) is float:
        (<double*>node.inline_value)[0] = value
        return node
    if code == cnp.NPY_FLOAT and type(value) is float:
        number = value
        if -3e38 < number < 3e38:
            (<float*>node.inline_value)[0] = <float>number
            return node
    elif code == cnp.NPY_DOUBLE and type(value) is int:
        number = value
        (<double*>node.inline_value)[0] = number
        return node
    elif code == cnp.NPY_FLOAT and type(value) is int and -(1 << 24) <= value <= (1 << 24):
        (<float*>node.inline_value)[0] = <float><double>value
        return node
    array = np.array(value, dtype=descr_of(code))
    memcpy(node.inline_value, cnp.PyArray_DATA(array), node.itemsize)
    return node


cdef Node strong_node(object value):
    """Return a NumPy scalar (or bool) of native dtype as a constant that no handle will refer to."""
    cdef cnp.ndarray array = np.asarray(value)
    return new_literal(code_of(array.dtype), cnp.PyArray_DATA(array))


cdef Node strong_scalar(object value):
    """Return a NumPy scalar (or bool) of native dtype as a constant that a handle may refer to."""
    cdef cnp.ndarray array = np.asarray(value)
    cdef Node node = new_constant(code_of(array.dtype))
    memcpy(node.inline_value, cnp.PyArray_DATA(array), node.itemsize)
    return node


cdef Node scalar_from_memory(Node like, char* data):
    """Return the element at `data` as a constant of `like`'s dtype."""
    cdef Node node = new_constant(like.typenum)
    memcpy(node.inline_value, data, node.itemsize)
    return node
