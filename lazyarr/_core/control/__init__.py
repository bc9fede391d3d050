"""Sub-graphs and the loops and branches that run them.

`subgraph` closes a traced function over its inputs, `loop_exec` runs one as the body of a loop, `branch_exec` the
branch that a condition selects. `scan_parallel` runs the rounds of a recurrence on rows, each thread its own, with
buffers from `scan_buffers`. `residuals` keeps what a loop's derivative reads.
"""
