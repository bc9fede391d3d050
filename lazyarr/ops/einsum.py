"""Sums of products in index notation.

What NumPy returns as a view is one here. Products of two arrays with the same labels are native and fuse, as are
products of (stacks of) matrices, whatever their labels. The rest is one opaque call of `np.einsum`. If it is expensive,
it contracts two operands at a time, as matrix products, in the order found by opt_einsum, which the first such call
imports.

With `optimize` and three or more operands, NumPy's own order decides two things that are not reproduced: the memory
layout of the result, and whether a single number is a scalar or a 0-d array.
"""
import functools
from math import prod

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.tunables import tunable_in
from lazyarr.ops.contraction import as_matrices
from lazyarr.ops.forms import infer_form
from lazyarr.ops.layout import transpose
from lazyarr.ops.numpy_fallback import at_once, call, deliver
from lazyarr.ops.operands import cast, lazy, native, on_accelerator, order_letter
from lazyarr.ops.reduction import sum as plain_sum
from lazyarr.ops.table import OPAQUE, row

# Products from which on an optimised order pays off; below, bits are those of NumPy's loop.
MANY = 1 << 16
tunable_in(globals(), "MANY", "path.einsum", "products", 1, 1 << 60,
           "Multiplications from which on einsum contracts two operands at a time.")
_STRATEGIES = (False, None, True, "greedy", "optimal")


def _labels(sublist):
    """Return the letters for a list of numbers, in NumPy's sort order; ... stays."""
    return "".join(["..." if label is Ellipsis else chr(label + (65 if label < 26 else 71)) for label in sublist])


