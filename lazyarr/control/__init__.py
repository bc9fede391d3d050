"""Control flow inside the graph: loops and branches whose bodies are graphs of their own, learnt by tracing."""
from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr.control import reduce_vjp as reduce_vjp
from lazyarr.control import ufunc_at_vjp as ufunc_at_vjp
from lazyarr.control.branches import cond, switch
from lazyarr.control.checkpoint import checkpoint
from lazyarr.control.loops import fori_loop, scan, while_loop

__all__ = ["TracedValueError", "checkpoint", "cond", "fori_loop", "scan", "switch", "while_loop"]
