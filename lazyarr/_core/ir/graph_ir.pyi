from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

class NodeInfo(NamedTuple):
    kind: int
    inputs: tuple[int, ...]
    shape: int
    itemsize: int
    flags: int
    loop: int
    outs: tuple[int, ...]
    attr: int
    like: int = -1
    nbytes: float = 0
    mark: int = 0
    cheap: int = 0
    outer: bool = False
    serial: int = 0
    typenum: int = 12
    contiguous: bool = True

class Graph:
    fast_math: bool
    def __init__(self, infos: Iterable[tuple[Any, ...]] = (), fast_math: bool = False) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[NodeInfo]: ...
    def __getitem__(self, i: int) -> NodeInfo: ...
