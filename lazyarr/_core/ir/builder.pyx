"""Node constructors, one per kind of node.

Each sets shape, dtype and storage layout, and records the errstate in force, the source location and the pending bytes.
The caller has converted and cast the operands. The layout of an elementwise result follows NumPy's rule for
`order="K"`, because it decides which later reshapes are views.
"""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy, memset

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.ir.data_loops cimport cast_loop, copy_loop
from lazyarr._core.ir.fp_errors cimport current_errstate, mark_origin
from lazyarr._core.ir.history cimport history_of
from lazyarr._core.ir.leaf cimport code_of
from lazyarr._core.ir.loop_table cimport MAX_ARGS, Loop, descr_of
from lazyarr._core.ir.node cimport (
    CAST_OPERAND, COMPRESS, EMPTY, MAP, MASKED, MAX_DIMS, OPAQUE, PACKED, REDUCE, RESULT, UPDATE, VIEW, Node,
    check_ndim, count_pending, finish_layout, most_bytes, new_literal, new_node, new_window, set_c_strides,
    set_f_strides, set_span, too_big)
from lazyarr._core.ir.provenance cimport set_input_list, set_inputs

import numpy as np

cnp.import_array()


cdef int _book(Node node) except -1:
    """Record the errstate, the source location and the pending bytes of a new node."""
    node.err = current_errstate()
    mark_origin(node)
    count_pending(node)
    return 0


cdef inline Node _made_of(Node node, int count, PyObject** inputs):
    """Set the inputs of an otherwise complete node, and record it."""
    set_inputs(node, count, inputs)
    _book(node)
    return node


cdef inline int _set_input(Node node, Node source) except -1:
    cdef PyObject* inputs[1]
    inputs[0] = <PyObject*>source
    return set_inputs(node, 1, inputs)


# ---- elementwise ---------------------------------------------------------------------------------------


cdef bint broadcast_into(Node a, int* ndim, npy_intp* shape) except? 2:
    """Broadcast `shape` with the shape of `a`; return False if they do not fit."""
    cdef int lead, d, nd = ndim[0]
    cdef npy_intp n
    if a.ndim > nd:
        lead = a.ndim - nd
        for d in range(nd - 1, -1, -1):
            shape[d + lead] = shape[d]
        for d in range(lead):
            shape[d] = 1
        nd = ndim[0] = a.ndim
    lead = nd - a.ndim
    for d in range(a.ndim):
        n = a.shape[d]
        if n != shape[lead + d]:
            if shape[lead + d] == 1:
                shape[lead + d] = n
            elif n != 1:
                return False
    return True


cdef inline Node _uncast(Node a):
    """Return an operand before its cast: NumPy casts ufunc operands in buffers, which do not affect the layout."""
    return <Node>a.inputs[0] if a.kind == MAP and a.attr & CAST_OPERAND else a


cdef void iteration_axes(int nd, int nin, PyObject** inputs, int* perm) noexcept:
    """Find the order in which NumPy's iterator traverses nd axes of these inputs; perm[0] is the innermost.

    Axes are inserted one by one, from the innermost outward. An axis moves inside another if every operand with both
    strides nonzero agrees; where operands disagree, C order stays.
    """
    cdef npy_intp s_new, s_old
    cdef int i, j, k, place, axis_new, axis_old, lead
    cdef bint unknown, swap
    cdef Node a
    for i in range(nd):
        perm[i] = nd - 1 - i
    for i in range(1, nd):
        axis_new = perm[i]
        place = i
        for j in range(i - 1, -1, -1):
            axis_old = perm[j]
            unknown = True
            swap = False
            for k in range(nin):
                a = _uncast(<Node>inputs[k])
                lead = nd - a.ndim
                s_new = 0 if axis_new < lead or a.shape[axis_new - lead] == 1 else a.strides[axis_new - lead]
                s_old = 0 if axis_old < lead or a.shape[axis_old - lead] == 1 else a.strides[axis_old - lead]
                if s_new and s_old:
                    if (s_old if s_old > 0 else -s_old) <= (s_new if s_new > 0 else -s_new):
                        swap = False
                    elif unknown:
                        swap = True
                    unknown = False
            if not unknown:
                if not swap:
                    break
                place = j
        for j in range(i, place, -1):
            perm[j] = perm[j - 1]
        perm[place] = axis_new


