"""Ufunc calls with everything NumPy allows: `out=`, `where=`, `dtype=`, other dtypes, core dimensions.

The core runs calls on plain native operands and passes all others to `call_ufunc`. The stages are NumPy's: resolve the
dtypes (`ufunc.resolve_dtypes`, which raises NumPy's errors), cast, broadcast, run the loop, cast into `out`. A call
without a native loop becomes an opaque node. Errors about shapes are raised by calling the real ufunc on dummies.
"""

import functools
import warnings
from types import MappingProxyType

import numpy as np

from lazyarr._core import api as core
from lazyarr.compat import WHERE_WARNING
from lazyarr.ops.forms import infer_form, iterated_axes, lower
from lazyarr.ops.layout import broadcast_to, is_contiguous
from lazyarr.ops.numpy_fallback import call_changing
from lazyarr.ops.operands import (
    LazyArray,
    as_arrays,
    dtype_from,
    dummy,
    gathered,
    joint_shape,
    map_lazy,
    native,
    template,
)
from lazyarr.ops.reduction import as_mask, hides
from lazyarr.ops.rehearsal import rehearse
from lazyarr.ops.ufunc_rows import UFUNCS

_WEAK = frozenset({int, float, complex})
_SCALARS = (int, float, complex, bool, np.generic)
_COMPARISONS = frozenset([op.function for op in UFUNCS.values() if op.opposite is not None])
_BOOL = np.dtype(bool)
_REMEMBERED = 2000  # cached shapes
_NO_OPTIONS = MappingProxyType({})
_ALL_LAZY = frozenset({LazyArray})
_ARRAYS = frozenset({LazyArray, np.ndarray, np.memmap})
_ORDERS = (None, *"CFAKcfak")
_KEYWORDS = frozenset("out where dtype signature sig casting order subok axes axis keepdims".split())


