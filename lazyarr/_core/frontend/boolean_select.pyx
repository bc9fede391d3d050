"""Selections: `x[mask]` while the number of elements is unknown.

`x[mask] = f(x[mask])` never needs that number. So the handle of `x[mask]` holds the mask and a node of the mask's
shape, of which only the elements under the mask count. Elementwise operations between selections under one mask, and
with scalars, return selections. The assignment puts the elements back:

    COMPRESS(x, mask) -> PACKED loops -> EXPAND(values, mask, old x)

All of them traverse the mask's shape, so they become one tile program: each block packs its elements into a register,
runs the loops on these alone, and scatters them. In memory a value is not packed: it has the mask's shape, undefined
where the mask is false.

Any other use of the handle, even of its shape, *resolves* it: it becomes an ordinary array.
"""
from cpython.object cimport PyObject
from libc.string cimport memcmp

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend cimport pending_queue
from lazyarr._core.frontend.handle cimport new_handle, node_of, write
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.index cimport check_complex
from lazyarr._core.frontend.operands cimport can_cast, operand_node
from lazyarr._core.frontend.pending_queue cimport evaluate_list, link, unlink
from lazyarr._core.frontend.views cimport handle_of
from lazyarr._core.host.device_table cimport accelerates
from lazyarr._core.ir.builder cimport masked_node, scatter_packed
from lazyarr._core.ir.data_loops cimport cast_loop, compress_loop, expand_loop
from lazyarr._core.ir.fp_errors cimport buffer_size
from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.inner_loops cimport Resolution, resolve
from lazyarr._core.ir.leaf cimport leaf_node, operand_code, weak_node
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL, MAX_ARGS
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport COMPRESS, EXPAND, MAP, PACKED, SCALAR, VIEW, Node, is_evaluated, same_shape
from lazyarr._core.ir.overlap cimport same_window, shown_window
from lazyarr._core.ir.provenance cimport note_source, put_on
from lazyarr._core.runtime.evaluation_lock cimport enter, leave

import numpy as np

cnp.import_array()

cdef extern from "simd/mask.h":
    npy_intp lz_count_true(char* mask, npy_intp step, npy_intp n) noexcept nogil
    npy_intp lz_compress(char* x, npy_intp sx, char* mask, npy_intp sm, char* out, npy_intp so, npy_intp n,
                         npy_intp size) noexcept nogil

cdef enum:
    MAX_EXPRESSION = 8      # depth to which two masks are compared
    WIDEST = 32             # largest itemsize that `lz_compress` packs


cpdef LazyArray select_elements(LazyArray x, LazyArray mask):
    """Return x[mask] lazily, for a bool mask of x's shape (not 0-d), and a native dtype."""
    cdef Node chosen = node_of(mask)
    return _handle(_compressed(node_of(x), chosen), chosen)


cdef LazyArray _handle(Node node, Node mask):
    cdef LazyArray handle = new_handle(node, False)
    handle.mask = mask
    return handle


cdef Node _compressed(Node source, Node mask):
    cdef PyObject* inputs[2]
    inputs[0] = <PyObject*>source
    inputs[1] = <PyObject*>mask
    return masked_node(COMPRESS, compress_loop(source.typenum), 2, inputs)


cdef Node _packed_cast(Node node, Node mask, int code, object name):
    """Return packed elements as another type; errors are reported under `name`, by default "cast"."""
    cdef PyObject* inputs[2]
    if node.typenum == code:
        return node
    inputs[0] = <PyObject*>node
    inputs[1] = <PyObject*>mask
    made = masked_node(PACKED, cast_loop(node.typenum, code), 2, inputs)
    made.payload = name
    return made


cdef LazyArray call_selected(Ufunc* u, tuple args):
    """Call a ufunc of selections under one mask and scalars; return None for other operands."""
    cdef Node mask = None, node
    cdef int codes[MAX_ARGS]
    cdef PyObject* inputs[MAX_ARGS + 1]
    cdef Resolution* found
    cdef int i
    cdef bint buffered, selected
    cdef list nodes = []
    if u.nout != 1 or not u.elementwise or u.nin > MAX_ARGS - 1:
        return None
    for arg in args:
        if type(arg) is LazyArray and (<LazyArray>arg).mask is not None:
            if mask is None:
                mask = (<LazyArray>arg).mask
            elif mask is not (<LazyArray>arg).mask:
                return None
    for i in range(u.nin):
        codes[i] = operand_code(args[i])
        node = None
        if codes[i] < 0:
            selected = type(args[i]) is LazyArray and (<LazyArray>args[i]).mask is not None
            node = (<LazyArray>args[i]).node if selected else operand_node(args[i])
            if node is None or node.ndim > 0 and not selected:
                return None
            codes[i] = node.typenum
        nodes.append(node)
    found = resolve(u, codes)
    if found.loop is NULL or found.loop.flags & LOOP_SERIAL:  # loops that raise must raise on their line
        return None
    for i in range(u.nin):
        if nodes[i] is None:
            try:
                nodes[i] = weak_node(args[i], found.loop.types[i])
            except OverflowError:
                return None
        else:
            node = <Node>nodes[i]
            # NumPy casts in buffers of a fixed size; here the number of elements is unknown
            buffered = node.ndim > 0 and mask.size > buffer_size()
            nodes[i] = _packed_cast(node, mask, found.loop.types[i], (<object>u.ufunc).__name__ if buffered else None)
        inputs[i] = <PyObject*>nodes[i]
    inputs[u.nin] = <PyObject*>mask
    return _handle(masked_node(PACKED, found.loop, u.nin + 1, inputs), mask)


