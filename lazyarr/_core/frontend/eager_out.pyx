"""Eager ufuncs into an existing array: `out=` and in-place operators.

The array's storage must be private, or small enough to be copied first. Operands that share it, other than the written
window itself, are copied beforehand, as in NumPy.
"""
from cpython.object cimport PyObject

from numpy cimport npy_intp

from lazyarr._core.frontend.eager cimport begins_at_once, first_of, is_ready, note_write, own_storage, same_strides
from lazyarr._core.frontend.eager_loop cimport cast_elements
from lazyarr._core.frontend.eager_ufunc cimport (
    broadcast_strides, call_loop, has_negative_stride, prepared, read_operand, run_checked, takes_long)
from lazyarr._core.ir.inner_loops cimport Resolution, resolve
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport MAX_DIMS
from lazyarr._core.ir.overlap cimport window_overlaps_itself


cdef object into_at_once(Ufunc* u, LazyArray out, object a, object b):
    """Call NumPy's ufunc(a, b, out=out); `b` is unused for a unary ufunc. None if it joins the graph."""
    cdef Operand op[2]
    cdef Resolution* found
    cdef int codes[2]
    cdef npy_intp spread[2][MAX_DIMS]
    cdef npy_intp steps[3]
    cdef npy_intp* strides[3]
    cdef char* data[3]
    cdef LazyArray base = out if out.root is None else out.root
    cdef Node node
    cdef Loop* loop
    cdef int k
    cdef bint simple
    cdef npy_intp n
    if not begins_at_once() or not u.elementwise or u.nout != 1 or not is_ready(out) or out.scalar \
            or not out.writeable or out._warns_on_write or hides(out.node) or not own_storage(base):
        return None
    _held_a = read_operand(a, &op[0])
    _held_b = read_operand(b, &op[1]) if u.nin == 2 else None
    if op[0].code < 0 or u.nin == 2 and op[1].code < 0:
        return None
    codes[0] = op[0].code
    codes[1] = op[1].code
    if u.nin == 2 and op[0].node is NULL and op[1].node is NULL or u.nin == 1 and op[0].node is NULL:
        return None
    found = resolve(u, codes)
    loop = found.loop
    if loop is NULL or loop.types[u.nin] != out.node.typenum or takes_long(out.node.size, loop):
        return None
    made_a = prepared(&op[0], a, loop.types[0])
    made_b = prepared(&op[1], b, loop.types[1]) if u.nin == 2 else None
    if made_a is NotImplemented or made_b is NotImplemented:
        return None
    node = out.node
    if not node.contiguous and (made_a is not None or made_b is not None or has_negative_stride(node)):
        return None  # NumPy runs pieces, or the reverse direction, where loops may round differently
    data[u.nin] = first_of(out)
    simple = node.contiguous
    for k in range(u.nin):
        steps[k] = 0
        if op[k].node is not NULL:
            if not fits_into(<Node>op[k].node, node) or node.ndim > 1 and has_negative_stride(<Node>op[k].node):
                return None
            simple = simple and (<Node>op[k].node).contiguous and (<Node>op[k].node).size == node.size
            steps[k] = loop.sizes[k] if (<Node>op[k].node).ndim else 0
    _apart_a = apart(&op[0], base, node)
    _apart_b = apart(&op[1], base, node) if u.nin == 2 else None
    for k in range(u.nin):
        data[k] = op[k].data
    if simple:
        steps[u.nin] = loop.sizes[u.nin]
        n = node.size
        if n == 1 and (op[0].data == data[u.nin] or u.nin == 2 and op[1].data == data[u.nin]):
            steps[0] = steps[1] = steps[2] = 0  # as NumPy calls it: vectorised loops may round differently
        if n:
            call_loop(loop, data, &n, steps)
    else:
        for k in range(u.nin):
            broadcast_strides(&op[k], node.ndim, spread[k])
            strides[k] = spread[k]
        strides[u.nin] = node.strides
        run_checked(loop, node.ndim, node.shape, data, strides, u.nin + 1)
    note_write(base)
    return out


cdef bint fits_into(Node a, Node into) noexcept:
    """Return whether a broadcasts to the shape of `into`."""
    cdef int lead = into.ndim - a.ndim, d
    if lead < 0:
        return False
    for d in range(a.ndim):
        if a.shape[d] != into.shape[lead + d] and a.shape[d] != 1:
            return False
    return True


cdef bint hides(Node window) noexcept:
    """Return whether elements of a window share memory, so that the order of writes matters."""
    return not window.contiguous and window_overlaps_itself(window)


cdef Node apart(Operand* op, LazyArray base, Node window):
    """Return a copy of an operand that overlaps the written window of the base; None if no copy is needed.

    The window itself needs none: elements are read before they are written.
    """
    cdef Node node, made
    cdef char* target = base.node.data + window.offset
    cdef char* ends[2]
    cdef char* target_ends[2]
    if op.node is NULL:
        return None
    node = <Node>op.node
    find_ends(node, op.data, ends)
    find_ends(window, target, target_ends)
    if ends[0] >= target_ends[1] or target_ends[0] >= ends[1]:
        return None
    if op.data == target and same_strides(node, window):
        return None
    made = cast_elements(node, op.data, op.code)
    op.data = made.data
    op.node = <PyObject*>made
    return made


cdef inline void find_ends(Node layout, char* first, char** ends) noexcept:
    """Compute the address range of an array, given its first element."""
    cdef int d
    ends[0], ends[1] = first, first + layout.itemsize
    for d in range(layout.ndim):
        ends[layout.strides[d] > 0] += (layout.shape[d] - 1) * layout.strides[d]
