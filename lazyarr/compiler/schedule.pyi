from lazyarr._core.ir.graph_ir import Graph
from lazyarr._core.ir.step import Step

LEAF: int
SCALAR: int
VIEW: int
MAP: int
MASKED: int
COMPRESS: int
PACKED: int
EXPAND: int
RESULT: int
UPDATE: int
REDUCE: int
EMPTY: int
OPAQUE: int
REPEAT: int
ESCAPES: int
CONSUMABLE: int
CHANGES: int
HANDS_OVER: int
FINISHES: int
BESIDE: int
SELECTION: frozenset[int]

def schedule(graph: Graph) -> list[Step]: ...
