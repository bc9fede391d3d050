"""`Layer`, the base class of layers: objects that hold parameters and buffers."""
import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, Self, TypeVar

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import subgraph
from lazyarr._core.host.api_boundary import api_boundary, name_init
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.transform import differentiated
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.nn.layers.module_tree import collected, exchange
from lazyarr.ops.deferred_dispatch import deferrable
from lazyarr.ops.operands import Foreign, LazyArray, lazy

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Layer:
    """The base class of layers: functions that hold arrays and other layers.

    A subclass assigns arrays and layers to attributes, also in lists, tuples and dicts, and defines ``__call__``. Lazy
    arrays of floats or complex numbers are *parameters*, which are trained. Attributes in `buffer_names` are *buffers*,
    state that is not trained, such as running means. Attributes with a leading underscore, arrays of other dtypes and
    ndarrays are neither.

    An array that occurs several times counts once, under its first name: shared weights are one parameter, whose
    gradient is that of all its uses.

    Attributes
    ----------
    training : bool
        Whether the layer is in training mode, in which some layers behave differently; True at first. See `train`.
    buffer_names : tuple of str
        Class attribute: the names of attributes that are buffers.
    drawn_by_graphs : bool
        Class attribute: whether graphs traced from the layer draw new random numbers in each run.

    Examples
    --------
    >>> class Scale(la.nn.Layer):
    ...     def __init__(self, size):
    ...         self.factor = la.ones(size, "float32")
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> scale = Scale(2)
    >>> scale.parameters()
    {'factor': array([1., 1.], dtype=float32)}
    >>> scale.update({"factor": la.array([1.0, 3.0], "float32")})
    >>> scale(la.array([1.0, 1.0], "float32"))
    array([1., 3.], dtype=float32)
    """

    training: bool = True
    buffer_names: tuple[str, ...] = ()
    drawn_by_graphs: bool = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__call__" in vars(cls):
            cls.__call__ = deferrable(cls.__call__, composed=True)  # type: ignore[method-assign]  # of the subclass alone
        if cls.__module__.startswith("lazyarr."):
            name_init(cls)

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the layer; defined by each subclass."""
        raise NotImplementedError(f"{type(self).__name__} does not define __call__")

    def parameters(self) -> dict[str, Any]:
        """Collect the parameters.

        Returns
        -------
        dict
            Arrays by attribute name, with a nested dict for each layer or dict, and a list for each list or tuple.
            Attributes and entries without parameters are left out; in a list, an empty dict keeps their position.
        """
        return collected(self, False, {}, Layer) or {}

    def buffers(self) -> dict[str, Any]:
        """Collect the buffers, in the structure of `parameters`."""
        return collected(self, True, {}, Layer) or {}

    @property
    def parameter_count(self) -> int:
        """Count the elements of all parameters."""
        return sum(p.size for p in leaves(self.parameters()))

    @api_boundary
    def update(self, parameters: Mapping[str, Any]) -> None:
        """Write values into the parameters, in place.

        Parameters
        ----------
        parameters : dict
            In the structure of `parameters`, with arrays of the same shapes and dtypes. Nothing is written unless all
            match.

        Raises
        ------
        ValueError
            For another structure or shape.
        TypeError
            For another dtype.
        """
        _write(self.parameters(), parameters, "parameter")

    @api_boundary
    def update_buffers(self, buffers: Mapping[str, Any]) -> None:
        """Write values into the buffers, in place, as `update` does."""
        _write(self.buffers(), buffers, "buffer")

    @api_boundary
    def apply(self, parameters: Mapping[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call the layer with these arrays in place of its parameters.

        Parameters
        ----------
        parameters : dict
            In the structure of `parameters`, with arrays of the same shapes.
        *args, **kwargs
            The arguments of the layer.

        Raises
        ------
        ValueError
            For parameters of another structure or shape.

        Examples
        --------
        >>> layer = la.nn.Linear(1, 1)
        >>> layer.apply({"weight": la.array([[2.0]]), "bias": la.array([1.0])}, la.array([[3.0]]))
        array([[7.]])
        """
        pairs = _paired(self.parameters(), parameters, "parameter")
        return self._with({id(own): given for _, own, given in pairs}, self, args, kwargs)

    def _with(self, instead, function, args, kwargs):
        """Call a function with the layer's arrays replaced by others, given by id."""
        undo: list = []
        try:
            exchange(self, instead, undo, Layer)
            return function(*args, **kwargs)
        finally:
            for attributes, name, before in undo:
                attributes[name] = before

    @api_boundary
    def to_device(self, device: str) -> Self:
        """Move the parameters and buffers to a device, in place, and return the layer.

        Parameters
        ----------
        device : str
            As in `lazyarr.devices`.

        Raises
        ------
        ValueError
            If there is no such device, or a parameter is a view.

        Examples
        --------
        >>> layer = la.nn.Linear(2, 3).to_device("cpu:1")
        >>> layer.weight.device
        Device('cpu:1')
        """
        arrays = leaves(self.parameters()) + leaves(self.buffers())
        subgraph.exchange(arrays, [core.to_device(x, device) for x in arrays])
        return self

    def train(self, training: bool = True) -> Self:
        """Set `training` in this layer and all layers inside it, and return the layer."""
        for _, layer in layers_within(self):
            layer.training = training
        return self

    def eval(self) -> Self:
        """Switch this layer and all layers inside it to evaluation mode, and return the layer."""
        return self.train(False)

    def __repr__(self) -> str:
        lines = []
        for name, layer in layers_within(self):
            own = {key: value for key, value in vars(layer).items() if type(value) is LazyArray}
            sizes = ", ".join([f"{key} {value.shape}" for key, value in own.items()])
            count = layer.parameter_count
            lines.append((f"    {name}: " if name else "") + f"{type(layer).__name__}({sizes})"
                         + (f"  {count:,} parameters" if count else ""))
        return "\n".join(lines)


