"""Random numbers at once, drawn by the functions of NumPy's own library of distributions (`libnpyrandom`).

The library is linked in when lazyarr is built. Under another version of NumPy, whose numbers may differ, the forms here
are not registered.
"""
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint64_t

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.eager.arguments cimport read_number
from lazyarr._core.eager.creation cimport read_shape
from lazyarr._core.eager.forms cimport Node, add_native, bind, new_base, new_leaf, scalar_at
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
    DRAWN = 1 << 18   # samples: of more the draw joins the graph; of fewer a node costs a noticeable part of the draw

MOST_AT_ONCE = DRAWN

ctypedef void (*Fill)(bitgen_t* bits, npy_intp count, double* out, double a, double b) noexcept nogil


cdef class Source:
    """The bits that a generator draws from."""
    cdef object generator
    cdef bitgen_t* bits
    cdef object acquire
    cdef object release


cdef Source _last = Source()


cdef Source source_of(object bit_generator):
    """The bits of a bit generator; those of the last one are at hand."""
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
    """The bits of a call's generator, the first argument, or else of NumPy's hidden one; None where draws wait.

    `n` becomes the number of the other arguments by position, `legacy` whether the generator is a RandomState.
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
    """Read a shape, given as an integer or a tuple, of few elements; `ndim` is -1 for None. False for any other."""
    cdef int d
    ndim[0], count[0] = -1, 1
    if size is NULL or <object>size is None:
        return True
    ndim[0] = read_shape(<object>size, shape, DRAWN - 1)
    for d in range(ndim[0]):
        count[0] *= shape[d]
    return ndim[0] >= 0


cdef object drawn(Source source, Fill fill, double a, double b, PyObject* size):
    """Numbers in an array of this size, or one; under the generator's lock, as NumPy draws."""
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


cdef bint read_integer(PyObject* given, int64_t* value) except -1:
    if type(<object>given) is not int or not -(1 << 62) < <object>given < 1 << 62:
        return False
    value[0] = <int64_t><object>given
    return True


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


cdef void fill_exponential(bitgen_t* bits, npy_intp count, double* out, double scale, double b) noexcept nogil:
    cdef npy_intp i
    for i in range(count):
        out[i] = random_exponential(bits, scale)


cdef enum Standard:
    UNIFORM
    NORMAL
    EXPONENTIAL

cdef Fill _standards[3]
_standards[<int>UNIFORM] = fill_standard_uniform
_standards[<int>NORMAL] = fill_standard_normal
_standards[<int>EXPONENTIAL] = fill_standard_exponential


cdef object _standard(PyObject** args, Py_ssize_t n, object names, int which):
    """A call with nothing but a size."""
    cdef PyObject* given[1]
    cdef Py_ssize_t rest = n
    cdef bint legacy
    cdef Source source = source_behind(args, &rest, &legacy)
    if source is None or legacy and which != UNIFORM or not bind(args + n - rest, rest, names, ("size",), given):
        return NotImplemented
    return drawn(source, _standards[which], 0, 0, given[0])


cdef object _rand(PyObject** args, Py_ssize_t n, object names, int variant):
    """rand(*extents)."""
    cdef Py_ssize_t rest = n, i
    cdef bint legacy
    cdef Source source = source_behind(args, &rest, &legacy)
    if source is None or names is not None:
        return NotImplemented
    shape = tuple([<object>args[i] for i in range(n - rest, n)])
    return drawn(source, fill_standard_uniform, 0, 0, <PyObject*>shape if rest else NULL)


cdef object _uniform(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef PyObject* given[3]
    cdef Py_ssize_t rest = n
    cdef double low = 0, high = 1
    cdef bint legacy
    cdef Source source = source_behind(args, &rest, &legacy)
    if source is None or not bind(args + n - rest, rest, names, ("low", "high", "size"), given) \
            or not read_number(given[0], &low) or not read_number(given[1], &high) \
            or not 0 <= high - low or not isfinite(high - low):
        return NotImplemented
    return drawn(source, fill_uniform, low, high - low, given[2])


cdef object _normal(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef PyObject* given[3]
    cdef Py_ssize_t rest = n
    cdef double loc = 0, scale = 1
    cdef bint legacy
    cdef Source source = source_behind(args, &rest, &legacy)
    if source is None or legacy or not bind(args + n - rest, rest, names, ("loc", "scale", "size"), given) \
            or not read_number(given[0], &loc) or not read_number(given[1], &scale) or not scale > 0:
        return NotImplemented
    return drawn(source, fill_normal, loc, scale, given[2])


cdef object _exponential(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef PyObject* given[2]
    cdef Py_ssize_t rest = n
    cdef double scale = 1
    cdef bint legacy
    cdef Source source = source_behind(args, &rest, &legacy)
    if source is None or legacy or not bind(args + n - rest, rest, names, ("scale", "size"), given) \
            or not read_number(given[0], &scale) or not scale > 0:
        return NotImplemented
    return drawn(source, fill_exponential, scale, 0, given[1])


cdef object _integers(PyObject** args, Py_ssize_t n, object names, int variant):
    """integers(low, high, size) and randint, of the default dtype."""
    cdef PyObject* given[3]
    cdef npy_intp shape[MOST_AXES]
    cdef Py_ssize_t rest = n
    cdef npy_intp count
    cdef int64_t low = 0, high, value
    cdef int ndim
    cdef bint legacy
    cdef Node made
    cdef Source source = source_behind(args, &rest, &legacy)
    if source is None or not bind(args + n - rest, rest, names, ("low", "high", "size"), given) or given[0] is NULL:
        return NotImplemented
    if given[1] is NULL or <object>given[1] is None:
        if not read_integer(given[0], &high):
            return NotImplemented
    elif not read_integer(given[0], &low) or not read_integer(given[1], &high):
        return NotImplemented
    if low >= high or not read_size(given[2], &ndim, shape, &count):
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
    add_native("random.random random.random_sample", _standard, UNIFORM)
    add_native("random.rand", _rand)
    add_native("random.standard_normal", _standard, NORMAL)
    add_native("random.standard_exponential", _standard, EXPONENTIAL)
    add_native("random.uniform", _uniform)
    add_native("random.normal", _normal)
    add_native("random.exponential", _exponential)
    add_native("random.integers random.randint", _integers)