cdef object iterated_axes(Node node):
    """Return the axes in the order of NumPy's iterator, outermost first; None for C order."""
    cdef PyObject* inputs[1]
    cdef int perm[MAX_DIMS]
    inputs[0] = <PyObject*>node
    iteration_axes(node.ndim, 1, inputs, perm)
    return outermost_first(perm, node.ndim)


cdef void axes_by_stride(Node node, int* perm) noexcept:
    """Sort the axes by stride, smallest first: the layout of NumPy's copy with order "K".

    Unlike the iterator, it takes a broadcast axis (stride 0) as innermost.
    """
    cdef int nd = node.ndim, i, j, axis
    cdef npy_intp stride
    for i in range(nd):
        axis = nd - 1 - i
        stride = node.strides[axis] if node.strides[axis] > 0 else -node.strides[axis]
        j = i
        while j > 0 and stride < (node.strides[perm[j - 1]] if node.strides[perm[j - 1]] > 0
                                  else -node.strides[perm[j - 1]]):
            perm[j] = perm[j - 1]
            j -= 1
        perm[j] = axis


cdef object outermost_first(int* perm, int nd):
    """Return `perm`, whose first axis is the innermost, reversed; None for C order."""
    cdef int d
    for d in range(nd):
        if perm[d] != nd - 1 - d:
            return tuple([perm[nd - 1 - i] for i in range(nd)])
    return None


cdef int set_strides(Node node, int* perm) except -1:
    """Set dense strides with the axes in this order, perm[0] innermost."""
    cdef npy_intp step = node.itemsize if node.size else 0
    cdef int i
    for i in range(node.ndim):
        node.strides[perm[i]] = step
        step *= node.shape[perm[i]]
    set_span(node)
    finish_layout(node)
    return 0


cdef int lay_out(Node node, object axes) except -1:
    """Set dense strides with the axes in this order, outermost first."""
    cdef int perm[MAX_DIMS]
    cdef int d
    for d in range(node.ndim):
        perm[node.ndim - 1 - d] = axes[d]
    return set_strides(node, perm)


cdef int _layout(Node node, int nin, PyObject** inputs, Node like) except -1:
    """Set the layout: that of `like` if given, else by NumPy's rule, which mostly means C order."""
    cdef int perm[MAX_DIMS]
    cdef int k, d
    cdef Node a
    if like is not None:
        for d in range(node.ndim):
            node.strides[d] = like.strides[d]
        node.offset = like.offset
        node.span = like.span
        finish_layout(node)
        return 0
    if node.ndim > 1:
        for k in range(nin):
            a = _uncast(<Node>inputs[k])
            if not a.contiguous and a.size != 1:
                iteration_axes(node.ndim, nin, inputs, perm)
                return set_strides(node, perm)
    return set_c_strides(node)


cdef Node _elementwise(int kind, Loop* loop, int nin, PyObject** inputs, Node like):
    """Return a node over inputs of the loop's types; None if the shapes do not broadcast."""
    cdef npy_intp shape[MAX_DIMS]
    cdef Node a = <Node>inputs[0], node
    cdef int ndim = a.ndim, k, d, code
    for d in range(ndim):
        shape[d] = a.shape[d]
    for k in range(1, nin):
        if not broadcast_into(<Node>inputs[k], &ndim, shape):
            return None
    code = loop.types[loop.nin]
    node = new_node(kind, ndim, shape, descr_of(code), code)
    node.loop = loop
    _layout(node, nin, inputs, like)
    return _made_of(node, nin, inputs)


cdef Node map_node(Loop* loop, int nin, PyObject** inputs, Node like):
    """Return a MAP of a loop, laid out like `like` if given; None if the shapes do not broadcast."""
    return _elementwise(MAP, loop, nin, inputs, like)


cdef Node masked_node(int kind, Loop* loop, int nin, PyObject** inputs):
    """Return a MASKED, COMPRESS, PACKED or EXPAND node of a loop (for the inputs see node.pxd)."""
    return _elementwise(kind, loop, nin, inputs, None)


