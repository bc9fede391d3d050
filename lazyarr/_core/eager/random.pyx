"""Eager random numbers from NumPy's library of distributions (`libnpyrandom`).

The library is linked when lazyarr is built. Under another version of NumPy, whose numbers may differ, these forms are
not registered.
"""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    Node, PyObject, add_native, bind, new_base, new_leaf, npy_intp, read_integer, read_number, read_shape, scalar_at)
from lazyarr._core.frontend.numpy_call cimport draws_at_once, is_generator

import numpy as np

cdef extern from "numpy/random/distributions.h":
    ctypedef struct bitgen_t:
        pass
    void random_standard_uniform_fill(bitgen_t* bits, npy_intp count, double* out) noexcept nogil
    void random_standard_normal_fill(bitgen_t* bits, npy_intp count, double* out) noexcept nogil
    void random_standard_exponential_fill(bitgen_t* bits, npy_intp count, double* out) noexcept nogil
    double random_uniform(bitgen_t* bits, double low, double extent) noexcept nogil
    double random_normal(bitgen_t* bits, double loc, double scale) noexcept nogil
    double random_exponential(bitgen_t* bits, double scale) noexcept nogil
    void random_bounded_uint64_fill(bitgen_t* bits, uint64_t offset, uint64_t extent, npy_intp count, bint masked,
                                    uint64_t* out) noexcept nogil

cdef extern from *:
    const char* LAZYARR_BUILT_WITH_NUMPY

cdef extern from "Python.h":
    object PyObject_CallNoArgs(object function)

cdef enum:
    MOST_AXES = 8
    DRAWN = 1 << 18   # most samples of an eager draw; for fewer a node would be a noticeable overhead

MOST_AT_ONCE = DRAWN
cdef npy_intp MOST = (<npy_intp>1 << 62) - 1  # bound of drawn integers

ctypedef void (*Fill)(bitgen_t* bits, npy_intp count, double* out, double a, double b) noexcept nogil


cdef class Source:
    """The bit stream of a generator."""
    cdef object generator
    cdef bitgen_t* bits
    cdef object acquire
    cdef object release


cdef Source _last = Source()


cdef Source source_of(object bit_generator):
    """Return the source of a bit generator; the last one is cached."""
    global _last
    cdef Source made
    if _last.generator is not bit_generator:
        made = Source()
        made.generator = bit_generator
        made.bits = <bitgen_t*>PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
        made.acquire, made.release = bit_generator.lock.acquire, bit_generator.lock.release
        _last = made
    return _last


cdef Source source_behind(PyObject** args, Py_ssize_t* n, bint* legacy):
    """Return the source of a call's generator: the first argument, or NumPy's global one; None if draws are pending.

    `n` becomes the number of the other positional arguments, `legacy` whether the generator is a RandomState.
    """
    if n[0] and is_generator(<object>args[0]):
        if not draws_at_once(<object>args[0]):
            return None
        n[0] -= 1
        legacy[0] = isinstance(<object>args[0], _legacy_kind)
        return source_of((<object>args[0])._bit_generator)
    legacy[0] = True
    return source_of(_hidden._bit_generator)


cdef bint read_size(PyObject* size, int* ndim, npy_intp* shape, npy_intp* count) except -1:
    """Read a shape with few elements, an integer or a tuple; `ndim` is -1 for None. Return False for any other."""
    cdef int d
    ndim[0], count[0] = -1, 1
    if size is NULL or <object>size is None:
        return True
    ndim[0] = read_shape(<object>size, shape, DRAWN - 1)
    for d in range(ndim[0]):
        count[0] *= shape[d]
    return ndim[0] >= 0


cdef object drawn(Source source, Fill fill, double a, double b, PyObject* size):
    """Return an array of this size, or one number, drawn under the generator's lock, as in NumPy."""
    cdef npy_intp shape[MOST_AXES]
    cdef npy_intp count
    cdef double value
    cdef int ndim
    cdef Node made
    if not read_size(size, &ndim, shape, &count):
        return NotImplemented
    if ndim < 0:
        PyObject_CallNoArgs(source.acquire)
        fill(source.bits, 1, &value, a, b)
        PyObject_CallNoArgs(source.release)
        return value
    made = new_leaf(ndim, shape, cnp.NPY_DOUBLE)
    PyObject_CallNoArgs(source.acquire)
    fill(source.bits, count, <double*>made.data, a, b)
    PyObject_CallNoArgs(source.release)
    return new_base(made)


# ---- distributions -------------------------------------------------------------------------------------


cdef void fill_standard_uniform(bitgen_t* bits, npy_intp count, double* out, double a, double b) noexcept nogil:
    random_standard_uniform_fill(bits, count, out)


cdef void fill_standard_normal(bitgen_t* bits, npy_intp count, double* out, double a, double b) noexcept nogil:
    random_standard_normal_fill(bits, count, out)


