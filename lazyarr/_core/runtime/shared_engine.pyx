"""The engine of lazyarr's own work, which few programs need and none loads before."""
import functools


@functools.cache
def shared_engine():
    """The engine with a thread for each stream, each direction of copies, and each concurrent call."""
    from lazyarr._core.runtime.engine import Engine
    from lazyarr._core.runtime.policies import ThreadPerDevice

    return Engine(ThreadPerDevice())
