"""Plans and how they run.

`plan_cache` finds the plan of a graph or has it compiled, `evaluation` runs its steps; `executor` and `call_step` run
one step, `concurrent_steps` several small ones at a time, `row_fusion` several in turns on blocks of rows.
`memory_plan` decides from the lifetimes of values where each lies in the `arena`. `no_evaluation` forbids evaluation in
a block.
"""
