"""Handling of Ctrl-C between steps."""
import contextlib
import signal
import threading


@contextlib.contextmanager
def uninterrupted():
    """Defer KeyboardInterrupt to the end of the block; a second Ctrl-C raises at once.

    Works only in the main thread, and while Python's own handler is installed.
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
