"""NumPy's own functions, called on ndarrays in place of small ready arrays.

The ndarrays share the arrays' memory (`eager.show`): views that NumPy returns become views of the array, and NumPy's
writes go to it.
"""
from cpython.ref cimport _Py_REFCNT as Py_REFCNT
from cpython.sequence cimport PySequence_Fast_ITEMS

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend.eager cimport (
    FEW, LARGE, SMALL_ELEMENTS, first_of, has_values, is_enabled, new_base, note_write, own_storage, scalar_at, show,
    show_result, stop_showing, take_over)
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.operands cimport asarray_operand
from lazyarr._core.frontend.storage cimport export, keep_lent
from lazyarr._core.frontend.views cimport new_view
from lazyarr._core.ir.builder cimport broadcast_into
from lazyarr._core.ir.leaf cimport leaf_node
from lazyarr._core.ir.node cimport MAX_DIMS, Node, is_evaluated
from lazyarr._core.ir.preferred_device cimport is_preferred, preference
from lazyarr._core.runtime.call_step cimport was_called

from types import BuiltinFunctionType, FunctionType, MethodType

import numpy as np

cdef extern from "Python.h":
    object PyObject_Vectorcall(object callable, PyObject** args, size_t nargsf, PyObject* names)
    long long PyLong_AsLongLongAndOverflow(object o, int* overflow) noexcept

cdef enum:
    MOST_ARGS = 24

cdef object _ndarray = np.ndarray
cdef object _generic = np.generic
cdef object _timedelta = np.timedelta64  # a subclass of NumPy's integers
cdef object _dtype = np.dtype
cdef object _integer = np.integer
# Types of arguments passed to NumPy unchanged; scalar and dtype classes are added when first seen.
cdef set _plain = {type(None), bool, int, float, complex, str, bytes, slice, type, type(Ellipsis), range,
                   type(np._NoValue), FunctionType, BuiltinFunctionType, MethodType}
cdef set _generators = set()
cdef set _writing_keywords = {"out", "overwrite_input", "copy", "inplace"}


cdef object call_on_values(object function, PyObject** args, Py_ssize_t n, object names, double most, bint writes,
                           int counted=-1, double largest=0):
    """Call NumPy's function on ndarrays that share the memory of the arguments.

    Return NotImplemented if an argument is neither small and ready nor passed to NumPy unchanged.

    Results that are views of arguments become views of the arrays, other ndarrays become arrays.

    `most` limits the size of results that may be much larger than the arguments: it is the largest accepted product of
    the arguments' sizes, 0 for any. If `counted` is not negative, only the argument at this position, or named "size",
    counts. Arrays of up to `largest` elements are small, by default up to `SMALL_ELEMENTS`.
    """
    cdef PyObject* given[MOST_ARGS]
    cdef Py_ssize_t total = n + (len(<tuple>names) if names is not None else 0), i
    cdef list arrays, shown        # pairwise
    cdef list held = None          # keeps converted arguments alive
    cdef double room = most
    cdef bint foreign = False      # whether any argument is an ndarray
    cdef bint counts
    cdef object value, made
    if total > MOST_ARGS:
        return NotImplemented
    if are_numbers(args, n, total, most, counted):
        made = PyObject_Vectorcall(function, args, n, <PyObject*>names if names is not None else NULL)
        if type(made) is _ndarray and cnp.PyArray_BASE(<cnp.ndarray>made) is NULL:
            return take_over(made)
        return wrapped_result(made, [], [], False) if is_array_or_several(made) else made
    if names is not None:
        for name in <tuple>names:
            writes = writes or name in _writing_keywords
    if writes and not _own_operands(args, total):
        return NotImplemented
    arrays, shown = [], []
    for i in range(total):
        counts = most and (counted < 0 or i == counted or i >= n and (<tuple>names)[i - n] == "size")
        value = value_for_numpy(
            <object>args[i], arrays, shown, &room if counts else NULL, &foreign, largest or SMALL_ELEMENTS)
        if value is NotImplemented:
            return NotImplemented
        if value is not <object>args[i] and (not shown or value is not shown[len(shown) - 1]):
            if held is None:
                held = []
            held.append(value)
        given[i] = <PyObject*>value
    try:
        made = PyObject_Vectorcall(function, given, n, <PyObject*>names if names is not None else NULL)
    finally:
        if writes:
            forget_numbers(arrays)
    value = held = None
    if is_array_or_several(made):
        made = wrapped_result(made, arrays, shown, foreign)
    let_go(arrays, shown)
    return made


