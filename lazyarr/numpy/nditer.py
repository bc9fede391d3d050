"""`numpy.nditer`: NumPy's iterator, on the memory of the LazyArrays that it writes to."""
import inspect

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.tracebacks import hide_frames
from lazyarr._core.transforms import vjp
from lazyarr.ops.numpy_fallback import note_immediate
from lazyarr.ops.operands import find_lazy, map_lazy


class _IteratorType(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, np.nditer)

    @property
    def __signature__(cls):
        return inspect.signature(np.nditer)


class nditer(metaclass=_IteratorType):
    """NumPy's iterator over evaluated arrays; calling it creates a `numpy.nditer`.

    The iterator shares the memory of the arrays, so writes are visible both ways. Operands that it may write to are
    moved to the host.

    Examples
    --------
    >>> x = la.arange(3)
    >>> with la.nditer(x, op_flags=["readwrite"]) as iterator:
    ...     for element in iterator:
    ...         element[...] = 2 * element
    >>> x
    array([0, 2, 4])
    """

    def __new__(cls, op, flags=None, op_flags=None, *args, **kwargs):
        try:
            if find_lazy([op]):
                note_immediate("nditer")
            if _writes(op_flags):
                map_lazy(op, core.bring_to_host)
            return np.nditer(map_lazy(op, _memory), flags or [], op_flags, *args, **kwargs)
        except BaseException as error:
            hide_frames(error)
            raise


for _name, _method in vars(np.nditer).items():
    if not _name.startswith("_"):
        setattr(nditer, _name, _method)


def _writes(op_flags):
    """Return whether the flags are those of an operand that is written to."""
    if isinstance(op_flags, str):
        return op_flags in ("readwrite", "writeonly")
    return op_flags is not None and any(map(_writes, op_flags))


def _memory(x):
    """Return an ndarray on the memory of an array, or its value; writes to differentiable arrays are graph steps."""
    if x._scalar or not x._writeable:
        return x.numpy()
    return core.mutate(x, lambda array: array) if vjp.is_history_kept() else core.lent(x)
