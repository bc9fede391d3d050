from typing import Any, NamedTuple, final

import numpy as np

class NoKernel(Exception): ...

class Operand(NamedTuple):
    block: Any
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    @property
    def ndim(self) -> int: ...

@final
class Call:
    name: str
    function: Any
    operands: list[Operand]
    results: list[Operand]
    changes: bool
    reported_flags: int
    started: list[bool]
    def __init__(
        self, name: str, function: Any, operands: list[Operand], results: list[Operand], changes: bool, flags: Any,
        words: Any, nodes: list[Any]
    ) -> None: ...
    @property
    def result(self) -> Operand: ...
    def report_as(self, name: str) -> None: ...
    def launch(
        self, driver: Any, kernel: Any, groups: int, threads: int, numbers: list[int], blocks: list[Any],
        changes: bool = False,
    ) -> None: ...
    def check(
        self, driver: Any, kernel: Any, groups: int, threads: int, numbers: list[int], blocks: list[Any]
    ) -> bool: ...
