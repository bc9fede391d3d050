"""Functions to push to a dependency engine, and the policies under which its tests run."""
import ctypes
import threading

from lazyarr.runtime import NativeFunction, Pool, Serial, ThreadPerDevice

POLICIES = [Pool(1), Pool(2), Pool(5), ThreadPerDevice(), Serial(), Serial(1), Serial(2)]


def freed(address=0):
    """Return a native function that frees a block of memory; address 0 means none."""
    return NativeFunction(ctypes.cast(ctypes.pythonapi.PyMem_RawFree, ctypes.c_void_p).value, address)


def held_up(engine, lane=None, nbytes=0):
    """Keep a lane's thread busy until the returned event is set."""
    event, begun = threading.Event(), threading.Event()
    engine.push(lambda: (begun.set(), event.wait(20)), lane=lane, nbytes=nbytes)
    assert begun.wait(20)
    return event
