"""Drawing of graphs by Graphviz's program ``dot``."""

from __future__ import annotations

import subprocess

from lazyarr.inspect import formatting


class DrawingError(RuntimeError):
    """Raised if Graphviz cannot draw a graph.

    Attributes
    ----------
    dot : str
        The graph in Graphviz's language, to be drawn elsewhere.
    """

    __module__ = "lazyarr"  # where users find it, and what tracebacks say

    def __init__(self, message: str, dot: str) -> None:
        super().__init__(message)
        self.dot = dot


class Drawing:
    """A drawing of a graph, in one of Graphviz's formats. Notebooks show SVG and PNG.

    Attributes
    ----------
    data : bytes
    format : str
    """

    def __init__(self, data: bytes, format: str) -> None:
        self.data: bytes = data
        self.format: str = format

    def __str__(self) -> str:
        return self._repr_svg_() or repr(self)

    def __repr__(self) -> str:
        return f"<Drawing: {self.format}, {formatting.nbytes(len(self.data))}>"

    def _repr_svg_(self) -> str | None:
        return self.data.decode() if self.format == "svg" else None

    def _repr_png_(self) -> bytes | None:
        return self.data if self.format == "png" else None


def draw(dot: str, format: str = "svg") -> Drawing:
    """Draw a graph given in Graphviz's language; raise DrawingError if ``dot`` is missing or fails."""
    try:
        run = subprocess.run(["dot", f"-T{format}"], input=dot.encode(errors="replace"), capture_output=True)
    except FileNotFoundError:
        raise DrawingError(
            "drawing needs Graphviz's program dot, which is not on the PATH: apt install graphviz, brew install "
            "graphviz, or https://graphviz.org/download. to_dot() still gives the text, as does this error's dot, and "
            "explain(...).save_html(path) draws without it", dot) from None
    if run.returncode:
        raise DrawingError(f"dot failed: {run.stderr.decode(errors='replace').strip()}", dot)
    return Drawing(run.stdout, format)
