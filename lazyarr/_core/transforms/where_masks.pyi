from typing import Any

from lazyarr._core.control.subgraph import Subgraph
from lazyarr._core.frontend.lazy_array import LazyArray

def where_read(graph: Subgraph, outputs: list[LazyArray], nodes: list[Any]) -> list[Any]: ...
