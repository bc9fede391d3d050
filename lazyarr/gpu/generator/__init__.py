"""Texts of kernels of tile programs, and the C that all kernels are written in.

::

    tile_kernels  from a tile program to the text of a kernel
    folds         what it writes for reductions
    searches      the same for the places of extrema
    emitter       its statements
    expressions   what operations are in C
    flags         how it is found which status flags they raise
    helpers       functions that kernels call
    functions     those of NumPy's and the C library's algorithms
    complex_functions  functions of complex numbers
    tables        what they look up
    agreement     whether the host uses these algorithms
    dialects      how names are spelled in OpenCL C and CUDA C
"""
