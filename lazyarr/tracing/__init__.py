"""From functions to graphs: `jit`, and what it shares with symbolic graphs and traced training steps.

    jit      functions that are called once per form of their arguments, then run as graphs
    capture  traces a function: what it takes, reads from outside, writes and draws
    guards   the objects that a function's names stand for; a graph is valid while they do

Capture. The function runs once, its thread inside `trace_scope.tracing`. The first access to a handle made before the
block replaces the handle's node by one without a value (`attend`), so a graph cannot bake in an outside value by
mistake: computing with it records, evaluating it raises. All accesses pass `node_of`, `force` or `check_writeable`,
which test one flag. At the end every handle gets its node back. Outside arrays become operands, read at each run; those
that the function wrote to are written after each run, by exchanging nodes. One thread traces a function at a time.

Execution. The graph is a `Subgraph` over its operands, run by a `Branch` as one call with several results. Plans are
found by structure, so a new shape costs a trace but no plan. Random draws are part of the graph: each takes a token
from the one before, and the last token is a result (numpy/lazy_random.py).

Derivatives call the function itself; the derivative of a call's result computes the graph once more, as
`la.checkpoint` does.
"""
