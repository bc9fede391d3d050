"""`numpy.random`: NumPy's generators and NumPy's very numbers, handed out as LazyArrays.

The classes here are subclasses of NumPy's, so libraries accept them. Each method that returns or changes arrays is
wrapped: LazyArray arguments are evaluated, results shared, and what is changed in place is changed here too.

A generator that `default_rng` has seeded draws lazily (see `lazy_random.py`), as long as no other code can draw from
its bits: asking for its `bit_generator` ends that. All other draws, those of the legacy functions among them, happen
at once.
"""
import functools as _functools

import numpy as _np

from lazyarr._core import api as _core
from lazyarr._core.frontend.numpy_call import add_generator as _add_generator
from lazyarr.numpy.lazy_random import DISTRIBUTIONS as _DISTRIBUTIONS
from lazyarr.numpy.lazy_random import LARGE as _FEW
from lazyarr.numpy.lazy_random import Draws as _Draws
from lazyarr.numpy.lazy_random import place_of_size as _place
from lazyarr.numpy.lazy_random import refuse_to_draw_at_once as _refuse_to_draw_at_once
from lazyarr.numpy.namespace import OWN as _OWN
from lazyarr.numpy.namespace import place_of_out as _place_of_out
from lazyarr.numpy.namespace import public_names as _public_names
from lazyarr.ops.deferred_dispatch import deferrable as _deferrable
from lazyarr.ops.numpy_fallback import call_changing as _call_changing
from lazyarr.ops.operands import values as _values
from lazyarr.ops.shares_memory import unwarned as _unwarned
from lazyarr.ops.table import IMMEDIATE as _IMMEDIATE
from lazyarr.ops.table import OPAQUE as _OPAQUE
from lazyarr.ops.table import Op as _Op

_PLACE = "lazyarr.numpy.random"


def _wrapped(function, first):
    """A sampling function or method; `first` is the position of its first argument after self."""
    place = _place_of_out(function)
    changed = (first, "x") if function.__name__ == "shuffle" else ("out",) if place < 0 else (place, "out")

    @_functools.wraps(function)
    def sample(*args, **kwargs):
        _refuse_to_draw_at_once(function.__name__)
        args, kwargs = map(_unwarned, args), {name: _unwarned(x) for name, x in kwargs.items()}
        return _call_changing(function, args, kwargs, changed)

    sample.op = _Op(f"random.{function.__name__}", sample, (function,), _IMMEDIATE,
                    doc="NumPy's very numbers, drawn where it is called.")
    return sample


def _at_once(drawing, function, first):
    """A method or function that draws by `function`, NumPy's, where few numbers are asked for, or else by `drawing`.

    `first` is the position of its first argument after self.
    """
    name = function.__name__
    if name == "spawn":
        return drawing
    made = _core.Function(f"random.{name}", drawing, function, writes=name == "shuffle",
                          room=_FEW - 1, counted=_place(name) + first if name in _DISTRIBUTIONS else -1,
                          out=_place_of_out(drawing))
    made.op = drawing.op
    return _core.named(made, drawing, drawing.__module__)


def _subclass(base, methods):
    """A class of generators whose methods give LazyArrays."""
    wrapped = {name: _at_once(_wrapped(getattr(base, name), 1), getattr(base, name), 1) for name in _public_names(base)
               if callable(getattr(base, name)) and name not in _OWN and name not in ("spawn", "bytes")}
    return type(base.__name__, (base,), {**wrapped, "__doc__": base.__doc__, "__module__": _PLACE, **methods})


