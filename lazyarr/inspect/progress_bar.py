"""The progress bar of long evaluations, `config.progress`: tqdm's on stderr, an HTML bar in notebooks."""

from __future__ import annotations

from typing import Any

from lazyarr._core import api
from lazyarr._core.host.shell import is_notebook

_bar: Bar | None = None


class NotebookBar:
    """A progress bar below a notebook cell, with the part of tqdm's interface that `Bar` uses."""

    def __init__(self, total: int, **_: Any) -> None:
        from IPython.display import display

        self.total, self.n = total, 0
        self._shown = display(self._drawn(""), raw=True, display_id=True)

    def set_postfix_str(self, text: str) -> None:
        """Update the bar, with a text."""
        self._shown.update(self._drawn(text), raw=True)

    def close(self) -> None:
        """Clear the bar."""
        self._shown.update({"text/plain": "", "text/html": ""}, raw=True)

    def _drawn(self, text: str) -> dict[str, str]:
        from lazyarr.inspect import markup

        told = f"{self.n:,} of {self.total:,} steps"
        return {"text/plain": f"{told} {text}".rstrip(),
                "text/html": markup.panel("Evaluating", markup.progress(self.n, self.total, text), facts=[told])}


class Bar:
    """Shows the steps of an evaluation; called by the core. Raises ImportError without tqdm, outside of notebooks."""

    def __init__(self) -> None:
        self._shown: Any = None
        self._make: Any = NotebookBar
        if is_notebook():
            return
        try:
            from tqdm import tqdm
        except ImportError:
            raise ImportError("config.progress shows a bar with tqdm: pip install 'lazyarr[nn]'") from None
        self._make = tqdm

    def show(self, done: int, steps: int, name: str, done_rounds: int, rounds: int) -> None:
        """Show the steps done, the running step, its iteration and its number of iterations, -1 if unknown."""
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
    """Return whether long evaluations show a bar."""
    return _bar is not None


def show(on: bool) -> None:
    """Turn the bar of long evaluations on or off."""
    global _bar
    bar = Bar() if on else None
    api.set_hook("progress", bar)
    _bar = bar
