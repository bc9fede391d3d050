"""`ndarray.flags` of a LazyArray."""
import warnings

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.layout import is_contiguous

_NAMES = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE", "A": "ALIGNED",
          "X": "WRITEBACKIFCOPY", "CONTIGUOUS": "C_CONTIGUOUS", "FORTRAN": "F_CONTIGUOUS"}


class Flags:
    """The flags of a LazyArray; see `numpy.ndarray.flags`.

    Examples
    --------
    >>> la.zeros((2, 3)).T.flags.f_contiguous
    True
    """

    def __init__(self, array):
        object.__setattr__(self, "_array", array)

    c_contiguous = contiguous = property(lambda self: is_contiguous(self._array))
    f_contiguous = fortran = property(lambda self: is_contiguous(self._array, "F"))
    forc = property(lambda self: self.f_contiguous or self.c_contiguous)
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    owndata = property(lambda self: core.owns_memory(self._array))
    behaved = property(lambda self: self.writeable)
    carray = property(lambda self: self.writeable and self.c_contiguous)
    farray = property(lambda self: self.writeable and self.fnc)
    writebackifcopy = property(lambda self: False)

    @property
    def writeable(self):
        if self._array._writeable and self._array._warns_on_write:
            warnings.warn("future versions will not create a writeable array from broadcast_array. Set the writable "
                          "flag explicitly to avoid this warning.", FutureWarning, stacklevel=2)
        return bool(self._array._writeable)

    @writeable.setter
    def writeable(self, value):
        if self._array._scalar:
            raise ValueError("Cannot set flags on array scalars.")
        set_flags(self._array, write=value)

    def _set_warn_on_write(self, value):
        if value:
            self._array._warns_on_write = True

    _warn_on_write = property(None, _set_warn_on_write)

    @property
    def aligned(self):
        x = self._array
        places = core.offset(x), *[step for step, extent in zip(x.strides, x.shape, strict=True) if extent > 1]
        return x.size == 0 or all(place % x.dtype.alignment == 0 for place in places)

    @property
    def num(self):
        return (self.c_contiguous | self.f_contiguous << 1 | self.owndata << 2 | self.aligned << 8 |
                self._array._writeable << 10 | (-1 << 31 if self._array._warns_on_write else 0))

    def __getitem__(self, name):
        try:
            return getattr(self, _NAMES.get(name, name).lower())
        except AttributeError:
            raise KeyError("Unknown flag") from None

    def __setitem__(self, name, value):
        if _NAMES.get(name, name) != "WRITEABLE":
            raise KeyError("Unknown flag")
        self.writeable = value

    def __eq__(self, other):
        return isinstance(other, Flags | type(np.empty(0).flags)) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]  # compared by value, and changeable

    def __repr__(self):
        warns = "  (with WARN_ON_WRITE=True)" if self._array._warns_on_write else ""
        rows = {"C_CONTIGUOUS": self.c_contiguous, "F_CONTIGUOUS": self.f_contiguous, "OWNDATA": self.owndata,
                "WRITEABLE": f"{self._array._writeable}{warns}", "ALIGNED": self.aligned, "WRITEBACKIFCOPY": False}
        return "".join(f"  {name} : {value}\n" for name, value in rows.items())


def set_flags(x, write=None, align=None, uic=None):
    """Make the array read-only or writeable: see `numpy.ndarray.setflags`. ALIGNED cannot be cleared."""
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is None or x._scalar:
        return
    if write and not (core.may_be_writeable(x) if x._root is None else x._root._writeable):
        raise ValueError("cannot set WRITEABLE flag to True of this array")
    x._writeable = bool(write)
    x._warns_on_write = False
