"""OpenCL devices, by pyopencl."""
import ctypes
import dataclasses
import functools
import os
import weakref
from collections import Counter
from typing import NamedTuple

import numpy as np
import pyopencl as cl
from pyopencl.tools import ImmediateAllocator, MemoryPool

from lazyarr._core.runtime.accelerator import NoKernel
from lazyarr.gpu import calls
from lazyarr.gpu.dialects import OPENCL
from lazyarr.gpu.generator import Form, Kernel, generate, generate_combine
from lazyarr.gpu.helpers import needed

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


class _Status:
    """Words in which a kernel notes status flags."""

    def __init__(self, context, count):
        self._found = np.zeros(count, np.uint32)
        self.words = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=self._found)

    def take(self, queue):
        """Wait for the kernel and clear the words; what they were, None if they were clear."""
        cl.enqueue_copy(queue, self._found, self.words, is_blocking=True)
        if not self._found.any():
            return None
        found = self._found.tolist()
        self._found[:] = 0
        cl.enqueue_copy(queue, self.words, self._found, is_blocking=True)
        return found


class _Compiled:
    """A compiled kernel, with arguments for each launch that is being made: a signal handler may make another one."""

    def __init__(self, program, name, nstatus):
        self._program, self._name, self._nstatus = program, name, nstatus
        self._idle = []

    def take(self, context):
        """A kernel that no launch uses, and its status words, None if it has none."""
        try:
            return self._idle.pop()
        except IndexError:
            status = _Status(context, self._nstatus) if self._nstatus else None
            return cl.Kernel(self._program, self._name), status

    def give_back(self, kernel, status):
        """Keep a kernel for the next launch; one that was interrupted may have flags in its words, and is dropped."""
        self._idle.append((kernel, status))


class _Resources(NamedTuple):
    """What is made at the first use of a device."""

    context: cl.Context
    queue: cl.CommandQueue
    copies: cl.CommandQueue
    pool: MemoryPool


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
        self._made = {}                 # resources, once there are any
        self._last = None               # event of what was launched last
        # kernels, by text; programs keep theirs
        self._built: weakref.WeakValueDictionary[str, _Compiled] = weakref.WeakValueDictionary()
        self._combining = {}            # kernels that combine parts of folds
        self._texts = {}                # kernels of calls

    @property
    def _resources(self):
        """What the device is used by. Made without a lock, as a signal handler may come in between: the first stays."""
        if os.getpid() != self._process:
            raise RuntimeError(f"{self.name} cannot be used in a forked child: start processes by 'spawn'")
        if not self._made:
            context = cl.Context([self._device])
            queue, copies = cl.CommandQueue(context), cl.CommandQueue(context)
            self._made.setdefault("all", _Resources(context, queue, copies, MemoryPool(ImmediateAllocator(copies))))
        return self._made["all"]

    # ---- memory ----------------------------------------------------------------------------------------

    @_names_device
    def allocate(self, nbytes):
        """A block of memory; MemoryError if there is no room."""
        pool = self._resources.pool
        try:
            return _Block(pool.allocate(nbytes), self._last)
        except cl.Error as error:
            if not isinstance(error, cl.MemoryError) and error.code != cl.status_code.INVALID_BUFFER_SIZE:
                raise
            raise MemoryError(f"{self.name} has no room for {nbytes:,} bytes") from error

    @_names_device
    def read(self, block, offset, address, nbytes):
        """Copy from a block to the host, after all that was launched."""
        target = _host(address, nbytes)
        cl.enqueue_copy(self._resources.queue, target, block.buffer, src_offset=offset, is_blocking=True)

    @_names_device
    def write(self, block, offset, address, nbytes):
        """Copy from the host to a block."""
        cl.enqueue_copy(self._resources.copies, block.buffer, _host(address, nbytes), dst_offset=offset,
                        is_blocking=True, wait_for=None if block.after is None else [block.after])

    @_names_device
    def copy(self, target, source, nbytes):
        """Copy from one block to another."""
        self._last = cl.enqueue_copy(self._resources.queue, target.buffer, source.buffer, byte_count=nbytes)

    # ---- kernels ---------------------------------------------------------------------------------------

    def kernel(self, program, *form):
        """The kernel of a tile program, to launch; raises NoKernel if there is none."""
        return self._of(program.kernels, (self, *form), lambda: generate(program, Form(*form), self._dialect))

    def combining_kernel(self, fold, kept, told):
        """The kernel that folds the parts of a fold's results."""
        return self._of(self._combining, (fold.op, fold.dtypes, kept, told),
                        lambda: generate_combine(fold.op, fold.dtypes, self._dialect, kept, told))

    def find_call(self, call):
        """What makes a call on the device, a function of the driver and the call; raises NoKernel if nothing does."""
        return calls.find(call)

    def kernel_of_text(self, text, name, nstatus=0, parameter_bytes=0):
        """The kernel of a text in the words of `lazyarr.gpu.dialects`; raises NoKernel if the device cannot have it."""
        def make():
            if not self._dialect.has_double and ("f64" in text or "c128" in text):
                raise NoKernel("float64, which the device does not have")
            if parameter_bytes > self._dialect.parameter_bytes:
                raise NoKernel(f"a kernel of {parameter_bytes} bytes of parameters; the device takes "
                               f"{self._dialect.parameter_bytes}")
            helpers = needed(text)
            return Kernel("\n".join([self._dialect.spellings(helpers + text), helpers, text]), name, nstatus)

        return self._of(self._texts, text, make)

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
        """Compile a kernel, unless that was done."""
        built = self._built.get(kernel.text)
        if built is None:
            program = cl.Program(self._resources.context, kernel.text)
            try:
                program.build(list(_OPTIONS))
            except cl.RuntimeError as error:
                message = f"{self.name} cannot compile a kernel of lazyarr: {error}\n{kernel.text}"
                raise RuntimeError(message) from error
            built = self._built[kernel.text] = _Compiled(program, kernel.name, kernel.nstatus)
        return built

    @_names_device
    def launch(self, compiled, groups, threads, layout, blocks, launched):
        """Launch a kernel; return the words of status flags that it has found, None if it found none.

        `launched` is a list of one bool, set if the kernel may have run when an exception is raised.
        """
        context, queue, *_ = self._resources
        kernel, status = compiled.take(context)
        arguments = [np.array(layout, np.int64), *(block.buffer for block in blocks)]
        kernel.set_args(*arguments, *([] if status is None else [status.words]))
        launched[0] = True      # from here on: a signal handler may raise when the next call returns
        try:
            self._last = cl.enqueue_nd_range_kernel(queue, kernel, (groups * threads,), (threads,))
        except cl.Error:
            launched[0] = False
            raise
        found = None if status is None else status.take(queue)
        compiled.give_back(kernel, status)
        return found

    def count_host_step(self, name, reason):
        """Count a step that ran on the host."""
        self.host_steps[name, reason] += 1


def _host(address, nbytes):
    """An array of bytes of the host's memory."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))
