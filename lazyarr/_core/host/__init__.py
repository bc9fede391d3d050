"""Host services: memory, threads, the floating-point status, tunable numbers. Nothing here knows of arrays.

    run_context   what belongs to one evaluation while it runs
    allocator     pooled, aligned memory for results, with statistics and limits
    workspace     memory that a kernel borrows for one call
    threads       the size of a team, and the one parallel region
    worker_trace  which thread worked on an observed step, and when
    fp_status     the processor's floating-point status word (declarations only)
    device_table  the devices that there are
    device_memory blocks of memory that the host cannot address
    switch        switches of optimisations, and counters, for tests
    tunables      machine-dependent numbers, by name
    tracebacks    what tracebacks of errors show
    api_boundary  a decorator of functions whose errors end at the line of the call
    suggestions   what somebody who misspelt a name may have meant
    entry_lock    the lock that replaces the GIL on free-threaded builds (declarations only)

Teams. `run_team` is the only parallel region: tile programs, fused rows, concurrent steps and kernels all run in it.
Callers never choose the number of threads. They estimate their work in nanoseconds on one core and ask `team_size`. A
team sleeps between evaluations, and waking it costs more than many steps take. So a step of less than 80 microseconds
is split only while the team still spins, where steps follow each other closely, or where the remaining steps of the
plan are worth waking it, judging by the plan's last run. Threads beside the teams that compute, those of dependency
engines, say so (`set_busy`), and a team is smaller by their number. A forked child has one thread: GNU OpenMP cannot
start a team in a child whose parent had one.

Placement. A worker that finds its core claimed by another member of the team moves away, and a waiting thread yields
(`simd/thread_placement.h`). `cpus.py` reads the default number of threads from `OMP_NUM_THREADS`, the affinity mask and
cgroup quotas.

Tunables. The cost model corrects itself: `team_size` sums up estimates (`estimated_ns`), and tuning scales a cost by
the measured time over the estimate.
"""
