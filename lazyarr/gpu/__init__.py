"""Devices that compute by themselves: their drivers, and their kernels.

::

    discovery     the devices that there are, by the libraries that are installed
    opencl        a driver on pyopencl
    generator     from a tile program to the text of a kernel
    folds         what it writes for reductions
    emitter       its statements
    expressions   what operations are in C, and flags: how it is found which status flags they raise
    helpers       functions that kernels call
    linear_calls  calls that are sums of products or pooling, as launches
    products, convolutions    sums of products as contractions
    contractions  a contraction as launches, and contraction_kernels, the kernels' text
    pooling       pooling, upsampling and their gradients
    launches      what a launch consists of, and layouts, whose words have names
    nvrtc         compiles CUDA C without a device
    dialects      how names are spelled in OpenCL C and CUDA C

A driver gives a device memory, copies and kernels; `_core/runtime/accelerator.pyx` says what runs there. Nothing here
is imported before a device is asked for.
"""
