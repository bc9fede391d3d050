"""What each operation is: one row in the table, and the functions that build graph nodes.

    table             rows; lazyarr.numpy, dispatch, docs and tests derive from them
    families          imports all families
    ufunc_rows        all that ufuncs mean: costs, traits, derivatives, a row each
    elementwise, call     where, clip, round, astype; a ufunc call with everything NumPy allows
    reduction, moments, nanreduction, accumulation    reductions; means and variances; NaN-aware; running
    index_key, indexing, assignment    keys with arrays in them; reading and writing through them
    gathering, scattering, taking, writing    reading and writing at index arrays and masks, native or NumPy's
    writing_there     writing as choices and assignments, on devices
    true_places, bin_counts    where masks are true, and what is in bins, on devices
    layout, concatenation, repetition, creation, packing    views; joins; repeats; new arrays; packed numbers
    contraction, einsum, linalg, linalg_there, matrices    products, LAPACK, its use on devices, matrix predicates
    convolution, windows, pooling, pooling_tables, arguments    windows over spatial axes
    sorting, order_statistics, sets, histograms, interpolation, polynomials, fourier, logsumexp
    derivatives       the derivatives of ufunc rows, compiled
    numpy_fallback, opaque_rows    calls of NumPy's functions: as an opaque node, or at once
    delayed           calls of the program's functions
    devices, device_exchange    where arrays are, and are made; CUDA's for other libraries, and from them
    call_costs, blas_threads    what makes it worth to make calls at the same time
    forms, rehearsal  shapes, dtypes and errors found on small stand-ins
    numpy_errors      functions that leave their errors, and foreign operands, to NumPy's
    deferred_dispatch, deferred_operands    calls with symbols among the arguments
    operands, shares_memory, dlpack, vmap_helpers

Opaque calls. An operation without a native form calls a Python function, mostly NumPy's, on read-only ndarrays. If
shape and dtype of the result follow from those of the operands, the call is a node and waits; otherwise it runs at
once, and its row says why (`numpy_fallback.REASON`). A call with several results (`svd`) runs once. `la.report()`
counts opaque calls by name.

Forms. NumPy's rules for dtype, shape and memory order are not simple, so `forms` tries a call on stand-ins once per
kind of operands. Each different extent becomes a different small one, so the small result shows which extents it has.

Errors. NumPy words them: a call that fails is rehearsed on stand-ins, where NumPy raises. Errors that depend on values
(an index out of bounds, a negative integer power, a singular matrix, NaN rows in `nanargmin`, distribution parameters)
are raised at the call if the values are known there, else by the evaluation; a program that catches one must evaluate
inside its `try`. `lazyarr.numpy` runs LAPACK at once, so `try` around `solve` works; `eig` of a real matrix and `lstsq`
of an overdetermined system always run at once, because a dtype or shape depends on values.

Own algorithms. Fourier transforms of 65,536 elements or more are SciPy's multi-threaded PocketFFT, `einsum` of 65,536
products or more contracts pairwise in opt_einsum's order; both differ from NumPy by rounding. Half and extended
precision, what is not finite, and transforms that gain nothing with few threads stay NumPy's.

Writes. `change` (assignment.py) uses `mutate`, at once, where nothing is pending, and `update`, a pending call, where
something is. Several values under a mask evaluate the mask. Views whose elements share memory, records, strings and
objects are written by NumPy at once.
"""
