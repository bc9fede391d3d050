"""Types of parameters that functions and layers share."""
from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from lazyarr._core.api import LazyArray

Operand: TypeAlias = LazyArray | npt.ArrayLike
"""An array, or what becomes one."""

Shape: TypeAlias = Sequence[SupportsIndex]

Sizes: TypeAlias = SupportsIndex | Shape
"""One size for all spatial axes, or one for each."""

Padding: TypeAlias = Literal["same", "valid"] | SupportsIndex | Sequence[Sizes]

Reduction: TypeAlias = Literal["mean", "sum", "none"]
"""What becomes of the losses of a batch."""

Initialiser: TypeAlias = Callable[..., Any]
"""From a shape, a generator and a dtype to the first values of a parameter."""

Rng: TypeAlias = int | np.random.Generator | None
