"""Accelerators: their drivers and kernels.

::

    discovery    finds devices through the installed libraries
    drivers/     memory, copies and launches, on OpenCL and CUDA
    calls/       calls with their own kernels: indexing, scans, sorts, products, convolutions
    libraries/   calls run by NVIDIA's libraries
    generator/   generates kernels from tile programs

A driver provides a device's memory, copies and kernels; `_core/runtime/accelerator.pyx` decides what runs there.
Nothing here is imported before a device is requested.
"""
