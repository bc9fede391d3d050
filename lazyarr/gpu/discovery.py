"""Discovery of devices."""
import functools

from lazyarr._core import api as core


@functools.cache
def add_devices():
    """Add all devices of the installed libraries, once; return notes about missing ones."""
    return _add_opencl() + _add_cuda()


def _add_opencl():
    try:
        from lazyarr.gpu.drivers import opencl
    except ImportError as error:
        if getattr(error, "name", None) == "pyopencl":
            return "; OpenCL devices need pyopencl: pip install 'lazyarr[opencl]'"
        return f"; pyopencl, for OpenCL devices, cannot be imported: {error}"
    for number, device in enumerate(opencl.find()):
        name = f"opencl:{number}"
        core.device_table.add_accelerator(name, opencl.Driver(name, device))
    return ""


def _add_cuda():
    from lazyarr.gpu.drivers import cuda

    try:
        found = cuda.find()
    except cuda.Unavailable as error:
        return f"; there are no CUDA devices: {error}"
    for driver in found:
        core.device_table.add_accelerator(driver.name, driver)
    return ""
