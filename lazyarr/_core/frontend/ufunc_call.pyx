"""Ufunc calls on native operands: `binary` implements `a + b`.

Steps: operand codes, loop resolution (inner_loops.pyx), casts, node, handle. Python scalars stay weak until the loop is
known. Everything else (keywords, core dimensions, dtypes without native loops) goes to the "ufunc" hook.
"""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.frontend.boolean_select cimport call_selected, update_selected
from lazyarr._core.frontend.const_fold cimport as_number, constant_cast, constant_result
from lazyarr._core.frontend.eager cimport SMALL_ELEMENTS, first_of, has_values, is_enabled, scalar_at
from lazyarr._core.frontend.eager_out cimport fits_into, into_at_once
from lazyarr._core.frontend.eager_ufunc cimport call_at_once
from lazyarr._core.frontend.foreign_operands cimport is_answering
from lazyarr._core.frontend.handle cimport check_writeable, dummy, layout_of, new_handle, write
from lazyarr._core.frontend.hooks cimport call_hook, note_fallback
from lazyarr._core.frontend.numpy_call cimport call_on_values, ufunc_on_values
from lazyarr._core.frontend.operands cimport can_cast, is_array, operand_node
from lazyarr._core.ir.builder cimport cast_node, map_node, opaque_node, result_node
from lazyarr._core.ir.fp_errors cimport buffer_size
from lazyarr._core.ir.inner_loops cimport Resolution, find_ufunc, passing, resolve
from lazyarr._core.ir.leaf cimport operand_code, weak_node
from lazyarr._core.ir.loop_table cimport MAX_ARGS, WEAK_INT
from lazyarr._core.ir.node cimport CAST_OPERAND, MAP, OF_SCALARS, SCALAR, same_shape
from lazyarr._core.ir.preferred_device cimport prefer_device
from lazyarr._core.ir.ufunc_traits cimport RAISES, WARNS_OF_THIRD, operator_of

import numpy as np

from lazyarr._core.ir.loop_table import dtype_of

cdef object _ndarray = np.ndarray
cdef object _generic = np.generic
cdef object _memmap = np.memmap
_OUT = ("out",)

# ---- operands ------------------------------------------------------------------------------------------


cdef inline Node coded_operand(object operand, int* code):
    """Return an operand's node (None for a weak scalar) and set its code, negative if it has no native type."""
    code[0] = -1 if type(operand) is LazyArray else operand_code(operand)
    if code[0] >= 0:
        return None
    node = operand_node(operand)
    if node is not None:
        code[0] = (<Node>node).typenum
    return node


cdef inline Node loop_operand(Ufunc* u, Resolution* found, int i, object operand, Node node, bint* buffered):
    """Return operand i cast to the loop's type; raise OverflowError for a Python integer that does not fit.

    `buffered`, initially false: whether NumPy casts an earlier operand in its buffers.
    """
    if node is None:
        return weak_node(operand, found.loop.types[i])
    return operand_cast(u, node, found.loop.types[i], buffered) if found.casts >> i & 1 else node


cdef inline bint is_selection(object obj) noexcept:
    return type(obj) is LazyArray and (<LazyArray>obj).mask is not None


cdef bint defers(object other):
    """Return whether Python lets the other operand handle a binary operator (NumPy's rule)."""
    cdef type t = type(other)
    if t is LazyArray or t is float or t is int or t is _ndarray:
        return False
    if t is bool or t is complex or t is list or t is tuple:
        return False
    if isinstance(other, _ndarray):
        return t is not _memmap  # matrices and masked arrays have operators of their own
    if isinstance(other, (_generic, LazyArray)):
        return False
    if hasattr(t, "__array_ufunc__"):
        return t.__array_ufunc__ is None
    priority = getattr(t, "__array_priority__", None)
    return priority is not None and priority > 0


# ---- calls ---------------------------------------------------------------------------------------------


cdef object slow_call(Ufunc* u, tuple args):
    for operand in args:
        if type(operand) is not LazyArray and is_answering(operand):
            return call_hook("ufunc_of_others", (<object>u.ufunc, "__call__", args, {}))
    return call_hook("ufunc", (<object>u.ufunc, args, {}))


cdef object call(Ufunc* u, tuple args):
    """Call a ufunc without keywords or outputs."""
    cdef int n = <int>len(args)
    if n != u.nin or n > MAX_ARGS or not u.elementwise:
        return slow_call(u, args)
    if n == 2:
        return binary(u, args[0], args[1], False)
    if n == 1:
        return unary(u, args[0], False)
    return many(u, args)


cdef object unary(Ufunc* u, object a, bint operator):
    made = call_at_once(u, a, None)
    if made is None and type(a) is LazyArray:
        made = at_once_by_numpy(u, a, None, operator)
    return unary_node(u, a, operator) if made is None else made


