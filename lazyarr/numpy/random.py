"""`numpy.random`: NumPy's generators and NumPy's very numbers, handed out as LazyArrays.

The classes here are subclasses of NumPy's, so libraries accept them. Each method that returns or changes arrays is
wrapped: LazyArray arguments are evaluated, results shared, and what is changed in place is changed here too.
"""
import functools as _functools

import numpy as _np

from lazyarr.numpy.namespace import OWN as _OWN
from lazyarr.numpy.namespace import face as _face
from lazyarr.numpy.namespace import public_names as _public_names
from lazyarr.ops.opaque import call_changing as _call_changing
from lazyarr.ops.operands import values as _values
from lazyarr.ops.registry import IMMEDIATE as _IMMEDIATE
from lazyarr.ops.registry import Op as _Op


def _wrapped(function, first):
    """A sampling function or method; `first` is the position of its first argument after self."""
    changed = (first, "x") if function.__name__ == "shuffle" else ("out",)

    @_functools.wraps(function)
    def sample(*args, **kwargs):
        return _call_changing(function, args, kwargs, changed)

    sample.op = _Op(f"random.{function.__name__}", sample, (function,), _IMMEDIATE,
                    doc="NumPy's very numbers, drawn where it is called.")
    return sample


def _subclass(base, reduce):
    """A class of generators whose methods give LazyArrays."""
    methods = {name: _wrapped(getattr(base, name), 1) for name in _public_names(base)
               if callable(getattr(base, name)) and name not in _OWN and name not in ("spawn", "bytes")}
    return type(base.__name__, (base,), {**methods, "__doc__": base.__doc__, "__module__": __name__,
                                         "__reduce__": reduce})


Generator = _subclass(_np.random.Generator, lambda self: (type(self), (self.bit_generator,)))
RandomState = _subclass(_np.random.RandomState,
                        lambda self: (type(self), (self._bit_generator,), self.get_state(legacy=False)))


def default_rng(seed=None):
    """A Generator with NumPy's default bit generator: see `numpy.random.default_rng`.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> a, b = la.random.default_rng(1).random(3), np.random.default_rng(1).random(3)
    >>> np.array_equal(a.numpy(), b)
    True
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(_np.random.default_rng(_values(seed)).bit_generator)


def _function(name):
    """A function of `numpy.random`; all of them draw from NumPy's one hidden generator."""
    obj = getattr(_np.random, name)
    own = name in _OWN or isinstance(obj, type) or not callable(obj) or name == "bytes"
    return obj if own else _wrapped(obj, 0)


for _name in _public_names(_np.random):
    if _name not in globals():
        globals()[_name] = _function(_name)

__all__ = _public_names(_np.random)  # noqa: PLE0605 - NumPy's own list
__getattr__, __dir__ = _face(_np.random, globals())
