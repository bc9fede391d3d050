"""`fit`: training over epochs, with progress, validation, early stopping and checkpoints."""
import contextlib
import functools
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

from lazyarr._core import api as core
from lazyarr._core.api import evaluate
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.host.shell import is_notebook
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.nn.annotations import Measure, Metrics, Path
from lazyarr.nn.layers.base import Layer, mode
from lazyarr.nn.optim.base import Optimiser
from lazyarr.nn.train.checkpoint import Training
from lazyarr.nn.train.sigint import uninterrupted
from lazyarr.nn.train.step import Means, batches_of, named_metrics, training_step, validate
from lazyarr.ops.arguments import integer
from lazyarr.serialization import check_target, layer_tree, write_layer


@api_boundary
class EarlyStopping:
    """Stop training when a value has not improved for some epochs.

    Parameters
    ----------
    patience : int
        The number of consecutive epochs without improvement after which to stop.
    monitor : str, optional
        The name of the value in the history; by default the validation loss, or the training loss without validation.
    greatest : bool, optional
        Whether greater values are better.
    change : float, optional
        The minimum change that counts as an improvement.

    Examples
    --------
    >>> la.nn.EarlyStopping(patience=3, monitor="validation_accuracy", greatest=True).wanted(0.5)
    True
    """

    def __init__(self, patience: SupportsIndex, monitor: str | None = None, *, greatest: bool = False,
                 change: float = 0.0) -> None:
        self.patience: int = integer(patience, "EarlyStopping: patience")
        self.monitor: str | None = monitor
        self.greatest: bool = greatest
        self.change: float = abs(float(change))
        self.begin()

    def begin(self) -> None:
        """Reset the state for a new training run."""
        self.value: float | None = None
        self.waited: int = 0
        self.best: dict[str, Any] = {}

    def wanted(self, value: float) -> bool:
        """Return whether a value improves on the best one."""
        if math.isnan(value):
            return False
        return self.value is None or (value - self.value if self.greatest else self.value - value) > self.change

    def look(self, history: Mapping[str, Sequence[float]], model: Layer) -> None:
        """Record the result of an epoch."""
        monitor = self.monitor or ("validation_loss" if "validation_loss" in history else "loss")
        if monitor not in history:
            raise ValueError(f"EarlyStopping: {monitor} is not in the history, which has {', '.join(history)}")
        value = history[monitor][-1]
        self.waited += 1
        if self.wanted(value):
            self.value, self.waited = value, 0
            tree = layer_tree(model)
            copies = [core.copy(x) for x in leaves(tree)]
            evaluate(*copies)    # now: they would keep the next step from writing in place
            self.best = rebuilt(tree, iter(copies))

    @property
    def stopped(self) -> bool:
        """Whether to stop training."""
        return self.waited >= self.patience

    def numbers(self) -> dict[str, Any]:
        """Return the state, without the best parameters."""
        return {"value": self.value, "waited": self.waited}

    def restore(self, numbers: Mapping[str, Any], best: dict[str, Any]) -> None:
        """Restore the state from `numbers` and the best parameters."""
        value, waited = numbers["value"], numbers["waited"]
        self.value, self.waited, self.best = None if value is None else float(value), int(waited), best