cdef Node scatter_packed(Node node):
    """Return packed elements scattered to where they came from, undefined elsewhere; other nodes as they are."""
    cdef Node past = history_of(node), mask
    cdef PyObject* inputs[MAX_ARGS + 2]
    cdef list held = []
    cdef int i, nin = past.ninputs - 1
    if past.kind == COMPRESS:
        return <Node>past.inputs[0]
    if past.kind != PACKED:
        return node
    mask = <Node>past.inputs[nin]
    for i in range(nin):
        held.append(scatter_packed(<Node>past.inputs[i]))
        inputs[i] = <PyObject*>held[i]
    held.append(broadcast_node(zero(node.typenum), mask.ndim, mask.shape))
    inputs[nin], inputs[nin + 1] = <PyObject*>mask, <PyObject*>held[nin]
    return masked_node(MASKED, past.loop, nin + 2, inputs)


cdef Node zero(int code):
    cdef long double zero[2]
    memset(zero, 0, sizeof(zero))
    return new_literal(code, zero)


cdef Node result_node(Node source, int which, object dtype, int typenum):
    """Return result `which` of a node with several results."""
    cdef Node node = new_node(RESULT, source.ndim, source.shape, dtype, typenum)
    cdef int d
    node.attr, node.loop = which, source.loop
    for d in range(node.ndim):
        node.strides[d] = source.strides[d] // source.itemsize * node.itemsize
    node.span = node.size * node.itemsize
    finish_layout(node)
    _set_input(node, source)
    _book(node)
    return node


cdef Node cast_node(Node source, int code, Node like):
    """Return `source` cast to native type `code`."""
    cdef PyObject* inputs[1]
    cdef Loop* loop = copy_loop(code) if source.typenum == code else cast_loop(source.typenum, code)
    inputs[0] = <PyObject*>source
    return map_node(loop, 1, inputs, like)


# ---- views and updates ---------------------------------------------------------------------------------


cdef Node broadcast_node(Node source, int ndim, npy_intp* shape):
    """Return `source` broadcast to a shape; itself if it has that shape."""
    cdef Node node
    cdef int lead = ndim - source.ndim, d
    if lead == 0:
        for d in range(ndim):
            if shape[d] != source.shape[d]:
                break
        else:
            return source
    node = new_node(VIEW, ndim, shape, source.dtype, source.typenum)
    for d in range(ndim):
        node.strides[d] = 0 if d < lead or source.shape[d - lead] == 1 else source.strides[d - lead]
    node.offset = source.offset
    node.span = 0
    finish_layout(node)
    _set_input(node, <Node>source.inputs[0] if source.kind == VIEW else source)
    return node


cdef Node view_node(Node base, Node spec):
    """Return a view: the window `spec` (shape, strides, offset, dtype) on the storage of `base`."""
    cdef Node node = new_node(VIEW, spec.ndim, spec.shape, spec.dtype, spec.typenum)
    memcpy(node.strides, spec.strides, spec.ndim * sizeof(npy_intp))
    node.offset = spec.offset
    node.contiguous = spec.contiguous
    _set_input(node, base)
    return node


cdef Node window_of(Node node, Node spec):
    """Return the window `spec` on the storage of `node`, which may be a view."""
    return view_node(<Node>node.inputs[0] if node.kind == VIEW else node, spec)


cdef Node drop_axes(Node node, int lead):
    """Return the node without its first axes, all of length 1."""
    return window_of(node, new_window(node.ndim - lead, node.shape + lead, node.strides + lead, node.offset,
                                      node.dtype, node.typenum))


cdef Node update_node(Node old, Node spec, Node value):
    """Return the storage of `old` with the window `spec` replaced by `value` (same shape and dtype)."""
    cdef Node node = new_node(UPDATE, old.ndim, old.shape, old.dtype, old.typenum)
    cdef PyObject* inputs[2]
    memcpy(node.strides, old.strides, old.ndim * sizeof(npy_intp))
    node.offset = old.offset
    node.span = old.span
    node.contiguous = old.contiguous
    node.window = <npy_intp*>malloc((1 + 2 * spec.ndim) * sizeof(npy_intp))
    if node.window is NULL:
        raise MemoryError()
    node.window[0] = spec.ndim
    memcpy(node.window + 1, spec.shape, spec.ndim * sizeof(npy_intp))
    memcpy(node.window + 1 + spec.ndim, spec.strides, spec.ndim * sizeof(npy_intp))
    node.window_offset = spec.offset
    inputs[0] = <PyObject*>old
    inputs[1] = <PyObject*>value
    return _made_of(node, 2, inputs)


