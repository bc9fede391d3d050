from collections.abc import Iterable
from typing import final

import numpy as np

from lazyarr._core.control.subgraph import Subgraph
from lazyarr._core.ir.device_function import DeviceFunction
from lazyarr._core.ir.node import Node

@final
class Branch(DeviceFunction):
    graph: Subgraph
    takes: tuple[int | tuple[int, int], ...]
    gives: tuple[int, ...]
    groups: list[tuple[int, ...]]

    def __init__(
        self, graph: Subgraph, takes: Iterable[int | tuple[int, int]], gives: Iterable[int],
        groups: Iterable[tuple[int, ...]] = (),
    ) -> None: ...
    def keep(self, nodes: list[Node]) -> None: ...
    def prepare(self) -> None: ...
    def __call__(self, *operands: np.ndarray) -> list[np.ndarray]: ...

class Switch(DeviceFunction):
    branches: list[Branch]
    forms: list[tuple[tuple[int, ...], np.dtype]]
    shift: int

    def __init__(
        self, branches: list[Branch], forms: list[tuple[tuple[int, ...], np.dtype]], shift: int = 0,
    ) -> None: ...
    def __call__(self, index: np.ndarray, *operands: np.ndarray) -> list[np.ndarray]: ...
