from typing import Any, final

import numpy as np

class Kernel:
    hands_over: bool
    repeats: tuple[int, ...] | None
    pull_back: Any
    batch: Any
    batched_as: str | None
    @staticmethod
    def accept(*operands: Any) -> bool: ...
    def cost(self, dtype: np.dtype, shape: tuple[int, ...], *operands: tuple[int, ...]) -> float | None: ...
    def reference(self, *arrays: np.ndarray) -> np.ndarray: ...

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
