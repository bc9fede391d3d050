"""Exchange of arrays on CUDA devices with other libraries, without a copy.

DLPack and `__cuda_array_interface__` pass addresses, which other libraries use in their own streams. The producer makes
the consumer's stream wait for earlier launches.
"""
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host import dlpack
from lazyarr.ops.operands import native
from lazyarr.ops.rehearsal import OwnError

_HOST, _CUDA = 1, 2                 # DLPack device types
_READ_ONLY, _IS_COPIED = 1, 2       # DLPack flags
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}
_DEFAULT_STREAM, _NO_STREAM = 1, -1
_PREFIX = "cuda:"                   # prefix of device names

_table = core.device_table


def driver_of(x):
    """Return the driver of an array's CUDA device, None if it is on none."""
    number = core.device_of(x)
    return _table.driver_of(number) if number and _table.name_of(number).startswith(_PREFIX) else None


def device(x):
    """Return DLPack's device of an array on a CUDA device, None if it is on none."""
    driver = driver_of(x)
    return None if driver is None else _device_of(driver)


def _device_of(driver):
    return _CUDA, int(driver.name.removeprefix(_PREFIX))


# ---- export --------------------------------------------------------------------------------------------


def export(x, driver, *, stream=None, max_version=None, dl_device=None, copy=None):
    """Return a capsule with the values of an array on a CUDA device; evaluates there."""
    if dl_device is not None and tuple(dl_device) != _device_of(driver):
        return _export_copy_on_host(x, driver, max_version, dl_device, copy)
    knows_read_only = max_version is not None and max_version[0] >= 1
    copies = bool(copy) or (copy is None and not knows_read_only)
    stand_in = np.empty(0, x.dtype)
    stand_in.flags.writeable = x._writeable or x._scalar
    stand_in.__dlpack__(max_version=max_version, copy=copy)  # raises for unsupported dtypes and arguments
    x = core.copy(x) if copies else x
    if any(step % x.itemsize for step in x.strides):
        raise BufferError(f"DLPack counts strides in elements, and those of this array are {x.strides} bytes, of "
                          f"elements of {x.itemsize}")
    stream = _checked_stream(stream)
    memory, offset = core.lend_on_device(x, not (copies or knows_read_only or x._scalar))
    if stream == _NO_STREAM:
        memory.handle.is_lent = True
    else:
        driver.lend(memory.handle, stream)
    return dlpack.new_capsule(
        memory, memory.handle.address + offset, x.shape, tuple(step // x.itemsize for step in x.strides),
        (_CODES[x.dtype.kind], 8 * x.itemsize), _device_of(driver), _IS_COPIED if copies else _READ_ONLY,
        knows_read_only)


def _export_copy_on_host(x, driver, max_version, dl_device, copy):
    if tuple(dl_device) != (_HOST, 0):
        raise BufferError(f"the array is on {driver.name}, and can be passed on there and on the host, not on DLPack's "
                          f"device {tuple(dl_device)}")
    if copy is not None and not copy:
        raise BufferError(f"the array is on {driver.name}: on the host there can be a copy of it only")
    return x.numpy().__dlpack__(max_version=max_version, copy=True)


def _checked_stream(stream):
    """Return a CUDA stream; in DLPack, None means the default one."""
    if stream is None:
        return _DEFAULT_STREAM
    if isinstance(stream, bool) or not isinstance(stream, int) or stream == 0 or stream < _NO_STREAM:
        raise OwnError(f"there is no stream {stream!r}: 1 is CUDA's default one, 2 that of each thread, -1 means none")
    return stream


def cuda_array_interface(x):
    """Return `__cuda_array_interface__` for CuPy, Numba and PyTorch, which share the array's memory.

    The host waits for the values, as not all of these libraries synchronise streams.
    """
    driver = driver_of(x)
    if driver is None:
        raise AttributeError("__cuda_array_interface__")
    memory, offset = core.lend_on_device(x, True)
    driver.lend(memory.handle, None)
    return {
        "shape": x.shape, "typestr": x.dtype.str, "strides": None if core.is_contiguous(x, "C") else x.strides,
        "data": (memory.handle.address + offset if x.size else 0, not x._writeable), "version": 3, "stream": None}


# ---- import --------------------------------------------------------------------------------------------


def is_on_cuda(obj):
    """Return whether DLPack reports another library's array on a CUDA device."""
    return hasattr(type(obj), "__dlpack_device__") and obj.__dlpack_device__()[0] == _CUDA


def adopted(obj):
    """Return a LazyArray on the memory of another library's array on a CUDA device; other objects unchanged."""
    if isinstance(obj, (core.LazyArray, np.ndarray, np.generic, list, tuple, int, float, complex, str)):
        return obj
    if is_on_cuda(obj):
        return from_dlpack(obj)
    if not hasattr(type(obj), "__cuda_array_interface__"):  # such classes are no arrays
        return obj
    interface = getattr(obj, "__cuda_array_interface__", None)
    return obj if interface is None else _from_interface(obj, interface)


def from_dlpack(obj):
    """Return a LazyArray on the memory of an array on a CUDA device; both see each other's writes."""
    number = _number_of(obj.__dlpack_device__()[1])
    stream = _table.driver_of(number).stream
    try:
        capsule = obj.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:       # an older library without versions
        capsule = obj.__dlpack__(stream=stream)
    tensor = dlpack.take(capsule)
    code, bits, lanes = tensor.dtype
    if code not in _KINDS or lanes != 1 or bits % 8:
        raise BufferError(f"DLPack's type {code} of {bits} bits and {lanes} lanes is none of NumPy's")
    dtype = np.dtype(f"{_KINDS[code]}{bits // 8}")
    strides = tensor.strides
    return _adopt(number, tensor.address, tensor.shape,
                  None if strides is None else tuple(step * dtype.itemsize for step in strides), dtype, tensor,
                  tensor.is_read_only)


def _from_interface(obj, interface):
    """Return a LazyArray on the memory of an object with `__cuda_array_interface__`."""
    address, is_read_only = interface["data"]
    if interface.get("mask") is not None:
        raise BufferError("the array is masked, which lazyarr's are not")
    number = _number_of(0)
    if address:
        number = _number_of(_table.driver_of(number).number_of(address))
    driver = _table.driver_of(number)
    stream = interface.get("stream") if interface["version"] >= 3 else None
    if stream is not None:
        driver.wait_for(_checked_stream(stream))
    elif interface["version"] < 3:      # older versions have no stream
        driver.wait_for(None)
    return _adopt(number, address, interface["shape"], interface.get("strides"), np.dtype(interface["typestr"]), obj,
                  is_read_only)


def _number_of(ordinal):
    """Return the device number of a CUDA ordinal."""
    try:
        return _table.number_of(f"{_PREFIX}{ordinal}")
    except ValueError as error:
        raise OwnError(error) from None


def _adopt(number, address, shape, strides, dtype, owner, is_read_only):
    if not native(dtype):
        raise BufferError(f"arrays of {dtype} cannot be on {_table.name_of(number)}")
    if strides is None:
        strides = tuple(dtype.itemsize * math.prod(shape[axis + 1:]) for axis in range(len(shape)))
    if any(place % dtype.alignment for place in (address, *strides)):
        raise BufferError(f"elements that are not aligned, of the strides {strides} from the address {address} on")
    return core.adopt_on_device(number, address, shape, strides, dtype, owner, not is_read_only)
