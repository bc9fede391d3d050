"""What the core asks of the machine: memory, threads, the floating-point status.

`allocator` keeps blocks of memory for the next array, `workspace` lends scratch memory to a kernel for one call,
`threads` runs a function on a team of threads and decides how many, `fp_status` reads the processor's status word,
`tunables` holds the numbers that `lazyarr.autotune` measures. Nothing here knows of arrays.
"""