@api_boundary
def value_and_grad(model: Layer, f: Callable[_P, _R], has_aux: bool = False) -> Callable[_P, tuple[_R, dict[str, Any]]]:
    """Make a function that computes both f and its gradient with respect to the parameters of a layer that f calls.

    Parameters
    ----------
    model : Layer
    f : callable
        Returns a real number, as a lazy array of shape (). It must use the layer itself: arrays that were taken out of
        it before are constants.
    has_aux : bool, optional
        Whether f returns a pair: the number, and auxiliary data that is passed through.

    Returns
    -------
    callable
        Takes the arguments of f and returns ``(f(...), gradients)``. The gradients have the structure of
        ``model.parameters()``, with zeros for parameters that f does not depend on. Updates of buffers persist.

    Raises
    ------
    TypeError
        If the model is not a layer, or f does not return a real number.
    NotDifferentiable
        If an operation between the parameters and the result has no derivative.

    Examples
    --------
    >>> model = la.nn.Linear(2, 1, weight=la.nn.initialisers.ones)
    >>> step = la.nn.value_and_grad(model, lambda x: model(x).sum())
    >>> step(la.array([[1.0, 2.0], [3.0, 4.0]], "float32"))
    (np.float32(10.0), {'weight': array([[4.],
           [6.]], dtype=float32), 'bias': array([2.], dtype=float32)})
    """
    if not isinstance(model, Layer):
        raise TypeError(f"value_and_grad: model must be a Layer, got {type(model).__name__}")

    @api_boundary
    @functools.wraps(f)
    def with_gradient(*args: _P.args, **kwargs: _P.kwargs) -> tuple[_R, dict[str, Any]]:
        seen: dict = {}
        tree = collected(model, False, seen, Layer) or {}
        own = [part for part in seen.values() if type(part) is LazyArray]
        inputs = [vjp.alias(p) for p in own]
        instead = {id(p): vjp.another(x) for p, x in zip(own, inputs, strict=True)}
        out, found = differentiated(lambda: model._with(instead, f, args, kwargs), inputs, has_aux,
                                    "value_and_grad")
        for p, x in zip(own, inputs, strict=True):
            vjp.become(p, x)
        gradients = dict(zip(instead, found, strict=True))
        return out, rebuilt(tree, iter([gradients[id(p)] for p in leaves(tree)]))

    return with_gradient


def layers_within(part: Any, name: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Layer]]:
    """Yield (name, layer) for a layer and all layers inside it, each once."""
    seen = set() if seen is None else seen
    if isinstance(part, Layer):
        if id(part) in seen:
            return
        seen.add(id(part))
        yield name, part
    inner = vars(part) if isinstance(part, Layer) else part if isinstance(part, dict) else dict(enumerate(part))
    for key, value in inner.items():
        if isinstance(value, Layer | list | tuple | dict):
            yield from layers_within(value, f"{name}.{key}" if name else str(key), seen)


@contextlib.contextmanager
def mode(model: Layer, training: bool) -> Iterator[None]:
    """Set a layer and all layers inside it to training or evaluation mode in a block."""
    before = [(layer, layer.training) for _, layer in layers_within(model)]
    try:
        model.train() if training else model.eval()
        yield
    finally:
        for layer, was in before:
            layer.training = was


def draws_itself(layer: Layer) -> bool:
    """Return whether a layer has a generator of random numbers."""
    return any(isinstance(value, np.random.Generator) for value in vars(layer).values())


def draws_within(part: Any) -> bool:
    """Return whether this layer or one inside it is in training mode and draws random numbers."""
    return any(layer.training and draws_itself(layer) for _, layer in layers_within(part))


# ---- values from outside --------------------------------------------------------------------------------


def _paired(own, given, what, name=""):
    """Yield (name, own array, given array) for the leaves of two trees of equal structures and shapes."""
    if isinstance(own, LazyArray):
        try:
            value = lazy(given)
        except Foreign:
            raise TypeError(f"{what} {name} must be given as an array, not as {type(given).__name__}") from None
        if value.shape != own.shape:
            raise ValueError(f"{what} {name} has shape {own.shape}, but {value.shape} is given")
        return [(name, own, value)]
    if isinstance(own, list) and isinstance(given, list | tuple):
        own, given = dict(enumerate(own)), dict(enumerate(given))
    elif not (isinstance(own, dict) and isinstance(given, dict)):
        raise ValueError(f"{what}s {name or 'of a layer'} must be given as a {type(own).__name__}, not as "
                         f"{type(given).__name__}")
    paths = {key: f"{name}.{key}" if name else str(key) for key in {**own, **given}}
    for key, path in paths.items():
        if key not in given:
            raise ValueError(f"{what} {path} is missing")
        if key not in own:
            raise ValueError(f"there is no {what} {path}")
    return [pair for key in own for pair in _paired(own[key], given[key], what, paths[key])]


def _write(own, given, what):
    pairs = _paired(own, given, what)
    for name, array, value in pairs:
        if value.dtype != array.dtype:
            raise TypeError(f"{what} {name} has dtype {array.dtype}, but {value.dtype} is given")
    # What is given may be one of the arrays that are written to.
    for array, value in [(array, vjp.another(value)) for _, array, value in pairs]:
        array[...] = value