cdef int forget_numbers(list arrays) except -1:
    """Drop memo numbers that arrays got in the middle of a write."""
    cdef LazyArray x
    for x in arrays:
        (x if x.root is None else x.root).node.number = 0
    return 0


cdef inline bint is_array_or_several(object made):
    return type(made) is _ndarray or isinstance(made, (tuple, list))


cdef bint are_numbers(PyObject** args, Py_ssize_t n, Py_ssize_t total, double most, int counted) except -1:
    """Return whether a generator that draws eagerly gets Python numbers only, for a small result."""
    cdef Py_ssize_t i
    cdef double room = most
    cdef type t
    for i in range(total):
        t = type(<object>args[i])
        if t is int:
            if most and (counted < 0 or i == counted or i >= n) and not has_room_for(&room, <object>args[i]):
                return False
        elif t is not float and (i or not draws_at_once(<object>args[i])):
            return False
    return True


cdef object ufunc_on_values(object ufunc, PyObject** args, Py_ssize_t n, object names, bint writes):
    """Call NumPy's ufunc on small ready operands; return NotImplemented for others."""
    cdef Py_ssize_t total = n + (len(<tuple>names) if names is not None else 0), i
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp size, itemsize = 1
    cdef int ndim = 0, d
    cdef double most = 1
    cdef Node node
    for i in range(total):
        if type(<object>args[i]) is LazyArray:
            node = (<LazyArray>args[i]).node
            if node.size > FEW or not has_values(<LazyArray>args[i]):
                return NotImplemented
            broadcast_into(node, &ndim, shape)
            itemsize = max(itemsize, node.itemsize)
        elif type(<object>args[i]) is _ndarray:
            size = cnp.PyArray_SIZE(<cnp.ndarray>args[i])
            if size > FEW:
                return NotImplemented
            most *= max(size, 1)
            itemsize = max(itemsize, cnp.PyArray_ITEMSIZE(<cnp.ndarray>args[i]))
    for d in range(ndim):
        most *= shape[d]
    if most > ROOM or preference.device and is_preferred(<npy_intp>most * itemsize):
        return NotImplemented
    return call_on_values(ufunc, args, n, names, 0, writes)


cdef object ufunc_by_protocol(object ufunc, bint elementwise, tuple inputs, dict kwargs):
    """Answer NumPy's `__array_ufunc__` call by values; return NotImplemented if operands are not small.

    A write to an ndarray must happen now in any case, so larger operands count as small.
    """
    cdef PyObject* given[MOST_ARGS]
    cdef Py_ssize_t n = len(inputs), i
    cdef tuple out = kwargs.get("out", ())
    if n + len(kwargs) > MOST_ARGS:
        return NotImplemented
    for item in out:
        if item is None:
            return NotImplemented
    for i in range(n):
        given[i] = <PyObject*>inputs[i]
    for i, value in enumerate(kwargs.values()):
        given[n + i] = <PyObject*>value
    names = tuple(kwargs) if kwargs else None
    if elementwise and not out:
        return ufunc_on_values(ufunc, given, n, names, False)
    made = call_on_values(ufunc, given, n, names, 0 if elementwise else ROOM, bool(out), -1, LARGE if out else 0)
    return made if made is NotImplemented or not out else out[0] if len(out) == 1 else out


cdef bint is_for_device(PyObject** args, Py_ssize_t n, PyObject* names, bint multiplies) noexcept:
    """Return whether a device is preferred for a result with the widest argument's dtype and the largest one's size.

    If a function `multiplies`, its size is the product of all sizes.
    """
    cdef double size = 1, elements
    cdef npy_intp itemsize = 1
    cdef Py_ssize_t i
    if preference.device == 0:
        return False
    for i in range(n + (len(<tuple>names) if names is not NULL else 0)):
        elements = elements_of(<object>args[i], &itemsize)
        size = size * elements if multiplies else max(size, elements)
    return is_preferred(<npy_intp>min(size * itemsize, 1e15))