def _in_turn(method):
    """A method of NumPy's generators that draws later, if it can, or after all draws that wait."""
    at_once = method if method.__name__ == "bytes" else _wrapped(method, 1)

    @_functools.wraps(method)
    def draw(self, *args, **kwargs):
        if self._draws is not None:
            result = self._draws.later(method.__name__, args, kwargs)
            if result is not None:
                return result
            _refuse_to_draw_at_once(method.__name__)
            self._draws.settle()
        return at_once(self, *args, **kwargs)

    waits = method.__name__ in _DISTRIBUTIONS
    draw.op = _Op(f"random.{method.__name__}", draw, (method,), _OPAQUE if waits else _IMMEDIATE,
                  doc="NumPy's own numbers, drawn when they are evaluated." if waits else
                  "NumPy's very numbers, drawn where it is called.")
    made = _deferrable(draw)
    return made if method.__name__ == "bytes" else _at_once(made, method, 1)


def _given_out(self):
    if self._draws is not None:
        _refuse_to_draw_at_once("bit_generator")
        self._draws.settle()
        self._draws = None
    return _np.random.Generator.bit_generator.__get__(self)


def _own(bit_generator, seeded=False):
    """A generator on bits that nothing else draws from."""
    generator = Generator(bit_generator)
    generator._draws = _Draws(bit_generator, seeded)
    return generator


@_functools.wraps(_np.random.Generator.spawn)
def _spawn(self, n_children):
    # only the seeds matter, not the state
    _refuse_to_draw_at_once("spawn")
    return [_own(child) for child in _np.random.Generator.bit_generator.__get__(self).spawn(n_children)]


Generator = _subclass(_np.random.Generator, {
    **{name: _in_turn(getattr(_np.random.Generator, name)) for name in _public_names(_np.random.Generator)
       if name not in ("bit_generator", "spawn")},
    "_draws": None,  # Draws, if nothing else draws from the same bits
    "spawn": _spawn,
    "bit_generator": property(_given_out, doc=_np.random.Generator.bit_generator.__doc__),
    "__reduce__": lambda self: (type(self), (self.bit_generator,)),
})
RandomState = _subclass(_np.random.RandomState, {
    "_draws": None,
    "__reduce__": lambda self: (type(self), (self._bit_generator,), self.get_state(legacy=False)),
})


for _kind in (Generator, RandomState):
    _add_generator(_kind)


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
    bits = _np.random.default_rng(_values(seed)).bit_generator
    if isinstance(seed, _np.random.Generator | _np.random.BitGenerator | _np.random.RandomState):
        return Generator(bits)
    return _own(bits, seeded=seed is not None)


class _SeededType(type):
    """The type of what stands for a class of NumPy's that takes seeds: a call of it gives NumPy's values of arrays."""

    def __new__(mcs, name, bases, namespace):
        real = tuple([base.__base__ if isinstance(base, _SeededType) else base for base in bases])
        return super().__new__(mcs, name, bases, namespace) if real == bases else type(real[0])(name, real, namespace)

    def __call__(cls, *args, **kwargs):
        return cls.__base__(*_values(args), **_values(kwargs))

    def __instancecheck__(cls, instance):
        return isinstance(instance, cls.__base__)


def _seeded(kind):
    return _SeededType(kind.__name__, (kind,), {"__doc__": kind.__doc__, "__module__": _PLACE})


MT19937, PCG64, PCG64DXSM, Philox, SFC64, SeedSequence = map(_seeded, (
    _np.random.MT19937, _np.random.PCG64, _np.random.PCG64DXSM, _np.random.Philox, _np.random.SFC64,
    _np.random.SeedSequence))


def _function(name):
    """A function of `numpy.random`; all of them draw from NumPy's one hidden generator."""
    obj = getattr(_np.random, name)
    own = name in _OWN or isinstance(obj, type) or not callable(obj) or name == "bytes"
    return obj if own else _at_once(_wrapped(obj, 0), obj, 0)


default_rng.__module__ = _PLACE
_own_names = {name: obj for name, obj in globals().items() if not name.startswith("_")}
NAMES = {name: obj for name, obj in vars(_np.random).items() if not name.startswith("__")}
NAMES |= {name: _function(name) for name in _public_names(_np.random)}
NAMES |= _own_names | {"__all__": _public_names(_np.random)}
