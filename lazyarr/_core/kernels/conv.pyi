from collections.abc import Iterator

import numpy as np

def correlate(
    out: np.ndarray,
    x: np.ndarray,
    w: np.ndarray,
    stride: tuple[int, int, int],
    first: tuple[int, int, int],
    dilation: tuple[int, int, int],
    complete: np.ndarray | None = None,
    doubtful: np.ndarray | None = None,
) -> int: ...
def cost(dtype: np.dtype, terms: float, channels: int, columns: int, depthwise: bool) -> float: ...
def marked(
    lines: np.ndarray | None,
    stride: tuple[int, ...],
    first: tuple[int, int, int],
) -> Iterator[tuple[tuple[slice, slice, slice], tuple[int, int, int]]]: ...
def weight_gradient(
    out: np.ndarray,
    x: np.ndarray,
    g: np.ndarray,
    stride: tuple[int, int, int],
    first: tuple[int, int, int],
    dilation: tuple[int, int, int],
) -> int: ...
def correlate_channels(
    out: np.ndarray,
    x: np.ndarray,
    w: np.ndarray,
    stride: tuple[int, int, int],
    first: tuple[int, int, int],
    dilation: tuple[int, int, int],
) -> int: ...
def weight_gradient_channels(
    out: np.ndarray,
    x: np.ndarray,
    g: np.ndarray,
    stride: tuple[int, int, int],
    first: tuple[int, int, int],
    dilation: tuple[int, int, int],
) -> int: ...
