import numpy as np

def partition_lines(
    out: np.ndarray, x: np.ndarray, places: np.ndarray, axis: int, indices: bool, threads: int = 0
) -> None: ...
