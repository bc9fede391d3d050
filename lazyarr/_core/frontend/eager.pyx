"""Eager execution of small work on evaluated operands.

It uses the loops, windows and status flags of the graph's steps; its result is an evaluated leaf. A function without a
native form is NumPy's own, called on ndarrays that share the operands' memory (`show`).

This module has the common parts: the conditions (eager.pxd; `frontend/__init__` defines *ready*), results, writes to
storage, and ndarrays. `function` dispatches the calls; `eager_ufunc`, its siblings and `_core/eager` compute.
"""
from cpython.ref cimport _Py_REFCNT as Py_REFCNT

cimport numpy as cnp

from lazyarr._core.frontend cimport pending_queue
from lazyarr._core.frontend.freelist cimport bare_handle
from lazyarr._core.frontend.pending_queue cimport prepare
from lazyarr._core.frontend.storage cimport is_private, is_shared, on_memory, owns_data, private_leaf
from lazyarr._core.frontend.views cimport new_view
from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.ir.fp_errors cimport current_errstate, mark_origin, report_status, reported_flags
from lazyarr._core.ir.leaf cimport code_of, leaf_node
from lazyarr._core.ir.loop_table cimport descr_of
from lazyarr._core.ir.node cimport EMPTY, new_node, new_small_leaf, new_window

import numpy as np

cnp.import_array()

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    #include <numpy/arrayscalars.h>

    static PyObject *lz_scalar(void *data, PyObject *dtype)
    {
        return PyArray_Scalar(data, (PyArray_Descr *)dtype, NULL);
    }
    static PyObject *lz_double(double value)
    {
        PyDoubleScalarObject *made = PyObject_New(PyDoubleScalarObject, &PyDoubleArrType_Type);
        if (made != NULL) made->obval = value;
        return (PyObject *)made;
    }
    static PyObject *lz_long(npy_long value)
    {
        PyLongScalarObject *made = PyObject_New(PyLongScalarObject, &PyLongArrType_Type);
        if (made != NULL) made->obval = value;
        return (PyObject *)made;
    }
    static PyObject *lz_bool(int value)
    {
        PyObject *made = value ? PyArrayScalar_True : PyArrayScalar_False;
        Py_INCREF(made);
        return made;
    }
    """
    object lz_scalar(void* data, object dtype)
    object lz_double(double value)
    object lz_long(long value)
    object lz_bool(int value)

immediate_level = 0
SMALL_NS = 20000
SMALL_ELEMENTS = 16384
tunable("immediate.small_ns", &SMALL_NS, "ns", 0, 1e6,
        "What an operation on evaluated operands may take by its estimate to run where it is written.")

cdef object _ndarray = np.ndarray


def set_small_work(int level):
    """Set the highest `Node.waits` of operands for eager execution.

    -1: none; 0: arrays that do not wait; 1: all.
    """
    global immediate_level
    immediate_level = level


def get_small_work():
    """Return that level."""
    return immediate_level


# ---- results -------------------------------------------------------------------------------------------


cdef object scalar_at(int code, char* data):
    """Return NumPy's scalar for the element at `data`."""
    if code == cnp.NPY_DOUBLE:
        return lz_double((<double*>data)[0])
    if code == cnp.NPY_LONG:
        return lz_long((<long*>data)[0])
    if code == cnp.NPY_BOOL:
        return lz_bool(data[0] != 0)
    return lz_scalar(data, descr_of(code))


cdef Node new_leaf(int ndim, npy_intp* shape, int code):
    """Make a leaf in C order; the caller fills in its values."""
    cdef Node node = new_small_leaf(ndim, shape, code)
    node.at_once = True
    return node


cdef LazyArray new_base(Node leaf):
    """Make the handle of a leaf that nothing else refers to."""
    cdef LazyArray handle
    if not pending_queue.is_prepared:
        prepare()
    handle = bare_handle()
    handle.node = leaf
    handle.writeable = True
    return handle


cdef int mark_waiting(object made) except -1:
    """Mark the results of a call as waiting, so that operations on them join the graph; containers are searched."""
    cdef LazyArray x
    if type(made) is LazyArray:
        x = <LazyArray>made
        if x.root is None:
            x.node.waits = True
        elif Py_REFCNT(<PyObject*>x.root) == 1:  # a view of a new array; views of operands follow the operand
            x.root.node.waits = True
    elif isinstance(made, (tuple, list)):
        for item in made:
            mark_waiting(item)
    return 0


cdef bint must_report(int flags) except -1:
    """Return whether status flags lead to a warning or an error."""
    return flags != 0 and flags & reported_flags(current_errstate()) != 0


