"""The numbers that say which way is faster on this machine: what they are, what they are set to, how they are measured.

    parameters  one row a number
    settings    what is in force: `lazyarr.config.tuning`
    store       the file that ``lazyarr tune`` writes and an import reads
    timer       timing calls in turns
    benchmarks  how each number is measured
    cli         ``lazyarr tune``

No result depends on any of them, to the last bit, but for those named `path.*`: these choose between ways whose results
differ by rounding, and are measured only if asked for. Any other number that changes results, such as how many terms a
sum adds up before it begins the next block, is a constant.

A new number takes two lines where it is used (`lazyarr/_core/host/tunables.pyx`; in Python, none), a row in
`parameters.NATIVE` or `parameters.PYTHON` and a function in `benchmarks`.
"""