cdef double elements_of(object obj, npy_intp* itemsize) noexcept:
    """Return the number of elements of an array or a sequence of arrays, at least 1; updates `itemsize`."""
    cdef double size = 0
    if type(obj) is LazyArray and (<LazyArray>obj).mask is None:
        itemsize[0] = max(itemsize[0], (<LazyArray>obj).node.itemsize)
        size = (<LazyArray>obj).node.size
    elif type(obj) is _ndarray:
        itemsize[0] = max(itemsize[0], cnp.PyArray_ITEMSIZE(<cnp.ndarray>obj))
        size = cnp.PyArray_SIZE(<cnp.ndarray>obj)
    elif type(obj) is list or type(obj) is tuple:
        for item in obj:
            if type(item) is LazyArray or type(item) is _ndarray:
                size += elements_of(item, itemsize)
    return max(size, 1)


cdef int let_go(list arrays, list shown) except -1:
    """Stop sharing ndarrays that something else still refers to: these have become lent."""
    cdef LazyArray x, base
    cdef Py_ssize_t i
    cdef bint lent
    cdef PyObject** counted = PySequence_Fast_ITEMS(shown)  # a subscript may hold another reference
    for i in range(len(arrays)):
        x = <LazyArray>arrays[i]
        if Py_REFCNT(counted[i]) == 2:
            continue
        base = x if x.root is None else x.root
        if shown[i] is base.node.owner:
            base.export = shown[i]
        elif x.shown is shown[i]:
            lent = export(x) is not None
            stop_showing(x)
            if lent:
                keep_lent(x, shown[i])
    return 0


cdef bint _own_operands(PyObject** args, Py_ssize_t total) except -1:
    """Make the storage of small writeable arrays private, and record the write; return False if impossible."""
    cdef LazyArray x
    cdef Py_ssize_t i
    for i in range(total):
        if type(<object>args[i]) is LazyArray:
            x = <LazyArray>args[i]
            if x.writeable and not x.scalar:
                if not has_values(x) or x._warns_on_write or not own_storage(x):
                    return False
                note_write(x)
        elif type(<object>args[i]) is tuple and not _own_operands(  # out=(x, y)
                PySequence_Fast_ITEMS(<object>args[i]), len(<tuple>args[i])):
            return False
    return True


cdef bint has_room(double* room, double size):
    """Count an operand of a function whose result may have the product of sizes; return whether that is small."""
    if room is NULL:
        return True
    room[0] /= max(size, 1.0)
    return room[0] >= 1


cdef bint has_room_for(double* room, object size) except -1:
    """The same for an integer argument, which may be a size."""
    cdef int beyond
    cdef long long number = PyLong_AsLongLongAndOverflow(size, &beyond)
    return not beyond and -ROOM < number < ROOM and has_room(room, number)


cdef object value_for_numpy(object obj, list arrays, list shown, double* room, bint* foreign, double largest):
    """Return an argument as passed to NumPy's function; NotImplemented if the call must join the graph.

    `room` is for `has_room`. `foreign` is set for ndarrays. Arrays of more than `largest` elements join the graph.
    """
    cdef type t = type(obj)
    cdef LazyArray x
    if t is LazyArray:
        x = <LazyArray>obj
        if not has_values(x) or x.node.size > largest or not has_room(room, x.node.size):
            return NotImplemented
        if x.scalar:
            return scalar_at(x.node.typenum, first_of(x)) if x.node.typenum >= 0 else show(x)[()]
        value = show(x)
        arrays.append(x)
        shown.append(value)
        return value
    if t is int:
        return obj if room is NULL or has_room_for(room, obj) else NotImplemented
    if t in _plain:
        return obj if room is NULL or not issubclass(t, _integer) or t is _timedelta or has_room_for(room, int(obj)) \
            else NotImplemented
    if t is list or t is tuple:
        return sequence_for_numpy(obj, arrays, shown, room, foreign, largest)
    if t is _ndarray:
        if cnp.PyArray_SIZE(<cnp.ndarray>obj) > largest \
                or not has_room(room, cnp.PyArray_SIZE(<cnp.ndarray>obj)):
            return NotImplemented
        foreign[0] = True
        return obj
    if t in _generators:
        return obj if draws_at_once(obj) else NotImplemented
    if issubclass(t, (_generic, _dtype)) or isinstance(obj, type):
        if t is not np.void and t is not np.object_:
            _plain.add(t)
            return value_for_numpy(obj, arrays, shown, room, foreign, largest)
    return NotImplemented


