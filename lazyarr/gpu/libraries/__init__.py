"""NVIDIA's libraries, which compute calls on CUDA devices where they are installed.

::

    rows          which calls they compute
    loading       finds and opens them
    cublas        products of matrices
    cudnn         convolutions
    cufft         Fourier transforms
    cusolver      linear algebra
    arranged      operands as they take them
    determinants  products of diagonals
    sum_flags     status flags of sums
    finite        whether a result is finite
"""
