"""NumPy's dispatch protocols: what `np.sum(lazy)`, `np.add.reduce(lazy)` and `lazy[mask]` lead to."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.numpy.namespace import face_function
from lazyarr.numpy.rows import row
from lazyarr.ops import call, indexing  # noqa: F401 - call registers its hooks itself
from lazyarr.ops.operands import LazyArray

_OURS = frozenset({LazyArray, np.ndarray})


def array_function(func, types, args, kwargs):
    """`LazyArray.__array_function__`: the row of a NumPy function, or the function called at once."""
    if not _OURS.issuperset(types) and not all(issubclass(kind, LazyArray | np.ndarray) for kind in types):
        return NotImplemented
    return face_function(func)(*args, **kwargs)


def install():
    """Tell the core where the protocols lead."""
    core.set_hook("array_function", array_function)
    core.set_hook("getitem", indexing.getitem)
    core.set_hook("setitem", indexing.setitem)
    core.set_hook("row", row)
    core.set_hook("compress", indexing.elements_under)
