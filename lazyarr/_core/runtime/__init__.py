"""Plans and how they run.

    plan_cache        plans by fingerprint, bounded in bytes, least recently used dropped first
    evaluation        from roots to values: plan, steps, errors
    evaluation_lock   one evaluation at a time
    executor          runs one step: result memory, flags, publication; tile programs
    call_step         steps that call functions: opaque calls, kernels with epilogues
    slice_update      storage with a window replaced, in place or copied
    step_group        consecutive steps that run together: what comes before and after
    concurrent_steps  small independent programs at the same time
    row_fusion        consecutive programs, one block of rows after the other; `row_fusion_cost` decides whether
    memory_plan       liveness and offsets of intermediate values
    arena             the one block of memory these lie in
    progress          reports how far a long evaluation is
    no_evaluation     blocks in which evaluation is forbidden
    engine            runs functions in the order that the variables they read and mutate demand
    engine_queues     the native engine's connection with Python
    policies          which threads run an engine's operations

A plan holds no extents. What depends on them is a second level: a `Layout` (memory_plan) kept with the plan and
recomputed when extents change. A step's result is published when the step is complete. After a failure everything
computed stays, handles are unchanged, and evaluation can be retried; the error names the operation and its line. Ctrl-C
stops between tiles and blocks.

Arena. Intermediate values that outlive a step and that nothing outside sees lie in one block.
- Slot: values that succeed each other in the same memory (a result over a dying operand, an update over its storage).
  It lives from its first write to its last read, both inclusive; concurrent steps count as one.
- Offsets: slots are placed largest first, each at the lowest offset free during its life.
- Outside stay results, what Python functions return, and values below 64 KiB. If the arena raised the peak by more than
  a tenth, there is none.
- Workspace of kernels comes from behind the step's live slots (`host.workspace`); the layout remembers the need.
Each value has a `Buffer` that is part of the block, so ownership works as for any value. If a function kept its
operand, the arena is closed for the rest of the evaluation.

Concurrent steps. The compiler marks runs of up to 128 independent programs (`compiler.concurrency`). At run time a
group forms while each member is worth less than waking a team, the largest takes at most half a thread's share, and all
together are worth a team; one larger program may join. Memory and layouts are prepared with the GIL, each thread takes
whole members without it, and members finish in plan order. All that can fail happens in the preparation: where memory
ends, the group ends. Programs that may raise are in no group; neither are kernels, which prepare while they run.

Row fusion. Softmax is three passes: row maxima, exponentials and their sums, quotients. No pass needs more than a row
of the others, so a thread takes a block of rows that fits its second-level cache through all of them. The compiler
finds candidates without extents (`compiler.row_fusion`); at run time arrays must exceed the caches, several steps must
share one, and a row of all must fit half of the second-level cache. `tile.row_split` checks that shared values are
walked alike. Large values that only the group reads live in thread-private bands (`tile.row_blocks`). Bits do not
change: each row is reduced by itself. Ctrl-C stops between blocks and discards the group's results, unless the group is
short and overwrites outside memory.
"""
