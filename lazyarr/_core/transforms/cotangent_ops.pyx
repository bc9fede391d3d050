"""Building blocks of cotangents: functions that make a few nodes and return the last; none evaluates."""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend.const_fold cimport constant_result
from lazyarr._core.frontend.handle cimport node_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.views cimport handle_of
from lazyarr._core.ir.builder cimport (
    axes_by_stride, broadcast_into, broadcast_node, cast_node, drop_axes, map_node, reduce_node, view_node, window_of,
    zero)
from lazyarr._core.ir.data_loops cimport select_loop
from lazyarr._core.ir.inner_loops cimport Resolution, Ufunc, find_ufunc, resolve
from lazyarr._core.ir.leaf cimport operand_code, weak_node
from lazyarr._core.ir.loop_table cimport NPY_HALF, Loop
from lazyarr._core.ir.node cimport LITERAL, MAX_DIMS, SCALAR, VIEW, Node, new_window, same_layout, same_shape
from lazyarr._core.ir.ufunc_traits cimport EXTREMUM, SKIPS_NAN, SUM
from lazyarr._core.transforms.vjp_rules cimport rule_of_fold

import numpy as np

cdef Ufunc* _add = find_ufunc(np.add)
cdef Ufunc* _divide = find_ufunc(np.divide)
cdef Ufunc* _equal = find_ufunc(np.equal)
cdef Ufunc* _logical_not = find_ufunc(np.logical_not)
cdef Ufunc* _maximum = find_ufunc(np.maximum)
cdef Ufunc* _multiply = find_ufunc(np.multiply)
cdef Ufunc* _not_equal = find_ufunc(np.not_equal)


cdef bint is_inexact(Node node) noexcept:
    # as ints: NumPy's enum is unsigned, so -1 would be the largest value
    return node.typenum == NPY_HALF or <int>cnp.NPY_FLOAT <= node.typenum <= <int>cnp.NPY_CLONGDOUBLE


cdef bint is_complex(Node node) noexcept:
    return <int>cnp.NPY_CFLOAT <= node.typenum <= <int>cnp.NPY_CLONGDOUBLE


cdef Node run_rule(tuple program, Node g, Node result, Node past, int nin):
    """Run the program of a derivative rule."""
    cdef list values = [g, result]
    cdef tuple operands
    cdef int i
    for i in range(nin):
        values.append(<Node>past.inputs[i])
    instructions, constants, place = program
    for address, operands in instructions:
        taken = [values[i] if i >= 0 else constants[-1 - i] for i in operands]
        if address == 0:
            values.append(_choice(taken, result.typenum))
        elif len(taken) == 1:
            values.append(apply_unary(<Ufunc*><size_t>address, taken[0]))
        else:
            values.append(apply(<Ufunc*><size_t>address, taken[0], taken[1]))
    return values[place]


cdef Node _choice(list taken, int code):
    """Evaluate `where` in a rule; if the condition is known, return one of its operands."""
    cdef PyObject* known = _literal(<Node>taken[0])
    if known is not NULL:
        one = taken[1] if (<Node>known).data[0] else taken[2]
        if type(one) is Node:
            return <Node>one
    return chosen(<Node>taken[0], taken[1], taken[2], code)


cdef Node apply_unary(Ufunc* u, Node a):
    cdef Resolution* found
    cdef PyObject* inputs[1]
    cdef int codes[1]
    codes[0] = a.typenum
    found = resolve(u, codes)
    if found.casts:
        a = cast_node(a, found.loop.types[0], None)
    inputs[0] = <PyObject*>a
    return _computed(found.loop, 1, inputs)


cdef Node apply(Ufunc* u, object a, object b):
    """Return a binary ufunc of nodes or Python numbers."""
    cdef int codes[2]
    cdef Resolution* found
    cdef PyObject* inputs[2]
    cdef Node x, y
    codes[0] = (<Node>a).typenum if type(a) is Node else operand_code(a)
    codes[1] = (<Node>b).typenum if type(b) is Node else operand_code(b)
    found = resolve(u, codes)
    x = _operand(a, found, 0)
    y = _operand(b, found, 1)
    inputs[0], inputs[1] = <PyObject*>x, <PyObject*>y
    return _computed(found.loop, 2, inputs)


