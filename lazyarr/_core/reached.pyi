from typing import Any

from lazyarr._core.array import LazyArray
from lazyarr._core.subgraph import Subgraph

def where_read(graph: Subgraph, outputs: list[LazyArray], nodes: list[Any]) -> list[Any]: ...
