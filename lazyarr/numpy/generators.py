"""`numpy.random`: NumPy's generators, with the same numbers as LazyArrays.

The classes are subclasses of NumPy's, so libraries accept them. Each method that returns or changes arrays is wrapped:
LazyArray arguments are evaluated, results are shared, and in-place changes apply to the LazyArray.

A generator from `default_rng` draws lazily (see `lazy_random.py`) as long as no other code can draw from its bit
generator: accessing `bit_generator` ends that. All other draws, including legacy functions, run at once.
"""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.frontend.numpy_call import add_generator
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.numpy.lazy_random import DISTRIBUTIONS, LARGE, Draws, place_of_size, refuse_to_draw_at_once
from lazyarr.numpy.namespace import OWN, place_of_out, public_names
from lazyarr.ops.deferred_dispatch import deferrable
from lazyarr.ops.numpy_fallback import call_changing
from lazyarr.ops.operands import values
from lazyarr.ops.shares_memory import unwarned
from lazyarr.ops.table import IMMEDIATE, OPAQUE, Op

_PLACE = "lazyarr.numpy.random"


def _wrapped(function, first):
    """Wrap a sampling function or method; `first` is the position of its first argument after self."""
    place = place_of_out(function)
    changed = (first, "x") if function.__name__ == "shuffle" else ("out",) if place < 0 else (place, "out")

    @functools.wraps(function)
    def sample(*args, **kwargs):
        refuse_to_draw_at_once(function.__name__)
        args, kwargs = map(unwarned, args), {name: unwarned(x) for name, x in kwargs.items()}
        return call_changing(function, args, kwargs, changed)

    sample.op = Op(f"random.{function.__name__}", sample, (function,), IMMEDIATE,
                   doc="NumPy's own numbers, drawn at once.")
    return sample


def _at_once(drawing, function, first):
    """Return a function that draws by NumPy's `function` if few numbers are requested, otherwise by `drawing`.

    `first` is the position of its first argument after self.
    """
    name = function.__name__
    if name == "spawn":
        return drawing
    made = core.Function(f"random.{name}", drawing, function, writes=name == "shuffle", room=LARGE - 1,
                         counted=place_of_size(name) + first if name in DISTRIBUTIONS else -1,
                         out=place_of_out(drawing))
    made.op = drawing.op
    return core.named(made, drawing, drawing.__module__)


def _subclass(base, methods):
    """Return a class of generators whose methods return LazyArrays."""
    wrapped = {name: _at_once(_wrapped(getattr(base, name), 1), getattr(base, name), 1) for name in public_names(base)
               if callable(getattr(base, name)) and name not in OWN and name not in ("spawn", "bytes")}
    return type(base.__name__, (base,), {**wrapped, "__doc__": base.__doc__, "__module__": _PLACE, **methods})


def _in_turn(method):
    """Return a method of NumPy's generators that draws lazily if possible, otherwise after all pending draws."""
    at_once = method if method.__name__ == "bytes" else _wrapped(method, 1)

    @functools.wraps(method)
    def draw(self, *args, **kwargs):
        if self._draws is not None:
            result = self._draws.later(method.__name__, args, kwargs)
            if result is not None:
                return result
            refuse_to_draw_at_once(method.__name__)
            self._draws.settle()
        return at_once(self, *args, **kwargs)

    waits = method.__name__ in DISTRIBUTIONS
    draw.op = Op(f"random.{method.__name__}", draw, (method,), OPAQUE if waits else IMMEDIATE,
                 doc="NumPy's own numbers, drawn when they are evaluated." if waits else
                 "NumPy's own numbers, drawn at once.")
    made = deferrable(draw)
    return made if method.__name__ == "bytes" else _at_once(made, method, 1)


def _given_out(self):
    if self._draws is not None:
        refuse_to_draw_at_once("bit_generator")
        self._draws.settle()
        self._draws = None
    return np.random.Generator.bit_generator.__get__(self)


def _own(bit_generator, seeded=False):
    """Return a generator on a bit generator that nothing else uses."""
    generator = Generator(bit_generator)
    generator._draws = Draws(bit_generator, seeded)
    return generator


@functools.wraps(np.random.Generator.spawn)
def _spawn(self, n_children):
    # only the seeds matter, not the state
    refuse_to_draw_at_once("spawn")
    return [_own(child) for child in np.random.Generator.bit_generator.__get__(self).spawn(n_children)]


Generator = _subclass(np.random.Generator, {
    **{name: _in_turn(getattr(np.random.Generator, name)) for name in public_names(np.random.Generator)
       if name not in ("bit_generator", "spawn")},
    "_draws": None,  # Draws, if nothing else draws from the same bits
    "spawn": _spawn,
    "bit_generator": property(_given_out, doc=np.random.Generator.bit_generator.__doc__),
    "__reduce__": lambda self: (type(self), (self.bit_generator,)),
})
RandomState = _subclass(np.random.RandomState, {
    "_draws": None,
    "__reduce__": lambda self: (type(self), (self._bit_generator,), self.get_state(legacy=False)),
})


for _kind in (Generator, RandomState):
    add_generator(_kind)


@api_boundary
def default_rng(seed=None):
    """Create a Generator with NumPy's default bit generator: see `numpy.random.default_rng`.

    Examples
    --------
    >>> a, b = la.random.default_rng(1).random(3), np.random.default_rng(1).random(3)
    >>> np.array_equal(a.numpy(), b)
    True
    """
    if isinstance(seed, Generator):
        return seed
    bits = np.random.default_rng(values(seed)).bit_generator
    if isinstance(seed, np.random.Generator | np.random.BitGenerator | np.random.RandomState):
        return Generator(bits)
    return _own(bits, seeded=seed is not None)


class _SeededType(type):
    """The metaclass of stand-ins for NumPy's classes that take seeds: calls pass the values of LazyArrays."""

    def __new__(mcs, name, bases, namespace):
        real = tuple([base.__base__ if isinstance(base, _SeededType) else base for base in bases])
        return super().__new__(mcs, name, bases, namespace) if real == bases else type(real[0])(name, real, namespace)

    def __call__(cls, *args, **kwargs):
        return cls.__base__(*values(args), **values(kwargs))

    def __instancecheck__(cls, instance):
        return isinstance(instance, cls.__base__)


def _seeded(kind):
    return _SeededType(kind.__name__, (kind,), {"__doc__": kind.__doc__, "__module__": _PLACE})


MT19937, PCG64, PCG64DXSM, Philox, SFC64, SeedSequence = map(_seeded, (
    np.random.MT19937, np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64, np.random.SeedSequence))


def _function(name):
    """Return a function of `numpy.random`; all of them draw from NumPy's global generator."""
    obj = getattr(np.random, name)
    own = name in OWN or isinstance(obj, type) or not callable(obj) or name == "bytes"
    return obj if own else _at_once(_wrapped(obj, 0), obj, 0)


default_rng.__module__ = _PLACE
NAMES = {name: obj for name, obj in vars(np.random).items() if not name.startswith("__")}
NAMES |= {name: _function(name) for name in public_names(np.random)}
NAMES |= {obj.__name__: obj for obj in (
    default_rng, Generator, RandomState, MT19937, PCG64, PCG64DXSM, Philox, SFC64, SeedSequence)}
NAMES["__all__"] = public_names(np.random)
