"""OpenCL devices, driven through pyopencl."""
import ctypes
import dataclasses
from typing import NamedTuple, cast

import numpy as np
import pyopencl as cl
from pyopencl.tools import ImmediateAllocator, MemoryPool

from lazyarr.gpu.drivers import driver
from lazyarr.gpu.drivers.driver import on_device
from lazyarr.gpu.generator.dialects import OPENCL

_OPTIONS = ("-w", "-cl-std=CL1.2")
_ROUNDING = "-cl-fp32-correctly-rounded-divide-sqrt"    # not every compiler knows it


def find():
    """Return the drivers of the OpenCL devices of all platforms."""
    try:
        platforms = cl.get_platforms()
    except cl.Error:    # no platforms
        return []
    return [device for platform in platforms for device in platform.get_devices()]


def dialect_of(device):
    """Return OpenCL C as a device understands it, with the device's floating-point properties."""
    floats = device.single_fp_config
    return dataclasses.replace(
        OPENCL, parameter_bytes=device.max_parameter_size, has_double=bool(device.double_fp_config),
        has_float_denormals=bool(floats & cl.device_fp_config.DENORM),
        rounds_float_division=bool(floats & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT))


class _Block:
    """A block of memory, and the event after which its old contents are unused."""

    __slots__ = ("after", "buffer")

    def __init__(self, buffer, after):
        self.buffer, self.after = buffer, after


class _Resources(NamedTuple):
    """What is created on first use of a device."""

    context: cl.Context
    queue: cl.CommandQueue
    copies: cl.CommandQueue
    pool: MemoryPool


class Driver(driver.Driver):
    """Memory, copies and kernels of an OpenCL device.

    Kernels and copies from the device run in one queue, in call order. Copies to the device run in another,
    concurrently with kernels, and are complete when `write` returns.

    Parameters
    ----------
    name : str
        Name of the device in lazyarr.
    device : pyopencl.Device
    """

    library_error = cl.Error

    def __init__(self, name, device):
        super().__init__(name, device.name.strip(), dialect_of(device))
        self._device = device
        self.status_unit = max(device.mem_base_addr_align // 32, 1)
        self._last = None               # event of the last launch

    def _make_resources(self):
        context = cl.Context([self._device])
        queue, copies = cl.CommandQueue(context), cl.CommandQueue(context)
        return _Resources(context, queue, copies, MemoryPool(ImmediateAllocator(copies)))

    # ---- memory ----------------------------------------------------------------------------------------

    @on_device
    def allocate(self, nbytes):
        """Return a block of memory; raise MemoryError if there is no room."""
        pool = self._resources.pool
        try:
            return _Block(pool.allocate(nbytes), self._last)
        except cl.Error as error:
            if not isinstance(error, cl.MemoryError) and error.code != cl.status_code.INVALID_BUFFER_SIZE:
                raise
            raise self._no_room(f"{nbytes:,} bytes") from error

    @on_device
    def read(self, block, offset, address, nbytes):
        """Copy from a block to the host after all earlier launches."""
        target = _host(address, nbytes)
        cl.enqueue_copy(self._resources.queue, target, block.buffer, src_offset=offset, is_blocking=True)

    @on_device
    def write(self, block, offset, address, nbytes):
        """Copy from the host to a block."""
        cl.enqueue_copy(self._resources.copies, block.buffer, _host(address, nbytes), dst_offset=offset,
                        is_blocking=True, wait_for=None if block.after is None else [block.after])

    @on_device
    def copy(self, target, source, nbytes, to=0, begin=0):
        """Copy from one block to another, from byte `begin` to byte `to`."""
        if nbytes == 0:     # an error in OpenCL
            return
        queue = self._resources.queue
        self._last = cl.enqueue_copy(queue, target.buffer, source.buffer, byte_count=nbytes, src_offset=begin,
                                     dst_offset=to)
        queue.flush()

    # ---- kernels ---------------------------------------------------------------------------------------

    def _compile(self, kernel):
        context = self._resources.context
        program = cl.Program(context, kernel.text)
        try:
            program.build([*_OPTIONS, *([_ROUNDING] if self._dialect.rounds_float_division else [])])
        except cl.RuntimeError as error:
            raise driver.CompileError(error) from error
        return driver.Compiled(lambda: cl.Kernel(program, kernel.name))

    @on_device
    def launch(self, compiled, groups, threads, layout, blocks, launched, status=None):
        """Launch a kernel; return at once.

        `launched` is a list of one bool, set if the kernel may have run when an exception is raised; `status` is the
        block and byte offset of the status words, if the kernel has any.
        """
        queue, kernel = self._resources.queue, compiled.take()
        arguments = [np.array(layout, np.int64), *(block.buffer for block in blocks)]
        if status is not None:
            words, offset = status
            buffer = cast(cl.Buffer, cl.Buffer.from_int_ptr(words.buffer.int_ptr))  # a pool's have no sub-buffers
            arguments.append(buffer.get_sub_region(offset, 4 * compiled.nstatus))
        kernel.set_args(*arguments)
        launched[0] = True      # a signal handler may raise as soon as the next call returns
        try:
            self._last = cl.enqueue_nd_range_kernel(queue, kernel, (groups * threads,), (threads,))
        except cl.Error:
            launched[0] = False
            raise
        queue.flush()
        compiled.give_back(kernel)

    def has_ended(self):
        """Return whether all launches have finished."""
        last = self._last
        return last is None or last.command_execution_status <= cl.command_execution_status.COMPLETE


def _host(address, nbytes):
    """Return host memory as an array of bytes."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))
