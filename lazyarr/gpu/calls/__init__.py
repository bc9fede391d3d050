"""Calls that devices compute by kernels of their own.

::

    rows           which calls have kernels
    text           the texts of their kernels, and launches
    launches       several launches that make a call
    gathers        elements at places that index arrays name
    scatters       writes to them
    at_places      operations on them: `ufunc.at`
    true_places    where elements are true
    transforms     Fourier transforms
    bin_counts     how many elements are in bins, sums of their weights
    line_tiles     tiles of lines in local memory
    scans          running sums
    sorts          sorting, and searches in what is sorted
    parts          folds of parts of lines: `ufunc.reduceat`
    repeats        repetition
    interpolation  values between knots
    sliding        convolution and correlation of lines
    checks         results that are passed on unless there is something to warn of
    packed         bits in bytes, several indices in one
    linear_calls   sums of products, and pooling
    products, convolutions    sums of products as contractions
    contractions   contractions as launches of the kernels of contraction_kernels
    pooling        pooling, upsampling and their gradients
"""
