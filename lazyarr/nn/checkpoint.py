"""Everything that the next epoch of a training depends on, in one file."""
import os

import numpy as np

from lazyarr.nn.layer import layers_within
from lazyarr.nn.storage import layer_tree, load_both, save, write_layer


class Training:
    """What a training consists of, to be saved and to be restored.

    Parameters
    ----------
    model : nn.Layer
    optimiser : nn.Optimiser
    loaders : dict
        By name what gives batches; those with a `state` come with it.
    stopping : nn.EarlyStopping or None
    """

    def __init__(self, model, optimiser, loaders, stopping):
        self.model, self.optimiser, self.stopping = model, optimiser, stopping
        self.loaders = {name: loader for name, loader in loaders.items() if hasattr(loader, "load_state")}
        self.history = {}

    @property
    def epoch(self):
        """How many epochs are done."""
        return len(self.history.get("loss", ()))

    def save(self, path):
        """Write all to a file."""
        tree = {**layer_tree(self.model), "optimiser": self.optimiser.state()}
        notes = {"epoch": self.epoch, "history": self.history,
                 "generators": {name: plain(g.bit_generator.state) for name, g in generators(self.model).items()},
                 "loaders": {name: loader.state() for name, loader in self.loaders.items()}}
        if self.stopping is not None:
            notes["stopping"] = self.stopping.numbers()
            tree["best"] = self.stopping.best
        save(path, tree, notes)

    def load(self, path):
        """Restore all from a file, if there is one; returns whether there is.

        Raises
        ------
        ValueError
            If the file belongs to another training; nothing is changed then.
        TypeError
            If the model has parameters of other dtypes; likewise.
        """
        if not os.path.exists(path):
            return False
        tree, notes = load_both(path)
        own = generators(self.model)
        if not isinstance(notes, dict) or {"epoch", "history", "generators", "loaders"} - notes.keys():
            raise ValueError(f"fit: {path} is no checkpoint of fit")
        for what, here, there in [("generators", own, notes["generators"]), ("loaders", self.loaders, notes["loaders"]),
                                  ("early stopping", ["early stopping"] * (self.stopping is not None),
                                   ["early stopping"] * ("stopping" in notes))]:
            if set(here) != set(there):
                raise ValueError(f"fit: {path} has the {what} {sorted(there)}, this training has {sorted(here)}")
        for name, g in own.items():
            there, here = notes["generators"][name]["bit_generator"], g.bit_generator.state["bit_generator"]
            if there != here:
                raise ValueError(f"fit: {path} has the state of a {there} for {name}, this training has a {here}")
        before = dict(vars(self.optimiser))
        self.optimiser.load_state(tree["optimiser"])
        try:
            write_layer(self.model, tree)
        except (TypeError, ValueError):
            vars(self.optimiser).update(before)
            raise
        for name, g in own.items():
            g.bit_generator.state = notes["generators"][name]
        for name, loader in self.loaders.items():
            loader.load_state(notes["loaders"][name])
        if self.stopping is not None:
            self.stopping.restore(notes["stopping"], tree["best"])
        self.history = notes["history"]
        return True


def generators(model):
    """The generators of random numbers that layers have as attributes, by name.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> from lazyarr.nn.checkpoint import generators
    >>> layer = la.nn.Layer()
    >>> layer.rng = np.random.default_rng(0)
    >>> list(generators(layer))
    ['rng']
    """
    return {f"{name}.{key}" if name else key: value for name, layer in layers_within(model)
            for key, value in vars(layer).items() if isinstance(value, np.random.Generator)}


def plain(state):
    """The state of a generator as JSON expresses it: some have arrays in it."""
    if isinstance(state, dict):
        return {key: plain(value) for key, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray | np.generic) else state
