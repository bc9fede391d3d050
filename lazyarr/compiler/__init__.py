"""From a graph's description to the steps of its plan. Passes are pure functions, native but for the tables.

    pipeline         the passes in order; registered with the core as the hook "schedule"
    rewrite_rules    the table of rewrite rules
    simplify         applies them, and finds common subexpressions, in one walk
    view_rewrites    `repeat` as a view, adjacent windows written without zeros beneath
    schedule         fusion, order and memory of steps, by the passes below
      stages           cuts a graph whose waves would need too much memory
      fusion           nodes that form one tile program; programs that read the same arrays
      step_order       order of steps
      rematerialize    values computed again instead of stored
      lower            registers, stores, reductions; memory that a step may take over
      step_groups      kernels and the program behind each; steps that may run at the same time, or by blocks of rows
    verify           the grammar of plans, checked in debug builds

Input is what `_core.ir.graph_ir` says of a graph: everything but extents. So one plan serves every graph of a
fingerprint, and whatever depends on extents is decided at run time.

Rewrite rules. A row such as "`negative(negative(x))` is `x`" is *exact* for the dtypes it names: bits, warnings, NaN
payloads and signs of zero stay NumPy's. `x + 0.0` turns -0.0 into 0.0 and `x * 1.0` quiets a signalling NaN, so such
rows apply under `config.fast_math` only. docs/rules.md lists all rows; tests/compiler/test_rewrite_rules.py runs each.

There is no rule for: sums of multiples (they need a new node); constants that no node holds (`x - x`); `x + x` (as fast
as `x * 2`); `clip` of `clip` (plans do not know bounds); casts below a view. Under `fast_math`, leaving out operands
may change the last bit of a long float sum. What depends on extents is simplified where it is written:
`_core.frontend.reduce_simplify`, `matmul_chain`, and `concatenate` of adjacent windows.
"""
