"""Eager ufunc methods: `at`, `reduce`, `accumulate` and `outer`.

Functions return NotImplemented, before any write, for calls that they do not support.
"""
cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    WEAK_FLOAT, LazyArray, Loop, Node, Operand, PyObject, Ufunc, first_of, is_enabled, is_ready, lz_fp_clear,
    lz_fp_take, memcpy, must_report, new_base, new_leaf, note_write, npy_intp, own_storage, read_operand, resolve,
    small_array)
from lazyarr._core.eager.outer cimport outer_product
from lazyarr._core.eager.reductions cimport folded
from lazyarr._core.frontend.eager cimport report_flags
from lazyarr._core.frontend.eager_assign cimport number_fits, shares_base
from lazyarr._core.frontend.eager_out cimport hides
from lazyarr._core.frontend.elements cimport lz_find_outside
from lazyarr._core.frontend.function cimport UfuncCaller
from lazyarr._core.ir.data_loops cimport scan_loop
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.ufunc_traits cimport AFFINE, EXTREMUM, LARGEST, PRODUCT, SKIPS_NAN, SUM

cdef enum:
    SCATTERED = 1 << 18        # most indices for an eager `at`; a graph is no faster
    EXTREMA = 256              # most indices and elements for which extrema beat NumPy's function


ctypedef fused number:
    double
    unsigned long              # integers wrap around

cdef struct Places:
    npy_intp stride            # stride of the array
    npy_intp size
    char* indices
    npy_intp step              # stride between indices
    npy_intp count
    char* values
    npy_intp value_step        # 0: one value for all


cdef inline npy_intp offset_at(Places* p, npy_intp i) noexcept:
    """Return the byte offset of the i-th index's element."""
    cdef npy_intp at = (<npy_intp*>(p.indices + i * p.step))[0]
    return (at + p.size if at < 0 else at) * p.stride


cdef void scatter(Ufunc* u, Places* places, number* data) noexcept:
    """Add, subtract or multiply at each index in turn."""
    cdef Places p = places[0]  # a local copy, which writes cannot alias
    cdef bint adds = u.traits & SUM != 0, multiplies = u.traits & PRODUCT != 0
    cdef npy_intp i
    cdef number* to
    cdef number value
    for i in range(p.count):
        to = <number*>(<char*>data + offset_at(&p, i))
        value = (<number*>(p.values + i * p.value_step))[0]
        if adds:
            to[0] = to[0] + value
        elif multiplies:
            to[0] = to[0] * value
        else:
            to[0] = to[0] - value


cdef bint has_nan(char* data, npy_intp step, npy_intp n) noexcept:
    """Return whether a float64 line has a NaN: without sign, its bits exceed infinity and carry into the sign bit."""
    cdef npy_intp i
    cdef unsigned long long carried = 0
    for i in range(n):
        carried |= ((<unsigned long long*>(data + i * step))[0] & 0x7FFFFFFFFFFFFFFFULL) + 0x000FFFFFFFFFFFFFULL
    return carried >> 63


cdef void call_once(Loop* loop, double* to, double* value) noexcept:
    """Apply a loop to two numbers."""
    cdef npy_intp one = 1
    cdef char* args[3]
    cdef npy_intp steps[3]
    steps[0] = steps[1] = steps[2] = sizeof(double)
    args[0], args[1], args[2] = <char*>to, <char*>value, <char*>to
    loop.fn(args, &one, steps, loop.data)


cdef void scatter_extrema(Loop* loop, bint largest, Places* places, char* data) noexcept:
    """Keep the larger or smaller number at each index; NumPy's loop decides between two zeros."""
    cdef Places p = places[0]
    cdef npy_intp i
    cdef double* to
    cdef double* value
    for i in range(p.count):
        to, value = <double*>(data + offset_at(&p, i)), <double*>(p.values + i * p.value_step)
        if (value[0] > to[0]) if largest else (value[0] < to[0]):
            to[0] = value[0]
        elif value[0] == 0 and to[0] == 0:
            call_once(loop, to, value)