def call_ufunc(ufunc, args, kwargs):
    """Evaluate `ufunc(*args, **kwargs)` lazily as NumPy does; only Python and NumPy scalars give scalars."""
    if not kwargs and ufunc.signature is not None and len(args) == ufunc.nin and _ALL_LAZY.issuperset(map(type, args)):
        return generalized(ufunc, args)  # as operators call matmul: nothing to check beforehand
    if kwargs.get("out") is ...:
        return as_arrays(call_ufunc(ufunc, args, {**kwargs, "out": (None,) * ufunc.nout}))
    inputs, outs = args[: ufunc.nin], _outputs(ufunc, args, kwargs)
    where = kwargs.get("where", True)
    options = {name: v for name, v in kwargs.items() if name not in ("out", "where")}
    if any(_foreign(x) for x in (*args, *outs)):
        return ufunc(*args, **kwargs)
    if not _well_formed(ufunc, args, kwargs) or any(out is not None and not _is_array(out) for out in outs):
        rehearse(ufunc, args, kwargs)
        raise TypeError(f"{ufunc.__name__} got arguments that do not fit together")
    if where is not True and len(args) == ufunc.nin and "out" not in kwargs and WHERE_WARNING is not None:
        warnings.warn(WHERE_WARNING, UserWarning, stacklevel=2)
        kwargs = {**kwargs, "out": (None,) * ufunc.nout}
    if not any(out is not None for out in outs) and all(issubclass(type(x), _SCALARS) for x in (*inputs, where)):
        return ufunc(*args, **kwargs)
    locked = any(isinstance(out, LazyArray) and not out._writeable for out in outs)
    if locked or not _usual(inputs, options, where):
        rehearse(ufunc, args, kwargs)
    for out in outs:
        if isinstance(out, LazyArray):
            core.require_writeable(out, "output array is read-only")
    where = as_mask(where)
    if ufunc.nout == 1 and isinstance(outs[0], LazyArray) and outs[0].dtype.kind in "SU":
        # how long strings become is the output's to say
        return call_changing(ufunc, inputs, {**kwargs, "out": outs[0]}, ("out",))
    if where is not True and ufunc.nout == 1 and isinstance(outs[0], LazyArray) and \
            (not native(outs[0].dtype) or hides(outs[0], *inputs, where)):
        # masked-out values are converted to strings or objects and back, which may fail, or hides what it does not
        return call_changing(ufunc, inputs, {**kwargs, "out": outs[0]}, ("out",))
    try:
        operands = [x if type(x) in _WEAK else gathered(x) if isinstance(x, list | tuple) else core.asarray_operand(x)
                    for x in inputs]
    except (TypeError, ValueError):
        rehearse(ufunc, args, kwargs)  # NumPy may find something else wrong first
        raise
    if ufunc.signature is not None:
        if options or any(out is not None for out in outs) or any(not isinstance(x, LazyArray) for x in operands):
            rehearse(ufunc, args, kwargs)
        return _deliver(ufunc, generalized(ufunc, operands, options), outs)
    try:
        dtypes = _resolve(ufunc, operands, outs, options)
    except TypeError:
        # other errors may come first in a call, such as a Python integer that is too large
        ufunc(*map_lazy(operands, dummy), **options, out=_dummy_outputs(outs))
        raise
    try:
        shape = _shape(operands, where, outs)
        cast = _cast(ufunc, operands, dtypes, kwargs.get("where", True) is not True)
    except (ValueError, OverflowError) as error:
        if isinstance(error, OverflowError) and ufunc in _COMPARISONS and any(x.dtype != _BOOL for x in operands
                                                                              if isinstance(x, LazyArray)):
            # NumPy compares integers of any size; its loops for that are no loops over native types
            return _deliver(ufunc, _opaque(ufunc, operands, _shape(operands, where, outs), dtypes, options), outs)
        ufunc(*map_lazy(operands, dummy), **{**options, "where": map_lazy(where, dummy)}, out=_dummy_outputs(outs))
        raise
    result = _native(ufunc, cast, dtypes, where, outs, shape)
    if (result is None and any(dtype.hasobject for dtype in dtypes)) or _parses(operands, dtypes):
        # objects may raise anything, strings that stand for no number do, and NumPy raises it here
        return _deliver(ufunc, call_changing(ufunc, operands, {**options, "where": where}, ()), outs)
    if result is None:
        result = _opaque(ufunc, operands, shape, dtypes, options, where, outs)
    if where is not True and outs[0] is not None and ufunc.nout == 1 and outs[0].dtype != dtypes[-1]:
        # masked-out values must not be converted to the loop's dtype and back
        kept = core.asarray_operand(outs[0])
        result = core.select(core.asarray_operand(where), _as_dtype(result, kept.dtype, ufunc.__name__), kept)
    if options.get("order") is not None and all(out is None for out in outs):
        result = _in_order(result, options["order"], operands)
    return _deliver(ufunc, result, outs)


def _parses(operands, dtypes):
    """Return whether strings are parsed as numbers or dates."""
    return any(isinstance(x, LazyArray) and x.dtype.kind in "SU" and dtype.kind not in "SU"
               for x, dtype in zip(operands, dtypes, strict=False))


def _in_order(result, order, operands):
    """Return results in the layout of the keyword `order`."""
    if isinstance(result, tuple):
        return tuple([_in_order(x, order, operands) for x in result])
    order = order.upper()
    if order == "A":
        order = "F" if all(is_contiguous(x, "F") for x in operands if isinstance(x, LazyArray)) else "C"
    if order == "K" or is_contiguous(result, order):
        return result
    return core.copy(result, order=order)


def _outputs(ufunc, args, kwargs):
    """Return the outputs as a tuple of nout arrays or Nones, positional or by keyword."""
    outs = args[ufunc.nin :]
    if not outs:
        out = kwargs.get("out")
        outs = out if isinstance(out, tuple) else (out,) if out is not None else ()
    return (*outs, *[None] * (ufunc.nout - len(outs)))