cdef int report_flags(int flags, str name) except -1:
    """Report status flags under the current errstate, on the current line of the program."""
    cdef int err = current_errstate()
    cdef Node node
    if flags & reported_flags(err):
        node = new_node(EMPTY, 0, NULL, np.dtype(np.int8), cnp.NPY_BYTE)
        node.err, node.at_once = err, True
        mark_origin(node)
        report_status([(0, flags, name, node)])
    return 0


cdef bint own_storage(LazyArray x) except -1:
    """Ensure that nothing pending reads x's storage, by a copy if it is small; return False if impossible.

    Every eager write calls this first.
    """
    cdef LazyArray base = x if x.root is None else x.root
    cdef Node old
    if base.node.kind != LEAF or base.node.typenum < 0:
        return False
    if is_private(base) or is_shared(base):
        return True
    old = base.node
    if old.span > SMALL_ELEMENTS * old.itemsize or old.origin is not None:
        return False
    base.node = private_leaf(old)
    return True


# ---- ndarrays for NumPy's functions --------------------------------------------------------------------


cdef object show(LazyArray x):
    """Return an ndarray on the memory of a ready array, writeable if x is.

    Before writing to it, call `own_storage`. The handle keeps the ndarray (`x.shown`) for the next call where the
    storage is private, and `Buffer.lent` counts it, so that the storage still counts as private. If something else
    still refers to the ndarray after the call, as a function that has stored its argument, the handle has to forget it
    with `stop_showing`: the storage is shared from then on.
    """
    cdef LazyArray base = x if x.root is None else x.root
    cdef object owner
    cdef char* data = first_of(x)
    cdef Node node
    if x.shown is not None:
        if cnp.PyArray_DATA(<cnp.ndarray>x.shown) == data \
                and cnp.PyArray_BASE(<cnp.ndarray>x.shown) == <PyObject*>base.node.owner:
            return x.shown
        stop_showing(x)
    owner = base.node.owner
    node = x.node
    if type(owner) is Buffer:
        shown = on_memory(x, owner, x.writeable)
        if base.node.size <= SMALL_ELEMENTS:  # large ones are not copied for an ndarray's sake
            x.shown = shown
            (<Buffer>owner).lent += 1
        return shown
    if type(owner) is _ndarray and x.root is None and x.writeable == cnp.PyArray_ISWRITEABLE(<cnp.ndarray>owner) \
            and owns_data(<cnp.ndarray>owner) and cnp.PyArray_DATA(<cnp.ndarray>owner) == data \
            and has_form_of(<cnp.ndarray>owner, node):
        return owner
    # NumPy would replace an ndarray base by its own base
    return on_memory(x, base.node, x.writeable)


cdef bint has_form_of(cnp.ndarray array, Node node):
    cdef int d
    if cnp.PyArray_NDIM(array) != node.ndim or array.descr.type_num != node.typenum:
        return False
    for d in range(node.ndim):
        if cnp.PyArray_DIM(array, d) != node.shape[d] or cnp.PyArray_STRIDE(array, d) != node.strides[d]:
            return False
    return True


cdef int stop_showing(LazyArray x) noexcept:
    """Drop the ndarray that the handle caches for NumPy's functions."""
    cdef PyObject* block
    if x.shown is not None:
        block = <PyObject*>cnp.PyArray_BASE(<cnp.ndarray>x.shown)
        (<Buffer>block).lent -= 1
        x.shown = None
    return 0


cdef object take_over(object array):
    """Return an array on an otherwise unreferenced ndarray of any dtype."""
    cdef Node node
    cdef cnp.ndarray a = array
    cdef int code = code_of(a.descr), d
    if code < 0 or not cnp.PyArray_ISALIGNED(a) or not cnp.PyArray_IS_C_CONTIGUOUS(a):
        return new_base(leaf_node(array, True))
    node = new_node(LEAF, cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a), a.descr, code)
    for d in range(node.ndim):
        node.strides[d] = cnp.PyArray_STRIDE(a, d)
    node.span = node.size * node.itemsize
    node.contiguous = True
    node.at_once = True
    node.data = <char*>cnp.PyArray_DATA(a)
    node.owner = array
    return new_base(node)


cdef object show_result(object obj, LazyArray x, object shown):
    """Return a view of x for an ndarray that is a view of `shown`, x's ndarray; None for others."""
    cdef cnp.ndarray a = obj
    cdef Node made
    cdef int code
    if obj is shown:
        return x
    if cnp.PyArray_BASE(a) != <PyObject*>shown:
        return None
    code = code_of(a.descr)
    made = new_window(cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a), cnp.PyArray_STRIDES(a),
                      <char*>cnp.PyArray_DATA(a) - (x.node.data if x.root is None else x.root.node.data),
                      a.descr, code)
    return new_view(x, made, cnp.PyArray_ISWRITEABLE(a))
