"""The devices that arrays are on, and are made on."""
import functools
import inspect
from typing import TYPE_CHECKING

from lazyarr._core import api as core
from lazyarr._core.host import allocator
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.ir import preferred_device
from lazyarr.ops.operands import native

_table = core.device_table
_settings = {"device": "cpu"}  # process-wide, outside blocks

# Functions that create arrays on the block's device, and those that use their operand's device.
MAKERS = frozenset("""
    arange array asanyarray asarray ascontiguousarray asfortranarray copy empty eye fft.fftfreq fft.rfftfreq frombuffer
    fromfunction fromiter full geomspace identity indices linspace loadtxt logspace ones require tri zeros
""".split())
MAKERS_LIKE = frozenset("empty_like full_like ones_like zeros_like".split())


class Device(str):
    """A device: its name, a `str` such as "cpu:1". The host is "cpu", as NumPy calls it.

    Examples
    --------
    >>> host, other = la.devices()[:2]
    >>> other
    Device('cpu:1')
    >>> x = la.arange(1000.0).to_device(other)
    >>> la.evaluate(x)
    >>> other.memory_stats()["live_bytes"] >= 8000
    True
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Device({str(self)!r})"

    def memory_stats(self) -> dict[str, int]:
        """Count what the device's memory holds and what was copied.

        Returns
        -------
        dict
            Bytes: ``live_bytes`` now, ``peak_bytes`` at most, ``copied_in`` and ``copied_out`` so far; the number of
            ``copies``. For the host: all of lazyarr's memory, and the copies of all devices.
        """
        number = _table.number_of(self)
        if number:
            return _table.stats(number)
        every = [_table.stats(other) for other in range(1, _table.count())]
        used = allocator.stats()
        return {"live_bytes": used["live_bytes"], "peak_bytes": used["peak_bytes"],
                "copied_in": sum(stats["copied_out"] for stats in every),
                "copied_out": sum(stats["copied_in"] for stats in every),
                "copies": sum(stats["copies"] for stats in every)}


class device(preferred_device.Block):
    """Create new arrays on a device inside a ``with`` block.

    The block affects functions that create arrays, such as `zeros` and `asarray`. Operations always run where their
    operands are. Operands on the host are copied to the device of the others; operands on two different devices other
    than the host are an error.

    Parameters
    ----------
    name : str or Device
        The device, as in `devices`; "cpu:0" also means the host.

    Raises
    ------
    ValueError
        If there is no such device.

    See Also
    --------
    devices : lists the available devices

    Notes
    -----
    The block applies to the current thread or asyncio task, and to functions of `lazyarr.numpy` and `lazyarr` that
    return one array. A LazyArray passed to such a function stays where it is. Methods of random generators ignore the
    block: use ``rng.normal(size=n).to_device(name)``. Inside a generator function, the block also applies to the caller
    while the generator is suspended, as with `numpy.errstate`.

    Examples
    --------
    >>> with la.device("cpu:1"):
    ...     x = la.ones(3)
    >>> x.device
    Device('cpu:1')
    >>> (x + 1).to_device("cpu")
    array([2., 2., 2.])
    """

    @api_boundary
    def __init__(self, name: str) -> None:
        super().__init__(checked(name))

    if TYPE_CHECKING:
        def __enter__(self) -> Device: ...


def checked(name: str) -> Device:
    """Return the device of this name; raise ValueError if there is none."""
    return Device(_table.name_of(_table.number_of(name)))


def default() -> Device:
    """Return the default device of new arrays, `lazyarr.config.device`."""
    return Device(_settings["device"])


def set_default(name: str) -> None:
    """Set the default device of new arrays; small ones stay on the host."""
    number = _table.number_of(name)
    _settings["device"] = str(name)
    preferred_device.prefer(number)


def current():
    """Return the device of the block, or the default device."""
    return preferred_device.device_of_block() or default()


def _place_for(made):
    """Return the device for a new array: the block's, the default device if the array is large, or None."""
    block = preferred_device.device_of_block()
    if block is not None:
        return block
    device = _settings["device"]
    return device if device != "cpu" and preferred_device.is_large(made) else None


def is_device(name: object) -> bool:
    """Return whether a name is that of a device; NumPy's functions raise their own errors for other names."""
    try:
        _table.number_of(name)
    except ValueError:
        return False
    return True


def of_array(x):
    """Return the array's device; for the host the plain string "cpu", as in NumPy."""
    number = core.device_of(x)
    return Device(_table.name_of(number)) if number else "cpu"


def device_number_of(operands):
    """Return the device number of the first operand that is not on the host, or 0."""
    return next(filter(None, map(core.device_of, operands)), 0)


def beside(obj, number):
    """Move arrays in `obj` from the host to a device; scalars become arrays."""
    if number == 0:
        return obj
    if isinstance(obj, core.LazyArray):
        stays = obj._scalar or core.device_of(obj) or not native(obj.dtype)
        if stays or obj._root is None or not native(obj._root.dtype):
            return obj if stays else core.to_device(obj, _table.name_of(number))
        return core.view(beside(obj._root, number), obj.shape, obj.strides, core.offset(obj), obj.dtype)
    if isinstance(obj, list):
        return [beside(item, number) for item in obj]
    if isinstance(obj, tuple):
        items = [beside(item, number) for item in obj]
        return type(obj)._make(items) if hasattr(obj, "_fields") else tuple(items)
    return obj


def on_current(obj):
    """Move new arrays in `obj` from the host to the device of the block, or to the default device."""
    return beside(obj, _table.number_of(current()))


def placed(function, name):
    """Make a creation function place its array on the requested device: the argument, the block's or the operand's."""
    if name not in MAKERS and name not in MAKERS_LIKE:
        return function
    takes_device = "device" in inspect.signature(function).parameters

    @functools.wraps(function)
    def public(*args, **kwargs):
        is_asked = takes_device and isinstance(kwargs.get("device"), str)  # NumPy knows no name but "cpu"
        asked = kwargs.pop("device") if is_asked else None
        made = function(*args, **kwargs)
        if not isinstance(made, core.LazyArray):
            return made
        where = asked if is_asked else _place_for(made)
        if where is None:
            return made
        given = args[0] if args else kwargs.get("a", kwargs.get("object"))
        is_given = name in MAKERS_LIKE or isinstance(given, core.LazyArray) or core.device_of(made)
        return made if not is_asked and (is_given or not native(made.dtype)) else core.to_device(made, where)

    return public