cdef object sequence_for_numpy(object obj, list arrays, list shown, double* room, bint* foreign, double largest):
    cdef Py_ssize_t i
    cdef list made = None
    cdef type t
    for i, item in enumerate(obj):
        t = type(item)
        if t is float or t is int and room is NULL:
            value = item
        else:
            value = value_for_numpy(item, arrays, shown, room, foreign, largest)
            if value is NotImplemented:
                return NotImplemented
        if made is None and value is not item:
            made = list(obj)
        if made is not None:
            made[i] = value
    if made is None:
        return obj
    return made if type(obj) is list else tuple(made)


cdef object wrapped_result(object made, list arrays, list shown, bint foreign):
    """Convert a result of NumPy: ndarrays become arrays."""
    cdef Py_ssize_t i
    cdef LazyArray whole
    cdef type t = type(made)
    if t is _ndarray:
        for i in range(len(arrays)):
            found = show_result(made, <LazyArray>arrays[i], shown[i])
            if found is not None:
                return found
        if cnp.PyArray_BASE(<cnp.ndarray>made) is NULL:
            # an ndarray argument has more references than this function's and its caller's
            if not foreign or Py_REFCNT(<PyObject*>made) <= 2:
                return take_over(made)
            return asarray_operand(made)
        whole = asarray_operand(made) if foreign else new_base(leaf_node(made, True))
        return new_view(whole, whole.node, cnp.PyArray_ISWRITEABLE(<cnp.ndarray>made))
    if t is tuple:
        return tuple([wrapped_result(item, arrays, shown, foreign) for item in <tuple>made])
    if t is list:
        return [wrapped_result(item, arrays, shown, foreign) for item in <list>made]
    if isinstance(made, tuple) and hasattr(made, "_fields"):
        return made._make([wrapped_result(item, arrays, shown, foreign) for item in made])
    return made


cdef class DrawOrder:
    """Base of objects that order the draws of a generator.

    `_token` is a result of the last waiting draw, which depends on all others; otherwise it may be None.
    """
    cdef public object _token

    cpdef bint waits(self) except -1:
        """Return whether a draw is pending."""
        cdef Node node
        if self._token is None:
            return False
        node = (<LazyArray?>self._token).node
        if not is_evaluated(node) and not was_called(node):
            return True
        self._token = None
        return False


cdef bint is_generator(object obj) except -1:
    """Return whether it is one of our random generators."""
    return type(obj) in _generators


cdef bint draws_at_once(object obj) except -1:
    """Return whether it is a random generator without pending draws."""
    if type(obj) not in _generators:
        return False
    draws = obj._draws
    return draws is None or not (<DrawOrder?>draws).waits()


def values_at_once(function, tuple args, bint writes=False):
    """Call NumPy's function on ndarrays in place of small ready arrays; return NotImplemented for others."""
    cdef PyObject* given[8]
    cdef Py_ssize_t i, n = len(args)
    if n > 8 or not is_enabled():
        return NotImplemented
    for i in range(n):
        given[i] = <PyObject*>args[i]
    return call_on_values(function, given, n, None, 0, writes)


def add_generator(type kind):
    """Register a class of random generators, passed unchanged while none of their draws is pending.

    Their `_draws` is a `DrawOrder`, or None if they always draw eagerly.
    """
    _generators.add(kind)
