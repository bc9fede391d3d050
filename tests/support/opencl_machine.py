"""An OpenCL device that computes in float64 (PoCL's is the processor), by pyopencl."""

import pytest

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


class Machine:
    """Memory and launches of a device."""

    def __init__(self):
        self.context = cl.Context([DEVICE])
        self.queue = cl.CommandQueue(self.context)

    def built(self, kernel):
        """Compile a kernel."""
        return cl.Kernel(cl.Program(self.context, kernel.text).build(options=OPTIONS), kernel.name)

    def build_together(self, kernels):
        """Do nothing: programs are compiled one by one."""

    def buffer(self, content):
        """Return memory that begins as an array."""
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=content)

    def fetch(self, target, buffer):
        """Copy from the device to an array."""
        cl.enqueue_copy(self.queue, target, buffer)

    def launch(self, function, arguments, groups, items):
        """Run a kernel on its layout's bytes and its buffers."""
        for place, argument in enumerate(arguments):
            function.set_arg(place, argument)
        cl.enqueue_nd_range_kernel(self.queue, function, (groups * items,), (items,))
