"""Plans and how they run.

    plan_cache        plans by fingerprint, bounded in bytes, least recently used dropped first
    evaluation        from roots to values: plan, steps, errors
    memo              results of costly operations, for later evaluations
    evaluation_lock   one evaluation at a time
    executor          runs one step: result memory, flags, publication; tile programs
    call_step         steps that call functions: opaque calls, kernels with epilogues
    backend_choice    which function computes a call
    reference         the reference backend: node by node, by NumPy, without plans
    slice_update      storage with a window replaced, in place or copied
    step_group        consecutive steps that run together: what comes before and after
    concurrent_steps  small independent programs at the same time
    concurrent_calls  large independent calls at the same time
    placement         evaluation on several devices: parts and copies
    accelerator       steps on a device that computes by itself
    kernel_launch     the arguments of its kernels
    launch_queue      launches that wait to be given to a device together
    device_call       calls that have kernels of their own there
    device_results    several results of one
    device_fallback   steps of such a device that the host runs
    status_words      what kernels have found, read once an evaluation
    transfer          copies between the memories of devices
    row_fusion        consecutive programs, one block of rows after the other
    memory_plan       liveness and offsets of intermediate values
    arena             the one block of memory these lie in
    progress          reports how far a long evaluation is
    no_evaluation     blocks in which evaluation is forbidden
    engine            runs functions in the order that the variables they read and mutate demand
    engine_queues     the native engine's connection with Python
    native_function   C functions as operations
    policies          which threads run an engine's operations
    shared_engine     the engine of lazyarr's own work

A plan holds no extents. What depends on them is a second level: a `Layout` (memory_plan) kept with the plan and
recomputed when extents change. A step's result is published when the step is complete. After a failure everything
computed stays, handles are unchanged, and evaluation can be retried; the error names the operation and its line. Ctrl-C
stops between tiles and blocks.
"""
