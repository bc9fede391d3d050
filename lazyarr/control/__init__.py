"""Control flow inside the graph: loops and branches whose bodies are graphs of their own, learnt by tracing."""
from lazyarr._core.standin import TracedValueError
from lazyarr.control import at_rules as at_rules
from lazyarr.control import fold_rules as fold_rules
from lazyarr.control.branches import cond, switch
from lazyarr.control.checkpoint import checkpoint
from lazyarr.control.loops import fori_loop, scan, while_loop

__all__ = ["TracedValueError", "checkpoint", "cond", "fori_loop", "scan", "switch", "while_loop"]
