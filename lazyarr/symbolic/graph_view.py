"""Symbolic graphs in notebooks: their inputs and outputs, with drawings of those whose extents are known."""
from typing import Any

from lazyarr.autodiff.trees import leaves
from lazyarr.inspect import formatting, markup
from lazyarr.inspect.shape_drawing import drawing


def as_html(graph: Any) -> str:
    """Return a graph as HTML for a notebook."""
    program = graph._program
    inputs = [(name, *_form(x), "yes" if name in graph._assigned else "")
              for name, x in zip(graph.inputs, program.inputs, strict=True)]
    outputs = [(str(number), *_form(y)) for number, y in enumerate(leaves(program.outputs))]
    told = [formatting.count(len(program.calls), "call")]
    if graph.backend is not None:
        told.append(f"backend {graph.backend}")
    return markup.panel(
        "Graph" if graph.name == "graph" else f"Graph {graph.name}",
        markup.table("Inputs", ("name", "shape", "dtype", "drawing", "assigned"), inputs, "<<<<<"),
        markup.table("Outputs", ("output", "shape", "dtype", "drawing"), outputs, "<<<<"), facts=told)


def _form(x):
    """Return shape and dtype of a symbol as text, and a drawing."""
    shape = ", ".join("?" if n is None else f"{n}" for n in x.shape)
    comma = "," if len(x.shape) == 1 else ""
    known = None not in x.shape
    return f"({shape}{comma})", str(x.dtype), markup.Drawn(drawing(x.shape, 36.0)) if known else ""
