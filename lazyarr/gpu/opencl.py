"""OpenCL devices, by pyopencl."""
import ctypes
import dataclasses
import functools
import os
import threading
from collections import Counter

import numpy as np
import pyopencl as cl
from pyopencl.tools import ImmediateAllocator, MemoryPool

from lazyarr._core.runtime.accelerator import NoKernel
from lazyarr.gpu.dialects import OPENCL
from lazyarr.gpu.generator import Form, generate, generate_combine

_OPTIONS = ("-w", "-cl-std=CL1.2", "-cl-fp32-correctly-rounded-divide-sqrt")


def find():
    """The OpenCL devices of all platforms."""
    try:
        platforms = cl.get_platforms()
    except cl.Error:    # there are none
        return []
    return [device for platform in platforms for device in platform.get_devices()]


def _names_device(method):
    """Have the errors of OpenCL that a method raises name the device."""
    @functools.wraps(method)
    def named(self, *args):
        try:
            return method(self, *args)
        except cl.Error as error:
            raise RuntimeError(f"{self.name} ({self._device.name.strip()}) has failed: {error}") from error

    return named


class _Block:
    """A block of memory, and the event after which nothing uses what lay there before."""

    __slots__ = ("after", "buffer")

    def __init__(self, buffer, after):
        self.buffer, self.after = buffer, after


class Driver:
    """Memory, copies and kernels of an OpenCL device.

    Kernels and copies from the device run in one queue, in the order of their calls. Copies to it run in another,
    beside the kernels that are under way, and have ended when `write` returns.

    Parameters
    ----------
    name : str
        What lazyarr calls the device.
    device : pyopencl.Device
    """

    def __init__(self, name, device):
        self.name, self._device = name, device
        self.host_steps: Counter[tuple[str, str]] = Counter()   # by name and reason
        self._dialect = dataclasses.replace(
            OPENCL, has_double=bool(device.double_fp_config), parameter_bytes=device.max_parameter_size)
        self._process = os.getpid()
        self._beginning = threading.Lock()
        self._queue = None
        self._last = None               # event of what was launched last
        self._built = {}                # kernels, by text

    def _begin(self):
        """The queue of kernels; makes what is needed to use the device, at its first use."""
        if os.getpid() != self._process:
            raise RuntimeError(f"{self.name} cannot be used in a forked child: start processes by 'spawn'")
        with self._beginning:
            if self._queue is None:
                self._context = cl.Context([self._device])
                self._copies = cl.CommandQueue(self._context)
                self._pool = MemoryPool(ImmediateAllocator(self._copies))
                self._queue = cl.CommandQueue(self._context)
        return self._queue

    # ---- memory ----------------------------------------------------------------------------------------

    @_names_device
    def allocate(self, nbytes):
        """A block of memory; MemoryError if there is no room."""
        self._begin()
        try:
            return _Block(self._pool.allocate(nbytes), self._last)
        except (cl.MemoryError, cl.LogicError) as error:    # a block larger than any can be is a LogicError
            raise MemoryError(f"{self.name} has no room for {nbytes:,} bytes") from error

    @_names_device
    def read(self, block, offset, address, nbytes):
        """Copy from a block to the host, after all that was launched."""
        cl.enqueue_copy(self._begin(), _host(address, nbytes), block.buffer, src_offset=offset, is_blocking=True)

    @_names_device
    def write(self, block, offset, address, nbytes):
        """Copy from the host to a block."""
        self._begin()
        cl.enqueue_copy(self._copies, block.buffer, _host(address, nbytes), dst_offset=offset, is_blocking=True,
                        wait_for=None if block.after is None else [block.after])

    @_names_device
    def copy(self, target, source, nbytes):
        """Copy from one block to another."""
        self._last = cl.enqueue_copy(self._begin(), target.buffer, source.buffer, byte_count=nbytes)

    # ---- kernels ---------------------------------------------------------------------------------------

    def kernel(self, program, *form):
        """The kernel of a tile program, to launch; raises NoKernel if there is none."""
        return self._of(program.kernels, (self, *form), lambda: generate(program, Form(*form), self._dialect))

    def combining_kernel(self, fold, kept, told):
        """The kernel that folds the parts of a fold's results."""
        return self._of(self._built, (fold.op, fold.dtypes, kept, told),
                        lambda: generate_combine(fold.op, fold.dtypes, self._dialect, kept, told))

    def _of(self, known, key, make):
        if key not in known:
            try:
                known[key] = self._build(make())
            except NoKernel as error:
                known[key] = str(error)
        if isinstance(known[key], str):
            raise NoKernel(known[key])
        return known[key]

    def _build(self, kernel):
        """Compile a kernel, unless that was done; with it the memory of its status flags."""
        if kernel.text not in self._built:
            self._begin()
            try:
                program = cl.Program(self._context, kernel.text).build(list(_OPTIONS))
            except cl.RuntimeError as error:
                raise RuntimeError(f"{self.name} cannot compile a kernel of lazyarr: {error}\n{kernel.text}") from error
            status = np.zeros(kernel.nstatus, np.uint32)
            words = cl.Buffer(self._context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=status) \
                if kernel.nstatus else None
            self._built[kernel.text] = getattr(program, kernel.name), words, status
        return self._built[kernel.text]

    @_names_device
    def launch(self, built, groups, threads, layout, blocks):
        """Launch a kernel; return the words of status flags that it has found, None if it found none."""
        kernel, words, status = built
        queue = self._begin()
        buffers = [block.buffer for block in blocks]
        kernel.set_args(np.array(layout, np.int64), *buffers, *([] if words is None else [words]))
        self._last = cl.enqueue_nd_range_kernel(queue, kernel, (groups * threads,), (threads,))
        if words is None:
            return None
        cl.enqueue_copy(queue, status, words, is_blocking=True)
        if not status.any():
            return None
        found = status.tolist()
        status[:] = 0
        cl.enqueue_copy(queue, words, status, is_blocking=True)
        return found

    def count_host_step(self, name, reason):
        """Count a step that ran on the host."""
        self.host_steps[name, reason] += 1


def _host(address, nbytes):
    """An array of bytes of the host's memory."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))
