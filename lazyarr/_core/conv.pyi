import numpy as np

def correlate(
    out: np.ndarray,
    x: np.ndarray,
    w: np.ndarray,
    stride: tuple[int, int, int],
    first: tuple[int, int, int],
    dilation: tuple[int, int, int],
    final: bool = True,
) -> None: ...
def weight_gradient(
    out: np.ndarray,
    x: np.ndarray,
    g: np.ndarray,
    stride: tuple[int, int, int],
    first: tuple[int, int, int],
    dilation: tuple[int, int, int],
) -> None: ...
def correlate_channels(
    out: np.ndarray,
    x: np.ndarray,
    w: np.ndarray,
    stride: tuple[int, int, int],
    first: tuple[int, int, int],
    dilation: tuple[int, int, int],
) -> None: ...
def weight_gradient_channels(
    out: np.ndarray,
    x: np.ndarray,
    g: np.ndarray,
    stride: tuple[int, int, int],
    first: tuple[int, int, int],
    dilation: tuple[int, int, int],
) -> None: ...
