import numpy as np

def gather(
    out: np.ndarray, x: np.ndarray, indices: tuple[np.ndarray, ...], joined: tuple[int, ...], walked: tuple[int, ...],
    indexed: tuple[int, ...], block: tuple[int, ...], mode: int = 0, threads: int = 0,
) -> bool: ...
