"""Checkpoints: everything that the next epoch of training depends on, in one file."""
import contextlib
import os

import numpy as np

from lazyarr.nn.layers.base import layers_within
from lazyarr.serialization import layer_tree, load_both, save, write_layer


class Training:
    """The parts of a training run, to save and restore.

    `loaders` are iterables of batches by name; those with a `state` are saved, too.
    """

    def __init__(self, model, optimiser, loaders, stopping):
        self.model, self.optimiser, self.stopping = model, optimiser, stopping
        self.loaders = {name: loader for name, loader in loaders.items() if hasattr(loader, "load_state")}
        self.history = {}

    @property
    def epoch(self):
        """The number of finished epochs."""
        return len(self.history.get("loss", ()))

    def save(self, path):
        """Write the checkpoint to a file."""
        tree = {**layer_tree(self.model), "optimiser": self.optimiser.state()}
        notes = {"epoch": self.epoch, "history": self.history,
                 "generators": {name: plain(g.bit_generator.state) for name, g in generators(self.model).items()},
                 "loaders": {name: loader.state() for name, loader in self.loaders.items()}}
        if self.stopping is not None:
            notes["stopping"] = self.stopping.numbers()
            tree["best"] = self.stopping.best
        save(path, tree, notes)

    def load(self, path):
        """Restore a checkpoint if the file exists, and return whether it does.

        Raises an error, and changes nothing, if the file is damaged or belongs to another training run.
        """
        if not os.path.exists(path):
            return False
        tree, notes = load_both(path)
        self._check(path, tree, notes)
        with contextlib.ExitStack() as undo:
            try:
                self._restore(tree, notes, undo)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                what = str(error) if isinstance(error, ValueError) else repr(error)
                raise ValueError(f"fit: {path} is damaged, or of another training: {what}") from error
            write_layer(self.model, tree)
            undo.pop_all()
        self.history = notes["history"]
        return True

    def _check(self, path, tree, notes):
        """Check that a file is the checkpoint of a training run with the same parts."""
        for found, wanted in [(tree, {"parameters", "buffers", "optimiser"}),
                              (notes, {"epoch", "history", "generators", "loaders"})]:
            if not isinstance(found, dict) or wanted - found.keys():
                raise ValueError(f"fit: {path} is no checkpoint of fit")
        own = generators(self.model)
        for what, here, there in [("generators", own, notes["generators"]), ("loaders", self.loaders, notes["loaders"]),
                                  ("early stopping", ["early stopping"] * (self.stopping is not None),
                                   ["early stopping"] * ("stopping" in notes))]:
            if set(here) != set(there):
                raise ValueError(f"fit: {path} has the {what} {sorted(there)}, this training has {sorted(here)}")

    def _restore(self, tree, notes, undo):
        """Restore all but the model and the history, and register callbacks with `undo` that revert it."""
        epochs = {len(values) for values in notes["history"].values()} | {len(notes["history"].get("loss", ()))}
        if epochs != {notes["epoch"]}:
            raise ValueError(f"the history is not one of {notes['epoch']} epochs")
        for name, g in generators(self.model).items():
            there, before = notes["generators"][name], g.bit_generator.state
            if there["bit_generator"] != before["bit_generator"]:
                raise ValueError(f"it has the state of a {there['bit_generator']} for {name}, this training has a "
                                 f"{before['bit_generator']}")
            undo.callback(setattr, g.bit_generator, "state", before)
            g.bit_generator.state = there
        undo.callback(vars(self.optimiser).update, dict(vars(self.optimiser)))
        self.optimiser.load_state(tree["optimiser"])
        for name, loader in self.loaders.items():
            undo.callback(loader.load_state, loader.state())
            loader.load_state(notes["loaders"][name])
        if self.stopping is not None:
            undo.callback(vars(self.stopping).update, dict(vars(self.stopping)))
            self.stopping.restore(notes["stopping"], tree["best"])


def generators(model):
    """Return the random generators that are attributes of layers, by name.

    Examples
    --------
    >>> layer = la.nn.Layer()
    >>> layer.rng = np.random.default_rng(0)
    >>> list(generators(layer))
    ['rng']
    """
    return {f"{name}.{key}" if name else key: value for name, layer in layers_within(model)
            for key, value in vars(layer).items() if isinstance(value, np.random.Generator)}


def plain(state):
    """Return the state of a generator with arrays as lists, for JSON."""
    if isinstance(state, dict):
        return {key: plain(value) for key, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray | np.generic) else state