cdef object unary_node(Ufunc* u, object a, bint operator):
    cdef int codes[1]
    cdef Resolution* found
    cdef Node x = None
    cdef PyObject* inputs[1]
    cdef bint buffered = False
    if is_selection(a):
        made = call_selected(u, (a,))
        if made is not None:
            return made
    if type(a) is LazyArray or isinstance(a, (LazyArray, _ndarray)):
        x = operand_node(a)
    if x is None:
        return slow_call(u, (a,))
    codes[0] = x.typenum
    found = resolve(u, codes)
    if found.loop is NULL:
        return slow_call(u, (a,))
    if found.casts:
        x = operand_cast(u, x, found.loop.types[0], &buffered)
    inputs[0] = <PyObject*>x
    return apply_loop(found.loop, 1, inputs, operator and x.ndim == 0 and not is_array(a))


cdef Node operand_cast(Ufunc* u, Node x, int code, bint* buffered):
    """Return an operand cast to the loop's type.

    NumPy casts numbers, and rows that fit its buffer, before the loop. Once it must cast another operand, it casts in
    buffers, except for numbers, and reports errors under the ufunc's name.
    """
    cdef Node node = constant_cast(x, code) if x.kind == SCALAR else None
    if node is not None:
        return node
    node = cast_node(x, code, None)
    node.attr = CAST_OPERAND
    if x.ndim:
        buffered[0] = buffered[0] or x.ndim > 1 or x.size > buffer_size()
        if buffered[0]:
            node.payload = (<object>u.ufunc).__name__
    return node


cdef object apply_loop(Loop* loop, int nin, PyObject** inputs, bint of_scalars):
    """Return handles on a loop's results (for scalars, those of NumPy's scalar loop); None if shapes do not fit."""
    cdef Node node
    if of_scalars and loop.of_scalars is not NULL:
        loop = loop.of_scalars
    if (<Node>inputs[0]).kind == SCALAR:
        node = constant_result(loop, nin, inputs)
        if node is not None:
            return new_handle(node, True)
    node = map_node(loop, nin, inputs, None)
    if node is None:
        return None
    prefer_device(node)
    if of_scalars and node.typenum != cnp.NPY_BOOL:
        node.attr = OF_SCALARS
    return results(loop, node)


cdef object results(Loop* loop, Node node):
    """Return handles on the results of an elementwise node."""
    cdef int i
    if loop.nout == 1:
        return new_handle(node, node.ndim == 0)
    return tuple([new_handle(result_node(node, i, dtype_of(loop.types[loop.nin + i]), loop.types[loop.nin + i]),
                             node.ndim == 0) for i in range(loop.nout)])


cdef object binary(Ufunc* u, object a, object b, bint operator):
    """Compute `a + b` eagerly or as a node."""
    made = call_at_once(u, a, b)
    if made is None:
        made = at_once_by_numpy(u, a, b, operator)
    return binary_node(u, a, b, operator) if made is None else made


cdef object at_once_by_numpy(Ufunc* u, object a, object b, bint operator):
    """Call NumPy on evaluated operands of an operation without a native form; return None for others.

    Scalars use NumPy's scalar operators.
    """
    cdef PyObject* given[2]
    cdef LazyArray x
    cdef bint scalars = True
    if not is_enabled():
        return None
    for operand in (a, b):
        if type(operand) is LazyArray:
            x = <LazyArray>operand
            if not has_values(x) or x.node.size > SMALL_ELEMENTS:
                return None
            if x.node.typenum < 0:
                given[0], given[1] = <PyObject*>a, <PyObject*>b
                made = call_on_values(<object>u.ufunc, given, u.nin, None, 0, False)
                return None if made is NotImplemented else made
            scalars = scalars and x.scalar
        elif type(operand) is _ndarray or type(operand) is list or type(operand) is tuple:
            scalars = False
        elif operand is not None and operand_code(operand) < 0 and type(operand) is not bool \
                and not isinstance(operand, _generic):
            return None
    if not scalars:
        given[0], given[1] = <PyObject*>a, <PyObject*>b
        made = ufunc_on_values(<object>u.ufunc, given, u.nin, None, False)
        return None if made is NotImplemented else made
    function = operator_of(<object>u.ufunc) if operator else <object>u.ufunc
    if function is None:
        return None
    a = number_at_once(a)
    return function(a) if u.nin == 1 else function(a, number_at_once(b))


cdef object number_at_once(object operand):
    """Return an evaluated lazy scalar as a NumPy scalar; any other operand unchanged."""
    if type(operand) is LazyArray:
        return scalar_at((<LazyArray>operand).node.typenum, first_of(<LazyArray>operand))
    return operand


