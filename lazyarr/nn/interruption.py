"""Ctrl-C between steps, and steps that are evaluated as a whole."""
import contextlib
import signal
import threading

from lazyarr._core import api as core

_lock = threading.Lock()
_inside = 0     # blocks of one_plan that are running, in all threads
_budget = 0     # what the budget was before the first of them


@contextlib.contextmanager
def one_plan():
    """Nothing is evaluated for the number of pending operations alone: derivatives double what a step has of them."""
    global _inside, _budget
    with _lock:
        if not _inside:
            _budget = core.get_budget()["nodes"]
            core.set_budget(nodes=2**31 - 1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                core.set_budget(nodes=_budget)


@contextlib.contextmanager
def uninterrupted():
    """Have Ctrl-C raise KeyboardInterrupt at the end of the block; pressed twice it raises at once.

    Only where nobody else has a say in it: in the main thread, with Python's own handler.
    """
    python_s = signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not python_s:
        yield
        return
    pressed: list[int] = []

    def wait(number, frame):
        if pressed:
            python_s(number, frame)
        pressed.append(number)

    signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, python_s)
    if pressed:
        raise KeyboardInterrupt