def at_once(UfuncCaller self, x, key, value):
    """Run self.at(x, key, value) on a line with a line of indices, and a number or one value per index."""
    cdef Ufunc* u = self.record
    cdef LazyArray array, places
    cdef Operand op
    cdef Places p
    cdef Loop* loop
    cdef char* data
    cdef int codes[2]
    cdef int code, flags
    cdef bint choose
    if self.waits or u is NULL or type(x) is not LazyArray or type(key) is not LazyArray or not is_enabled():
        return NotImplemented
    choose = u.traits & EXTREMUM != 0
    if not u.traits & (AFFINE | EXTREMUM) or u.traits & SKIPS_NAN:
        return NotImplemented
    array, places = <LazyArray>x, <LazyArray>key
    if not is_ready(array) or array.scalar or not array.writeable or array._warns_on_write or array.node.ndim != 1 \
            or hides(array.node) or not is_ready(places) or places.scalar or places.node.ndim != 1 \
            or places.node.typenum != cnp.NPY_INTP or not 0 < places.node.size <= SCATTERED:
        return NotImplemented
    code = array.node.typenum
    if code != cnp.NPY_DOUBLE and (code != cnp.NPY_LONG or choose):
        return NotImplemented
    _held = read_operand(value, &op)
    p.value_step = 0
    if op.node is not NULL:
        if op.code != code or (<Node>op.node).ndim != 1 or (<Node>op.node).shape[0] != places.node.size \
                or shares_base(array, value):
            return NotImplemented
        p.value_step = (<Node>op.node).strides[0]
    elif op.code < 0 or not number_fits(value, &op, code):
        return NotImplemented
    if shares_base(array, key):
        return NotImplemented
    p.indices, p.step, p.count = first_of(places), places.node.strides[0], places.node.size
    p.values, p.size, p.stride = op.data, array.node.shape[0], array.node.strides[0]
    codes[0] = codes[1] = code
    loop = resolve(u, codes).loop
    if lz_find_outside(p.indices, p.step, p.count, p.size) >= 0:
        return NotImplemented
    if choose and (
            p.count > EXTREMA or p.size > EXTREMA or has_nan(first_of(array), p.stride, p.size)
            or has_nan(p.values, p.value_step, p.count if p.value_step else 1)):
        return NotImplemented  # NumPy's warnings for NaNs depend on the processor
    if not own_storage(array):
        return NotImplemented
    data = first_of(array)
    if code == cnp.NPY_LONG:
        scatter(u, &p, <unsigned long*>data)
        note_write(array)
        return None
    lz_fp_clear()
    if choose:
        scatter_extrema(loop, u.traits & LARGEST != 0, &p, data)
    else:
        scatter(u, &p, <double*>data)
    flags = lz_fp_take()
    note_write(array)
    # NumPy's cast warnings mention `at`
    report_flags(flags, <object>loop.name if op.code == WEAK_FLOAT or op.code == code else "at")
    return None


# ---- reductions --------------------------------------------------------------------------------------


cdef Loop* line_loop(Ufunc* u, int code) except? NULL:
    """Return the loop or scan that accumulates a type without a cast; NULL if there is none."""
    cdef int codes[2]
    cdef Loop* loop
    if u.traits & (SUM | PRODUCT):
        return scan_loop(code, u.traits & PRODUCT != 0) if code == cnp.NPY_LONG or code == cnp.NPY_DOUBLE else NULL
    codes[0] = codes[1] = code
    try:
        loop = resolve(u, codes).loop
    except TypeError:
        return NULL            # NumPy raises the error
    if loop is NULL or loop.types[0] != code or loop.types[1] != code or loop.types[2] != code \
            or loop.flags & LOOP_SERIAL or loop.arithmetic:  # wide loops read several elements before they write
        return NULL
    return loop


def reduce_at_once(UfuncCaller self, x, axis):
    """Return self.reduce(x, axis) for sums, products and extrema."""
    return NotImplemented if self.waits or self.record is NULL or not is_enabled() else folded(self.record, x, axis)


def accumulate_at_once(UfuncCaller self, x, axis):
    """Return self.accumulate(x) of a line, by the ufunc's loop, which reads what it has just written."""
    cdef PyObject* given = <PyObject*>x
    cdef LazyArray array
    cdef Node made
    cdef Loop* loop
    cdef char* args[3]
    cdef npy_intp steps[3]
    cdef npy_intp count, width
    if self.waits or self.record is NULL or self.record.nin != 2 or self.record.nout != 1 \
            or not self.record.elementwise or type(axis) is not int or not -1 <= axis < 1 or not is_enabled():
        return NotImplemented
    array = small_array(&given, 1)
    if array is None or array.node.ndim != 1:
        return NotImplemented
    loop = line_loop(self.record, array.node.typenum)
    if loop is NULL:
        return NotImplemented
    width, count = array.node.itemsize, array.node.size - 1
    made = new_leaf(1, array.node.shape, array.node.typenum)
    lz_fp_clear()
    if loop.scan is not NULL:
        loop.scan.lines(made.data, 0, width, first_of(array), 0, array.node.strides[0], 1, count + 1, True)
    else:
        memcpy(made.data, first_of(array), width)
        steps[0], steps[1], steps[2] = width, array.node.strides[0], width
        args[0], args[1], args[2] = made.data, first_of(array) + steps[1], made.data + width
        if count:
            loop.fn(args, &count, steps, loop.data)
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


def outer_at_once(UfuncCaller self, a, b):
    """Return self.outer(a, b)."""
    if self.waits or self.record is NULL or self.record.nin != 2:
        return NotImplemented
    return outer_product(self.record, a, b)
