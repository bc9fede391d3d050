"""Calls with their own kernels for devices.

::

    rows           which calls have kernels
    text           generates and launches kernels
    launches       calls with several launches
    gathers        elements at index arrays
    scatters       writes at index arrays
    at_places      updates at index arrays: `ufunc.at`
    true_places    positions of true elements
    transforms     Fourier transforms
    bin_counts     counts of bins, and sums of weights
    line_tiles     tiles of lines in local memory
    scans          cumulative sums and products
    sorts          sorting, and searches in sorted arrays
    parts          reductions of slices: `ufunc.reduceat`
    repeats        repetition
    interpolation  piecewise linear interpolation
    sliding        convolution and correlation of lines
    checks         results that are copied unless a warning is due
    packed         packed bits, and flattened indices
    linear_calls   sums of products, and pooling
    products, convolutions    sums of products as contractions
    contractions   launches of the kernels of contraction_kernels
    pooling        pooling, upsampling and their gradients
"""