cdef Node _computed(Loop* loop, int nin, PyObject** inputs):
    """Return a loop over its inputs, computed at once if all are (broadcast) literals."""
    cdef PyObject* numbers[2]
    cdef npy_intp shape[MAX_DIMS]
    cdef Node made
    cdef int i, ndim = 0
    for i in range(nin):
        numbers[i] = _literal(<Node>inputs[i])
        if numbers[i] is NULL:
            return map_node(loop, nin, inputs, None)
    made = constant_result(loop, nin, numbers)
    if made is None:
        return map_node(loop, nin, inputs, None)
    for i in range(nin):
        broadcast_into(<Node>inputs[i], &ndim, shape)
    return broadcast_node(made, ndim, shape)


cdef PyObject* _literal(Node node) noexcept:
    """Return the literal that a node is or broadcasts; NULL for any other node."""
    cdef Node base = <Node>node.inputs[0] if node.kind == VIEW else node
    return <PyObject*>base if base.kind == SCALAR and base.attr == LITERAL and base.typenum == node.typenum else NULL


cdef Node _operand(object operand, Resolution* found, int i):
    if type(operand) is not Node:
        return weak_node(operand, found.loop.types[i])
    return cast_node(<Node>operand, found.loop.types[i], None) if found.casts >> i & 1 else <Node>operand


cdef Node chosen(Node condition, object a, object b, int code):
    """Return a where the condition is true, else b; nodes of one dtype or Python numbers."""
    cdef PyObject* inputs[3]
    cdef Node x, y
    if type(a) is Node:
        code = (<Node>a).typenum
    elif type(b) is Node:
        code = (<Node>b).typenum
    x = <Node>a if type(a) is Node else weak_node(a, code)
    y = <Node>b if type(b) is Node else weak_node(b, code)
    y = y if y.typenum == code else cast_cotangent(y, code)
    inputs[0], inputs[1], inputs[2] = <PyObject*>condition, <PyObject*>x, <PyObject*>y
    return map_node(select_loop(code), 3, inputs, None)


cdef Node where_taken(Node condition, bint holds, object part):
    """Return the mask where a branch is taken and `part` (None: everywhere) is nonzero."""
    if part is None:
        return condition if holds else apply_unary(_logical_not, condition)
    return chosen(condition, part, 0, -1) if holds else chosen(condition, 0, part, -1)


cdef Node truth_of(Node part):
    """Return a reach mask as bools."""
    return part if part.typenum == cnp.NPY_BOOL else apply(_not_equal, part, 0)


cdef Node either(Node a, Node b):
    """Return the mask where either of two is nonzero."""
    return apply(_add, a, b) if a.typenum == b.typenum else apply(_add, truth_of(a), truth_of(b))


cdef Node as_numbers(Node part, Node like):
    """Return a reach mask in a numeric dtype; for complex ones with both parts set, as windows may show either."""
    if part.typenum == like.typenum:
        return part
    return chosen(truth_of(part), 1 + 1j if is_complex(like) else 1, 0, like.typenum)


cdef Node select(Node condition, Node a, Node b):
    """Return a or b by a condition, where None means zero."""
    return chosen(condition, 0 if a is None else a, 0 if b is None else b, -1)


cdef Node cast_cotangent(Node g, int code):
    """Return g cast to another dtype; from complex to real it is the real part."""
    if is_complex(g) and not <int>cnp.NPY_CFLOAT <= code <= <int>cnp.NPY_CLONGDOUBLE:
        if g.kind == VIEW:
            g = cast_node(g, g.typenum, None)
        dtype = np.empty(0, g.dtype).real.dtype
        g = view_node(g, new_window(g.ndim, g.shape, g.strides, g.offset, dtype, g.typenum - 3))
    return g if g.typenum == code else cast_node(g, code, None)


