"""Code generation for tile programs, and the C functions that all kernels share.

::

    tile_kernels  generates a kernel from a tile program
    folds         its code for reductions
    searches      its code for argmin and argmax
    emitter       emits statements
    expressions   operations as C expressions
    flags         tests for status flags
    helpers       functions that kernels call
    functions     functions with the algorithms of NumPy and the C library
    complex_functions  functions of complex numbers
    tables        their lookup tables
    agreement     whether the host uses these algorithms
    dialects      spellings in OpenCL C and CUDA C
"""
