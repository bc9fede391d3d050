"""DLPack: memory that array libraries lend each other.

What is lent is marked read-only, as what `.numpy()` returns is. That can be said since DLPack 1.0. An older consumer
gets memory of its own; if it insists on the array's, it gets that, and must not write to it while something is pending.
"""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import is_lazy
from lazyarr.ops.table import row


@row(np.from_dlpack)
def from_dlpack(x, /, *, device=None, copy=None):
    """The memory of another library's array: all see what each of them writes. Of a LazyArray a view."""
    if not is_lazy(x):
        return core.adopt(np.from_dlpack(x, device=device, copy=copy))
    np.from_dlpack(np.empty(0, x.dtype), device=device, copy=copy)  # raises what NumPy raises
    if copy or x._scalar:
        return core.unscalar(core.copy(x))
    return core.view(x, x.shape, x.strides)


def export(x, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A capsule with x's values, for another library's `from_dlpack`; evaluates."""
    request = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
    stand_in = np.empty(0, x.dtype)
    stand_in.flags.writeable = x._writeable or x._scalar
    stand_in.__dlpack__(**request)  # raises what NumPy raises, before anything is evaluated
    knows_read_only = max_version is not None and max_version[0] >= 1
    if not knows_read_only and copy is None:
        request["copy"] = True
    elif not knows_read_only and not copy and not x._scalar:
        return core.mutate(x, lambda array: array.__dlpack__(**request))
    return x.numpy().__dlpack__(**request)


def device(x):
    """DLPack's name of the processor."""
    return np.empty(0).__dlpack_device__()
