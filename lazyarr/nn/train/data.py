"""Batches of data, which a thread can make while the ones before are computed with."""
import contextlib
import queue
import threading
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.autodiff.trees import leaves, named, rebuilt
from lazyarr.ops.arguments import integer
from lazyarr.ops.operands import is_lazy


@api_boundary
class Loader:
    """Batches of rows of some arrays, in another order each epoch.

    Each loop over it is an epoch. The order depends on the seed and the number of the epoch alone, so that a run that
    is resumed sees the batches it would have seen.

    Parameters
    ----------
    data : tree of array_like
        An array, or nested tuples, lists and dicts of arrays, all with as many rows; lazy ones are evaluated now.
    batch_size : int
    shuffle : bool, optional
    seed : int, optional
        Of the orders; a random one if it is None.
    drop_last : bool, optional
        Whether to leave out a last batch that is smaller than the rest.
    prefetch : int, optional
        How many batches a thread makes in advance; with 0 there is none. By default 2 with a
        `transform`, and 0 without: a few rows of arrays in memory are copied in less time than a thread is woken in.
    transform : callable, optional
        Called with each batch, a tree of new ndarrays, and a `numpy.random.Generator` for that batch alone; returns
        what the loop gets instead. What it raises, the loop raises.

    Yields
    ------
    tree of LazyArray
        A batch, in the form of the data or of what the transform returns. Arrays that are not of bools or numbers come
        as they are.

    Raises
    ------
    ValueError
        For arrays of different lengths, or none.

    Examples
    --------
    >>> loader = la.nn.Loader((la.arange(5), la.arange(5) * 10), 2, shuffle=False)
    >>> for x, y in loader:
    ...     print(x, y)
    [0 1] [ 0 10]
    [2 3] [20 30]
    [4] [40]
    """

    def __init__(self, data, batch_size, shuffle=True, *, seed=0, drop_last=False, prefetch=None, transform=None):
        self._data = rebuilt(data, iter([x.numpy() if is_lazy(x) else np.asarray(x) for x in leaves(data)]))
        self._rows = _rows(self._data)
        self.batch_size = integer(batch_size, "Loader: batch_size")
        if prefetch is None:
            prefetch = 0 if transform is None else 2
        self.prefetch = integer(prefetch, "Loader: prefetch", least=0)
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.transform = transform
        entropy: Any = np.random.SeedSequence(seed).entropy
        self._seed = [int(n) for n in entropy] if np.iterable(entropy) else int(entropy)    # as JSON expresses it
        self._epoch = self._position = 0
        self._loaded = False

    def __len__(self):
        full, rest = divmod(self._rows, self.batch_size)
        return full + bool(rest and not self.drop_last)

    def __iter__(self):
        if self._position and not self._loaded:    # the last loop was left early
            self._epoch, self._position = self._epoch + 1, 0
        self._loaded = False
        epoch, first = self._epoch, self._position
        order = self._generator(epoch).permutation(self._rows) if self.shuffle else None
        batches = (self._batch(epoch, order, number) for number in range(first, len(self)))
        if self.prefetch:
            batches = ahead(batches, self.prefetch)
        with contextlib.closing(batches):
            for number, batch in enumerate(batches, first):
                self._epoch, self._position = epoch, number + 1
                yield batch
        self._epoch, self._position = epoch + 1, 0

    def state(self):
        """Where the loop is, as numbers that JSON can express: batches that a loop has been given are done."""
        return {"seed": self._seed, "epoch": self._epoch, "position": self._position}

    def load_state(self, state):
        """Go on from a state: the next loop takes the rest of its epoch.

        Raises
        ------
        ValueError
            If it is not the state of a loader with as many batches.
        TypeError
            For what are no integers.

        Examples
        --------
        >>> one, two = (la.nn.Loader(la.arange(6), 2, seed=seed) for seed in (1, 2))
        >>> batches = iter(one)
        >>> _ = next(batches)
        >>> two.load_state(one.state())
        >>> bool((next(iter(two)) == next(batches)).all())
        True
        """
        if set(state) != {"seed", "epoch", "position"}:
            raise ValueError(f"Loader: the state must have seed, epoch, position; got {', '.join(sorted(state))}")
        np.random.SeedSequence(state["seed"])    # which raises for what is no seed
        epoch = integer(state["epoch"], "Loader: epoch", least=0)
        position = integer(state["position"], "Loader: position", least=0, most=len(self))
        self._seed, self._epoch, self._position = state["seed"], epoch, position
        self._loaded = True

    def _generator(self, *key):
        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=key))

    def _batch(self, epoch, order, number):
        start, stop = number * self.batch_size, min((number + 1) * self.batch_size, self._rows)
        if order is None:
            rows = [x[start:stop].copy() for x in leaves(self._data)]
        else:
            rows = [x[order[start:stop]] for x in leaves(self._data)]
        batch = rebuilt(self._data, iter(rows))
        if self.transform is not None:
            batch = self.transform(batch, self._generator(epoch, number))
        return rebuilt(batch, iter([_lazy(x) for x in leaves(batch)]))


def ahead(items, count):
    """Yield the items of an iterator, which a thread advances up to `count` items ahead.

    The thread ends with the generator, be it exhausted or closed. What the iterator raises is raised here.
    """
    made: queue.SimpleQueue = queue.SimpleQueue()
    room, stop = threading.Semaphore(count), threading.Event()

    def work():
        while True:
            room.acquire()
            if stop.is_set():
                return
            try:
                made.put((next(items), None))
            except BaseException as error:    # StopIteration too
                made.put((None, error))
                return

    thread = threading.Thread(target=work, name="lazyarr.nn.Loader", daemon=True)
    try:
        thread.start()
        while True:
            item, error = made.get()
            room.release()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                try:
                    raise error
                finally:
                    del error    # its traceback refers to this frame
            yield item
            del item
    finally:
        stop.set()
        room.release()
        # It is the current one where the garbage collector closes the generator, and not alive if its start was
        # interrupted.
        if thread.is_alive() and threading.current_thread() is not thread:
            thread.join()


def _lazy(x):
    if is_lazy(x):
        return x
    x = np.asarray(x)
    return core.from_numpy(x) if x.dtype.kind in "biufc" else x


def _rows(data):
    """How many rows all arrays have."""
    found = {}
    for name, x in named(data):
        if x.ndim == 0:
            raise ValueError(f"Loader: {name or 'the array'} has no axis")
        found[name] = len(x)
    if not found:
        raise ValueError("Loader: there are no arrays")
    if len(set(found.values())) > 1:
        listed = ", ".join(f"{name} has {rows}" for name, rows in found.items())
        raise ValueError(f"Loader: arrays must have as many rows: {listed}")
    return next(iter(found.values()))