# ---- the rest ------------------------------------------------------------------------------------------


cdef Node reduce_node(Loop* loop, Node source, uint64_t axes, bint keepdims):
    """Return a reduction of `source` over a bit set of axes; each must have at least one element."""
    cdef npy_intp shape[MAX_DIMS]
    cdef int place[MAX_DIMS]        # by source axis: the result's axis, -1 if reduced
    cdef int walked[MAX_DIMS]
    cdef int perm[MAX_DIMS]
    cdef int nd = 0, d, k = 0, code = loop.types[loop.nin]
    cdef Node node
    cdef PyObject* inputs[1]
    inputs[0] = <PyObject*>source
    for d in range(source.ndim):
        place[d] = -1
        if keepdims or not (axes >> d) & 1:
            place[d] = nd
            shape[nd] = 1 if (axes >> d) & 1 else source.shape[d]
            nd += 1
    node = new_node(REDUCE, nd, shape, descr_of(code), code)
    if _uncast(source).contiguous:
        set_c_strides(node)
    else:  # the kept axes in traversal order of the input
        iteration_axes(source.ndim, 1, inputs, walked)
        for d in range(source.ndim):
            if place[walked[d]] >= 0:
                perm[k] = place[walked[d]]
                k += 1
        set_strides(node, perm)
    node.loop = loop
    node.axes = axes
    node.attr = keepdims
    return _made_of(node, 1, inputs)


cdef Node scan_node(Loop* loop, Node source, object axis, object order):
    """Return cumulative sums or products along an axis, or over the flattened array if `axis` is None.

    The result has its axes in the given order, outermost first, by default C order.
    """
    cdef Node node
    if axis is None:
        node = new_node(REDUCE, 1, &source.size, source.dtype, source.typenum)
        node.axes = ~<uint64_t>0 if source.ndim == 64 else (<uint64_t>1 << source.ndim) - 1
    else:
        node = new_node(REDUCE, source.ndim, source.shape, source.dtype, source.typenum)
        node.axes = <uint64_t>1 << <int>axis
    if order is None:
        set_c_strides(node)
    else:
        lay_out(node, order)
    node.loop = loop
    _set_input(node, source)
    _book(node)
    return node


cdef Node stored_node(int kind, int ndim, npy_intp* shape, object dtype, int typenum, bint fortran):
    """Return a node with its own storage and no inputs yet."""
    cdef Node node = new_node(kind, ndim, shape, dtype, typenum)
    if fortran:
        set_f_strides(node)
    else:
        set_c_strides(node)
    _book(node)
    return node


cdef Node empty_like(Node like):
    """Return uninitialised storage with the layout of a node."""
    cdef Node node = new_node(EMPTY, like.ndim, like.shape, like.dtype, like.typenum)
    _layout(node, 0, NULL, like)
    _book(node)
    return node


cdef Node opaque_node(object name, object function, list inputs, tuple shape, object dtype, object specs,
                      object axes=None):
    """Return a call `function(*values)`; `specs` describes several results (see `result_nodes`), None for one.

    The result's axes lie in the order of `axes`, outermost first, by default in C order.
    """
    cdef npy_intp dims[MAX_DIMS]
    cdef Node node
    cdef int d
    check_ndim(len(shape))
    for d in range(len(shape)):
        if shape[d] > most_bytes():
            raise too_big()
        dims[d] = shape[d]
    node = stored_node(OPAQUE, <int>len(shape), dims, dtype, code_of(dtype), False)
    if axes is not None:
        lay_out(node, axes)
    node.payload = (name, function, specs)
    set_input_list(node, inputs)
    return node


cdef list result_nodes(Node call):
    """Return one node per result of a call whose specs are (shape, dtype) or (shape, dtype, axes)."""
    cdef npy_intp dims[MAX_DIMS]
    cdef Node node
    cdef int d
    made = []
    for shape, dtype, *axes in call.payload[2]:
        dtype = np.dtype(dtype)
        check_ndim(len(shape))
        for d in range(len(shape)):
            dims[d] = shape[d]
        node = stored_node(RESULT, <int>len(shape), dims, dtype, code_of(dtype), False)
        if axes and axes[0] is not None:
            lay_out(node, axes[0])
        node.attr = <int>len(made)
        _set_input(node, call)
        made.append(node)
    return made
