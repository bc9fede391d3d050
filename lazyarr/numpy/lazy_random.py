"""Lazy random draws, in the order of the program.

A draw is an opaque call with two results: the numbers, and a token. The next draw from the same generator takes the
token as an operand. So the graph itself keeps the order: evaluating a draw evaluates those before it, a draw without a
consumer still advances the generator, and budgets and failures are those of all graphs. `Draws` keeps the last token;
`settle` evaluates it, after which the bit generator is in the state in which NumPy's would be.

A draw is lazy if its distribution has one number per sample, its shape is known, and it is large, an argument is
pending, or other draws of the generator are. Other draws run at once, after all pending ones.

While a function is traced (`traced_draws`), every draw is lazy: the graph draws in each run.
"""
import contextlib
import functools
import inspect
import operator
import threading
from math import prod

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import subgraph
from lazyarr._core.eager.random import MOST_AT_ONCE
from lazyarr._core.frontend.numpy_call import DrawOrder
from lazyarr._core.frontend.trace_scope import is_tracing
from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr._core.transforms import vjp
from lazyarr.ops.operands import LazyArray, native

LARGE = MOST_AT_ONCE  # samples

# Distributions with one number a sample, by the dtype that they have unless another is asked for.
DISTRIBUTIONS = dict.fromkeys("""
    beta chisquare exponential f gamma gumbel laplace logistic lognormal noncentral_chisquare noncentral_f normal pareto
    power random rayleigh standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular
    uniform vonmises wald weibull
""".split(), np.dtype("float64")) | dict.fromkeys("""
    binomial choice geometric hypergeometric integers logseries negative_binomial poisson zipf
""".split(), np.dtype("int64"))
_NUMBERS = (int, float, bool, np.bool_, np.integer, np.floating)
_TOKEN = (), np.dtype(np.int8)


# Like NumPy's, generators are imported on first use.
@functools.cache
def _signature(name):
    return inspect.signature(getattr(np.random.Generator, name))


@functools.cache
def place_of_size(name):
    """Return the position of `size` among the arguments."""
    return list(_signature(name).parameters).index("size") - 1


@functools.cache
def _scratch():
    """Return a generator whose single sample raises the errors of invalid arguments."""
    return np.random.Generator(np.random.PCG64(0))


class Draws(DrawOrder):
    """The pending draws of a bit generator, which nothing else may use.

    If it is seeded, a traced function that creates it draws the same numbers in each run.
    """

    def __init__(self, bit_generator, seeded=False):
        self.bit_generator = bit_generator
        self._start = bit_generator.state if seeded and is_tracing() else None
        self._generator = np.random.Generator(bit_generator)
        self._token = None
        self._lock = threading.Lock()  # two draws must not follow on the same token

    def settle(self):
        """Run pending draws."""
        token = self._token
        if token is not None:
            token.numpy()
            with self._lock:
                if self._token is token:
                    self._token = None

    def later(self, name, args, kwargs):
        """Return the lazy result of the method `name`, or None if it has to run at once."""
        tracing = is_tracing()
        if name not in DISTRIBUTIONS or (not tracing and not self.waits() and _small(name, args, kwargs)):
            return None
        try:
            given = _signature(name).bind(None, *args, **kwargs).arguments
        except TypeError:
            return None  # NumPy raises
        del given["self"]
        if given.pop("out", None) is not None:
            return None
        size = given.pop("size", None)
        shape = () if tracing and size is None else _shape(size)
        operands = {key: value for key, value in given.items() if isinstance(value, LazyArray)}
        constants = {key: value for key, value in given.items() if key not in operands}
        if not all(_is_plain(name, key, value) for key, value in constants.items()):
            return None
        if any(map(core.is_pending, operands.values())):
            return self._with_pending(name, shape, constants, operands)
        if operands or (not tracing and (not shape or (prod(shape) < LARGE and not self.waits()))) or shape is None:
            return None
        dtype = getattr(_scratch(), name)(**constants, size=1).dtype
        draw = _drawing(getattr(self._generator, name), {**constants, "size": shape})
        made = self._append(name, draw, [], (shape, dtype))
        return core.scalar(made) if size is None else made

    def _with_pending(self, name, shape, constants, operands):
        """Draw with pending arguments, whose errors must not prevent the draws after it."""
        if vjp.is_history_kept() and subgraph.reads_traced([*operands.values()]):
            return None  # draws behind it would have to wait for a value that never comes
        if name == "choice" or not all(native(x.dtype) and x.dtype.kind != "c" for x in operands.values()):
            return None
        try:
            shape = _joint_shape([x.shape for x in operands.values()], shape)
            dtype = np.dtype(constants.get("dtype", DISTRIBUTIONS[name]))
        except (TypeError, ValueError):
            return None
        if not shape:
            return None
        draw = _drawing(getattr(self._generator, name), {**constants, "size": shape}, tuple(operands))
        box = self._append(name, _boxed(draw), list(operands.values()), ((), np.dtype(object)))
        return core.opaque(f"random.{name}", _unboxed, [box], shape, dtype)

    def _append(self, name, call, operands, spec):
        with self._lock:
            if is_tracing():
                _traced.setdefault(self, self._token)
                if self._start is not None and self._token is None:
                    call = _from_the_start(self.bit_generator, self._start, call)
                call = _drawn_by_graphs(call)
            call.draws = True
            before = [self._token] if self.waits() else []
            result, self._token = core.opaque_multi(f"random.{name}", call, [*operands, *before], [spec, _TOKEN])
        return result


