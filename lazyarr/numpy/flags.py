"""`x.flags`: what NumPy tells about an array's memory, told of a LazyArray's layout."""
import numpy as np

from lazyarr.ops.layout import is_contiguous

_NAMES = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE", "A": "ALIGNED",
          "X": "WRITEBACKIFCOPY", "CONTIGUOUS": "C_CONTIGUOUS", "FORTRAN": "F_CONTIGUOUS"}


class Flags:
    """The flags of a LazyArray; see `numpy.ndarray.flags`.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.zeros((2, 3)).T.flags.f_contiguous
    True
    """

    def __init__(self, array):
        object.__setattr__(self, "_array", array)

    @property
    def c_contiguous(self):
        return is_contiguous(self._array)

    @property
    def f_contiguous(self):
        return is_contiguous(self._array, "F")

    @property
    def owndata(self):
        return self._array.base is None

    @property
    def writeable(self):
        return self._array._writeable

    @writeable.setter
    def writeable(self, value):
        set_flags(self._array, write=value)

    @property
    def aligned(self):
        return True

    @property
    def writebackifcopy(self):
        return False

    @property
    def forc(self):
        return self.f_contiguous or self.c_contiguous

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def farray(self):
        return self.writeable and self.fnc

    @property
    def behaved(self):
        return self.writeable

    @property
    def carray(self):
        return self.writeable and self.c_contiguous

    contiguous = c_contiguous
    fortran = f_contiguous

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
        rows = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in rows)


def set_flags(x, write=None, align=None, uic=None):
    """Make the array read-only, or writeable again: see `numpy.ndarray.setflags`. ALIGNED cannot be cleared."""
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is None:
        return
    if write and x.base is not None and not x.base._writeable:
        raise ValueError("cannot set WRITEABLE flag to True of this array")
    x._writeable = bool(write)
