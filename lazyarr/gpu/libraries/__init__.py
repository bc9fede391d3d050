"""NVIDIA's libraries, which compute calls on CUDA devices where installed.

::

    rows          which calls they compute
    loading       finds and loads them
    cublas        matrix products
    cudnn         convolutions
    cufft         Fourier transforms
    cusolver      linear algebra
    arranged      converts operands to the layout they require
    determinants  products of diagonals
    sum_flags     status flags of sums
    finite        whether a result is finite
"""
