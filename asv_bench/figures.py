"""The style of figures: readable on light and dark pages, and reproducible byte for byte."""

import contextlib

GREY = "#747b84"  # equal contrast on white and near-black
COLOURS = {"lazyarr": "#e8742a", "NumPy": "#4c8eda", "PyTorch": "#e06c4a", "JAX": "#23a08a", "Numba": "#9a6fd8"}


@contextlib.contextmanager
def axes_saved_to(path, size):
    """Yield the axes of a figure of `size` inches, which is then written to `path` as SVG."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    settings = {"svg.fonttype": "none", "svg.hashsalt": "lazyarr", "font.family": "sans-serif", "text.color": GREY,
                "axes.labelcolor": GREY, "xtick.color": GREY, "ytick.color": GREY, "axes.edgecolor": GREY}
    with pyplot.rc_context(settings):
        figure, axes = pyplot.subplots(figsize=size, layout="constrained")
        yield axes
        figure.savefig(path, transparent=True, metadata={"Date": None})
        pyplot.close(figure)
