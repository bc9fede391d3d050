"""Rows of structured arrays: scalars of NumPy that read and write the array.

A `numpy.void` is a window on its array's memory. This subclass has memory of its own, since the array's memory is
written in place only if nothing else refers to it. Python access to the row refreshes the copy first; code that reads
its memory directly, as `np.asarray(row)` does, sees the row as of its last use.
"""
import functools
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import LazyArray

_READING = [name for name in dir(np.void) if not name.startswith("_") and callable(getattr(np.void, name))]
_READING += ["__array__", "__copy__", "__deepcopy__", "__eq__", "__ne__", "__format__", "__reduce__", "__reduce_ex__",
             "__repr__", "__str__"]


class void(np.void):  # type: ignore[misc]  # NumPy's record subclasses it, too
    """A row of a structured array; see `numpy.void`."""

    __module__ = "numpy"
    __hash__ = np.void.__hash__

    _window: LazyArray  # a 0-d view of the row
    _own: np.ndarray         # the record's memory
    _base: LazyArray  # the array or record that contains the row

    @property
    def base(self):
        return self._base

    def __getitem__(self, key):
        _refresh(self)
        found = super().__getitem__(key)
        if isinstance(found, np.void) and found.dtype.names is not None and key != ():
            return row(self._window[_name(self, key)], self)
        if isinstance(found, np.ndarray) and isinstance(key, str | int) and self.dtype[key].shape:
            return self._window[_name(self, key)]  # an array-valued field
        return found

    def __setitem__(self, key, value):
        name = _name(self, key)
        if not isinstance(name, str):
            raise IndexError("invalid index")
        fields = self._window.dtype.fields
        if name in fields and fields[name][0].char == "O":
            boxed = np.empty(1, object)
            boxed[0] = value  # stores an array as one object, too
            value = boxed.reshape(())
        self._window[name] = value
        _refresh(self)

    def setfield(self, val, dtype, offset=0):
        self._window.setfield(val, dtype, offset)
        _refresh(self)


def _refresh(record):
    """Copy the array's row to the record's memory."""
    writeable = record._own.flags.writeable
    record._own.flags.writeable = True
    record._own[()] = record._window.numpy()
    record._own.flags.writeable = writeable


def _name(record, key):
    """Return the name of a field given by number; other keys unchanged."""
    try:
        number = operator.index(key)
    except TypeError:
        return key
    names = record._own.dtype.names
    if not -len(names) <= number < len(names):
        raise IndexError(f"invalid index ({number})")
    return names[number]


def _reading(method):
    """Wrap a method of NumPy's records to refresh the record first."""
    def read(record, *args, **kwargs):
        _refresh(record)
        return method(record, *args, **kwargs)

    return functools.wraps(method)(read)


for _name_read in set(_READING) - vars(void).keys():
    setattr(void, _name_read, _reading(getattr(np.void, _name_read)))


def row(window, base):
    """Return a row as a scalar, given a 0-d view of it and its container."""
    own = np.array(window.numpy())
    own.flags.writeable = window._writeable
    record = core.record_on(void, own)
    record._window, record._own, record._base = window, own, base
    return record
