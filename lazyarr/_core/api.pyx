"""The one door to the core: functions with which the layers above build graphs.

They take LazyArrays (`asarray_operand` converts anything) and return new ones. None evaluates unless it says so.
"""
from cpython.object cimport PyObject

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend.boolean_select cimport put_selected
from lazyarr._core.frontend.devices cimport common_device, is_borrowed
from lazyarr._core.frontend.eager cimport LARGE as _LARGE, stop_showing
from lazyarr._core.frontend.handle cimport check_writeable, layout_of, lend, new_handle, node_of, value_of
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.index cimport assign_window, check_complex
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.matrix_product cimport product as matrix_product
from lazyarr._core.frontend.operands cimport operand_node
from lazyarr._core.frontend.pending_queue cimport link, pending_handle, unlink
from lazyarr._core.frontend.reshape cimport is_fortran
from lazyarr._core.frontend.storage cimport is_shared, on_memory, relaid
from lazyarr._core.frontend.trace_scope cimport is_from_outside
from lazyarr._core.frontend.ufunc_call cimport call_ufunc, results
from lazyarr._core.frontend.views cimport new_view
from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.ir.builder cimport (
    axes_by_stride, broadcast_node, cast_node, iterated_axes, lay_out, map_node, masked_node, outermost_first,
    set_strides, stored_node)
from lazyarr._core.ir.data_loops cimport cast_loop, select_loop
from lazyarr._core.ir.inner_loops cimport Ufunc, exact_loop, find_ufunc
from lazyarr._core.ir.leaf cimport code_of, leaf_node, operand_code, scalar_from_memory, strong_scalar, weak_node
from lazyarr._core.ir.loop_table cimport MAX_ARGS, Loop
from lazyarr._core.ir.node cimport (
    BESIDE, CAST_OPERAND, EMPTY, LEAF, MASKED, MAX_DIMS, UPDATE, VIEW, Node, check_ndim, first_element, is_evaluated,
    is_on_host, most_bytes, new_node, new_window, set_c_strides, set_f_strides, too_big)
from lazyarr._core.ir.overlap cimport window_overlaps_itself
from lazyarr._core.ir.preferred_device cimport prefer_device
from lazyarr._core.ir.provenance cimport put_on
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.runtime.memo cimport has_kept_memory

import sys

import numpy as np

# Re-exported from other modules of the core.
from lazyarr._core import eager, kernels  # no-cython-lint
from lazyarr._core.eager.grid import dense_grid, open_grid  # no-cython-lint
from lazyarr._core.eager.ufunc_methods import (
    accumulate_at_once, at_once, outer_at_once, reduce_at_once)  # no-cython-lint
from lazyarr._core.eager.view import imag_part, real_part  # no-cython-lint
from lazyarr._core.frontend import eager_product, lazy_array  # no-cython-lint
from lazyarr._core.frontend.boolean_select import elements_under, select_elements as selection  # no-cython-lint
from lazyarr._core.frontend.const_fold import inner_product as inner_at_once  # no-cython-lint
from lazyarr._core.frontend.devices import (
    adopt_on_device, bring_to_host, device_of, lend_on_device, to_device)  # no-cython-lint
from lazyarr._core.frontend.evaluate import (
    evaluate, evaluate_these, get_async, is_evaluating, set_async, to_evaluate)  # no-cython-lint
from lazyarr._core.frontend.foreign_operands import is_answering, is_array  # no-cython-lint
from lazyarr._core.frontend.function import (
    Function, UfuncCaller, UnboundFunction, enable_vectorcall, named, waiting)  # no-cython-lint
