"""Which device arrays are on, and are made on."""
import contextvars
import functools
import inspect

from lazyarr._core import api as core
from lazyarr.ops.operands import native

_table = core.device_table
current = contextvars.ContextVar("lazyarr.device", default="cpu")
"""The device of the innermost `lazyarr.device` block."""

# Functions that make arrays, on the device of the block; and those that do on their operand's device.
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

    def __repr__(self):
        return f"Device({str(self)!r})"

    def memory_stats(self):
        """Count what the device's memory holds and what was copied.

        Returns
        -------
        dict
            Bytes: ``live_bytes`` now, ``peak_bytes`` at most, ``copied_in`` and ``copied_out`` so far; the number of
            ``copies``. The host's memory is not counted here, see `lazyarr.config.memory_limit`.
        """
        return _table.stats(_table.number_of(self))


def is_device(name):
    """Whether it names a device: NumPy's functions raise their own errors for what does not."""
    return name == "cpu:0" or name in _table.names()


def of_array(x):
    """The device that an array is on; of the host NumPy's name, as a plain string."""
    number = core.device_of(x)
    return Device(_table.names()[number]) if number else "cpu"


def placed(function, name):
    """Have one of NumPy's functions make its array where it is asked for: by `device`, by the block, by its operand."""
    if name not in MAKERS and name not in MAKERS_LIKE:
        return function
    takes_device = "device" in inspect.signature(function).parameters

    @functools.wraps(function)
    def public(*args, **kwargs):
        where = kwargs.pop("device") if takes_device and is_device(kwargs.get("device")) else None
        made = function(*args, **kwargs)
        if not isinstance(made, core.LazyArray):
            return made
        if where is not None:
            return core.to_device(made, where)
        if name in MAKERS_LIKE or current.get() == "cpu" or not native(made.dtype):
            return made
        return core.to_device(made, current.get())

    return public
