"""Kernels: operations that are no tile programs, such as products, convolutions, sorting and gathering.

A kernel takes pointers, extents and strides, runs on the threads of `host.threads`, and knows nothing of plans.
"""
