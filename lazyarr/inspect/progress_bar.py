"""A bar that shows how far an evaluation is that takes long: `config.progress`."""

from __future__ import annotations

from typing import Any

from lazyarr._core import api

_bar: Bar | None = None


class Bar:
    """Shows the steps of an evaluation, on stderr; called by the core. ImportError without tqdm."""

    def __init__(self) -> None:
        try:
            from tqdm import tqdm
        except ImportError:
            raise ImportError("config.progress shows a bar with tqdm: pip install 'lazyarr[nn]'") from None
        self._make = tqdm
        self._shown: Any = None

    def show(self, done: int, steps: int, name: str, done_rounds: int, rounds: int) -> None:
        """Show how many steps are done, which one runs, and its round and number of rounds; -1 if that is unknown."""
        if self._shown is None:
            self._shown = self._make(total=steps, unit="step", leave=False)
        self._shown.total, self._shown.n = steps, done  # both change where another evaluation has computed a part
        text = name if len(name) <= 40 else f"{name[:37]}..."
        if rounds:
            text += f", round {done_rounds + 1:,}" + (f" of {rounds:,}" if rounds > 0 else "")
        self._shown.set_postfix_str(text)

    def close(self) -> None:
        """Clear the bar."""
        shown, self._shown = self._shown, None
        if shown is not None:
            shown.close()


def is_shown() -> bool:
    """Whether long evaluations show a bar."""
    return _bar is not None


def show(on: bool) -> None:
    """Turn the bar of long evaluations on or off."""
    global _bar
    bar = Bar() if on else None
    api.set_hook("progress", bar)
    _bar = bar