cdef bint update_selected(Ufunc* u, LazyArray self, tuple args) except -1:
    """Run `u(*args, out=self)` on a selection, which owns its memory; return False if it must be resolved."""
    cdef LazyArray made = call_selected(u, args)
    if made is None or made.node.typenum != self.node.typenum and not can_cast(made.node.typenum, self.node.typenum):
        return False
    self.node = _packed_cast(made.node, made.mask, self.node.typenum, (<object>u.ufunc).__name__)
    self.mask = made.mask  # a flush may have resolved it meanwhile
    link(self)
    return True


cdef bint put_selected(LazyArray x, LazyArray mask, LazyArray value) except -1:
    """Assign x[mask] = value; return False if the value is no selection under the same mask."""
    cdef Node chosen = value.mask, packed = value.node, old
    cdef PyObject* inputs[3]
    if chosen is None or mask.mask is not None or x.mask is not None:
        return False
    old = node_of(x)
    if not same_shape(old, chosen) or not _equal(node_of(mask), chosen, 0):
        return False
    check_complex(packed, old)
    packed = _packed_cast(packed, chosen, old.typenum, None)
    inputs[0] = <PyObject*>packed
    inputs[1] = <PyObject*>chosen
    inputs[2] = <PyObject*>old
    write(x, masked_node(EXPAND, expand_loop(old.typenum), 3, inputs), True)
    return True


cdef bint _equal(Node a, Node b, int depth):
    """Return whether two masks are one node, or small equal expressions of the same nodes and constants."""
    cdef int i
    if a is b:
        return True
    if a.kind != b.kind or a.ninputs != b.ninputs or a.typenum != b.typenum or depth == MAX_EXPRESSION:
        return False
    if a.kind == SCALAR:
        return memcmp(a.inline_value, b.inline_value, a.itemsize) == 0
    if is_evaluated(a) or is_evaluated(b):
        return False
    if a.kind == VIEW:
        return <Node>a.inputs[0] is <Node>b.inputs[0] and same_window(shown_window(a), shown_window(b))
    if a.kind != MAP or a.loop is not b.loop or a.loop.nout != 1 or not same_shape(a, b):
        return False
    for i in range(a.ninputs):
        if not _equal(<Node>a.inputs[i], <Node>b.inputs[i], depth + 1):
            return False
    return True


cdef int _resolve(LazyArray handle) except -1:
    """Evaluate a selection into an ordinary array."""
    cdef Node source, mask
    cdef int device
    # An evaluation in another thread relies on the selection's sources not being read again.
    enter()
    source, mask = handle.node, handle.mask
    if mask is not None and source.kind == COMPRESS and not is_evaluated(source):
        source = <Node>source.inputs[0]
    leave()
    if mask is None:  # another thread has resolved it meanwhile
        return 0
    if history_is_kept():
        return _resolve_with_history(handle, source, mask)
    if accelerates(handle.node.device):
        return _resolve_on_device(handle, source, mask)
    evaluate_list([node for node in (_storage(source), _storage(mask)) if not is_evaluated(node)])
    if handle.mask is None:
        return 0
    elements = call_hook("compress", (as_ndarray(source), as_ndarray(mask)))
    device = handle.node.device
    handle.mask = None
    handle.node = leaf_node(elements, True)
    note_source(handle.node, source)
    put_on(handle.node, device)
    unlink(handle)
    return 0


cdef int _resolve_on_device(LazyArray handle, Node source, Node mask) except -1:
    """Resolve on an accelerator, where kernels find the elements and their number."""
    made = call_hook("compress", (handle_of(scatter_packed(source)), handle_of(mask)))
    if handle.mask is None:
        return 0
    handle.mask = None
    handle.node = node_of(made)
    unlink(handle)
    return 0


cdef int _resolve_with_history(LazyArray handle, Node source, Node mask) except -1:
    """Resolve while history is kept: gather the elements at the mask's indices.

    Only the mask is evaluated: the values may depend on a placeholder.
    """
    if not is_evaluated(_storage(mask)):
        evaluate_list([_storage(mask)])
    if handle.mask is None:
        return 0
    handle.mask = None
    known = new_handle(leaf_node(as_ndarray(mask), True), False)
    handle.node = node_of(call_hook("getitem", (handle_of(scatter_packed(source)), (known,))))
    unlink(handle)
    return 0


def elements_under(cnp.ndarray array, cnp.ndarray mask):
    """Return array[mask] as an ndarray; the mask has some or all of the array's leading axes."""
    cdef npy_intp n = cnp.PyArray_SIZE(mask), width
    cdef char* source = <char*>cnp.PyArray_DATA(array)
    cdef char* chosen = <char*>cnp.PyArray_DATA(mask)
    cdef char* target
    width = cnp.PyArray_NBYTES(array) // n if n else 0
    if width & (width - 1) or not 0 < width <= WIDEST or array.dtype.hasobject \
            or not (cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_IS_C_CONTIGUOUS(mask)) \
            or <size_t>source & (min(width, <npy_intp>8) - 1):
        return array[mask]
    result = np.empty((lz_count_true(chosen, 1, n), *(<object>array).shape[mask.ndim:]), array.dtype)
    target = <char*>cnp.PyArray_DATA(result)
    with nogil:
        lz_compress(source, width, chosen, 1, target, width, n, width)
    return result


cdef Node _storage(Node node):
    return <Node>node.inputs[0] if node.kind == VIEW else node


pending_queue.resolve_selection = _resolve
