"""Type aliases for parameters of functions and layers."""
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from lazyarr._core.api import LazyArray

Operand: TypeAlias = LazyArray | npt.ArrayLike
"""An array, or a value that can be converted to one."""

Shape: TypeAlias = Sequence[SupportsIndex]

Sizes: TypeAlias = SupportsIndex | Shape
"""One size for all spatial axes, or one for each."""

Padding: TypeAlias = Literal["same", "valid"] | SupportsIndex | Sequence[Sizes]

Reduction: TypeAlias = Literal["mean", "sum", "none"]
"""The reduction of a batch's losses."""

Initialiser: TypeAlias = Callable[..., Any]
"""A function of shape, generator and dtype that returns the initial values of a parameter."""

Rng: TypeAlias = int | np.random.Generator | None

Schedule: TypeAlias = Callable[[int], float]
"""From the number of steps made so far to a learning rate."""

Path: TypeAlias = str | PathLike[str]

Measure: TypeAlias = Callable[[Any, Any], Any]
"""From the outputs of a model and the targets to a number: a loss, or a metric."""

Metrics: TypeAlias = Mapping[str, Measure] | Sequence[Measure]

Tree: TypeAlias = Any
"""Nested tuples, lists and dicts of arrays."""
