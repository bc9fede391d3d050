"""CUDA devices, driven through NVIDIA's driver library and run-time compiler."""
import contextlib
import ctypes
import struct
import sys
import weakref
from functools import partial
from typing import NamedTuple

from lazyarr._core.host import device_memory
from lazyarr._core.runtime.launch_queue import LaunchQueue, graph_functions
from lazyarr.gpu.drivers import driver, kernel_files, libcuda, nvrtc
from lazyarr.gpu.drivers.cuda_memory import DriverPool, SizeClassPool, Staging
from lazyarr.gpu.drivers.driver import on_device
from lazyarr.gpu.drivers.libcuda import HANDLE, CudaError, Unavailable
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.libraries import rows
from lazyarr.gpu.libraries.loading import NEWEST, Handles, LibraryError, made

_PIECE, _PIECES = 4 << 20, 4                # for large copies
_SMALL_PIECE, _SMALL_PIECES = 64 << 10, 64  # for copies of up to this size
_LIBRARY_BYTES = 32 << 20       # freed before a library call that does not report its workspace
_MOST_QUEUED = 4 << 20                      # operand bytes of a kernel whose launch may be queued
_QUEUE_FUNCTIONS = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuLaunchKernel", *graph_functions)


def find():
    """Return the drivers of all CUDA devices; raise Unavailable with the reason if there are none."""
    version, devices = libcuda.devices()
    compiler = nvrtc.library(version)
    if compiler is None:
        package = "lazyarr[cuda]" if version >= NEWEST else f"nvidia-cuda-nvrtc-cu{version}"
        raise Unavailable(f"NVRTC for CUDA {version} or older is not installed: pip install '{package}'")
    return [Driver(f"cuda:{number}", device, compiler) for number, device in enumerate(devices)]


class Block:
    """A block of device memory.

    Attributes
    ----------
    written : int or None
        Event that ends the last copy to the block; None once a kernel has waited for it.
    owner : object
        Keeps memory alive that other code owns.
    is_lent : bool
        Whether other code may use it in its own streams.
    """

    __slots__ = ("_free", "address", "is_lent", "nbytes", "owner", "written")

    def __init__(self, address, nbytes, free, owner=None):
        self.address, self.nbytes, self._free, self.owner = address, nbytes, free, owner
        self.written, self.is_lent = None, False

    def __del__(self):
        self._free(self)


class _Call:
    """A launch: the kernel arguments, packed contiguously.

    Parameters
    ----------
    function : int
    """

    __slots__ = ("_buffer", "_packer", "_shape", "function", "pointers")

    def __init__(self, function):
        self.function = function
        self._shape = None

    def pack(self, layout, addresses):
        """Write the arguments to the memory at `pointers`."""
        if self._shape != (len(layout), len(addresses)):
            self._prepare(len(layout), len(addresses))
        self._packer.pack_into(self._buffer, 0, *layout, *addresses)

    def _prepare(self, words, pointers):
        """Allocate the arguments of a kernel, whose number never changes."""
        self._shape, self._packer = (words, pointers), struct.Struct(f"={words}q{pointers}Q")
        self._buffer = (ctypes.c_uint64 * (words + pointers))()
        first = ctypes.addressof(self._buffer)
        places = [first, *(first + 8 * (words + k) for k in range(pointers))]
        self.pointers = (ctypes.c_void_p * len(places))(*places)


class _Kernel(driver.Compiled):
    """A compiled kernel.

    Attributes
    ----------
    function : int
    threads : int
        Largest number of threads of a launch so far.
    """

    def __init__(self, function):
        super().__init__(lambda: _Call(function))
        self.function, self.threads = function, 0


class _Handle:
    """A library handle, destroyed some time after the last reference to it."""

    __slots__ = ("__weakref__", "value")

    def __init__(self, value):
        self.value = value


class _Resources(NamedTuple):
    """What is created on first use of a device."""

    context: int
    compute: int        # streams
    uploads: int
    downloads: int
    launched: int       # event, recorded before a copy that follows the launches
    launches: LaunchQueue
    pool: DriverPool | SizeClassPool
    small: Staging
    large: Staging
    target: str         # architecture to compile for


