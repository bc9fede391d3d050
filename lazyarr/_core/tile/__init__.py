"""Tile programs: elementwise chains, reductions and scans, run tile by tile in the cache.

    job             iteration space and operands of one run
    loop_nest       lays a program out over its iteration space, whose axes it orders and merges
    tiling          chooses blocks that fit the cache
    interpreter     runs blocks on a team; `block` runs one
    reduce          reductions at the end of a program
    ordered_reduce  reductions in order: argmin and argmax, cumulative sums and products
    epilogue        programs that run on parts of a kernel's result while it is computed
    strided_copy    programs that only copy between layouts, square by square
    row_blocks      programs on one block of rows after the other, for fused steps and scans

For `y = a * b + c * 2.0` NumPy makes three passes and three arrays, and large arrays wait for memory. A tile program
makes one pass. Its instructions are NumPy's own compiled inner loops, taken from the ufunc objects:

    for each tile of the iteration space:        blocks are dealt to threads
        r0      = multiply(a[tile], b[tile])     r0, r1: registers, a few KiB per thread, always in cache
        r1      = multiply(c[tile], 2.0)
        y[tile] = add(r0, r1)

So every ufunc with a native loop is covered, SciPy's and the user's included, and elementwise results cannot differ
from NumPy's: it is the same machine code. Own loops (`simd/`) have the same signature:

    arith.h         float + - * /: 512 or 256 bits where NumPy stops at 256; each operation still rounds once
    sincos.h        float64 sin and cos, eight or four elements at a time, rounding as glibc does
    four_loops.h    float64 exp, log, power and tanh where there is no AVX-512, four elements at a time
    explog.h        float32 exp and log, NumPy's operations; elements out of the ordinary go to NumPy's loop
    cast.h, copy.h  casts (NumPy exports none) and copies
    reduce.h        sums and extrema of short rows, of rows into one row, and of runs
    checked_int.h   integer scalars, which report overflow as NumPy's scalars do
    mask.h          select, pack and spread out under a mask

`sincos.h`, `four_loops.h` and `explog.h` run only if they gave NumPy's bits and flags in a check at first use.

Bits. Tiles are cut where NumPy's own tails would fall, because scalar tails may round unlike vector bodies. Strided
operands are gathered into contiguous scratch where the vector path needs it. Nothing is compiled with contraction or
other value-changing flags; setup.py gives the reasons. Of two NaNs our loops prefer the first, written out
(`arith.h`); IEEE 754 leaves the choice open.

Reductions. Operands are computed tile by tile and reduced at once, never stored. How blocks and chunks are combined
depends on extents alone, so results do not depend on the number of threads. Variances take NumPy's two passes:
Welford's method would round otherwise.

Floating-point status. The status word is read once after a run of loops. If a flag is raised the tile runs again,
unmerged, with a check after each instruction to find the culprit, unless every errstate involved ignores that flag.
Loops that may set a Python error stay on the calling thread. A stencil's tile may run across the gaps between short
rows; if only gaps raised flags, twice, the program packs its rows from then on.

Memory. A block prefetches the next block's lines where operands stream from memory and the program has more than two
passes. Results that will have left the caches before they are read bypass them (non-temporal stores).
"""
