"""DLPack: array libraries share memory.

Exported memory is marked read-only, like the result of `.numpy()`; DLPack supports this since 1.0. Older consumers get
a copy; if they insist on the array's memory, they get it and must not write to it while anything is pending.

Arrays on CUDA devices are shared there (`device_exchange`), those on other devices as copies on the host.
"""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops import device_exchange
from lazyarr.ops.devices import is_device, of_array
from lazyarr.ops.operands import is_lazy
from lazyarr.ops.table import row


@row(np.from_dlpack)
def from_dlpack(x, /, *, device=None, copy=None):
    """Shares the memory of another library's array; a view of a LazyArray."""
    is_moved = device is not None and is_device(device)     # NumPy knows the host alone
    request = {"device": None if is_moved else device, "copy": copy}
    if is_lazy(x):
        np.from_dlpack(np.empty(0, x.dtype), **request)     # raises what NumPy raises
        made = core.unscalar(core.copy(x)) if copy or x._scalar else core.view(x, x.shape, x.strides)
    elif device_exchange.is_on_cuda(x):
        np.from_dlpack(np.empty(0), **request)
        made = device_exchange.from_dlpack(x)
        made = core.copy(made) if copy else made
    else:
        made = core.adopt(np.from_dlpack(x, **request))
    return _moved(made, device, copy) if is_moved else made


def _moved(x, device, copy):
    moved = core.to_device(x, device)
    if moved is not x and copy is not None and not copy:
        raise BufferError(f"the array is on {of_array(x)}, and would have to be copied to be on {device}")
    return moved


def export(x, *, stream=None, max_version=None, dl_device=None, copy=None):
    """Return a capsule with x's values, for another library's `from_dlpack`; evaluates."""
    driver = device_exchange.driver_of(x)
    if driver is not None:
        return device_exchange.export(x, driver, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
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
    """Return DLPack's device of an array: a CUDA device, else the CPU."""
    return device_exchange.device(x) or np.empty(0).__dlpack_device__()
