from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr.stubs.transforms import checkpoint, cond, fori_loop, scan, switch, while_loop

__all__ = ["TracedValueError", "checkpoint", "cond", "fori_loop", "scan", "switch", "while_loop"]