_traced = {}  # what the function being traced draws from, with the token before it


@contextlib.contextmanager
def traced_draws():
    """Trace a function in a block: yield a list, filled at its end, of the generators that it draws from.

    Each item is a `Draws` and the token of the graph's last draw from it, which waits for all earlier ones. Later draws
    outside the graph do not draw these.
    """
    found = []
    try:
        yield found
    finally:
        found += [(draws, draws._token) for draws in _traced]
        for draws, before in _traced.items():
            draws._token = before
        _traced.clear()


def draw(generator, name, *args):
    """Draw from a generator: at once or, while a function is traced, in each run of its graph.

    `name` is that of a method with one number per sample.
    """
    if not is_tracing() or getattr(generator, "_draws", None) is not None:  # one of ours defers draws itself
        return getattr(generator, name)(*args)
    bits = generator.bit_generator
    draws = next((draws for draws in _traced if draws.bit_generator is bits), None) or Draws(bits)
    return draws.later(name, args, {})


def refuse_to_draw_at_once(name):
    """Raise TracedValueError if a function is being traced, as this draw cannot be part of its graph."""
    if is_tracing():
        raise TracedValueError(f"random.{name} draws where it is called, which a graph cannot repeat")


def _small(name, args, kwargs):
    """Return whether a call clearly draws only a few numbers."""
    place = place_of_size(name)
    size = args[place] if len(args) > place else kwargs.get("size")
    return (size is None or (type(size) is int and size < LARGE)) \
        and LazyArray not in map(type, args) and LazyArray not in map(type, kwargs.values())


def _is_plain(name, key, value):
    """Return whether an argument allows a lazy draw; others, and possibly invalid ones, are passed to NumPy at once."""
    if key == "dtype":
        return True
    if key == "replace":
        return value is True  # else the sample may be too large
    return isinstance(value, _NUMBERS) or value is None or key == "method"


def _shape(size):
    """Return the shape of a result for `size`; None if NumPy returns a scalar or raises."""
    try:
        shape = tuple(map(operator.index, size)) if isinstance(size, tuple | list) else (operator.index(size),)
    except TypeError:
        return None
    return None if any(n < 0 for n in shape) else shape


def _joint_shape(shapes, size):
    """Return the shape of a result for arguments of these shapes and `size`; raise ValueError if they do not match."""
    known = np.broadcast_shapes(*shapes)
    if size is not None and np.broadcast_shapes(known, size) != size:
        raise ValueError("size does not fit the arguments")
    return known if size is None else size


def _drawing(method, constants, names=()):
    """Return the function of an opaque call that draws; its operands are the arguments `names` and maybe a token.

    It runs only once, as values that a failed evaluation has computed are kept.
    """
    def draw(*arrays):
        return method(**constants, **dict(zip(names, arrays, strict=False))), np.zeros(*_TOKEN)

    return draw


def _from_the_start(bit_generator, state, call):
    """Return the first draw from a seeded generator, which resets its state in each run."""
    def drawn(*arrays):
        bit_generator.state = state
        return call(*arrays)

    return drawn


def _drawn_by_graphs(call):
    """Return a draw that runs with the graph, but raises if the function reads its numbers during tracing."""
    def drawn(*arrays):
        if is_tracing():
            raise TracedValueError("random numbers have no values while a function is traced: the graph draws "
                                   "them each time it runs")
        return call(*arrays)

    return drawn


def _boxed(draw):
    """Return a draw that never raises; its result is an array of one object.

    The object is a function that returns the numbers, or raises the exception.
    """
    def draw_boxed(*arrays):
        try:
            numbers, token = draw(*arrays)
        except (TypeError, ValueError, OverflowError) as error:
            return np.array(functools.partial(_raised, type(error), error.args)), np.zeros(*_TOKEN)
        return np.array(lambda: numbers), token

    return draw_boxed


def _raised(kind, args):
    raise kind(*args)


def _unboxed(box):
    return box[()]()
