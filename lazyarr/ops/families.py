"""All families of operations: importing one adds its rows to the table."""
# ruff: noqa: F401
from lazyarr.ops import (
    call,
    contraction,
    creation,
    dlpack,
    einsum,
    elementwise,
    fourier,
    histograms,
    indexing,
    layout,
    linalg,
    nanreduction,
    packing,
    polynomials,
    reduction,
    shares_memory,
    sorting,
    taking,
    writing,
)
