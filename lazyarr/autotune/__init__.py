"""Machine-dependent numbers: their table, their values, and how they are measured.

    parameters  one row per number
    settings    the values in force: `lazyarr.config.tuning`
    store       the file that ``lazyarr tune`` writes and an import reads
    timer       interleaved timing of calls
    benchmarks  how each number is measured
    cli         ``lazyarr tune``

Results do not depend on a tunable number, to the last bit. The block size of a sum, or the size from which a sum is
split, would change rounding, so such numbers are constants. The exceptions are named `path.*`: they choose between
implementations that round differently (Winograd or direct convolution, lazyarr's product or BLAS, SciPy's or NumPy's
transforms); ``--same-results`` skips them. With these fixed, bits depend neither on the other numbers nor on the number
of threads. tests/autotune/test_results.py sets every number to its bounds and compares bits.

Costs are corrected, not modelled: `estimated_ns` sums the estimates, and a cost is scaled by the ratio of measured to
estimated time on one thread. The overhead of threads is measured on real steps, because most of it is reading operands
from another core's cache. Numbers are measured in several rounds, seconds apart. The result is the minimum for costs
and the median for sizes, and a size keeps its default unless another is five per cent faster.

A new number is declared where it is used (`lazyarr/_core/host/tunables.pyx`) and has a function in `benchmarks`.
"""
