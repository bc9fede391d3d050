from typing import final

import numpy as np

@final
class Shared: ...

@final
class Tape:
    rounds: int

def share_tape(array: np.ndarray) -> np.ndarray: ...
def add_tapes(*arrays: np.ndarray) -> np.ndarray: ...
