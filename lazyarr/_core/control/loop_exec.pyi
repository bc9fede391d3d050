from collections.abc import Iterable

import numpy as np

from lazyarr._core.control.subgraph import Subgraph
from lazyarr._core.ir.device_function import DeviceFunction
from lazyarr._core.ir.node import Node

class Loop(DeviceFunction):
    body: Subgraph
    test: Subgraph | None
    ncarry: int
    nxs: int
    nys: int
    length: int
    start: int | None
    tapes: tuple[tuple[int, tuple[int, ...]], ...]
    groups: list[tuple[int, ...]]
    reverse: bool

    def __init__(
        self, body: Subgraph, ncarry: int, nxs: int, nys: int, *, test: Subgraph | None = None, length: int = -1,
        start: int | None = None, tapes: Iterable[tuple[int, tuple[int, ...]]] = (), reverse: bool = False,
        groups: Iterable[tuple[int, ...]] = (),
    ) -> None: ...
    def keep(self, nodes: list[Node]) -> int: ...
    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]: ...