class Driver(driver.Driver):
    """Memory, copies and kernels of a CUDA device.

    Kernels run in launch order in one stream. Copies to and from the device run in two other streams, each after all
    earlier launches; a kernel waits only for copies to its own operands. A copy to the device returns once the host
    memory has been read.

    Parameters
    ----------
    name : str
        Name of the device in lazyarr.
    device : int
    compiler : ctypes.CDLL
        NVRTC.
    """

    library_error = (CudaError, LibraryError)
    status_unit = 4

    def __init__(self, name, device, compiler):
        self._cuda, self._device, self._compiler = libcuda.library(), device, compiler
        self._version = made(ctypes.c_int, self._cuda.cuDriverGetVersion) // 1000
        text = ctypes.create_string_buffer(256)
        self._cuda.cuDeviceGetName(text, len(text), device)
        super().__init__(name, text.value.decode(errors="replace"), CUDA)
        self._popped = ctypes.c_void_p()
        self._lost = None               # error that made the device unusable
        # library handles
        self._handles: weakref.WeakKeyDictionary[Handles, driver.Reused] = weakref.WeakKeyDictionary()
        self._dead = []                 # destructors of unused objects

    def _make_resources(self):
        cuda, target = self._cuda, self._target()
        context = made(HANDLE, cuda.cuDevicePrimaryCtxRetain, self._device)
        cuda.cuCtxPushCurrent_v2(context)
        try:
            compute, uploads, downloads = [made(HANDLE, cuda.cuStreamCreate, libcuda.STREAM_NON_BLOCKING)
                                           for _ in range(3)]
            launched = made(HANDLE, cuda.cuEventCreate, libcuda.EVENT_DISABLE_TIMING)
            launches = LaunchQueue(libcuda.addresses(*_QUEUE_FUNCTIONS), context, compute)
            has_pools = self._attribute(libcuda.MEMORY_POOLS_SUPPORTED)
            pool = DriverPool(cuda, compute, self._device) if has_pools else SizeClassPool(cuda, compute)
        finally:
            cuda.cuCtxPopCurrent_v2(self._popped)
        small, large = Staging(cuda, _SMALL_PIECE, _SMALL_PIECES), Staging(cuda, _PIECE, _PIECES)
        return _Resources(context, compute, uploads, downloads, launched, launches, pool, small, large, target)

    def _attribute(self, attribute):
        return made(ctypes.c_int, self._cuda.cuDeviceGetAttribute, attribute, self._device)

    def _target(self):
        """Return the architecture to compile for: the device's own, or an older one whose PTX the driver compiles."""
        number = 10 * self._attribute(libcuda.CAPABILITY_MAJOR) + self._attribute(libcuda.CAPABILITY_MINOR)
        known = [architecture for architecture in nvrtc.architectures(self._compiler) if architecture <= number]
        if not known:
            raise RuntimeError(f"{self.name} ({self._model}) is too old for NVRTC {nvrtc.version(self._compiler)[0]}: "
                               "pip install nvidia-cuda-nvrtc-cu12")
        return f"sm_{number}" if number in known else f"compute_{max(known)}"

    def _enter(self):
        """Make the device's context current in this thread."""
        resources = self._resources
        if self._lost is not None:
            raise RuntimeError(self._lost)
        self._cuda.cuCtxPushCurrent_v2(resources.context)

    def _leave(self):
        self._cuda.cuCtxPopCurrent_v2(self._popped)

    def _failure(self, error):
        failure = super()._failure(error)
        if isinstance(error, CudaError) and error.code in libcuda.LOST:
            self._lost = str(failure)
        return failure

    # ---- memory ----------------------------------------------------------------------------------------

    def allocate(self, nbytes):
        """Return a block of memory; raise MemoryError if there is no room."""
        address = self._resources.pool.take(nbytes) if self._lost is None else None
        return Block(self._allocate(nbytes) if address is None else address, nbytes, self._free)

    @on_device
    def _allocate(self, nbytes):
        return self._try_twice(f"{nbytes:,} bytes", self._resources.pool.allocate, nbytes)

    def _try_twice(self, what, call, *arguments):
        """Make a call; if memory runs out, return unused memory to the system and try again."""
        for is_last in (False, True):
            try:
                return call(*arguments)
            except self.library_error as error:
                if not error.is_no_room:
                    raise
                if is_last:
                    raise self._no_room(what) from error
                self._release()

    def _release(self):
        """Return unused memory to the system."""
        self._submit()
        self._resources.launches.forget()
        self._resources.pool.release()

    def with_room(self, what, call, *arguments):
        """Make a library call, evicting values from the device if it runs out of memory; raise MemoryError if that
        fails.
        """
        return device_memory.with_room(self, partial(self._try_twice, what, call, *arguments), _LIBRARY_BYTES)

    def _free(self, block, is_finalizing=sys.is_finalizing):
        """Free a block after all earlier launches; do nothing at interpreter exit or if the device is lost."""
        if not is_finalizing():
            with contextlib.suppress(RuntimeError):
                is_used = block.written is not None or block.owner is not None or block.is_lent
                if is_used or not self._resources.pool.keep(block.address, block.nbytes):
                    self._free_now(block)

    @on_device
    def _free_now(self, block):
        self._submit()
        self._await_copies([block])
        if block.owner is not None:     # which may reuse the memory at once
            self._cuda.cuStreamSynchronize(self._resources.compute)
            return
        if block.is_lent:
            self._cuda.cuCtxSynchronize()
        pool = self._resources.pool
        if not pool.keep(block.address, block.nbytes):
            pool.free(block.address)

    def _await_copies(self, blocks):
        """Make later launches wait for copies to blocks."""
        for block in blocks:
            if block.written is not None:
                self._submit()
                self._cuda.cuStreamWaitEvent(self._resources.compute, block.written, 0)
                block.written = None

    def _follow(self, stream):
        """Make a stream wait for all earlier launches."""
        resources = self._resources
        self._submit()
        self._cuda.cuEventRecord(resources.launched, resources.compute)
        self._cuda.cuStreamWaitEvent(stream, resources.launched, 0)

    def _staging(self, nbytes):
        return self._resources.small if nbytes <= _SMALL_PIECE else self._resources.large

    @on_device
    def read(self, block, offset, address, nbytes):
        """Copy from a block to the host after all earlier launches, unpacking each piece while the next one is
        transferred.
        """
        cuda, staging, stream = self._cuda, self._staging(nbytes), self._resources.downloads
        self._follow(stream)
        if block.written is not None:
            cuda.cuStreamWaitEvent(stream, block.written, 0)
        coming = []
        for begin in range(0, nbytes, staging.nbytes):
            piece, size = staging.take(), min(staging.nbytes, nbytes - begin)
            cuda.cuMemcpyDtoHAsync_v2(piece.address, block.address + offset + begin, size, stream)
            cuda.cuEventRecord(piece.event, stream)
            coming.append((piece, address + begin, size))
            if len(coming) == 2:
                self._empty(staging, *coming.pop(0))
        for last in coming:
            self._empty(staging, *last)

    def _empty(self, staging, piece, address, nbytes):
        self._cuda.cuEventSynchronize(piece.event)
        ctypes.memmove(address, piece.address, nbytes)
        staging.give_back(piece)

    @on_device
    def write(self, block, offset, address, nbytes):
        """Copy from the host to a block after all earlier launches."""
        cuda, staging, stream = self._cuda, self._staging(nbytes), self._resources.uploads
        self._follow(stream)
        for begin in range(0, nbytes, staging.nbytes):
            piece, size = staging.take(), min(staging.nbytes, nbytes - begin)
            ctypes.memmove(piece.address, address + begin, size)
            cuda.cuMemcpyHtoDAsync_v2(block.address + offset + begin, piece.address, size, stream)
            cuda.cuEventRecord(piece.event, stream)
            block.written = piece.event
            staging.give_back(piece)

    @on_device
    def copy(self, target, source, nbytes, to=0, begin=0):
        """Copy from one block to another, from byte `begin` to byte `to`."""
        self._await_copies([target, source])
        self._submit()
        self._cuda.cuMemcpyDtoDAsync_v2(target.address + to, source.address + begin, nbytes, self._resources.compute)

    # ---- memory shared with other code -----------------------------------------------------------------

    @property
    def stream(self):
        """Return the stream of the kernels, so that other code can make it wait."""
        self.submit()
        return self._resources.compute

    @on_device
    def lend(self, block, stream):
        """Make another code's stream wait for all earlier launches; if it is None, the host waits."""
        self._await_copies([block])
        block.is_lent = True
        if stream is None:
            self._submit()
            self._cuda.cuStreamSynchronize(self._resources.compute)
        else:
            self._follow(stream)

    def borrow(self, address, nbytes, owner):
        """Return a block of memory that an owner keeps alive, released after the launches that use it."""
        return Block(address, nbytes, self._free, owner)

    @on_device
    def wait_for(self, stream):
        """Wait for another code's stream, or for all streams if it is None."""
        if stream is None:
            self._cuda.cuCtxSynchronize()
        else:
            self._cuda.cuStreamSynchronize(stream)

    @on_device
    def number_of(self, address):
        """Return CUDA's ordinal of the device that owns the memory at an address."""
        found = ctypes.c_int()
        self._cuda.cuPointerGetAttribute(ctypes.byref(found), libcuda.DEVICE_ORDINAL, address)
        return found.value

    # ---- kernels ---------------------------------------------------------------------------------------

    @on_device
    def _compile(self, kernel):
        self._destroy_dead()
        target = self._resources.target
        place = kernel_files.path(kernel.text, target, *nvrtc.OPTIONS, repr(nvrtc.version(self._compiler)))
        image = kernel_files.load(place)
        if image is None:
            compile_text = nvrtc.compile_cubin if target.startswith("sm_") else nvrtc.compile_ptx
            image = compile_text(kernel.text, target, self._compiler)
            kernel_files.store(place, image)
        module = self.with_room("a kernel", made, HANDLE, self._cuda.cuModuleLoadDataEx, image, 0, None, None)
        function = made(HANDLE, self._cuda.cuModuleGetFunction, module, kernel.name.encode())
        compiled = _Kernel(function)
        weakref.finalize(compiled, self._dead.append, partial(self._cuda.cuModuleUnload, module)).atexit = False
        return compiled

    def _destroy_dead(self):
        """Unload the modules of freed kernels and destroy handles, once nothing uses them."""
        if self._dead:
            self._submit()
            self._resources.launches.forget()
            self._cuda.cuStreamSynchronize(self._resources.compute)
        while self._dead:
            self._dead.pop()()

    def launch(self, compiled, groups, threads, layout, blocks, launched, status=None):
        """Launch a kernel, or queue its launch; return at once.

        `launched` is a list of one bool, set if the kernel may have run when an exception is raised; `status` is the
        block and byte offset of the status words, if the kernel has any.

        Launches that take the host longer than the device are queued: those of small kernels that were launched before
        and so are known to work.
        """
        addresses, nbytes, is_queued = [], 0, threads <= compiled.threads and self._lost is None
        for block in blocks:
            addresses.append(block.address)
            nbytes += block.nbytes
            is_queued &= block.written is None
        if status is not None:
            words, offset = status
            addresses.append(words.address + offset)
            is_queued &= words.written is None
            blocks = [*blocks, words]
        if not is_queued or nbytes > _MOST_QUEUED:
            self._launch_now(compiled, groups, threads, layout, addresses, blocks, launched)
            return
        queue = self._resources.launches
        if queue.is_full:
            self.submit()
        queue.add(compiled.function, groups, threads, layout, addresses, launched)

    @on_device
    def _launch_now(self, compiled, groups, threads, layout, addresses, blocks, launched):
        call = compiled.take()
        self._submit()
        self._await_copies(blocks)
        call.pack(layout, addresses)
        arguments = call.function, groups, 1, 1, threads, 1, 1, 0, self._resources.compute, call.pointers, None
        launched[0] = True      # a signal handler may raise as soon as the next call returns
        try:
            try:
                self._cuda.cuLaunchKernel(*arguments)
            except CudaError as error:
                if not error.is_no_room:
                    raise
                self.with_room("a kernel", self._cuda.cuLaunchKernel, *arguments)
        except (CudaError, MemoryError):
            launched[0] = False
            raise
        compiled.threads = max(compiled.threads, threads)
        compiled.give_back(call)

    def submit(self):
        """Launch everything queued."""
        if len(self._resources.launches):
            self._submit_on_device()

    def _submit(self):
        queue = self._resources.launches
        result = queue.submit()
        if result:
            raise CudaError(result, queue.failed)

    _submit_on_device = on_device(_submit)

    @on_device
    def has_ended(self):
        """Return whether all launches have finished."""
        self._submit()
        result = self._cuda.cuStreamQuery(self._resources.compute)
        if result not in (0, libcuda.NOT_READY):
            raise CudaError(result, "cuStreamQuery")
        return result == 0

    # ---- libraries -------------------------------------------------------------------------------------

    def find_call(self, call):
        """Return the function that runs a call: from an installed NVIDIA library, else from our kernels."""
        return rows.find(call, self._version) or super().find_call(call)

    @on_device
    def run_library(self, handles, work, blocks):
        """Run ``work(functions, handle)``, which makes a library use blocks; return its result."""
        functions = handles.library.functions(self._version)
        if handles not in self._handles:    # the value must not keep the key alive
            make = partial(self._make_handle, functions, handles.make, handles.destroy)
            self._handles.setdefault(handles, driver.Reused(make))
        self._await_copies(blocks)
        handle = self.with_room(handles.library.title, self._handles[handles].take)
        self._submit()
        try:
            return work(functions, handle.value)
        finally:
            self._handles[handles].give_back(handle)

    def _make_handle(self, functions, make, destroy):
        self._destroy_dead()
        handle = _Handle(make(functions, self._resources.compute))
        weakref.finalize(handle, self._dead.append, partial(destroy, functions, handle.value)).atexit = False
        return handle
