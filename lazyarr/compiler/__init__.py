"""From a graph's description to the steps of its plan. Passes are pure functions, native but for the tables.

    pipeline         the passes in order; registered with the core as the hook "schedule"
    rewrite_rules    the table of rewrite rules; `pattern_matcher` applies them to one node
    simplify         algebraic simplification and common subexpressions, in one walk
    view_rewrites    `repeat` as a view, adjacent windows written without zeros beneath
    schedule         fusion, order and memory of steps, by the passes below
      stages           cuts a graph whose waves would need too much memory
      fusion           nodes that form one tile program
      sibling_fusion   programs that read the same arrays
      step_order       order of steps
      rematerialize    values computed again instead of stored
      lower            registers, stores, reductions; memory that a step may take over
      epilogue_fusion  kernels and the program behind each
      concurrency, row_fusion    steps that may run at the same time, or one block of rows after the other
    verify           the grammar of plans, checked in debug builds

Input is what `_core.ir.graph_ir` says of a graph: everything but extents. So one plan serves every graph of a
fingerprint, and whatever depends on extents is decided at run time.

Rewrite rules. A row such as "`negative(negative(x))` is `x`" is *exact* for the dtypes it names: bits, warnings, NaN
payloads and signs of zero stay NumPy's. `x + 0.0` turns -0.0 into 0.0 and `x * 1.0` quiets a signalling NaN, so such
rows apply under `config.fast_math` only. docs/rules.md lists all rows; tests/compiler/test_rewrite_rules.py runs each.

`simplify` visits each node once, after its operands: it applies rules until none fits, then looks for an equal earlier
node. Each enables the other, and rules only look down, so one walk suffices. A plan refers to existing nodes, so a rule
makes none. It can
- let readers use another node of the same shape and dtype. Views, updates, calls and handles need the very node: for
  them it becomes a copy. So it does for a loop whose result depends on how an operand lies in memory (not *steady*:
  `exp`, or which of two NaNs wins);
- compute a node by another loop, `power(x, 2)` by multiplication. Errors keep the original's name, line and errstate;
- recompute one node between the two that nothing else reads: `a * c + b * c` as `(a + b) * c` under `fast_math`.
No rule drops an operation that could report an error.

There is no rule for: sums of multiples (they need a new node); constants that no node holds (`x - x`); `x + x` (as fast
as `x * 2`); `clip` of `clip` (plans do not know bounds); casts below a view. Under `fast_math`, leaving out operands
may change the last bit of a long float sum. What depends on extents is simplified where it is written:
`_core.frontend.reduce_simplify`, `matmul_chain`, and `concatenate` of adjacent windows.

Scheduling. Nodes get the earliest possible wave; connected elementwise nodes of a wave become one tile program.
Siblings that read the same arrays join where nothing stays in memory for longer. Steps that only take memory, or
overwrite storage, run as late as possible. Waves keep all iterations of a loop in memory at once, so above 32 MiB the
memory of the schedule is simulated beside that of one operation after the other. If it is more than a tenth larger, the
graph is cut into stages where little is live. Programs that end in reductions are never cut, so bits do not depend on
extents.

Rematerialisation. A value with several readers is stored by its *home*, the first. Cheap operations (`LOOP_CHEAP` in
loop_table.pxd) whose readers are programs over the same space may be recomputed instead, if that moves fewer bytes per
element. `d = x - x.mean()` read by a sum and a result is stored, `d * d` is not. Operands must be available at no cost,
in-place updates are left alone, and the home alone reports floating-point errors. The model knows neither extents nor
tunable costs: rounding of a reduction depends on its program, and one plan serves all machines.
"""