from lazyarr._core.frontend.handle import lend as lent  # no-cython-lint
from lazyarr._core.frontend.hooks import set_hook  # no-cython-lint
from lazyarr._core.frontend.lazy_array import install  # no-cython-lint
from lazyarr._core.frontend.operands import array_given_by, asarray_of_others, asarray_operand  # no-cython-lint
from lazyarr._core.frontend.numpy_call import values_at_once  # no-cython-lint
from lazyarr._core.frontend.opaque_call import kernel, mutate, opaque, opaque_multi, report, update  # no-cython-lint
from lazyarr._core.frontend.pending_queue import get_budget, one_plan, prepare, set_budget  # no-cython-lint
from lazyarr._core.frontend.reduce_call import Reducer, reduce, scan, search  # no-cython-lint
from lazyarr._core.frontend.reshape import is_contiguous, new_shape, permuted, reshaped  # no-cython-lint
from lazyarr._core.frontend.scalars import OfArrays  # no-cython-lint
from lazyarr._core.frontend.structured import record_on  # no-cython-lint
from lazyarr._core.frontend.trace_scope import is_tracing
from lazyarr._core.frontend.views import adopt  # no-cython-lint
from lazyarr._core.ir.const_guards import get_fast_math, set_fast_math  # no-cython-lint
from lazyarr._core.ir.fingerprint import get_debug_nans, set_debug_nans  # no-cython-lint
from lazyarr._core.ir.fp_errors import get_debug, set_debug  # no-cython-lint
from lazyarr._core.ir.node import Kernel  # no-cython-lint
from lazyarr._core.ir.leaf import get_check_views, set_check_views  # no-cython-lint
from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr._core.host import device_table  # no-cython-lint
from lazyarr._core.runtime import placement  # no-cython-lint - evaluates on devices
from lazyarr._core.runtime.no_evaluation import EvaluationForbidden, allow, forbid  # no-cython-lint

cdef extern from *:
    int LAZYARR_DEBUG

LARGE = _LARGE  # largest size at which a function runs eagerly if a graph would not be faster
DEBUG = bool(LAZYARR_DEBUG)  # a debug build: bounds checks, assertions, plans verified

globals()["LazyArray"] = LazyArray  # cimported types are no module attributes
sys.modules["lazyarr._core.array"] = lazy_array  # module name in old pickles


def from_numpy(array):
    """Return a LazyArray on an ndarray's memory; a write to the LazyArray copies first.

    Examples
    --------
    >>> import numpy as np
    >>> from lazyarr._core.api import from_numpy
    >>> from_numpy(np.arange(3)) * 2
    array([0, 2, 4])
    """
    return new_handle(leaf_node(array, True), False)


def keep_to_itself(made):
    """Return the array, which from now on copies memory that other code may write to before its own writes.

    Other code must not write there either until what was computed from the array is evaluated.
    """
    cdef LazyArray x
    if type(made) is LazyArray:
        x = <LazyArray>made
        if x.root is None:
            x.export = None
            x.exposed = False
            x.writeable = not x.scalar
    return from_numpy(made) if type(made) is np.ndarray else made


def may_be_writeable(LazyArray x):
    """Return whether the owner of a base array's memory allows writes."""
    owner = x.node.owner
    if type(owner) is DeviceMemory:
        return not (<DeviceMemory>owner).is_read_only
    if not isinstance(owner, np.ndarray):
        return True
    try:
        owner.view().flags.writeable = True
    except ValueError:
        return False
    return True


def owns_memory(LazyArray x):
    """Return whether the array owns its memory: it is neither a view nor on another object's memory."""
    if x.root is not None or is_borrowed(x):
        return False
    return not isinstance(x.node.owner, np.ndarray) or x.node.owner.flags.owndata


def is_lent(LazyArray x):
    """Return whether other code may write to an array's memory."""
    return is_shared(x if x.root is None else x.root)


def is_kept(LazyArray x):
    """Return whether other arrays may share an array's memory until a write, because the memo keeps it."""
    return has_kept_memory(x.node if x.root is None else x.root.node)


def expose(LazyArray x):
    """Lend an array's memory for good: it stays in place as long as the array lives."""
    cdef LazyArray base = x if x.root is None else x.root
    found = lend(x)
    if base.export is None:
        return found
    base.exposed = True
    return on_memory(x, x, found.flags.writeable)  # keeps the array alive


def ufunc(u, tuple args, kwargs=None):
    """Call a NumPy (or any) ufunc lazily, with NumPy's keywords."""
    return call_ufunc(u, args, kwargs or {})


def view(LazyArray x, shape, strides, npy_intp offset=0, dtype=None, bint writeable=True):
    """Return a view with the given shape and strides (bytes), `offset` bytes after x's first element.

    It is writeable if x is and `writeable` is true.
    """
    cdef npy_intp dims[MAX_DIMS]
    cdef npy_intp steps[MAX_DIMS]
    cdef Node node
    cdef int d, nd = <int>len(shape)
    check_ndim(nd)
    for d in range(nd):
        dims[d], steps[d] = shape[d], strides[d]
    node = layout_of(x)
    dtype = node.dtype if dtype is None else np.dtype(dtype)
    return new_view(x, new_window(nd, dims, steps, node.offset + offset, dtype, code_of(dtype)), writeable)


