"""Rows of arrays of records: NumPy's scalars, through which the array is read and written.

A `numpy.void` is a window on its array's memory. Ours has a record of its own: the array's memory is written to in
place only if nothing else refers to it. The record is brought up to date whenever the row is used from Python; what
reads its memory, as `np.asarray(row)` does, sees what the row was when it was last used.
"""
import functools
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import LazyArray

_READING = [name for name in dir(np.void) if not name.startswith("_") and callable(getattr(np.void, name))]
_READING += ["__array__", "__copy__", "__deepcopy__", "__eq__", "__ne__", "__format__", "__reduce__", "__reduce_ex__",
             "__repr__", "__str__"]


class void(np.void):  # type: ignore[misc]  # NumPy's record is derived from it, too
    """A row of an array of records; see `numpy.void`."""

    __module__ = "numpy"
    __hash__ = np.void.__hash__

    _window: LazyArray       # the row as an array without axes, a view
    _own: np.ndarray         # the record's memory
    _base: LazyArray         # what the row was taken from

    @property
    def base(self):
        return self._base

    def __getitem__(self, key):
        _refresh(self)
        found = super().__getitem__(key)
        if isinstance(found, np.void) and found.dtype.names is not None and key != ():
            return row(self._window[_name(self, key)], self)
        if isinstance(found, np.ndarray) and isinstance(key, str | int) and self.dtype[key].shape:
            return self._window[_name(self, key)]  # a field that is an array
        return found

    def __setitem__(self, key, value):
        name = _name(self, key)
        if not isinstance(name, str):
            raise IndexError("invalid index")
        fields = self._window.dtype.fields
        if name in fields and fields[name][0].char == "O":
            boxed = np.empty(1, object)
            boxed[0] = value  # an array, too, is one object here
            value = boxed.reshape(())
        self._window[name] = value
        _refresh(self)

    def setfield(self, val, dtype, offset=0):
        self._window.setfield(val, dtype, offset)
        _refresh(self)


def _refresh(record):
    """Update the record's memory to what the array holds now."""
    writeable = record._own.flags.writeable
    record._own.flags.writeable = True
    record._own[()] = record._window.numpy()
    record._own.flags.writeable = writeable


def _name(record, key):
    """The name of a field that is given by its number; other keys as they are."""
    try:
        number = operator.index(key)
    except TypeError:
        return key
    names = record._own.dtype.names
    if not -len(names) <= number < len(names):
        raise IndexError(f"invalid index ({number})")
    return names[number]


def _reading(method):
    """A method of NumPy's records, of what is there now."""
    def read(record, *args, **kwargs):
        _refresh(record)
        return method(record, *args, **kwargs)

    return functools.wraps(method)(read)


for _name_read in set(_READING) - vars(void).keys():
    setattr(void, _name_read, _reading(getattr(np.void, _name_read)))


def row(window, base):
    """A row as a scalar, given a view without axes on it, and what it is the row of."""
    own = np.array(window.numpy())
    own.flags.writeable = window._writeable
    record = core.record_on(void, own)
    record._window, record._own, record._base = window, own, base
    return record
