"""Training and validation steps; each is one plan."""
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import evaluate
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.autodiff.trees import leaves
from lazyarr.nn.annotations import Measure, Metrics
from lazyarr.nn.layers.base import Layer, mode, value_and_grad
from lazyarr.nn.optim.base import Optimiser
from lazyarr.nn.train.compiled_step import TracedStep
from lazyarr.ops.arguments import operand
from lazyarr.ops.operands import LazyArray, is_lazy


@api_boundary
def training_step(model: Layer, loss: Measure, optimiser: Optimiser, *, metrics: Metrics | None = None,
                  clip: Callable[[Any], Any] | None = None, traced: bool = False,
                  ) -> Callable[[Any, Any], dict[str, Any]]:
    """Make a function that trains a model on a batch.

    Loss, gradients, new parameters, buffers and the optimiser's arrays are evaluated together.

    Parameters
    ----------
    model : nn.Layer
    loss : callable
        Takes the model's outputs and the targets; returns one real number.
    optimiser : nn.Optimiser
    metrics : dict or sequence of callable, optional
        Functions with the arguments of `loss`, by name.
    clip : callable, optional
        Takes the gradients, and returns those for the optimiser.
    traced : bool, optional
        Whether to trace model, loss, metrics and optimiser once for each signature of the batch and run the cached
        graph after that. This suits small models, whose steps take less time than building the graph. They are traced
        again if parameters, buffers or the optimiser's arrays are replaced, or if a layer's mode or a setting of the
        optimiser changes. Side effects of the functions are not repeated, and only `Dropout` draws new random numbers
        in each step.

    Returns
    -------
    callable
        Takes inputs and targets, and returns a dict of evaluated numbers: the loss, and the metrics of the outputs
        before the step.

    Examples
    --------
    >>> model = la.nn.Linear(1, 1, weight=la.nn.initialisers.zeros)
    >>> step = la.nn.training_step(model, lambda y, t: ((y - t) ** 2).mean(), la.nn.SGD(0.25))
    >>> x, t = la.array([[1.0], [2.0]], "float32"), la.array([[2.0], [4.0]], "float32")
    >>> [round(float(step(x, t)["loss"]), 2) for _ in range(3)]
    [10.0, 5.12, 2.64]
    """
    if not isinstance(optimiser, Optimiser):
        raise TypeError(f"training_step: optimiser must be an Optimiser, got {type(optimiser).__name__}")
    named = named_metrics(metrics)

    def both(inputs, targets):
        outputs = model(inputs)
        return loss(outputs, targets), outputs

    differentiated = value_and_grad(model, both, has_aux=True)

    def build(inputs, targets, numbers=None):
        (value, outputs), gradients = differentiated(inputs, targets)
        if clip is not None:
            gradients = clip(gradients)
        parameters = model.parameters()
        found = {"loss": value, **{name: f(outputs, targets) for name, f in named.items()}}
        if numbers is None:
            optimiser.update(parameters, gradients)
        else:
            optimiser.write(parameters, gradients, numbers)
        return found, parameters

    def step(inputs, targets):
        with core.one_plan():  # derivatives double the number of operations
            found, parameters = build(inputs, targets)
            evaluate(*_lazy(found), *leaves(parameters), *leaves(model.buffers()), *optimiser.arrays())
        return found

    return TracedStep(model, optimiser, build) if traced else step


@api_boundary
def validate(model: Layer, loss: Measure, data: Iterable[Any], metrics: Metrics | None = None) -> dict[str, float]:
    """Compute the mean loss and metrics of a model over batches, in evaluation mode.

    Parameters
    ----------
    model : nn.Layer
    loss : callable
        Takes the model's outputs and the targets; returns one real number, the mean over the rows of a batch.
    data : iterable
        Pairs of inputs and targets, as from a `Loader`.
    metrics : dict or sequence of callable, optional
        Functions with the arguments of `loss`, by name.

    Returns
    -------
    dict of float

    Examples
    --------
    >>> model = la.nn.Linear(2, 2, weight=la.nn.initialisers.ones)
    >>> batches = [(la.ones((2, 2)), la.zeros((2, 2)))]
    >>> la.nn.validate(model, lambda y, t: ((y - t) ** 2).mean(), batches)
    {'loss': 4.0}
    """
    named = named_metrics(metrics)
    means = Means()
    with mode(model, training=False), batches_of(data) as batches:
        for inputs, targets in batches:
            outputs = model(inputs)
            found = {"loss": loss(outputs, targets), **{name: f(outputs, targets) for name, f in named.items()}}
            del outputs
            evaluate(*_lazy(found))
            means.add(found, targets)
    if not means.rows:
        raise ValueError("validate: the data gave no batches")
    return means.result()


@api_boundary
def accuracy(outputs: LazyArray, targets: LazyArray | np.ndarray) -> LazyArray:
    """Compute the fraction of rows whose greatest output is that of their class.

    Parameters
    ----------
    outputs : LazyArray
        (..., classes)
    targets : array_like
        Integers (...), the classes; or an array like the outputs, whose greatest element is the class.

    Returns
    -------
    LazyArray
        A number in [0, 1].

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> la.nn.accuracy(la.array([[1.0, 2.0], [2.0, 1.0]]), la.array([1, 1]))
    np.float64(0.5)
    """
    outputs, targets = operand(outputs, "accuracy: outputs"), operand(targets, "accuracy: targets")
    if targets.shape not in (outputs.shape, outputs.shape[:-1]):
        raise ValueError(f"accuracy: outputs of shape {outputs.shape} and targets of shape {targets.shape} do not fit")
    if targets.ndim == outputs.ndim:
        targets = targets.argmax(-1)
    return (outputs.argmax(-1) == targets).mean()


@contextlib.contextmanager
def batches_of(data: Iterable[Any]) -> Iterator[Iterator[Any]]:
    """Yield an iterator over the data, and close it at the end of the block rather than with the last traceback."""
    batches = iter(data)
    try:
        yield batches
    finally:
        if hasattr(batches, "close"):
            batches.close()


def named_metrics(metrics: Metrics | None) -> Mapping[str, Measure]:
    """Return metrics as a dict of functions."""
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping):
        listed: list[Any] = list(metrics)
        for f in listed:
            if not hasattr(f, "__name__"):
                raise TypeError(f"metrics: {type(f).__name__} has no name; give a dict")
        metrics = {f.__name__: f for f in listed}
        if len(metrics) < len(listed):
            raise ValueError(f"metrics: two of {', '.join(f.__name__ for f in listed)} have one name; give a dict")
    if "loss" in metrics:
        raise ValueError("metrics: loss is the name of the loss")
    return metrics


def _lazy(found):
    """Return the values that need evaluation; metrics may have evaluated some themselves."""
    return filter(is_lazy, found.values())


class Means:
    """Means of values of batches, each weighted by its number of rows."""

    def __init__(self) -> None:
        self.rows: int = 0
        self.sums: dict[str, float] = {}

    def add(self, found: Mapping[str, Any], targets: Any) -> None:
        """Add the values of a batch."""
        rows = len(leaves(targets)[0])
        self.rows += rows
        for name, value in found.items():
            self.sums[name] = self.sums.get(name, 0.0) + rows * float(value)

    def result(self) -> dict[str, float]:
        """Return the means so far."""
        return {name: total / self.rows for name, total in self.sums.items()}
