"""Uniform random numbers at once, from the function of the bit generator by which NumPy draws them."""
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.immediate cimport SMALL_ELEMENTS, new_base, new_leaf
from lazyarr._core.natives cimport add_native
from lazyarr._core.node cimport Node
from lazyarr._core.numpy_call cimport draws_at_once

cdef extern from "numpy/random/bitgen.h":
    ctypedef struct bitgen_t:
        void* state
        double (*next_double)(void* state) noexcept nogil


cdef object _random(PyObject** args, Py_ssize_t n, object names):
    """random(generator, size) of a generator that none of our draws waits for, under its lock as NumPy draws."""
    cdef bitgen_t* source
    cdef npy_intp count, i
    cdef double* into
    cdef double value
    cdef Node made
    if names is not None or not 1 <= n <= 2 or not draws_at_once(<object>args[0]):
        return NotImplemented
    if n == 2 and (type(<object>args[1]) is not int or not 0 <= <object>args[1] < SMALL_ELEMENTS):
        return NotImplemented
    bits = (<object>args[0])._bit_generator
    source = <bitgen_t*>PyCapsule_GetPointer(bits.capsule, "BitGenerator")
    lock = bits.lock
    if n == 1:
        lock.acquire()
        value = source.next_double(source.state)
        lock.release()
        return value
    count = <object>args[1]
    made = new_leaf(1, &count, cnp.NPY_DOUBLE)
    into = <double*>made.data
    lock.acquire()
    for i in range(count):
        into[i] = source.next_double(source.state)
    lock.release()
    return new_base(made)


add_native("random.random", _random)
