"""Machine-dependent numbers: which there are, their values, how they are measured.

    parameters  one row a number
    settings    what is in force: `lazyarr.config.tuning`
    store       the file that ``lazyarr tune`` writes and an import reads
    timer       timing calls in turns
    benchmarks  how each number is measured
    cli         ``lazyarr tune``

No result depends on a tunable number, to the last bit. How many terms of a sum form a block, or from which size a sum
is split, changes rounding: such numbers are constants. The exception are those named `path.*`, which choose between
implementations that round differently (Winograd or direct sums, our product or BLAS, SciPy or NumPy transforms);
``--same-results`` skips them. For given values, bits depend neither on the other numbers nor on the number of threads.
tests/autotune/test_results.py sets every number to its bounds and compares bits.

Costs are corrected, not modelled: `estimated_ns` sums the gate's estimates, and a cost is scaled by how much longer
than estimated a problem took on one thread. Sharing is measured on real steps, because reading operands from another
core's cache is most of its cost. Numbers are measured in several rounds, seconds apart: of costs the least counts, of
sizes the median, and a size keeps its default unless another is five per cent faster.

A new number is declared where it is used (`lazyarr/_core/host/tunables.pyx`) and has a function in `benchmarks`.
"""
