import numpy as np

# Nothing else in this module can be seen from Python.
def outside(index: np.ndarray, low: int, high: int) -> bool: ...