cdef Node zeros(Node like):
    return broadcast_node(zero(like.typenum), like.ndim, like.shape)


cdef Loop* sum_loop(int code) except NULL:
    cdef int codes[2]
    codes[0] = codes[1] = code
    return resolve(_add, codes).loop


cdef Node spread(Node g, Node x, uint64_t axes, bint kept):
    """Return g, the cotangent of a fold of x, broadcast to the folded elements."""
    cdef npy_intp strides[MAX_DIMS]
    cdef int d, k = 0
    for d in range(x.ndim):
        if axes >> d & 1:
            strides[d] = 0
            k += kept
        else:
            strides[d] = g.strides[k]
            k += 1
    return window_of(g, new_window(x.ndim, x.shape, strides, g.offset, g.dtype, g.typenum))


cdef Node summed(Node g, Node like):
    """Return g summed along the axes along which `like` was broadcast."""
    cdef int lead = g.ndim - like.ndim, d
    cdef uint64_t axes = 0
    if same_shape(g, like):
        return g
    if g.size == 0:
        return zeros(like)
    for d in range(g.ndim):
        if d < lead or like.shape[d - lead] != g.shape[d]:
            axes |= <uint64_t>1 << d
    g = reduce_node(sum_loop(g.typenum), g, axes, True)
    return drop_axes(g, lead) if lead else g


cdef tuple distinct(Node window, Node g):
    """Return a window without its repeated elements (stride 0), and g summed along these axes."""
    cdef npy_intp shape[MAX_DIMS]
    cdef uint64_t axes = 0
    cdef Node spec
    cdef int d
    for d in range(window.ndim):
        shape[d] = window.shape[d]
        if window.strides[d] == 0 and window.shape[d] > 1:
            axes |= <uint64_t>1 << d
            shape[d] = 1
    if not axes:
        return window, g
    spec = new_window(window.ndim, shape, window.strides, window.offset, window.dtype, window.typenum)
    return spec, reduce_node(sum_loop(g.typenum), g, axes, True)