def copy(LazyArray x, dtype=None, shape=None, order="K", name=None, bint discards=False):
    """Return a new lazy array: `x` cast (unchecked) and broadcast to `shape`.

    `order` is "C", "F", "A" (F if x is Fortran-contiguous, else C), "K" (axes sorted by stride, as NumPy copies), or
    None: the layout of NumPy's iterator, for casts of operands, whose results are laid out by `x`. "K" and None differ
    for broadcast arrays. Floating-point errors of the cast are reported under `name`, by default "cast". A cast that
    discards imaginary parts warns unless `discards` is set.
    """
    cdef Node node = node_of(x), made
    cdef Node lies = layout_of(x)  # unaligned elements are copied on the way
    cdef npy_intp dims[MAX_DIMS]
    cdef int perm[MAX_DIMS]
    cdef int code, d
    dtype = node.dtype if dtype is None else np.dtype(dtype)
    code = code_of(dtype)
    if code < 0 or node.typenum < 0:
        target = shape_tuple(node) if shape is None else tuple(shape)
        axes = None
        if order == "F" or order == "A" and not lies.contiguous and is_fortran(lies):
            axes = tuple(range(len(target)))[::-1]
        elif order == "K" and shape is None:
            axes = axes_copied(x)
        copied = opaque("astype", lambda a: np.broadcast_to(a, target).astype(dtype), [x], target, dtype, axes)
        return scalar(copied) if x.scalar and shape is None else copied
    if not discards:
        check_complex(node, new_node(VIEW, 0, NULL, dtype, code))
    if shape is not None:
        for d in range(len(shape)):
            dims[d] = shape[d]
        node = lies = broadcast_node(node, <int>len(shape), dims)
    like = None
    if order in ("C", "F") or order == "A":
        fortran = order == "F" or order == "A" and not lies.contiguous and is_fortran(lies)
        like = stored_layout(node, dtype, code, fortran)
    elif order == "K" and lies.ndim > 1 and not lies.contiguous:
        like = new_node(EMPTY, node.ndim, node.shape, dtype, code)
        axes_by_stride(lies, perm)
        set_strides(like, perm)
    made = cast_node(node, code, like)
    made.payload = name
    if order is None:
        made.attr = CAST_OPERAND
        return pending_handle(made, x.scalar and made.ndim == 0)
    return new_handle(made, x.scalar and made.ndim == 0)


cdef Node stored_layout(Node node, object dtype, int code, bint fortran, object axes=None):
    """Return a layout with the node's shape, in C or Fortran order, or with these axes outermost first."""
    cdef Node like = new_node(EMPTY, node.ndim, node.shape, dtype, code)
    if axes is not None:
        lay_out(like, axes)
    elif fortran:
        set_f_strides(like)
    else:
        set_c_strides(like)
    return like


def empty(shape, dtype, order="C", axes=None, beside=()):
    """Return a new lazy array with undefined contents, laid out in `order` or with `axes` outermost first.

    Its device is that of an operation on the arrays `beside`.
    """
    cdef npy_intp dims[MAX_DIMS]
    cdef Node node
    dtype = np.dtype(dtype)
    if code_of(dtype) < 0:
        return from_numpy(np.empty(shape, dtype, order=order))
    checked_dims(shape, dtype, dims)
    node = stored_node(EMPTY, <int>len(shape), dims, dtype, code_of(dtype), order == "F")
    if axes is not None:
        lay_out(node, axes)
    put_on(node, common_device(beside))
    return new_handle(node, False)


cdef int checked_dims(object shape, object dtype, npy_intp* dims) except -1:
    """Convert a shape to C integers; raise NumPy's errors for negative, too many or too large extents."""
    cdef int d
    total = dtype.itemsize
    check_ndim(len(shape))
    for d in range(len(shape)):
        if shape[d] < 0:
            raise ValueError("negative dimensions are not allowed")
        total *= max(shape[d], 1)
    if total > most_bytes():
        raise too_big()
    for d in range(len(shape)):
        dims[d] = shape[d]
    return 0


