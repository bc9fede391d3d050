"""An OpenCL device with float64 (with PoCL the CPU), driven through pyopencl."""

import re

import pytest

from lazyarr.gpu.generator.dialects import OPENCL
from lazyarr.gpu.generator.helpers import needed

cl = pytest.importorskip("pyopencl")

OPTIONS = ["-cl-fp32-correctly-rounded-divide-sqrt", "-w"]


def _find_device():
    try:
        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.LogicError:  # no platform
        devices = []
    return next((device for device in devices if device.double_fp_config), None)


DEVICE = _find_device()
if DEVICE is None:
    pytest.skip("no OpenCL device with float64", allow_module_level=True)


LAYOUT = "struct layout"


def joined(kernels):
    """Return the joined text of kernels, whose names and layouts get a number appended."""
    bodies = []
    for number, kernel in enumerate(kernels):
        body = kernel.text[kernel.text.index(LAYOUT):].replace(LAYOUT, f"{LAYOUT}{number}")
        bodies.append(re.sub(rf"\b{kernel.name}\b", f"{kernel.name}_{number}", body))
    body = "\n".join(bodies)
    helpers = needed(body)
    return "\n".join([OPENCL.spellings(helpers + body), helpers, body])


class Machine:
    """Memory and launches of a device."""

    def __init__(self):
        self.context = cl.Context([DEVICE])
        self.queue = cl.CommandQueue(self.context)
        self.together = {}      # programs by kernel, of what was compiled together last

    def built(self, kernel):
        """Compile a kernel, unless it was compiled with others."""
        program, name = self.together.get(kernel) or (self.program(kernel.text), kernel.name)
        return cl.Kernel(program, name)

    def program(self, text):
        return cl.Program(self.context, text).build(options=OPTIONS)

    def build_together(self, kernels):
        """Compile kernels as one text: a quarter of the time of each is the compiler's start."""
        kernels = [*dict.fromkeys(kernels)]
        if len(kernels) > 1:
            program = self.program(joined(kernels))
            self.together = {kernel: (program, f"{kernel.name}_{number}") for number, kernel in enumerate(kernels)}

    def buffer(self, content):
        """Return device memory with the content of an array."""
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=content)

    def fetch(self, target, buffer):
        """Copy from the device to an array."""
        cl.enqueue_copy(self.queue, target, buffer)

    def launch(self, function, arguments, groups, items):
        """Launch a kernel with the bytes of its layout and its buffers."""
        for place, argument in enumerate(arguments):
            function.set_arg(place, argument)
        cl.enqueue_nd_range_kernel(self.queue, function, (groups * items,), (items,))
