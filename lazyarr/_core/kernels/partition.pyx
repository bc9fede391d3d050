"""Partition along an axis by NumPy's own function, on all threads.

The order of elements other than pivots depends on NumPy's algorithm. NumPy exports it only for whole arrays, as a call
that needs the GIL but releases it while it works. So arrays are cut into pieces of whole lines, one call per thread.
Nothing tracked by Python's garbage collector is allocated there: no finalizer runs in the middle of a step.
"""
from cpython.object cimport PyObject
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.threads cimport run_team, step_ended, team_size

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    int PyArray_Partition(cnp.ndarray array, cnp.ndarray places, int axis, int kind) except -1
    object PyArray_ArgPartition(cnp.ndarray array, cnp.ndarray places, int axis, int kind)

cdef enum:
    INTROSELECT = 0
cdef double NS_AN_ELEMENT = 2.0

cdef struct Job:
    PyObject* outs          # lists: pieces of both arrays, and exceptions
    PyObject* xs
    PyObject* failed
    PyObject* places
    int axis
    bint indices


def fill(cnp.ndarray out, cnp.ndarray x, int axis, cnp.ndarray places, bint indices):
    """Fill `out` with the partitioned lines of x along an axis, or with the partitioning indices.

    Parameters
    ----------
    out, x : numpy.ndarray
        Of one shape; of one dtype, which is native, or `out` of NumPy's index type.
    axis : int
    places : numpy.ndarray
        Of NumPy's index type: the elements of a sorted line that are to be in their places.
    indices : bool
    """
    cdef Job job
    cdef double work = NS_AN_ELEMENT * cnp.PyArray_SIZE(x)
    cdef npy_intp extent
    cdef int threads
    cdef list outs, xs, failed = []
    along = max([d for d in range(x.ndim) if d != axis], key=lambda d: (x.shape[d], cnp.PyArray_STRIDE(x, d)),
                default=None)
    extent = 1 if along is None else x.shape[along]
    threads = <int>max(min(<npy_intp>team_size(work), extent), <npy_intp>1)
    before = (slice(None),) * (along or 0)
    cuts = [before + (slice(extent * t // threads, extent * (t + 1) // threads),) for t in range(threads)]
    outs, xs = ([out[cut] for cut in cuts], [x[cut] for cut in cuts]) if threads > 1 else ([out], [x])
    job.outs, job.xs, job.failed, job.places = <PyObject*>outs, <PyObject*>xs, <PyObject*>failed, <PyObject*>places
    job.axis, job.indices = axis, indices
    with nogil:
        run_team(threads, _share, &job)
    step_ended(work)
    if failed:
        raise failed[0]


cdef void _share(void* whole, int thread, int threads) noexcept nogil:
    cdef Job* job = <Job*>whole
    with gil:
        try:
            out, x, places = (<list>job.outs)[thread], (<list>job.xs)[thread], <object>job.places
            if job.indices:
                cnp.PyArray_CopyInto(out, PyArray_ArgPartition(x, places, job.axis, INTROSELECT))
            else:
                cnp.PyArray_CopyInto(out, x)
                PyArray_Partition(out, places, job.axis, INTROSELECT)
        except BaseException as error:
            (<list>job.failed).append(error)
