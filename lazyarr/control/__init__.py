"""Control flow inside the graph: loops and branches whose bodies are traced sub-graphs.

    loops            while_loop, fori_loop, scan
    branches         cond, switch
    checkpoint       rematerialisation: a function whose intermediate values are recomputed for its derivative
    tracing          from a function of arrays to its graph
    loop_vjp         derivatives of loops and branches
    loop_vmap        loops and branches on batches
    cached_scan      scans that depend on their arguments alone: traced, and differentiated, once
    signature_cache  recently used argument forms
    ufunc_at_vjp, reduce_vjp    derivatives that need a loop: `ufunc.at`, reductions by any ufunc

A function is called once, on placeholders. What it returns is closed into a sub-graph (`_core.control.subgraph`), one
opaque call of the graph around it; its operands are initial values, scanned arrays and captures.

The derivative of a loop is a loop from the last iteration to the first. It reads the residuals that the forward loop
kept. Cotangents of captures are summed over iterations; one that is a matrix product in each iteration becomes a single
product afterwards. A branch is a loop of one iteration that a number selects.

On a batch, a carried value is batched if it starts so or becomes so. Where elements stop at different iterations the
loop goes on while any does, and a select keeps finished elements; where elements choose different branches, all
branches run. If such loops keep residuals, elements run one by one.

A loop caches its derivatives by the cotangents that are given and wanted. While a function is traced this cache is
neither read nor filled, because arrays stand for other arrays then.
"""
from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr.control import reduce_vjp as reduce_vjp
from lazyarr.control import ufunc_at_vjp as ufunc_at_vjp
from lazyarr.control.branches import cond, switch
from lazyarr.control.checkpoint import checkpoint
from lazyarr.control.loops import fori_loop, scan, while_loop

__all__ = ["TracedValueError", "checkpoint", "cond", "fori_loop", "scan", "switch", "while_loop"]
