import numpy as np

def scatter(
    x: np.ndarray, value: np.ndarray, indices: tuple[np.ndarray, ...], joined: tuple[int, ...],
    walked: tuple[int, ...], indexed: tuple[int, ...], block: tuple[int, ...], mode: int = 0,
    operation: np.ufunc | None = None, threads: int = 0,
) -> int: ...
