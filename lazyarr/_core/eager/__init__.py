"""Native forms of NumPy functions for small evaluated arrays: computed at the call, without a graph.

A form is a `cdef object` with the signature `Native` (frontend/native_forms.pxd). Each module registers its forms by
name when it is imported, `add_native("sum ndarray.sum", fold, SUM)`, and `frontend.function` looks them up when it
makes a `Function`.
A form returns NotImplemented for a call it does not take, so it needs no case for rare keywords or dtypes; NumPy's own
function or the graph takes the call then.

Results have NumPy's bits: a form calls the inner loop that NumPy's function calls. A form that would raise a
floating-point flag which the errstate does not ignore reports it as NumPy does (ufuncs) or leaves the call to NumPy's
function (`must_report`). A form that writes calls `own_storage` before and `note_write` after.

    view, axes, metadata           views; shapes and dtypes alone
    creation, grid                 making, copying, filling; grids and identities
    join, arrange, sorting         concatenating, inserting; repeating, padding; sorting, choosing, differences
    reductions, moments, statistics, truth, compare    reductions, means and variances, quantiles, NaN-aware ones
    ufunc_methods, outer, einsum   `at`, `reduceat`, `outer`; outer and Kronecker products; small einsum
    lapack, solve, factorization, linalg    NumPy's LAPACK loops and what is built on them
    fft, random, signal, samples, rounding, bins    transforms, NumPy's distributions, convolution and interpolation,
                                   integrals and polynomials, rounding, histograms
    arguments, forms               arguments of calls; what most forms are written with

Order of axes. Where the innermost axis is short, as in `points - center` of shape (n, 3), loops with the same bits in
any order run along the longest axis. Where the order decides which of two NaNs wins, the loop runs again in NumPy's
order if a NaN comes out.
"""
import importlib

_FORMS = (
    "arrange axes bins compare creation einsum grid join metadata moments outer reductions rounding samples signal "
    "sorting statistics truth ufunc_methods view"
)

for _name in _FORMS.split():
    importlib.import_module(f"lazyarr._core.eager.{_name}")
