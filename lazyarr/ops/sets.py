"""Membership of sets of values."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.opaque_rows import opaque_row
from lazyarr.ops.operands import cast, lazy, native
from lazyarr.ops.sorting import searchsorted, sort
from lazyarr.ops.true_places import is_there, lines_at


def _isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    values = lazy(test_elements) if is_there(element) and kind is None else None
    if values is None or not values.size or not native(values.dtype) \
            or not _compares_exactly(element.dtype, values.dtype):
        return NotImplemented
    return _found(element, values, bool(invert))


def _compares_exactly(first, second):
    """Return whether the dtype in which two real dtypes are compared represents their values exactly."""
    common = np.promote_types(first, second)
    return common.kind in "biu" or (
        common.kind == "f" and not any(dtype.kind in "iu" and dtype.itemsize == 8 for dtype in (first, second)))


def _found(x, values, invert):
    common = np.promote_types(x.dtype, values.dtype)
    flat = cast(reshape_array(x, (-1,)), common)
    ordered = sort(cast(reshape_array(values, (-1,)), common))
    nearest = lines_at(ordered, searchsorted(ordered, flat))
    return reshape_array(core.ufunc(np.not_equal if invert else np.equal, (nearest, flat)), x.shape)


opaque_row(np.isin, 2, "Membership of a set of values: by searches on a device, else by NumPy when evaluated.",
           there=_isin)
