"""matplotlib: a plot of LazyArrays has the pixels of a plot of ndarrays."""

import numpy as np
import pytest

import lazyarr as la
from support import lazy_helpers

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

RNG = np.random.default_rng(0)
ARRAYS = {"m": RNG.normal(size=(5, 6)), "v": RNG.normal(size=6), "w": RNG.normal(size=6), "i": np.arange(6)}
PLOTS = {
    "plot": lambda ax, m, v, w, i: ax.plot(v, w, "o-"),
    "imshow": lambda ax, m, v, w, i: ax.imshow(m, vmin=m.min(), vmax=m.max(), extent=[0, i[3], v[0] * 0, 2]),
    "image of colours": lambda ax, m, v, w, i: ax.imshow(np.abs(m[:, :, None] * v[:3]).clip(0, 1)),
    "colorbar": lambda ax, m, v, w, i: ax.figure.colorbar(ax.imshow(m)),
    "hist": lambda ax, m, v, w, i: ax.hist(v, bins=i / 2 - 1),
    "contour": lambda ax, m, v, w, i: ax.contour(m, levels=i / 3 - 1),
    "contourf": lambda ax, m, v, w, i: ax.contourf(m),
    "scatter": lambda ax, m, v, w, i: ax.scatter(v, w, c=w, s=abs(v) * 10),
    "errorbar": lambda ax, m, v, w, i: ax.errorbar(i, v, yerr=abs(w)),
    "fill_between": lambda ax, m, v, w, i: ax.fill_between(i, v, w, where=v > w),
    "quiver": lambda ax, m, v, w, i: ax.quiver(v, w),
    "limits and lines": lambda ax, m, v, w, i: (ax.set_xlim(v.min(), v.max()), ax.axhline(v[0]), ax.axvspan(-1, v[2])),
    "text and ticks": lambda ax, m, v, w, i: (ax.text(v[0], 0.5, f"{v[2]:.2f}"), ax.set_xticks(i)),
}


def pixels(plot, arrays):
    canvas = FigureCanvasAgg(Figure(figsize=(1.5, 1.5), dpi=40))
    plot(canvas.figure.add_subplot(), **arrays)
    canvas.draw()
    return np.array(canvas.buffer_rgba())


@pytest.mark.parametrize("name", PLOTS)
def test_pixels(name):
    expected = pixels(PLOTS[name], ARRAYS)
    got = pixels(PLOTS[name], {name: lazy_helpers.pending(x) for name, x in ARRAYS.items()})
    assert len(np.unique(expected)) > 2
    np.testing.assert_array_equal(got, expected)


def test_colours_and_scales():
    v = lazy_helpers.pending(ARRAYS["v"])
    scale = matplotlib.colors.Normalize(v.min(), v.max())
    expected = matplotlib.colors.Normalize(ARRAYS["v"].min(), ARRAYS["v"].max())
    np.testing.assert_array_equal(scale(v), expected(ARRAYS["v"]))
    colours = matplotlib.colormaps["viridis"]
    np.testing.assert_array_equal(colours(la.abs(v)), colours(abs(ARRAYS["v"])))