def _usual(inputs, options, where):
    """Return whether the keywords are of the usual kinds, and all Python integers fit in int64."""
    signed = "signature" in options or "sig" in options
    signature = options.get("signature", options.get("sig"))
    return (
        (where is True or not hasattr(where, "dtype") or where.dtype == _BOOL)
        and (not options or (
            isinstance(options.get("order"), str | None)
            and options.get("order") in _ORDERS
            and not isinstance(options.get("dtype"), LazyArray)
            and type(options.get("subok", True)) is bool
            and type(options.get("casting", "")) is str
            and (not signed or ("dtype" not in options and (
                isinstance(signature, tuple) or (isinstance(signature, str) and "->" in signature))))))
        and not any(type(x) is int and x.bit_length() > 63 for x in inputs)
    )


def _foreign(x):
    """Return whether an operand has its own dispatch or determines the class of results."""
    kind = type(x)
    return kind not in _ARRAYS and hasattr(kind, "__array_ufunc__") and not isinstance(x, LazyArray | np.generic)


def _is_array(x):
    return not x._scalar if isinstance(x, LazyArray) else isinstance(x, np.ndarray)


def _well_formed(ufunc, args, kwargs):
    """Return whether the arguments fit a ufunc; otherwise NumPy raises."""
    out = kwargs.get("out")
    return (
        ufunc.nin <= len(args) <= ufunc.nargs
        and _KEYWORDS.issuperset(kwargs)
        and (out is None or (len(out) if isinstance(out, tuple) else 1) == ufunc.nout)
        and (out is None or len(args) == ufunc.nin)
    )


def _dummy_outputs(outs):
    return tuple(out if out is None else np.empty(out.shape, out.dtype) for out in outs)


def _is_class(obj):
    """Return whether an object is a dtype class."""
    return isinstance(obj, type) and issubclass(obj, np.dtype)


def _resolve(ufunc, operands, outs, options):
    """Return the loop's dtypes; raise NumPy's error for dtypes that do not fit."""
    signature = options.get("signature", options.get("sig"))
    if options.get("dtype") is not None:
        signature = (*[None] * ufunc.nin, *[dtype_from(options["dtype"])] * ufunc.nout)
    elif isinstance(signature, str) and "->" not in signature:
        signature = (*[None] * ufunc.nin, *[np.dtype(signature)] * ufunc.nout)
    elif isinstance(signature, tuple):
        signature = tuple([dtype_from(one) if _is_class(one) else one for one in signature])
    dtypes = [type(x) if type(x) in _WEAK else x.dtype for x in operands]
    dtypes += [None if out is None else out.dtype for out in outs]
    keywords = {} if signature is None else {"signature": signature}
    if options.get("casting") is not None:
        keywords["casting"] = options["casting"]
    resolved = ufunc.resolve_dtypes(tuple(dtypes), **keywords)
    if resolved[0].hasobject and not any(isinstance(x, LazyArray) for x in operands):
        # Python integers compare as objects here, but as integers in a call
        strong = [np.asarray(x).dtype for x in operands]
        return ufunc.resolve_dtypes((*strong, *dtypes[ufunc.nin :]), **keywords)
    return resolved


def _shape(operands, where, outs):
    """Return the shape of the result; ValueError if operands, mask and outputs do not broadcast."""
    shapes = [x.shape for x in operands if isinstance(x, LazyArray)]
    if where is not True and where is not False:
        shapes.append(np.shape(where) if not isinstance(where, LazyArray) else where.shape)
    shape = core.broadcast_shape(*shapes)
    for out in outs:
        if out is not None:
            if core.broadcast_shape(shape, out.shape) != out.shape:
                raise ValueError("non-broadcastable output operand")
            shape = out.shape
    return shape


