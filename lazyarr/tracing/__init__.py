"""Tracing of functions into graphs, for `jit`, symbolic graphs and compiled training steps.

    jit      trace once per signature of the arguments, then run the cached graph
    capture  trace a function: its arguments, the outside arrays that it reads and writes, its random draws
    guards   the objects that a function's names refer to; a graph is valid while they stay the same

Capture. The function runs once inside `trace_scope.tracing`. The first access to a handle made before the block
replaces the handle's node by a placeholder (`attend`), so a graph cannot bake in an outside value by mistake: computing
with it records, evaluating it raises. All accesses pass `node_of`, `force` or `check_writeable`, which test one flag.
At the end every handle gets its node back. Outside arrays become operands, read at each run. Those that the function
wrote to are written after each run, by exchanging nodes. Only one thread traces at a time.

Execution. The graph is a `Subgraph` over its operands, run by a `Branch` as one call with several results. Plans are
found by structure, so a new shape costs a trace but no plan. Random draws are part of the graph: each takes a token
from the one before, and the last token is a result (numpy/lazy_random.py).

Derivatives call the function itself. The derivative of a call's result recomputes the graph, as `la.checkpoint` does.
"""