def full(shape, value, dtype, order="C", axes=None, beside=()):
    """Return a new lazy array filled with `value`. For the layout and the device see `empty`."""
    cdef npy_intp dims[MAX_DIMS]
    cdef Node node, like
    cdef int code
    dtype = np.dtype(dtype)
    code = code_of(dtype)
    if code < 0 or isinstance(value, LazyArray) and (<LazyArray>value).node.typenum < 0:
        return from_numpy(np.full(shape, value, dtype, order=order))
    checked_dims(shape, dtype, dims)
    if isinstance(value, LazyArray):
        node = node_of(<LazyArray>value)
    else:
        node = strong_scalar(np.asarray(value).astype(dtype))
    node = broadcast_node(node, <int>len(shape), dims)
    like = stored_layout(node, dtype, code, order == "F", axes)
    node = cast_node(node, code, like)
    put_on(node, common_device(beside))
    return new_handle(node, False)


def map_loop(u, inputs, types, mask=None, old=None):
    """Apply the ufunc's loop for exactly `types` (dtypes) to inputs of these types; None if it has none.

    With `mask` (bool) and `old` (the result's shape and dtype), only where the mask is true.
    """
    cdef Ufunc* record = find_ufunc(u)
    cdef int codes[MAX_ARGS]
    cdef PyObject* raw[MAX_ARGS + 2]
    cdef Loop* loop
    cdef Node node
    cdef int i, n = <int>len(inputs)
    if not record.elementwise or len(types) > MAX_ARGS:
        return None
    for i in range(len(types)):
        codes[i] = code_of(types[i])
        if codes[i] < 0:
            return None
    loop = exact_loop(record, codes)
    if loop is NULL or (mask is not None and loop.nout != 1):
        return None
    held = [node_of(<LazyArray?>x) for x in inputs]
    if mask is not None:
        held.append(node_of(<LazyArray?>mask))
        held.append(node_of(<LazyArray?>old))
    for i in range(len(held)):
        raw[i] = <PyObject*>held[i]
    if mask is None:
        node = map_node(loop, n, raw, None)
    else:
        node = masked_node(MASKED, loop, n + 2, raw)
    if node is None:
        raise ValueError("operands could not be broadcast together")
    prefer_device(node)
    return results(loop, node)


def select(LazyArray condition, x, y):
    """Return x where the bool condition is true, else y. NumPy scalars are constants; Python scalars are weak.

    If the dtypes differ, x is cast where it is selected, and y has the result's shape and dtype.
    """
    cdef PyObject* inputs[3]
    cdef Node c = node_of(condition), node
    cdef bint x_is_weak = operand_code(x) != -1, y_is_weak = operand_code(y) != -1 and not x_is_weak
    cdef Node a = None if x_is_weak else operand_node(x)
    cdef Node b = None if y_is_weak else operand_node(y)
    if x_is_weak and b is not None:
        a = weak_node(x, b.typenum)
    elif y_is_weak and a is not None:
        b = weak_node(y, a.typenum)
    if c.typenum != cnp.NPY_BOOL or a is None or b is None:
        raise TypeError("select takes a bool condition and operands of native dtypes, got "
                        f"{c.dtype}, {getattr(x, 'dtype', x)}, {getattr(y, 'dtype', y)}")
    if c.kind == LEAF and c.ndim == 0:  # rewrite rules look for constants
        c = scalar_from_memory(c, first_element(c))
    inputs[2] = <PyObject*>b
    if a.typenum == b.typenum:
        inputs[0] = <PyObject*>c
        inputs[1] = <PyObject*>a
        node = map_node(select_loop(a.typenum), 3, inputs, None)
    else:
        inputs[0] = <PyObject*>a
        inputs[1] = <PyObject*>c
        node = masked_node(MASKED, cast_loop(a.typenum, b.typenum), 3, inputs)
    if node is None:
        np.broadcast_shapes(shape_tuple(c), shape_tuple(a), shape_tuple(b))
    prefer_device(node)
    return new_handle(node, False)


def put_selection(LazyArray x, LazyArray mask, LazyArray value):
    """Assign x[mask] = value lazily if the value is a selection under the same mask; return whether it is."""
    if not x.writeable or x.scalar:
        raise ValueError("assignment destination is read-only")
    return put_selected(x, mask, value)