def _as_dtype(x, dtype, name):
    """Return an operand or result as `dtype`; errors of buffered casts are reported as the ufunc's."""
    if not isinstance(x, LazyArray):
        return core.asarray_operand(np.array(x, dtype))
    if x.dtype == dtype and dtype.isnative:
        return x
    if native(x.dtype):
        return core.copy(x, dtype, order=None, name=name)
    if 0 in x.strides:  # such an axis does not affect the layout of the result
        once = x[tuple([slice(0, 1) if step == 0 else slice(None) for step in x.strides])]
        return broadcast_to(core.copy(once, dtype, order="K", name=name), x.shape)
    return core.copy(x, dtype, order="K", name=name)


def _cast(ufunc, operands, dtypes, masked):
    """Return the operands as the loop's dtypes; the core (`operand_cast`) names errors of the casts."""
    buffered, cast = masked, []
    for x, dtype in zip(operands, dtypes, strict=False):
        has_axes = isinstance(x, LazyArray) and x.ndim > 0 and x.dtype != dtype
        if has_axes:
            buffered = buffered or x.ndim > 1 or x.size > np.getbufsize()
        cast.append(_as_dtype(x, dtype, ufunc.__name__ if has_axes and buffered else None))
    return cast


def _native(ufunc, inputs, dtypes, where, outs, shape):
    """Return nodes for the call, None if there is no native loop for its dtypes."""
    if where is True:
        # the loop runs over the output, which may be larger than the operands
        if inputs and core.broadcast_shape(*[x.shape for x in inputs]) != shape:
            inputs = [broadcast_to(inputs[0], shape), *inputs[1:]]
        return core.map_loop(ufunc, inputs, dtypes)
    if ufunc.nout != 1:
        return None
    mask = core.asarray_operand(where)
    if mask.dtype != np.dtype(bool):
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
    if outs[0] is not None and outs[0].dtype == dtypes[-1]:
        old = core.asarray_operand(outs[0])
    else:  # masked-out elements are undefined, or come from the output
        # with strides of 0, so as not to affect the layout
        old = core.view(core.full((), 0, dtypes[-1]), shape, [0] * len(shape))
    return core.map_loop(ufunc, inputs, dtypes, mask, old)


def _opaque(ufunc, operands, shape, dtypes, options, where=True, outs=()):
    """Return the call as one opaque node; Python scalars stay weak in it."""
    # The call must not refer to handles: an output's new value depends on the call, and cycles are not collected.
    lazies, fill = template(operands)
    count, masked = len(lazies), where is not True
    if masked:
        lazies.append(core.asarray_operand(where))
        lazies += [core.asarray_operand(out) for out in outs if out is not None]
    given = [out is not None for out in outs]

    def run(*arrays):
        filled, arrays = fill(arrays), list(arrays[count:])
        keywords = dict(options)
        if masked:
            keywords["where"] = arrays.pop(0)
            keywords["out"] = tuple(
                arrays.pop(0).astype(d) if is_given else np.broadcast_to(np.zeros((), d), shape).copy()
                for is_given, d in zip(given, dtypes[ufunc.nin :], strict=True)
            )
        result = ufunc(*filled, **keywords)
        results = result if isinstance(result, tuple) else (result,)
        results = tuple(
            np.broadcast_to(np.asarray(r, d), shape) for r, d in zip(results, dtypes[ufunc.nin :], strict=True)
        )
        return results if ufunc.nout > 1 else results[0]

    scalar = shape == () and all(out is None for out in outs)
    axes = iterated_axes(lazies)
    if ufunc.nout > 1:
        made = core.opaque_multi(ufunc.__name__, run, lazies, [(shape, d, axes) for d in dtypes[ufunc.nin :]])
        return tuple(core.scalar(x) for x in made) if scalar else made
    made = core.opaque(ufunc.__name__, run, lazies, shape, dtypes[-1], axes)
    return core.scalar(made) if scalar else made


