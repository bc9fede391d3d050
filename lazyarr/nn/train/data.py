"""Batches of data, which a thread can prepare in advance."""
import contextlib
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, SupportsIndex

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.autodiff.trees import leaves, named, rebuilt
from lazyarr.nn.annotations import Tree
from lazyarr.ops.arguments import integer
from lazyarr.ops.operands import is_lazy


@api_boundary
class Loader:
    """An iterable of batches of rows, shuffled in each epoch.

    Each loop over it is an epoch. The order depends only on the seed and the number of the epoch, so a resumed run gets
    the same batches.

    Parameters
    ----------
    data : tree of array_like
        An array, or nested tuples, lists and dicts of arrays, all of equal length. Lazy arrays are evaluated.
    batch_size : int
        The number of rows in a batch.
    shuffle : bool, optional
        Whether to shuffle the rows in each epoch.
    seed : int, optional
        The seed of the orders; None for a random one.
    drop_last : bool, optional
        Whether to drop a last batch that is smaller than the others.
    prefetch : int, optional
        The number of batches that a thread prepares in advance; 0 for no thread. The default is 2 with a `transform`
        and 0 without, as copying a few rows takes less time than waking a thread.
    transform : callable, optional
        Takes each batch, a tree of new ndarrays, and a `numpy.random.Generator` for that batch, and returns the batch
        to use. Its exceptions are raised in the loop.

    Yields
    ------
    tree of LazyArray
        A batch, in the structure of the data or of the transform's result. Arrays that are not numeric or bool remain
        ndarrays.

    Raises
    ------
    ValueError
        If arrays differ in length, or there are none.

    Examples
    --------
    >>> loader = la.nn.Loader((la.arange(5), la.arange(5) * 10), 2, shuffle=False)
    >>> for x, y in loader:
    ...     print(x, y)
    [0 1] [ 0 10]
    [2 3] [20 30]
    [4] [40]
    """

    def __init__(self, data: Tree, batch_size: SupportsIndex, shuffle: bool = True, *, seed: int | None = 0,
                 drop_last: bool = False, prefetch: int | None = None,
                 transform: Callable[[Any, np.random.Generator], Any] | None = None) -> None:
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

    def __len__(self) -> int:
        full, rest = divmod(self._rows, self.batch_size)
        return full + bool(rest and not self.drop_last)

    def __iter__(self) -> Iterator[Any]:
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

    def state(self) -> dict[str, Any]:
        """Return the position of the loop, as numbers for JSON: batches that were returned count as done."""
        return {"seed": self._seed, "epoch": self._epoch, "position": self._position}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state: the next loop continues its epoch.

        Raises
        ------
        ValueError
            If it is not the state of a loader with as many batches.
        TypeError
            For numbers that are not integers.

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


def ahead(items: Iterator[Any], count: int) -> Generator[Any, None, None]:
    """Yield the items of an iterator, which a thread advances up to `count` items ahead.

    The thread ends when the generator is exhausted or closed. Exceptions of the iterator are raised here.
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
    """Return the number of rows of all arrays."""
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