cdef Node view_cotangent(Node g, Node window, Node storage):
    """Return the cotangent of a storage as a view of g, that of a window showing each element once.

    None for any other window. g is copied only if its strides do not permit such a view.

    Axes are compared from the smallest stride to the largest. If reshape split or joined them, one axis of the storage
    corresponds to several of the window, or vice versa.
    """
    cdef npy_intp strides[MAX_DIMS]
    cdef int inner[MAX_DIMS]
    cdef int outer[MAX_DIMS]
    cdef npy_intp at = g.offset         # offset in g of the storage's first element
    cdef npy_intp low = window.offset, lowest = storage.offset
    cdef npy_intp left = 1, passed, piece, walked = 1, step
    cdef int d, k = -1, axis = -1
    cdef bint strided = True
    if window.typenum != storage.typenum or window.size != storage.size:
        return None
    axes_by_stride(storage, outer)
    axes_by_stride(window, inner)
    for d in range(window.ndim):
        if window.strides[d] < 0:
            low += window.strides[d] * (window.shape[d] - 1)
            at += g.strides[d] * (window.shape[d] - 1)
    for d in outer[:storage.ndim]:
        strides[d] = 0
        passed = 1
        if storage.strides[d] < 0:
            lowest += storage.strides[d] * (storage.shape[d] - 1)
        while passed < storage.shape[d]:
            while left == 1:
                k += 1
                axis = inner[k]
                left = window.shape[axis]
                walked = 1
            piece = min(left, storage.shape[d] // passed)
            if abs(window.strides[axis]) * walked != abs(storage.strides[d]) * passed \
                    or left % piece or storage.shape[d] % (passed * piece):
                return None
            step = g.strides[axis] * walked
            if (window.strides[axis] < 0) != (storage.strides[d] < 0):
                step = -step
            if passed == 1:
                strides[d] = step
            elif step != strides[d] * passed:
                strided = False
            passed *= piece
            walked *= piece
            left //= piece
        if storage.strides[d] < 0:
            at -= strides[d] * (storage.shape[d] - 1)
    if low != lowest:
        return None
    if strided:
        return window_of(g, new_window(storage.ndim, storage.shape, strides, at, g.dtype, g.typenum))
    like = new_window(window.ndim, window.shape, window.strides, window.offset, window.dtype, window.typenum)
    like.span = storage.span
    return view_node(cast_node(g, window.typenum, like), storage)


cdef Node position(Node node, int axis, npy_intp index):
    """Return the window at one index along an axis, on the same storage."""
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef int d, k = 0
    for d in range(node.ndim):
        if d != axis:
            shape[k], strides[k] = node.shape[d], node.strides[d]
            k += 1
    return new_window(k, shape, strides, node.offset + index * node.strides[axis], node.dtype, node.typenum)


cdef bint same_storage(Node a, Node b) noexcept:
    """Return whether two nodes are windows on one storage."""
    return a.kind != VIEW and a.typenum == b.typenum and same_layout(a, b)


cdef bint mixes_parts(Node window, Node storage) noexcept:
    """Return whether a view reinterprets numbers other than as real or imaginary parts."""
    cdef int d
    if window.typenum == storage.typenum:
        return False
    for d in range(window.ndim):
        if window.shape[d] > 1 and window.strides[d] % storage.itemsize:
            return True
    return 2 * window.itemsize != storage.itemsize


cdef bint shows_imaginary_parts(Node window, Node storage) noexcept:
    return window.typenum != storage.typenum and (window.offset - storage.offset) % storage.itemsize != 0


# ---- reductions: sums and extrema here; the others have rules on arrays -------------------------------


cdef bint gives_to_all_parts(Loop* loop) noexcept:
    """Return whether the cotangent of each element depends only on the result's, and is known where that is."""
    return loop.traits & (SUM | EXTREMUM) != 0


cdef Node reduce_cotangent(Node g, Node node, Node past):
    """Return the cotangent of a reduction's operand; `past` says how the result was made."""
    cdef Node x = <Node>past.inputs[0]
    cdef LazyArray made
    cdef int d
    if past.loop.traits & SUM:
        return spread(g, x, past.axes, past.attr)
    if past.loop.traits & EXTREMUM:
        return _shared(g, node, x, past.axes, past.attr, past.loop.traits & SKIPS_NAN != 0)
    rule = rule_of_fold(<object>past.loop.name)
    made = rule(handle_of(g), handle_of(node), handle_of(x), tuple([d for d in range(x.ndim) if past.axes >> d & 1]),
                bool(past.attr))
    return node_of(made)


cdef Node _shared(Node g, Node out, Node x, uint64_t axes, bint kept, bint skips_nan):
    """Return the cotangent of x, of which `out` is the extremum along axes: equal elements share g evenly.

    An extremum that is NaN makes all of them NaN, unless NaNs are skipped.
    """
    cdef Node best = apply(_equal, x, spread(out, x, axes, kept)), others
    cdef Node ties = reduce_node(sum_loop(x.typenum), cast_cotangent(best, x.typenum), axes, kept)
    if skips_nan:
        g = apply(_divide, g, apply(_maximum, ties, 1.0))
        return chosen(best, spread(g, x, axes, kept), 0, x.typenum)
    others = chosen(apply(_equal, ties, 0.0), apply(_multiply, g, float("nan")), 0, x.typenum)
    return chosen(best, spread(apply(_divide, g, ties), x, axes, kept), spread(others, x, axes, kept), x.typenum)


def shared_by_ties(LazyArray g, LazyArray out, LazyArray x, tuple axes, bint kept):
    """Return the cotangent of an extremum's operand: elements equal to the result share it evenly."""
    cdef uint64_t folded = 0
    for axis in axes:
        folded |= <uint64_t>1 << <int>axis
    return handle_of(_shared(node_of(g), node_of(out), node_of(x), folded, kept, True))
