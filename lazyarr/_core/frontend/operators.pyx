"""Array operators: their special cases before the ufunc is called."""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.frontend.boolean_select cimport update_selected
from lazyarr._core.frontend.const_fold cimport inner_product
from lazyarr._core.frontend.eager cimport does_wait, has_values, mark_waiting, is_enabled, take_over
from lazyarr._core.frontend.eager_product cimport product_at_once
from lazyarr._core.frontend.foreign_operands cimport decided
from lazyarr._core.frontend.handle cimport new_handle, node_of, value_of
from lazyarr._core.frontend.hooks cimport call_hook, note_fallback
from lazyarr._core.frontend.matrix_product cimport product_of_matrices
from lazyarr._core.frontend.numpy_call cimport ROOM, call_on_values
from lazyarr._core.frontend.scalars cimport are_scalars
from lazyarr._core.frontend.ufunc_call cimport inplace, into, slow_call, unary
from lazyarr._core.ir.builder cimport opaque_node
from lazyarr._core.ir.inner_loops cimport find_ufunc
from lazyarr._core.ir.leaf cimport code_of
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.ir.ufunc_traits cimport operator_of

import operator

import numpy as np

cdef object _ndarray = np.ndarray
cdef object _generic = np.generic
REPEATED = (list, tuple, str, bytes)  # NumPy scalars repeat these as integers do

UFUNCS[LESS] = find_ufunc(np.less)
UFUNCS[LESS_EQUAL] = find_ufunc(np.less_equal)
UFUNCS[EQUAL] = find_ufunc(np.equal)
UFUNCS[NOT_EQUAL] = find_ufunc(np.not_equal)
UFUNCS[GREATER] = find_ufunc(np.greater)
UFUNCS[GREATER_EQUAL] = find_ufunc(np.greater_equal)
UFUNCS[ADD] = find_ufunc(np.add)
UFUNCS[SUBTRACT] = find_ufunc(np.subtract)
UFUNCS[MULTIPLY] = find_ufunc(np.multiply)
UFUNCS[DIVIDE] = find_ufunc(np.divide)
UFUNCS[FLOOR_DIVIDE] = find_ufunc(np.floor_divide)
UFUNCS[REMAINDER] = find_ufunc(np.remainder)
UFUNCS[DIVMOD] = find_ufunc(np.divmod)
UFUNCS[POWER] = find_ufunc(np.power)
UFUNCS[MATMUL] = find_ufunc(np.matmul)
UFUNCS[AND] = find_ufunc(np.bitwise_and)
UFUNCS[OR] = find_ufunc(np.bitwise_or)
UFUNCS[XOR] = find_ufunc(np.bitwise_xor)
UFUNCS[LSHIFT] = find_ufunc(np.left_shift)
UFUNCS[RSHIFT] = find_ufunc(np.right_shift)
UFUNCS[NEGATIVE] = find_ufunc(np.negative)
UFUNCS[POSITIVE] = find_ufunc(np.positive)
UFUNCS[ABSOLUTE] = find_ufunc(np.absolute)
UFUNCS[INVERT] = find_ufunc(np.invert)
UFUNCS[SQUARE] = find_ufunc(np.square)
UFUNCS[SQRT] = find_ufunc(np.sqrt)
UFUNCS[RECIPROCAL] = find_ufunc(np.reciprocal)

cdef tuple _COMPARISONS = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")
cdef tuple _REFLECTED = ("__gt__", "__ge__", "__eq__", "__ne__", "__lt__", "__le__")


cdef object number_of(LazyArray self):
    """Return the value as NumPy's scalar or ndarray."""
    value = value_of(self)
    return value[()] if self.scalar else value


cdef Ufunc* power_shortcut(LazyArray x, object exponent) except? NULL:
    """Return the ufunc that NumPy's `**` uses in place of power for small Python exponents, or NULL."""
    cdef int code = x.node.typenum
    cdef bint inexact = code >= cnp.NPY_FLOAT
    if code < 0 or x.scalar:
        return NULL
    if type(exponent) is int:
        if exponent == 2:
            return UFUNCS[SQUARE]
        if exponent == -1 and inexact:
            return UFUNCS[RECIPROCAL]
    elif type(exponent) is float and inexact and exponent == 0.5:
        return UFUNCS[SQRT]
    return NULL