def is_selection(LazyArray x):
    """Return whether the number of elements depends on an unevaluated mask."""
    return x.mask is not None


def assign(LazyArray x, value, bint beside=False):
    """Assign x[...] = value. Set `beside` if x is a window on new memory, with disjoint windows assigned so far."""
    if x.node.typenum < 0:
        call_hook("setitem", (x, Ellipsis, value))
        return
    assign_window(x, layout_of(x), value, False)
    if beside and x.root is not None and x.root.node.kind == UPDATE:
        x.root.node.attr = BESIDE


def product(LazyArray a, LazyArray b, tuple shape, dtype, str name="matmul"):
    """Return a @ b as a native node, reshaped to this shape and dtype.

    None where NumPy's function is better.
    """
    cdef list nodes = [operand_node(x if x.dtype == dtype else copy(x, dtype, name=name)) for x in (a, b)]
    return matrix_product(nodes[0], nodes[1], shape, name)


def axes_iterated(LazyArray x):
    """Return the axes in the order of NumPy's iterator over x, outermost first; None for C order."""
    return iterated_axes(layout_of(x))


def axes_copied(LazyArray x):
    """Return the axes in the order of a copy of x with order "K", outermost first; None for C order."""
    cdef int perm[MAX_DIMS]
    if layout_of(x).ndim < 2 or x.node.contiguous:
        return None
    axes_by_stride(x.node, perm)
    return outermost_first(perm, x.node.ndim)


def memory_order(LazyArray x):
    """Return x's axes, outermost first, and the sign of each stride; None if x is contiguous."""
    cdef Node node = layout_of(x)
    cdef int d
    if node.contiguous:
        return None
    return (axes_copied(x) or tuple(range(node.ndim)),
            tuple([(node.strides[d] > 0) - (node.strides[d] < 0) for d in range(node.ndim)]))


def unscalar(LazyArray x):
    """Return a scalar-like's value as a 0-d array, like np.array(np.float64(3))."""
    return new_handle(x.node, False) if x.scalar else x


def scalar(LazyArray x):
    """Return the 0-d value of `x` with the semantics of a NumPy scalar."""
    cdef Node node = node_of(x)
    if node.kind == VIEW:
        node = cast_node(node, node.typenum, None) if node.typenum >= 0 else node_of(from_numpy(np.array(value_of(x))))
    return new_handle(node, True)


def is_pending(LazyArray x):
    """Return whether reading the values would compute or copy something."""
    return x.mask is not None or is_from_outside(x) or not is_on_host(x.node if x.root is None else x.root.node)


def require_writeable(LazyArray x, str refusal):
    """Raise NumPy's ValueError if x is read-only; issue its warning before the first write."""
    check_writeable(x, refusal)


def overlaps_itself(LazyArray x):
    """Return whether elements of x may share memory (as in broadcast views), so the order of writes matters."""
    return x.root is not None and window_overlaps_itself(x.node)


def offset(LazyArray x):
    """Return the byte offset of x in the storage of its base."""
    return layout_of(x).offset


def broadcast_shape(*shapes):
    """Return the shape to which these shapes broadcast; raise NumPy's ValueError if they do not."""
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return tuple(shapes[0])
    if max(map(len, shapes), default=0) <= 32:  # NumPy's function has this limit
        return np.broadcast_shapes(*shapes)
    starts = [max(len(shape) - 32, 0) for shape in shapes]
    return broadcast_shape(*[shape[:start] for shape, start in zip(shapes, starts)]) \
        + np.broadcast_shapes(*[shape[start:] for shape, start in zip(shapes, starts)])


def repoint(LazyArray x, LazyArray value):
    """Let `x` itself become `value` (another shape or dtype), as assignment to x.shape does."""
    if is_tracing():
        raise TracedValueError("an array is given another shape or dtype, which a graph does not repeat")
    layout_of(x)
    unlink(x)
    stop_showing(x)
    if x.root is None and value.root is x:  # its own storage
        x.node = relaid(x.node, value.node)
        return
    x.export = None
    x.exposed = False
    x.node = layout_of(value)
    x.root = value.root
    if x.root is None and not is_evaluated(x.node):
        link(x)
