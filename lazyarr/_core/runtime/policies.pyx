"""Policies: which threads run the operations of an engine.

A policy sets the number of threads of each lane. An operation's lane is named at its push; the default is "compute".
Without threads, operations run in the threads that push and wait.
"""
from lazyarr._core.host.threads cimport most_threads

import numbers


class Policy:
    """Which threads run the operations of an engine; to derive policies from."""

    seed = 0        # not 0: ready operations run in an order drawn from it

    def workers(self, lane):
        """Return the number of threads of a lane."""
        raise NotImplementedError


class Pool(Policy):
    """Several compute threads, and one for each other lane, such as "copy-in", "copy-out" or "priority".

    Parameters
    ----------
    threads : int, optional
        For computing. By default as many as evaluations use, see `lazyarr.config.num_threads`.

    Examples
    --------
    >>> from lazyarr.runtime import Engine, Pool
    >>> Engine(Pool(2))
    <Engine Pool(2), 0 pending>
    """

    def __init__(self, threads=None):
        if not isinstance(threads, numbers.Integral | None):
            raise TypeError(f"the threads of a pool must be an integer, got {type(threads).__name__}")
        self.threads = most_threads() if threads is None else threads
        if self.threads < 1:
            raise ValueError(f"a pool needs a thread or more, not {threads}")

    def workers(self, lane):
        return self.threads if lane == "compute" else 1

    def __repr__(self):
        return f"Pool({self.threads})"


class ThreadPerDevice(Policy):
    """One thread for each lane, whatever its name: a device, or a device and a direction of copies.

    Examples
    --------
    >>> from lazyarr.runtime import Engine, ThreadPerDevice
    >>> with Engine(ThreadPerDevice()) as engine:
    ...     engine.push(lambda: None, lane=("cpu:0", "compute"))
    ...     engine.push(lambda: None, lane=("cpu:1", "copy-in"))
    """

    def workers(self, lane):
        return 1

    def __repr__(self):
        return "ThreadPerDevice()"


class Serial(Policy):
    """No threads, for debugging: an operation runs at its push, or in the thread that ends what it waits for.

    What an operation pushes runs when that waits for it or ends.

    Parameters
    ----------
    seed : int, optional
        Runs operations at some later push, or at the wait for them, and in an order drawn from the seed among all that
        their variables allow: what depends on another order shows.

    Examples
    --------
    >>> from lazyarr.runtime import Engine, Serial
    >>> engine = Engine(Serial())
    >>> engine.push(lambda: print("at once"))
    at once
    """

    def __init__(self, seed=None):
        self.seed = 0 if seed is None else seed % 2**62 * 2 + 1

    def workers(self, lane):
        return 0

    def __repr__(self):
        return f"Serial({self.seed // 2})" if self.seed else "Serial()"
