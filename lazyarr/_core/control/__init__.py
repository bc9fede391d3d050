"""Sub-graphs and the loops and branches that run them.

    subgraph       graphs closed over parameters: traced arrays and captures
    runner         copies of a sub-graph's nodes that run again and again; `leaf_memory` where its values are
    loop_exec      runs a sub-graph as the body of a loop
    branch_exec    runs the one of several that a number selects
    residuals      values that a loop keeps for its derivative
    scan_parallel  recurrences on independent rows, each thread its own; `scan_body` decides which loops qualify and
                   what their values are, `scan_buffers` where these lie

Closing. A function is called once on placeholders. `close` copies the resulting graph: placeholders and everything read
from the graph around it (captures) become parameters. The sub-graph belongs to one opaque call of its parent. What does
not depend on the iteration stays outside and is computed once.

Running. Nodes are copied once, with leaves for parameters; the plan comes from the plan cache. An iteration points
leaves at memory, runs the steps and passes result memory on. Carried values change hands and are overwritten in place
when nothing reads them any more; slices of collected outputs are computed where they belong. No node settles, so the
same nodes run again. A matrix that kernels read transposed in every iteration is copied in that order once.

Parallel scans. Where a row of the carried value depends on the same row only, as in recurrent layers over a batch, a
thread takes its rows through all iterations and waits for no other. Bodies may have elementwise programs, reductions
along rows and products with a loop-invariant matrix. Steps are laid out once; a table says where each value lies in
each iteration: at one address, at two alternately if carried, or in slices of outputs and residuals. Matrices are
packed once. Short iterations of other loops run the same way on one thread, loops with a condition from the ninth
iteration on. Bits are those of single steps; flags are reported once for all iterations.

On a device. A loop or a branch whose operands are on a device with a driver runs there: its runner's leaves are values
in the device's memory, and each round launches kernels like an evaluation. The host looks at conditions and indices of
branches. What no kernel computes runs on the host, step by step.

Residuals. What the derivative of the body reads is kept as a list of memory, nothing copied. Multiples of kept values
are recomputed. Residuals have cotangents, which are residuals, so derivatives of any order need nothing else.
`lazyarr.control` builds loops and their derivatives on top of this.
"""
