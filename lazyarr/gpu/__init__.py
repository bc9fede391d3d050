"""Accelerators: their drivers and kernels.

::

    discovery    finds devices through the installed libraries
    drivers/     memory, copies and launches, on OpenCL and CUDA
    calls/       calls that have kernels of their own: indexing, scans, sorts, products, convolutions
    libraries/   calls that NVIDIA's libraries make
    generator/   from a tile program to the text of a kernel

A driver gives a device memory, copies and kernels; `_core/runtime/accelerator.pyx` says what runs there. Nothing here
is imported before a device is asked for.
"""
