# Nothing else in this module can be seen from Python.
import numpy as np

def elements_under(array: np.ndarray, mask: np.ndarray) -> np.ndarray: ...
