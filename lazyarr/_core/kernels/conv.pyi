from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

Triple: TypeAlias = tuple[int, int, int]

def correlate(
    out: np.ndarray, x: np.ndarray, w: np.ndarray, stride: Triple, first: Triple, dilation: Triple,
    complete: np.ndarray | None = None, doubtful: np.ndarray | None = None,
) -> int: ...
def cost(dtype: np.dtype, terms: float, channels: int, columns: int, depthwise: bool) -> float: ...
def marked(
    lines: np.ndarray | None, stride: tuple[int, ...], first: Triple
) -> Iterator[tuple[tuple[slice, slice, slice], Triple]]: ...
def weight_gradient(
    out: np.ndarray, x: np.ndarray, g: np.ndarray, stride: Triple, first: Triple, dilation: Triple
) -> int: ...
def correlate_channels(
    out: np.ndarray, x: np.ndarray, w: np.ndarray, stride: Triple, first: Triple, dilation: Triple
) -> int: ...
def weight_gradient_channels(
    out: np.ndarray, x: np.ndarray, g: np.ndarray, stride: Triple, first: Triple, dilation: Triple
) -> int: ...