@api_boundary
def fit(model: Layer, loss: Measure, optimiser: Optimiser, data: Iterable[Any], epochs: int, *,
        validation: Iterable[Any] | None = None, metrics: Metrics | None = None,
        clip: Callable[[Any], Any] | None = None, early_stopping: EarlyStopping | int | None = None,
        checkpoint: Path | None = None, checkpoint_every: int = 1, resume: bool = False, progress: bool = True,
        traced: bool = False) -> dict[str, list[float]]:
    """Train a model.

    Parameters
    ----------
    model : nn.Layer
    loss : callable
        Takes the model's outputs and the targets; returns one real number, the mean over the rows of a batch.
    optimiser : nn.Optimiser
    data : iterable
        Pairs of inputs and targets, as from a `Loader`; each epoch is a loop over it.
    epochs : int
        The total number of epochs, including those before a resumption.
    validation : iterable, optional
        Pairs for evaluating the model after each epoch.
    metrics : dict or sequence of callable, optional
        Functions with the arguments of `loss`, by name, such as `accuracy`.
    clip : callable, optional
        Takes the gradients, and returns those for the optimiser.
    early_stopping : EarlyStopping or int, optional
        When to stop; a number is the patience. At the end the model has the parameters of its best epoch.
    checkpoint : path_like, optional
        A file for everything that the next epoch depends on: parameters, buffers, the state of the optimiser, of
        loaders, of early stopping and of the layers' random generators.
    checkpoint_every : int, optional
        The number of epochs between checkpoints; the last epoch is always saved.
    resume : bool, optional
        Whether to continue from the checkpoint, if there is one. Results have the same bits as without interruption.
    progress : bool, optional
        Whether to show a progress bar, which needs tqdm.
    traced : bool, optional
        Whether steps are traced once and run as graphs: see `training_step`.

    Returns
    -------
    dict of list of float
        For each epoch the means of loss and metrics over the training batches, during training, and over the
        validation batches, after it: "loss", "accuracy", "validation_loss", ...

    Notes
    -----
    Ctrl-C ends training after the current step, or at once if pressed twice. The checkpoint is then that of the last
    finished epoch.

    Examples
    --------
    >>> x = la.linspace(-1, 1, 32, dtype="float32").reshape(-1, 1)
    >>> model = la.nn.Linear(1, 1, rng=0)
    >>> history = la.nn.fit(model, lambda y, t: ((y - t) ** 2).mean(), la.nn.SGD(0.1), la.nn.Loader((x, 3 * x + 1), 8),
    ...                     epochs=40, progress=False)
    >>> history["loss"][0] > 100 * history["loss"][-1]
    True
    >>> model.weight.round(1), model.bias.round(1)
    (array([[3.]], dtype=float32), array([1.], dtype=float32))
    """
    epochs = integer(epochs, "fit: epochs", least=0)
    checkpoint_every = integer(checkpoint_every, "fit: checkpoint_every")
    if resume and checkpoint is None:
        raise ValueError("fit: resume needs a checkpoint to go on from")
    metrics = named_metrics(metrics)
    stopping = early_stopping
    if stopping is not None and not isinstance(stopping, EarlyStopping):
        stopping = EarlyStopping(stopping)
    if stopping:
        stopping.begin()
    if checkpoint is not None:
        check_target(checkpoint)    # and not after an hour
    training = Training(model, optimiser, {"data": data, "validation": validation}, stopping)
    if resume:
        training.load(checkpoint)
    step = training_step(model, loss, optimiser, metrics=metrics, clip=clip, traced=traced)
    bars = _progress_bars() if progress else None
    with mode(model, training=True):
        while training.epoch < epochs and not (stopping and stopping.stopped):
            means = _epoch(step, data, training.epoch + 1, epochs, bars)
            if validation is not None:
                found = validate(model, loss, validation, metrics)
                means |= {f"validation_{name}": value for name, value in found.items()}
            for name, value in means.items():
                training.history.setdefault(name, []).append(value)
            if stopping:
                stopping.look(training.history, model)
            last = training.epoch == epochs or bool(stopping and stopping.stopped)
            if checkpoint is not None and (last or training.epoch % checkpoint_every == 0):
                training.save(checkpoint)
    if stopping and stopping.best:
        write_layer(model, stopping.best)
    return training.history


def _epoch(step, data, epoch, epochs, bars):
    """Train on all batches once, and return the means. `bars`, if given, creates the bar that shows them."""
    means = Means()
    total = len(data) if hasattr(data, "__len__") else None
    shown = bars(total=total, desc=f"epoch {epoch}/{epochs}", unit="batch") if bars else contextlib.nullcontext()
    with shown as bar, batches_of(data) as batches:
        for inputs, targets in batches:
            with uninterrupted():
                found = step(inputs, targets)
            means.add(found, targets)
            if bar is not None:
                text = ", ".join([f"{name} {value:.4g}" for name, value in means.result().items()])
                bar.set_postfix_str(text, refresh=False)
                bar.update()
    if not means.rows:
        raise ValueError(f"fit: the data gave no batches in epoch {epoch}"
                         + ("; each epoch is a loop over it, which an iterator allows but once" if epoch > 1 else ""))
    return means.result()


def _progress_bars():
    try:
        from tqdm import tqdm
    except ImportError:
        raise ImportError("fit shows its progress with tqdm: pip install 'lazyarr[nn]', or say progress=False"
                          ) from None
    return functools.partial(tqdm, file=sys.stdout) if is_notebook() else tqdm  # where stderr looks like an error
