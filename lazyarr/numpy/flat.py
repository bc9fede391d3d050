"""`x.flat`: an array's elements in C order, read and written by position."""
import contextlib
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.transforms import vjp
from lazyarr.ops.assignment import assign
from lazyarr.ops.layout import is_contiguous, reshape_array
from lazyarr.ops.numpy_fallback import call_changing
from lazyarr.ops.operands import LazyArray, dummy, find_lazy, lazy, native, values


def _set_flat(array, key, value):
    array.flat[key] = value


def _is_plain(key):
    """Return whether a key means the same for `flat` as for an array of one axis."""
    if isinstance(key, LazyArray | np.ndarray):
        return key.dtype.kind in "iu" and key.ndim > 0
    return isinstance(key, int | np.integer | slice) and not isinstance(key, bool)


def _number(value, dtype):
    """Return a value as one number; None if it is not a single number, or an array of a subclass."""
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        return None
    try:
        number = np.asarray(value, dtype)
    except (TypeError, ValueError, OverflowError):
        return None  # NumPy may see a wrong key first
    return number if number.ndim == 0 else None


class _FlatType(type):
    def __instancecheck__(cls, instance):
        return type(instance) is cls or isinstance(instance, np.flatiter)


@api_boundary
class flatiter(metaclass=_FlatType):
    """The elements of a LazyArray in C order; see `numpy.ndarray.flat`.

    Examples
    --------
    >>> x = la.zeros((2, 3), int)
    >>> x.flat[1::2] = 7
    >>> [int(element) for element in x.flat]
    [0, 7, 0, 7, 0, 7]
    """

    __module__ = "lazyarr.numpy"

    def __init__(self, base):
        self.base = base
        self._index = 0

    def __len__(self):
        return self.base.size

    def __getitem__(self, key):
        with self._numpys_errors(key):
            picked = reshape_array(self.base, (self.base.size,))[key if _is_plain(key) else self._places(key)]
        return core.copy(picked) if isinstance(picked, LazyArray) and not picked._scalar else picked

    def __setitem__(self, key, value):
        core.require_writeable(self.base, "underlying array is read-only")
        if vjp.is_history_kept() and native(self.base.dtype):
            key = values(key)
            assign("flat", self.base, lambda array, value: _set_flat(array, key, value), [lazy(value)], 0)
            return
        key = values(key)
        if native(self.base.dtype) and is_contiguous(self.base) and _is_plain(key):
            number = _number(values(value), self.base.dtype)
            if number is not None:
                given = find_lazy([value])
                if given:
                    number = core.from_numpy(number.copy())
                    vjp.connect(number, given, "flat")
                with self._numpys_errors(key):
                    reshape_array(self.base, (self.base.size,))[key] = number
                return
        # NumPy repeats a value that is too short.
        call_changing(_set_flat, (self.base, key, value), {}, (0,))

    def __delitem__(self, key):
        raise TypeError("Cannot delete iterator elements")

    def _places(self, key):
        """Return the positions of a key's elements by NumPy, as `flat` has its own rules."""
        return np.arange(self.base.size).flat[values(key)]

    @contextlib.contextmanager
    def _numpys_errors(self, key):
        try:
            yield
        except IndexError:
            dummy(self.base).flat[values(key)]  # raises
            raise

    def __iter__(self):
        return self

    def __next__(self):
        if self._index >= self.base.size:
            raise StopIteration
        self._index += 1
        if vjp.is_history_kept():
            return self[self._index - 1]
        return self.base.numpy().flat[self._index - 1]

    @property
    def index(self):
        """The number of elements that have been returned."""
        return self._index

    @property
    def coords(self):
        """The index of the next element."""
        if self._index == math.prod(self.base.shape):
            return self.base.shape  # as NumPy does at the end, no valid index
        return tuple([int(i) for i in np.unravel_index(self._index, self.base.shape)])

    def copy(self, /):
        """Return the elements as a new array of one axis."""
        return core.copy(reshape_array(self.base, (self.base.size,)))

    def __array__(self, /, dtype=None, copy=None):
        return np.array(self.base.numpy().ravel(), dtype)
