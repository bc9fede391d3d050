"""The shared engine of lazyarr itself, created on first use."""
import functools


@functools.cache
def shared_engine():
    """Return the engine with a thread for each stream, each copy direction, and each concurrent call."""
    from lazyarr._core.runtime.engine import Engine
    from lazyarr._core.runtime.policies import ThreadPerDevice

    return Engine(ThreadPerDevice())