def generalized(ufunc, operands, options=_NO_OPTIONS, name=None):
    """Call a ufunc with core dimensions, such as vecdot: one opaque node, except for most matrix products.

    Errors and warnings say `name` if it has another public name.
    """
    name = name or ufunc.__name__
    arrays = [x if type(x) is LazyArray else core.asarray_operand(x) for x in operands]
    if ufunc.nout != 1 or (options.get("axes") is not None and options.get("keepdims")) or \
            _has_dimensions_of_its_own(ufunc.signature):
        return call_changing(ufunc, arrays, options, (), name)
    if options:
        key = ufunc, *[(option, str(value)) for option, value in options.items()]
        return lower(key, functools.partial(ufunc, **options), arrays, name)
    dtype = _result_dtype(ufunc, *[x.dtype for x in arrays])
    shape = core_shape(ufunc.signature, *[x.shape for x in arrays])
    if shape is None:
        ufunc(*map(dummy, arrays))
        raise ValueError(f"{name}: operands do not fit its signature {ufunc.signature}")
    c_order = not any(core.axes_copied(x) for x in arrays)
    if ufunc is np.matmul and (c_order or len(shape) <= 2):
        made = core.product(*arrays, shape, dtype)
        if made is not None:
            return made
    axes = None if c_order else infer_form(ufunc, ufunc, arrays).axes
    made = core.opaque(name, ufunc, arrays, shape, dtype, axes)
    return core.scalar(made) if shape == () else made


@functools.lru_cache(_REMEMBERED)
def _result_dtype(ufunc, *dtypes):
    return ufunc.resolve_dtypes((*dtypes, None))[-1]


@functools.lru_cache(_REMEMBERED)
def core_shape(signature, *shapes):
    """Return the result shape of a generalized ufunc with one output, None if the operands do not fit.

    A dimension with ``?`` may be missing, in which case it is missing from the result too.

    Examples
    --------
    >>> core_shape("(n?,k),(k,m?)->(n?,m?)", (7, 2, 3), (3,))
    (7, 2)
    """
    inputs, result = core_dimensions(signature)
    extents, missing, loops = {}, set(), []
    for dims, shape in zip(inputs, shapes, strict=True):
        lacking = len(dims) - len(shape)
        if lacking > 0:
            optional = [name for name in dims if name.endswith("?")]
            if lacking > len(optional):
                return None
            missing.update(optional[:lacking])
            dims = [name for name in dims if name not in missing]
        split = len(shape) - len(dims)
        loops.append(shape[:split])
        for name, extent in zip(dims, shape[split:], strict=True):
            if extents.setdefault(name.rstrip("?"), extent) != extent:
                return None
    loop = joint_shape(*loops) if any(loops) else ()
    return None if loop is None else loop + tuple([extents[name.rstrip("?")] for name in result if name not in missing])


@functools.cache
def _has_dimensions_of_its_own(signature):
    """Return whether a core dimension is fixed, or one of the result's is in no operand."""
    inputs, result = core_dimensions(signature)
    known = {name for names in inputs for name in names}
    return not known.issuperset(result) or any(name.isdigit() for name in known)


@functools.cache
def core_dimensions(signature):
    """Return the names of each input's core dimensions, and of the result's."""
    left, right = signature.replace(" ", "").split("->")
    inputs = [[name for name in names.split(",") if name] for names in left[1:-1].split("),(")]
    return inputs, [name for name in right[1:-1].split(",") if name]


def _deliver(ufunc, result, outs):
    """Store results in the given outputs."""
    if all(out is None for out in outs):
        return result
    results = result if isinstance(result, tuple) else (result,)
    delivered = []
    for value, out in zip(results, outs, strict=True):
        if out is None:
            delivered.append(value)
            continue
        if isinstance(out, LazyArray):
            core.assign(out, _as_dtype(value, out.dtype, ufunc.__name__))
        else:
            value = core.asarray_operand(value)
            np.copyto(out, _as_dtype(value, out.dtype, ufunc.__name__).numpy())
        delivered.append(out)
    return tuple(delivered) if ufunc.nout > 1 else delivered[0]


core.set_hook("ufunc", call_ufunc)
core.set_hook("gather", gathered)