cdef object power(LazyArray self, object other):
    cdef Ufunc* shortcut = power_shortcut(self, other)
    return operate(POWER, self, other) if shortcut is NULL else unary(shortcut, self, False)


cdef object power_in_place(LazyArray self, object other):
    cdef Ufunc* shortcut = power_shortcut(self, other)
    if shortcut is not NULL:
        if self.mask is not None and update_selected(shortcut, self, (self,)):
            return self
        return into(shortcut, self, self, None)
    return inplace(UFUNCS[POWER], self, other)


cdef object matmul_by_numpy(object a, object b):
    """Compute a @ b at once with NumPy; return None if it joins the graph."""
    cdef PyObject* given[2]
    given[0], given[1] = <PyObject*>a, <PyObject*>b
    made = call_on_values(<object>UFUNCS[MATMUL].ufunc, given, 2, None, ROOM, False)
    return None if made is NotImplemented else made


cdef object matmul(LazyArray self, object other):
    if defers(other):
        return deferred(UFUNCS[MATMUL], self, other)
    if are_scalars(self, other):
        return NotImplemented
    made = product_at_once(self, other)
    if made is None and is_enabled():
        made = matmul_by_numpy(self, other)
    if made is None:
        made = inner_product(<object>UFUNCS[MATMUL].ufunc, self, other)
    if made is None:
        made = product_of_matrices(self, other)
    return slow_call(UFUNCS[MATMUL], (self, other)) if made is None else made


cdef object matmul_reflected(LazyArray self, object other):
    if defers(other):
        return deferred(UFUNCS[MATMUL], other, self)
    if are_scalars(self, other):
        return NotImplemented
    made = matmul_by_numpy(other, self) if is_enabled() else None
    return slow_call(UFUNCS[MATMUL], (other, self)) if made is None else made


cdef object matmul_in_place(LazyArray self, object other):
    if not defers(other) and (self.node.ndim == 0 or np.ndim(other) < 2):
        raise ValueError("inplace matrix multiplication requires the first operand to have at least one and the "
                         "second at least two dimensions.")
    return call_hook("ufunc", (<object>UFUNCS[MATMUL].ufunc, (self, other), {"out": (self,)}))


cdef object compare(LazyArray self, object other, int op):
    if defers(other):
        return decided(getattr(operator, _COMPARISONS[op]), _REFLECTED[op], self, other)
    if self.node.typenum < 0 or not comparable(other):
        # strings, None, objects: NumPy decides by the values
        if (other is None or isinstance(other, (str, bytes))) and op in (EQUAL, NOT_EQUAL) and not self.scalar \
                and not (is_enabled() and has_values(self)):
            return compared_lazily(self, <object>UFUNCS[op].ufunc, other)
        other = np.asarray(other) if isinstance(other, LazyArray) else other
        result = getattr(number_of(self), _COMPARISONS[op])(other)
        if not isinstance(result, _ndarray):
            return result
        found = take_over(result)
        if does_wait(self):
            mark_waiting(found)
        return found
    return binary(UFUNCS[op], self, other, True)


cdef bint comparable(object other):
    cdef type t = type(other)
    if t is LazyArray:
        return (<LazyArray>other).node.typenum >= 0
    if t is float or t is int or t is bool or t is complex or isinstance(other, _generic):
        return t is not np.str_ and t is not np.bytes_ and t is not np.datetime64 and t is not np.timedelta64
    if isinstance(other, _ndarray):
        return code_of(other.dtype) >= 0
    if other is None or isinstance(other, (str, bytes)):
        return False
    if hasattr(t, "__array_ufunc__"):
        return True  # its __array_ufunc__ decides
    return code_of(np.asarray(other).dtype) >= 0


cdef object compared_lazily(LazyArray self, object ufunc, object other):
    """Compare with None or text (`self == "text"`) as a pending call of NumPy."""
    function, name = operator_of(ufunc), ufunc.__name__
    note_fallback(name)
    return new_handle(opaque_node(name, lambda a: function(a, other), [node_of(self)], shape_tuple(self.node),
                                  np.dtype(bool), None), False)