def _written_out(operands):
    """Return subscripts as a string, including the result's, and the operands; None for an unsupported notation."""
    if isinstance(operands[0], str):
        inputs, arrow, output = operands[0].replace(" ", "").partition("->")
        arrays = operands[1:]
    else:
        arrays, sublists = operands[0:len(operands) // 2 * 2:2], operands[1::2]
        try:
            inputs = ",".join(map(_labels, sublists))
            arrow, output = len(operands) % 2, _labels(operands[-1]) if len(operands) % 2 else ""
        except (TypeError, ValueError):
            return None
    letters = inputs.replace(",", "").replace("...", "")
    if not arrow:  # labels that occur once, sorted
        output = "..." * ("..." in inputs) + "".join(sorted([c for c in letters if letters.count(c) == 1]))
    return (f"{inputs}->{output}", arrays) if letters.isalpha() or not letters else None


@functools.lru_cache(512)
def labels(subscripts, ndims):
    """Return a label for each axis of the operands and the result; None for an unsupported notation.

    Dots become labels after all letters, the last axis first.
    """
    inputs, _, output = subscripts.partition("->")
    terms = inputs.split(",")
    letters = [term.replace("...", "", 1) for term in terms]
    if len(terms) != len(ndims) or not all(term.isalpha() or not term for term in letters):
        return None
    dots = [ndim - len(term) for ndim, term in zip(ndims, letters, strict=True)]
    if any(count < 0 or (count > 0 and "..." not in term) for count, term in zip(dots, terms, strict=True)):
        return None
    spread = "".join(map(chr, range(200 + max(dots), 200, -1)))
    return [term.replace("...", spread[len(spread) - count:])
            for count, term in zip((*dots, len(spread)), (*terms, output), strict=True)]


@functools.lru_cache(512)
def _extents(subscripts, shapes):
    """Return the result's shape and the number of products; None if NumPy must decide (errors, other notations)."""
    known = labels(subscripts, tuple(map(len, shapes)))
    if known is None:
        return None
    *terms, output = known
    extents = {}
    for term, shape in zip(terms, shapes, strict=True):
        for label, extent in zip(term, shape, strict=True):
            if extents.setdefault(label, extent) == 1:
                extents[label] = extent
            elif extent not in (1, extents[label]):
                return None
    is_spread = {label for label in extents if ord(label) > 200}
    if len(set(output)) != len(output) or not is_spread <= set(output) <= extents.keys():
        return None
    return tuple([extents[label] for label in output]), prod(extents.values())


def _view(subscripts, x):
    # NumPy reads no elements for a view, only shape and strides
    moved = np.einsum(subscripts, np.lib.stride_tricks.as_strided(np.empty((), x.dtype), x.shape, x.strides))
    return core.view(x, moved.shape, moved.strides)


def _products(subscripts, arrays, axes):
    """Multiply and sum two arrays with the same labels natively; None for other operands or layouts."""
    inputs, output = subscripts.split("->")
    terms = inputs.split(",")
    letters = terms[0]
    if (len(terms) != 2 or sorted(letters) != sorted(terms[1]) or len(set(letters)) != len(letters) or "." in letters
            or len({x.dtype for x in arrays}) != 1 or arrays[0].dtype.char not in "fdFD" or not letters
            or not all(x.size for x in arrays)):
        return None
    order = output + "".join([c for c in letters if c not in output])
    a, b = [x.transpose([term.index(c) for c in order]) for x, term in zip(arrays, terms, strict=True)]
    with np.errstate(all="ignore"):  # NumPy's loop ignores flags
        result = core.ufunc(np.multiply, (a, b))
        if len(output) < len(letters):
            result = plain_sum(result, tuple(range(len(output), len(letters))))
    expected = range(result.ndim) if axes is None else axes
    steps = [result.strides[axis] for axis in expected if result.shape[axis] > 1]
    return result if steps == sorted(steps, reverse=True) else None


@functools.lru_cache(512)
def rows_and_columns(subscripts, shapes):
    """Find how a sum of products is a (stacked) matrix product; None if it is none, or has another layout.

    Returns which operand is second, the order of their axes, and the numbers of stack, row and summed axes.
    """
    inputs, output = subscripts.split("->")
    terms = inputs.split(",")
    if len(terms) != 2 or "." in subscripts:
        return None
    stack, rows, columns = [[c for c in output if (c in terms[0], c in terms[1]) == where]
                            for where in ((True, True), (True, False), (False, True))]
    second = 1
    if [*output] == stack + columns + rows:
        second, terms, rows, columns, shapes = 0, terms[::-1], columns, rows, shapes[::-1]
    a, b = terms
    summed = [c for c in a if c in b and c not in output]
    extents = dict(zip(a + b, shapes[0] + shapes[1], strict=True))
    if not (rows and columns and summed) or [*output] != stack + rows + columns \
            or len(a) != len(stack + rows + summed) or len(b) != len(stack + summed + columns) \
            or any(extents[c] != n for c, n in zip(a, shapes[0], strict=True)):  # broadcast axes
        return None
    orders = tuple([a.index(c) for c in stack + rows + summed]), tuple([b.index(c) for c in stack + summed + columns])
    return second, orders, (len(stack), len(rows), len(summed))


def _matrix_product(subscripts, arrays, shape, optimize):
    """Return two arrays of one dtype as one (stacked) matrix product; None for other operands."""
    found = rows_and_columns(subscripts, tuple([x.shape for x in arrays]))
    if found is None or arrays[0].dtype != arrays[1].dtype:
        return None
    second, orders, (stack, rows, summed) = found
    a, b = [transpose(x, order) for x, order in zip((arrays[1 - second], arrays[second]), orders, strict=True)]
    with np.errstate(**{} if optimize else {"all": "ignore"}):  # NumPy's loop ignores flags
        return core.product(as_matrices(a, stack, rows), as_matrices(b, stack, summed), shape, a.dtype, "dot")


def _in_steps(subscripts, arrays):
    """Evaluate the sum of products of one array or more than two by sums and products of two; None for other paths."""
    inputs, output = subscripts.split("->")
    terms = inputs.split(",")
    if len(arrays) == 1:
        return _sum_of_one(terms[0], output, arrays[0])
    for places in _path(subscripts, tuple([x.shape for x in arrays]), "auto")[1:]:
        if len(places) != 2:
            return None
        (a, x), (b, y) = [(terms.pop(place), arrays.pop(place)) for place in sorted(places, reverse=True)]
        kept = "".join([c for c in dict.fromkeys(b + a) if c in output or any(c in term for term in terms)])
        made = kept if terms else output
        terms.append(made)
        arrays.append(einsum(f"{b},{a}->{made}", y, x))
    return arrays[0]


def _sum_of_one(term, output, x):
    """Sum a diagonal of an array over axes; None if axes with one label have different extents."""
    letters = output + "".join([c for c in dict.fromkeys(term) if c not in output])
    found = list(zip(term, x.shape, x.strides, strict=True))
    if len({(label, extent) for label, extent, _ in found}) != len(letters):
        return None
    shape = [next(extent for label, extent, _ in found if label == c) for c in letters]
    steps = [sum([stride for label, _, stride in found if label == c]) for c in letters]
    return plain_sum(core.view(x, shape, steps), tuple(range(len(output), len(letters))), x.dtype)


def _laid_out(x, form):
    """Return a result in its memory layout, as a scalar if it is one; None stays."""
    if x is None:
        return None
    order = form.axes or tuple(range(x.ndim))
    turned = transpose(x, order)
    x = transpose(turned if core.is_contiguous(turned) else core.copy(turned, order="C"), np.argsort(order).tolist())
    return core.scalar(x) if form.scalar else core.unscalar(x)


@functools.lru_cache(512)
def _path(subscripts, shapes, strategy):
    import opt_einsum

    return ["einsum_path", *opt_einsum.contract_path(subscripts, *shapes, shapes=True, optimize=strategy)[0]]


def by_opt_einsum(subscripts, arrays, strategy, optimize=False, **kwargs):
    """Call NumPy's function pairwise in the order found by opt_einsum."""
    path = _path(subscripts, tuple([x.shape for x in arrays]), strategy)
    with np.errstate(**{} if optimize else {"all": "ignore"}):  # NumPy's loop ignores flags
        return np.einsum(subscripts, *arrays, optimize=path, **kwargs)


def _strategy(arrays, dtype, products, optimize):
    """Return the search strategy for opt_einsum; None where NumPy contracts as requested."""
    if not any(optimize is known or (type(optimize) is str and optimize == known) for known in _STRATEGIES):
        return None  # a path, or a memory limit
    dtypes = {x.dtype for x in arrays}
    if len(arrays) < 2 or np.dtype(np.float16) in dtypes:
        return None  # NumPy's loop sums float16 in float32, a matrix product does not
    if len(arrays) == 2 and any(dtype.char not in "fdFD" for dtype in dtypes):
        return None  # no BLAS
    if not optimize and (products < MANY or dtypes != {dtype}):
        return None  # NumPy's loop casts all operands first, pairwise products would not
    return optimize if isinstance(optimize, str) else "auto"


@row(np.einsum, kind=OPAQUE)
def einsum(*operands, out=None, optimize=False, **kwargs):
    """Sum of products in index notation, contracted in a good order when evaluated."""
    def as_it_is():
        return at_once(np.einsum, *operands, optimize=optimize, **({} if out is None else {"out": out}), **kwargs)

    if not operands or not {"dtype", "order", "casting"}.issuperset(kwargs):
        return as_it_is()
    written = _written_out(operands)
    if written is None:
        return as_it_is()
    subscripts, arrays = written
    arrays = [lazy(x) for x in arrays]
    found = _extents(subscripts, tuple([x.shape for x in arrays]))
    if found is None or not all(native(x.dtype) for x in arrays):
        return as_it_is()
    shape, products = found
    dtype = np.dtype(kwargs["dtype"]) if kwargs.get("dtype") is not None else np.result_type(*[x.dtype for x in arrays])
    if not native(dtype) or (out is not None and (tuple(out.shape) != shape or out.dtype != dtype)):
        return as_it_is()

    def contract(*v):
        return np.einsum(subscripts, *v, optimize=optimize, **kwargs)

    def contract_in_order(*v):
        return by_opt_einsum(subscripts, v, strategy, optimize, **kwargs)

    contract.batch = contract_in_order.batch = functools.partial(_on_batch, subscripts, optimize, kwargs)
    key = "einsum", subscripts, str(optimize), order_letter(kwargs.get("order")), dtype, kwargs.get("casting")
    form = infer_form(key, contract, arrays)  # raises what NumPy raises
    if len(arrays) == 1 and out is None and arrays[0].ndim:
        term, result = subscripts.split("->")
        if set(term) <= set(result):  # nothing is summed: NumPy returns a writeable view
            return _view(subscripts, arrays[0])
    contract.keywords = contract_in_order.keywords = {"subscripts": subscripts}
    contract.attributes = contract_in_order.attributes = {"subscripts": subscripts, "optimize": optimize, **kwargs}
    contract_in_order.backend = "opt_einsum"
    if not optimize or all(x.dtype == form.dtype for x in arrays):  # else NumPy adds some in an operand's own dtype
        contract.labels = contract_in_order.labels = labels(subscripts, tuple([x.ndim for x in arrays]))
    contract.reports = contract_in_order.reports = bool(optimize)  # NumPy's loop ignores flags
    result = None
    if not kwargs and products >= MANY:
        if form.axes is None:
            result = _matrix_product(subscripts, arrays, shape, optimize)
        if result is None and not optimize:
            result = _products(subscripts, arrays, form.axes)
    if result is None and not kwargs and len(arrays) != 2 and all(map(on_accelerator, arrays)) \
            and form.dtype.char in "bBhHiIlLfdFD" and "." not in subscripts:
        with np.errstate(**{} if optimize else {"all": "ignore"}):  # as above
            result = _in_steps(subscripts, [cast(x, form.dtype) for x in arrays])
        result = _laid_out(result, form)
    if result is None:
        strategy = _strategy(arrays, form.dtype, products, optimize)
        result = call(contract if strategy is None else contract_in_order, arrays, shape, form.dtype, form.scalar,
                      "einsum", form.axes)
    return deliver(result, out)


def _on_batch(subscripts, optimize, kwargs, call, operands, batched, size):
    """Return the same sum with one more label for the batch axis."""
    import string  # rarely needed

    label = next((c for c in string.ascii_letters if c not in subscripts), None)
    if label is None:
        return None
    inputs, output = subscripts.split("->")
    terms = [label * is_batched + term for term, is_batched in zip(inputs.split(","), batched, strict=True)]
    return einsum(f"{','.join(terms)}->{label}{output}", *operands, optimize=optimize, **kwargs)
