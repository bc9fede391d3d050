from typing import Any, final

import numpy as np

class Kernel: ...

@final
class Node:
    err: int
    attr: int
    @property
    def kind(self) -> int: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def payload(self) -> Any: ...

def stats() -> dict[str, int]: ...