cdef object binary_node(Ufunc* u, object a, object b, bint operator):
    """Build `a + b` as a node: codes, resolution, casts, node, handle."""
    cdef int codes[2]
    cdef Node x = None, y = None
    cdef Resolution* found
    cdef PyObject* inputs[2]
    cdef Loop* loop
    cdef bint of_scalars, buffered = False
    if type(a) is not LazyArray and type(b) is not LazyArray and not isinstance(a, _ndarray) \
            and not isinstance(b, _ndarray):
        return slow_call(u, (a, b))
    if is_selection(a) or is_selection(b):
        made = call_selected(u, (a, b))
        if made is not None:
            return made
    x = coded_operand(a, &codes[0])
    y = coded_operand(b, &codes[1])
    if codes[0] < 0 or codes[1] < 0:
        return slow_call(u, (a, b))
    found = resolve(u, codes)
    if found.loop is NULL:
        return slow_call(u, (a, b))
    if u.traits & RAISES and codes[1] == WEAK_INT and x is not None and found.loop.types[0] < cnp.NPY_FLOAT and b < 0 \
            and x.size and found.loop.types[0] & 1:  # signed: unsigned types have even type numbers
        raise ValueError("Integers to negative integer powers are not allowed.")
    try:
        x = loop_operand(u, found, 0, a, x, &buffered)
        y = loop_operand(u, found, 1, b, y, &buffered)
    except OverflowError:
        # NumPy compares Python integers of any size, and raises for other operations
        return slow_call(u, (a, b))
    if x.ndim == 0 and x.kind == MAP and y.ndim:
        x = as_number(x)
    elif y.ndim == 0 and y.kind == MAP and x.ndim:
        y = as_number(y)
    inputs[0] = <PyObject*>x
    inputs[1] = <PyObject*>y
    loop = found.loop
    # NumPy's bool has no scalar arithmetic: as the left operand it becomes an array
    of_scalars = operator and x.ndim == 0 and y.ndim == 0 and not is_array(a) and not is_array(b) \
        and (codes[0] != cnp.NPY_BOOL or type(a) is bool)
    if of_scalars and loop.types[0] >= cnp.NPY_CFLOAT and loop.types[2] == cnp.NPY_BOOL \
            and (codes[0] == loop.types[0] or codes[1] == loop.types[1]):
        return compared_scalars(<object>u.ufunc, x, y)
    made = apply_loop(loop, 2, inputs, of_scalars)
    if made is None:
        (<object>u.ufunc)(dummy(a), dummy(b))
        raise ValueError("operands could not be broadcast together")
    return made


cdef LazyArray compared_scalars(object ufunc, Node x, Node y):
    """Compare complex scalars, which NumPy orders differently from arrays where one has a NaN.

    If neither has the common dtype, NumPy converts both to arrays.
    """
    function, name = operator_of(ufunc), ufunc.__name__
    note_fallback(name)
    return new_handle(opaque_node(name, lambda a, b: function(a[()], b[()]), [x, y], (), np.dtype(bool), None), True)


cdef object many(Ufunc* u, tuple args):
    """Build the node of a ufunc with three or more operands."""
    cdef int codes[MAX_ARGS]
    cdef PyObject* inputs[MAX_ARGS]
    cdef list nodes = []
    cdef Node node
    cdef Resolution* found
    cdef bint buffered = False
    cdef int i
    if not any([isinstance(a, (LazyArray, _ndarray)) for a in args]):
        return slow_call(u, args)
    if any([is_selection(a) for a in args]):
        made = call_selected(u, args)
        if made is not None:
            return made
    for i in range(u.nin):
        nodes.append(coded_operand(args[i], &codes[i]))
        if codes[i] < 0:
            return slow_call(u, args)
    found = resolve(u, codes)
    if found.loop is NULL:
        return slow_call(u, args)
    for i in range(u.nin):
        nodes[i] = loop_operand(u, found, i, args[i], nodes[i], &buffered)
        inputs[i] = <PyObject*>nodes[i]
    node = map_node(found.loop, u.nin, inputs, None)
    if node is None:
        (<object>u.ufunc)(*[dummy(a) for a in args])
        raise ValueError("operands could not be broadcast together")
    prefer_device(node)
    return results(found.loop, node)


cdef object inplace(Ufunc* u, LazyArray self, object other):
    """Evaluate `self op= other`."""
    if self.scalar:
        return binary(u, self, other, True)
    if self.mask is not None and self.writeable and update_selected(u, self, (self, other)):
        return self
    return into(u, self, self, other)


