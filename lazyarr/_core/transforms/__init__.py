"""Derivatives and batching of graphs.

    vjp            the reverse walk that builds vector-Jacobian products
    path_order     nodes between results and inputs, in reverse topological order
    vjp_rules      rules by loop, reduction and call
    cotangent_ops  small graph pieces that derivatives are made of; derivatives of reductions
    watch          differentiation inputs, and what eager results were computed from
    where_masks    cotangents that count only where a branch was taken
    vmap           rebuilds a graph for a batch; `batch_layout` where its elements lie

Reverse mode. The graph of a result is its own tape. `pull_back` visits nodes from the results to the watched inputs,
last first, and adds nodes for their cotangents; nothing is evaluated. Nodes are SSA, so in-place writes need no care:
an update sends the cotangent of its window to the value and the rest to the old storage. Cotangents of one storage are
updated in place; a reshape or transposition passes its cotangent through (`view_cotangent`). Other windows wait until
all readers of the storage are visited; where they tile it, no zeros are needed. A cotangent is the plain transpose,
without conjugation, as in JAX. What has no rule raises `NotDifferentiable`.

Rules. Ufuncs have expressions (`ops/derivatives.py`), compiled to small programs. Reductions and calls have rules in
`autodiff/*_vjps.py`, by name or as the attribute `pull_back` of the called function. Calls that change an array
(`update`) have rules of another kind: rule(cotangent, operands, wanted) zeroes the cotangent, in place, where old
values no longer count, and returns the value's; a rule that needs the old values says so (`reads`).

Masks. Where a branch of `where` is not taken the cotangent is zero, but zero times an infinite derivative is NaN. So
the walk remembers where taken branches lead (`reach`), through elementwise operations, views, sums and gathers, and
selects zero once, at the end of a chain. It never asks whether a cotangent is zero: that is not linear, and `jvp` needs
linearity. Bodies keep residuals under the mask they are read with (`where_masks`).

Forward mode. `jvp` transposes the transpose: cotangents of arguments are linear in that of the result. Building costs a
graph of twice the size; only what the result needs is evaluated.

History. An evaluated node forgets its operands. Under `vjp.history` it keeps kind, inputs and parameters, the budget
does not flush, and elements are views, not constants. If a walk ends at a node that may have been made from a watched
input but has forgotten how, it raises: a missing part of a gradient is never silent. Eager results and in-place changes
are connected to their operands by name, so that a derivative through them is refused, not zero.

Batching. `vmap` walks forward and rebuilds each node that depends on an element with a batch axis in front; the rest is
shared. A storage on a batch is that of the elements one after the other, so a window gains one stride. Calls have
rules, rule(call, operands, batched, size), by name (`autodiff/vmap_rules.py`) or as the attribute `batch`; a call
without a rule is made once per element (`Each`). Nothing under a mask is packed: masks of elements differ.
"""
