"""The device of the CUDA driver mock, used through its functions."""

import ctypes
import weakref
from ctypes import byref

import pytest

from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.drivers.libcuda import ADDRESS, HANDLE
from support import cuda_mock
from support.cuda_texts import joined

if cuda_mock.COMPILER is None:
    pytest.skip("there is no C++ compiler", allow_module_level=True)


class Machine:
    """Memory and launches of the device."""

    def __init__(self):
        self.cuda, self.context, self.functions = cuda_mock.libcuda(), HANDLE(), {}
        self.cuda.cuInit(0)
        self.cuda.cuDevicePrimaryCtxRetain(byref(self.context), 0)

    def call(self, name, *arguments):
        """Call a function in the context of the device."""
        self.cuda.cuCtxPushCurrent_v2(self.context)
        try:
            getattr(self.cuda, name)(*arguments)
        finally:
            self.cuda.cuCtxPopCurrent_v2(None)

    def built(self, kernel):
        """Compile a kernel."""
        if kernel not in self.functions:
            self.build_together([kernel])
        return self.functions[kernel]

    def build_together(self, kernels):
        """Compile kernels as one text."""
        new = [kernel for kernel in dict.fromkeys(kernels) if kernel not in self.functions]
        if not new:
            return
        names = [f"{kernel.name}_{number}" for number, kernel in enumerate(new)]
        image = nvrtc.compile_cubin(joined([*zip(new, names, strict=True)]), "sm_90", cuda_mock.libnvrtc())
        module = HANDLE()
        self.call("cuModuleLoadDataEx", byref(module), image, 0, None, None)
        for kernel, name in zip(new, names, strict=True):
            function = self.functions[kernel] = HANDLE()
            self.call("cuModuleGetFunction", byref(function), module, name.encode())

    def buffer(self, content):
        """Return device memory with the content of an array."""
        address = ADDRESS()
        self.call("cuMemAllocAsync", byref(address), content.nbytes, None)
        self.call("cuMemcpyHtoDAsync_v2", address, content.ctypes.data, content.nbytes, None)
        weakref.finalize(address, self.call, "cuMemFreeAsync", address.value, None).atexit = False
        return address

    def fetch(self, target, buffer):
        """Copy from the device to an array."""
        self.call("cuMemcpyDtoHAsync_v2", target.ctypes.data, buffer, target.nbytes, None)

    def launch(self, function, arguments, groups, items):
        """Launch a kernel with the bytes of its layout and its buffers."""
        layout, *buffers = arguments
        values = [ctypes.create_string_buffer(layout, len(layout)), *buffers]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        self.call("cuLaunchKernel", function, groups, 1, 1, items, 1, 1, 0, None, pointers, None)
