"""Drivers of devices.

::

    driver        what drivers have in common
    opencl        a driver on pyopencl
    cuda          a driver on NVIDIA's libraries
    cuda_memory   its pools of memory, and pinned memory for copies
    libcuda       the library of NVIDIA's driver
    nvrtc         compiles CUDA C, without a device too
    kernel_files  compiled kernels on disk
"""
