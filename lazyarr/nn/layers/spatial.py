"""Layers over one, two or three spatial axes: families of classes."""
from typing import Any

from lazyarr.nn.docstrings import documented_by_rank
from lazyarr.nn.layers.base import Layer


class SpatialLayer(Layer):
    """A layer over a number of spatial axes, given by each subclass: ``class Conv2d(_Conv, axes=2)``.

    The template `documentation` of the family, with the names of `documented_by_rank`, becomes each class's docstring.
    """

    axes: int = 0
    documentation: str = ""

    def __init_subclass__(cls, axes: int = 0, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if axes:
            cls.axes, cls.__doc__ = axes, cls.documentation
            documented_by_rank(axes)(cls)
