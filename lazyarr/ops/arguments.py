"""Arguments of window functions: arrays, numbers per spatial axis, shapes.

Invalid arguments raise at the call, with an error that begins with their name.
"""
import math
import operator

import numpy as np

from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.deferred_operands import Deferred
from lazyarr.ops.operands import Foreign, LazyArray, cast, lazy

_MOST_BYTES = 1 << 62
_WIDEST_ITEM = 32


def array_argument(x: object, name: str) -> LazyArray:
    """Return x as a LazyArray; TypeError for objects with array semantics of their own, like masked arrays."""
    try:
        return lazy(x)
    except Foreign:
        raise TypeError(f"{name} must be an array, not {type(x).__name__}") from None


def native_argument(x, name):
    """Return x as a LazyArray in native byte order; TypeError unless it is an array of numbers or bools."""
    x = array_argument(x, name)
    if x.dtype.kind not in "biufc":
        raise TypeError(f"{name} must be an array of numbers or booleans, got {x.dtype}")
    return cast(x, x.dtype.newbyteorder("="))


@named("operand")
def operand(x: object, name: str, ndim: int | None = None) -> LazyArray:
    """Return a numeric operand as a LazyArray; `ndim` restricts its number of axes."""
    x = array_argument(x, name)
    if x.dtype.kind not in "biufc":
        raise TypeError(f"{name} must be an array of numbers, not of dtype {x.dtype}")
    if ndim is not None:
        check_ndim(x.ndim, name, ndim)
    return x


def check_ndim(found, name, ndim):
    """Raise for a number of axes other than `ndim`, an integer or a range."""
    if found not in (ndim if isinstance(ndim, range) else (ndim,)):
        wanted = f"{ndim[0]} to {ndim[-1]}" if isinstance(ndim, range) else ndim
        raise ValueError(f"{name} must have {wanted} axes, not {found}")


def check_function(f, name):
    """Refuse what cannot be called."""
    if not callable(f):
        raise TypeError(f"{name} must be a function, got {type(f).__name__}")


def integer(value: object, name: str, least: float = 1, most: int | None = None) -> int:
    """Return an integer between `least` and `most`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # which the error is for
    except TypeError:
        raise TypeError(f"{name} must consist of integers, got {value!r}") from None
    if number < least:
        raise ValueError(f"{name} must {'be positive' if least else 'not be negative'}, got {number}")
    if most is not None and number > most:
        raise ValueError(f"{name} must be at most {most}, got {number}")
    return number


def items(value, ndim, name):
    """Return one item per axis, given as such or as one for all."""
    found = tuple(value) if np.iterable(value) and not isinstance(value, str) else (value,) * ndim
    if len(found) != ndim:
        raise ValueError(f"{name} must be one number or one for each of {ndim} spatial axes, got {value!r}")
    return found


def per_axis(value: object, ndim: int, name: str, least: int = 1, most: int | None = None) -> tuple[int, ...]:
    """Return one integer per axis, given as such or as one for all."""
    return tuple([integer(item, name, least, most) for item in items(value, ndim, name)])


def shape_of(value, ndim, name):
    """Return a shape with `ndim` axes."""
    if not np.iterable(value):
        raise TypeError(f"{name} must be a tuple of integers, got {value!r}")
    shape = tuple([integer(n, name, 0) for n in value])
    check_ndim(len(shape), name, ndim)
    return shape


def bounded(shape, name):
    """Return the shape; raise NumPy's error, naming the argument, if an array of this shape is too large."""
    if math.prod([max(n, 1) for n in shape]) > _MOST_BYTES // _WIDEST_ITEM:
        raise ValueError(f"{name}: array is too big, its shape would be {tuple(shape)}")
    return tuple(shape)


def traced_result(y, name):
    """Return the result of a function of placeholders as a LazyArray; TypeError for symbols."""
    if isinstance(y, Deferred):
        raise TypeError(f"{name}: the function has found a symbol outside its arguments: it must be given that, too")
    return array_argument(y, f"{name}: what the function gives")
