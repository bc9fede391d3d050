"""Drivers of devices.

::

    driver        base class of the drivers
    opencl        OpenCL driver, on pyopencl
    cuda          CUDA driver, on NVIDIA's libraries
    cuda_memory   its memory pools, and pinned host memory for copies
    libcuda       bindings of NVIDIA's driver library
    nvrtc         compiler of CUDA C; needs no device
    kernel_files  compiled kernels on disk
"""