cdef object into(Ufunc* u, LazyArray out, object a, object b):
    """Call ufunc(a, b, out=out); `b` is unused for a unary ufunc."""
    cdef PyObject* given[3]
    made = into_at_once(u, out, a, b)
    if made is None and u.elementwise and is_enabled() and not out.scalar:
        given[0], given[1] = <PyObject*>a, <PyObject*>b
        given[u.nin] = <PyObject*>out
        made = ufunc_on_values(<object>u.ufunc, given, u.nin, _OUT, True)
    return into_node(u, out, a, b) if made is None or made is NotImplemented else made


cdef object into_node(Ufunc* u, LazyArray out, object a, object b):
    cdef int codes[2]
    cdef Node x = None, y = None, node, like
    cdef Resolution* found
    cdef PyObject* inputs[2]
    cdef int result
    cdef bint buffered = False
    layout_of(out)
    if out.scalar:
        return into_by_hook(u, out, a, b)
    check_writeable(out, "output array is read-only")
    if out.node.typenum < 0 or u.nout != 1 or not u.elementwise or not is_plain(a) \
            or u.nin == 2 and not is_plain(b):
        return into_by_hook(u, out, a, b)
    x = coded_operand(a, &codes[0])
    if u.nin == 2:
        y = coded_operand(b, &codes[1])
    if codes[0] < 0 or u.nin == 2 and codes[1] < 0 or x is None and y is None:
        return into_by_hook(u, out, a, b)
    found = resolve(u, codes)
    if found.loop is NULL:
        return into_by_hook(u, out, a, b)
    result = found.loop.types[u.nin]
    like = out.node if out.root is None and result == out.node.typenum else None
    try:
        x = loop_operand(u, found, 0, a, x, &buffered)
        if u.nin == 2:
            y = loop_operand(u, found, 1, b, y, &buffered)
    except OverflowError:
        # NumPy compares Python integers of any size, and raises for other operations
        return into_by_hook(u, out, a, b)
    if not can_cast(result, out.node.typenum) or not fits_into(x, out.node) \
            or u.nin == 2 and not fits_into(y, out.node):
        return into_by_hook(u, out, a, b)
    inputs[0] = <PyObject*>x
    inputs[1] = <PyObject*>y
    node = map_node(found.loop, u.nin, inputs, like)
    if node is None or not same_shape(node, out.node):  # the loop would run over the shape of `out`
        return into_by_hook(u, out, a, b)
    if result != out.node.typenum:
        node = cast_node(node, out.node.typenum, out.node if out.root is None else None)
        node.payload = (<object>u.ufunc).__name__
    x = None
    write(out, node, True)
    return out


cdef bint is_plain(object operand):
    """Return whether an operand's type has no ufunc semantics of its own."""
    cdef type t = type(operand)
    return t is LazyArray or t is _ndarray or operand_code(operand) >= 0 or t is bool or isinstance(operand, _generic)


cdef object into_by_hook(Ufunc* u, LazyArray out, object a, object b):
    return call_hook("ufunc", (<object>u.ufunc, (a,) if u.nin == 1 else (a, b), {"out": (out,)}))


cdef LazyArray sole_output(dict kwargs):
    """Return `out` if it is the only keyword and a LazyArray, else None."""
    if len(kwargs) != 1:
        return None
    out = kwargs.get("out")
    if type(out) is tuple and len(<tuple>out) == 1:
        out = (<tuple>out)[0]
    return <LazyArray>out if type(out) is LazyArray else None


cpdef object call_ufunc(ufunc, tuple args, dict kwargs):
    """Call any ufunc lazily; a temporary one (`passing`) at once, so that no graph refers to it."""
    if passing(ufunc):
        return call_hook("ufunc_of_values", (ufunc, "__call__", args, kwargs))
    return call_with(find_ufunc(ufunc), args, kwargs)


cdef bint warns_of_third(Ufunc* u) noexcept:
    """Return whether NumPy warns of an array as the third positional argument."""
    return u.traits & WARNS_OF_THIRD != 0


cdef object call_with(Ufunc* u, tuple args, dict kwargs):
    """Call a ufunc with NumPy's keywords."""
    cdef LazyArray out
    if not kwargs and len(args) == u.nin:
        return call(u, args)
    if not kwargs and u.nout == 1 and len(args) == u.nin + 1 <= 3 and type(args[u.nin]) is LazyArray \
            and not warns_of_third(u):
        return into(u, <LazyArray>args[u.nin], args[0], args[u.nin - 1])
    if kwargs and len(args) == u.nin and u.nin <= 2:
        out = sole_output(kwargs)
        if out is not None:
            return into(u, out, args[0], args[u.nin - 1])
    return call_hook("ufunc", (<object>u.ufunc, args, kwargs))
