"""Passes each evaluation's record to all listeners; the native core supports only one.

Without listeners the core makes no records.
"""

from collections.abc import Callable
from typing import Any

from lazyarr._core import api

Listener = Callable[[dict[str, Any]], object]

_listeners: tuple[Listener, ...] = ()


def listen(listener: Listener) -> None:
    """Call `listener` with the record of every evaluation from now on."""
    _replace((*_listeners, listener))


def ignore(listener: Listener) -> None:
    """Undo one `listen`; the same listener may have been added several times."""
    remaining = list(_listeners)
    remaining.remove(listener)
    _replace(tuple(remaining))


def _replace(listeners: tuple[Listener, ...]) -> None:
    global _listeners
    _listeners = listeners
    api.set_hook("on_evaluate", _tell if listeners else None)


def _tell(record: dict[str, Any]) -> None:
    for listener in _listeners:
        listener(record)