cdef void fill_standard_exponential(bitgen_t* bits, npy_intp count, double* out, double a, double b) noexcept nogil:
    random_standard_exponential_fill(bits, count, out)


cdef void fill_uniform(bitgen_t* bits, npy_intp count, double* out, double low, double extent) noexcept nogil:
    cdef npy_intp i
    for i in range(count):
        out[i] = random_uniform(bits, low, extent)


cdef void fill_normal(bitgen_t* bits, npy_intp count, double* out, double loc, double scale) noexcept nogil:
    cdef npy_intp i
    for i in range(count):
        out[i] = random_normal(bits, loc, scale)


cdef void fill_exponential(bitgen_t* bits, npy_intp count, double* out, double a, double scale) noexcept nogil:
    cdef npy_intp i
    for i in range(count):
        out[i] = random_exponential(bits, scale)


cdef enum Distribution:
    STANDARD_UNIFORM, STANDARD_NORMAL, STANDARD_EXPONENTIAL, EXPONENTIAL, UNIFORM, NORMAL

cdef Fill[6] _fills = [fill_standard_uniform, fill_standard_normal, fill_standard_exponential, fill_exponential,
                       fill_uniform, fill_normal]
cdef tuple _parameters = (("size",), ("size",), ("size",), ("scale", "size"), ("low", "high", "size"),
                          ("loc", "scale", "size"))


cdef object _distributed(PyObject** args, Py_ssize_t n, object names, int which):
    """Draw from a distribution with numeric parameters and a size."""
    cdef PyObject* given[3]
    cdef Py_ssize_t rest = n
    cdef double a = 0, b = 1
    cdef bint legacy
    cdef Source source = source_behind(args, &rest, &legacy)
    cdef tuple parameters = _parameters[which]
    cdef int count = <int>len(parameters) - 1
    if source is None or legacy and which != STANDARD_UNIFORM and which != UNIFORM \
            or not bind(args + n - rest, rest, names, parameters, 0, given) \
            or count and not read_number(given[count - 1], &b) or count == 2 and not read_number(given[0], &a):
        return NotImplemented
    if which == UNIFORM:
        b -= a  # width of the interval
    if not (0 <= b < INFINITY if which == UNIFORM else b > 0):
        return NotImplemented
    return drawn(source, _fills[which], a, b, given[count])


cdef object _rand(PyObject** args, Py_ssize_t n, object names, int variant):
    """rand(*extents)."""
    cdef Py_ssize_t rest = n, i
    cdef bint legacy
    cdef Source source = source_behind(args, &rest, &legacy)
    if source is None or names is not None:
        return NotImplemented
    shape = tuple([<object>args[i] for i in range(n - rest, n)])
    return drawn(source, fill_standard_uniform, 0, 0, <PyObject*>shape if rest else NULL)


cdef object _integers(PyObject** args, Py_ssize_t n, object names, int variant):
    """integers(low, high, size) and randint, of the default dtype."""
    cdef PyObject* given[3]
    cdef npy_intp shape[MOST_AXES]
    cdef Py_ssize_t rest = n
    cdef npy_intp count, low = 0, high = 0, value
    cdef int ndim
    cdef bint legacy
    cdef Node made
    cdef Source source = source_behind(args, &rest, &legacy)
    if source is None or not bind(args + n - rest, rest, names, ("low", "high", "size"), 1, given):
        return NotImplemented
    if given[1] is NULL or <object>given[1] is None:
        given[1], given[0] = given[0], NULL
    if not read_integer(given[0], -MOST, MOST, &low) or not read_integer(given[1], -MOST, MOST, &high) \
            or low >= high or not read_size(given[2], &ndim, shape, &count):
        return NotImplemented
    made = None if ndim < 0 else new_leaf(ndim, shape, cnp.NPY_INT64)
    PyObject_CallNoArgs(source.acquire)
    random_bounded_uint64_fill(source.bits, <uint64_t>low, <uint64_t>(high - 1 - low), count, legacy,
                               <uint64_t*>&value if made is None else <uint64_t*>made.data)
    PyObject_CallNoArgs(source.release)
    if made is not None:
        return new_base(made)
    return value if legacy else scalar_at(cnp.NPY_INT64, <char*>&value)


cdef object _hidden = np.random.mtrand._rand
cdef type _legacy_kind = np.random.RandomState

if np.__version__ == LAZYARR_BUILT_WITH_NUMPY.decode():
    add_native("random.random random.random_sample", _distributed, STANDARD_UNIFORM)
    add_native("random.rand", _rand)
    add_native("random.standard_normal", _distributed, STANDARD_NORMAL)
    add_native("random.standard_exponential", _distributed, STANDARD_EXPONENTIAL)
    add_native("random.uniform", _distributed, UNIFORM)
    add_native("random.normal", _distributed, NORMAL)
    add_native("random.exponential", _distributed, EXPONENTIAL)
    add_native("random.integers random.randint", _integers)
