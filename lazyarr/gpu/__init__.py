"""Devices that compute by themselves: their drivers, and their kernels.

::

    discovery     the devices that there are, by the libraries that are installed
    driver        what drivers have in common
    opencl        a driver on pyopencl
    cuda          a driver on NVIDIA's libraries
    cuda_memory   its pools of memory, and pinned memory for copies
    libcuda       the library of NVIDIA's driver
    kernel_files  compiled kernels on disk
    generator     from a tile program to the text of a kernel
    folds         what it writes for reductions
    emitter       its statements
    searches      the same for the places of extrema
    expressions   what operations are in C, and flags: how it is found which status flags they raise
    helpers       functions that kernels call, functions: those of NumPy's and the C library's algorithms
    tables        what they look up
    agreement     whether the host uses these algorithms
    calls         which other calls have kernels
    gathers       elements at places that index arrays name
    scatters      writes to them
    scans         running sums
    sorts         sorting
    repeats       repetition
    call_text     the texts of their kernels, and launches
    linear_calls  sums of products, and pooling
    products, convolutions    sums of products as contractions
    contractions  contractions as launches of the kernels of contraction_kernels
    pooling       pooling, upsampling and their gradients
    launches      several launches that make a call
    nvrtc         compiles CUDA C, without a device too
    dialects      how names are spelled in OpenCL C and CUDA C

A driver gives a device memory, copies and kernels; `_core/runtime/accelerator.pyx` says what runs there. Nothing here
is imported before a device is asked for.
"""
