"""Memory of CUDA devices: pools of blocks, and pinned host memory for copies.

Nothing here takes a lock, because a signal handler may interrupt any method: idle objects are kept in lists and taken
by one atomic operation.
"""
import bisect
import contextlib
import ctypes
import functools
from collections import defaultdict, deque

from lazyarr.gpu.drivers import libcuda
from lazyarr.gpu.drivers.libcuda import ADDRESS, HANDLE
from lazyarr.gpu.libraries.loading import made

_LEAST = 512                # smallest block size: the driver's alignment
_STEPS = 2                  # log2 of the size classes per power of two


class _Pool:
    """Memory in stream order: a block may be reused while kernels that use its old contents are still running.

    Parameters
    ----------
    cuda : namespace
    stream : int
    """

    largest_kept: float     # largest block kept when freed
    most_kept: float        # most bytes kept per size class

    def __init__(self, cuda, stream):
        self._cuda, self._stream = cuda, stream
        # Negative addresses by size, so that the lowest address is taken first: programs that repeat get the same
        # addresses, and so identical launches.
        self._idle = defaultdict(list)

    def take(self, nbytes):
        """Return the address of a kept block, or None."""
        if nbytes <= self.largest_kept:
            with contextlib.suppress(IndexError):
                return -self._idle[_size_class(nbytes)].pop()
        return None

    def keep(self, address, nbytes):
        """Keep a block for reuse if its size permits; return whether it is kept."""
        if nbytes > self.largest_kept:
            return False
        size = _size_class(nbytes)
        idle = self._idle[size]
        if size * len(idle) >= self.most_kept:
            return False
        bisect.insort(idle, -address)
        return True

    def _free_kept(self, free):
        for addresses in list(self._idle.values()):
            with contextlib.suppress(IndexError):
                while True:
                    free(-addresses.pop())


class DriverPool(_Pool):
    """The driver's memory pool. Small blocks are kept here, since the driver's calls take long next to their kernels.

    Parameters
    ----------
    cuda : namespace
    stream : int
    device : int
    """

    largest_kept, most_kept = 1 << 20, 4 << 20

    def __init__(self, cuda, stream, device):
        super().__init__(cuda, stream)
        self._pool = made(HANDLE, cuda.cuDeviceGetDefaultMemPool, device)
        most = ctypes.c_uint64(2**64 - 1)
        cuda.cuMemPoolSetAttribute(self._pool, libcuda.RELEASE_THRESHOLD, ctypes.byref(most))   # never trim

    def allocate(self, nbytes):
        """Return the address of a block."""
        size = _size_class(nbytes) if nbytes <= self.largest_kept else nbytes
        return made(ADDRESS, self._cuda.cuMemAllocAsync, size, self._stream)

    def free(self, address):
        """Free a block after all work in the stream."""
        self._cuda.cuMemFreeAsync(address, self._stream)

    def release(self):
        """Return unused memory to the system."""
        self._free_kept(self.free)
        self._cuda.cuStreamSynchronize(self._stream)
        self._cuda.cuMemPoolTrimTo(self._pool, 0)


class SizeClassPool(_Pool):
    """Pool for devices whose driver has none: every freed block is kept."""

    largest_kept = most_kept = float("inf")

    def allocate(self, nbytes):
        """Return the address of a block."""
        return made(ADDRESS, self._cuda.cuMemAlloc_v2, _size_class(nbytes))

    def release(self):
        """Return unused memory to the system."""
        self._cuda.cuStreamSynchronize(self._stream)
        self._free_kept(self._cuda.cuMemFree_v2)


@functools.lru_cache(1024)
def _size_class(nbytes):
    step = max(_LEAST, 1 << max(nbytes.bit_length() - 1 - _STEPS, 0))
    return -(-nbytes // step) * step


class Piece:
    """A piece of pinned memory, with the event after which it is unused."""

    __slots__ = ("address", "event")

    def __init__(self, address, event):
        self.address, self.event = address, event


class Staging:
    """Pieces of pinned memory, used in turn: only pinned memory can be copied while the host works on.

    Parameters
    ----------
    cuda : namespace
    nbytes : int
        The size of a piece.
    count : int
        Largest number of copies in flight.
    """

    def __init__(self, cuda, nbytes, count):
        self._cuda, self.nbytes, self._count = cuda, nbytes, count
        self._idle: deque[Piece] = deque()

    def take(self):
        """Return a piece that no copy uses."""
        try:
            piece = self._idle.popleft()
        except IndexError:      # first use, or all are taken by other threads
            return self._add()
        self._cuda.cuEventSynchronize(piece.event)
        return piece

    def give_back(self, piece):
        """Return a piece, which is reused after its event."""
        self._idle.append(piece)

    def _add(self):
        first = made(ctypes.c_void_p, self._cuda.cuMemHostAlloc, self.nbytes * self._count,
                     libcuda.MEMHOSTALLOC_PORTABLE)
        pieces = [Piece(first + k * self.nbytes, made(HANDLE, self._cuda.cuEventCreate, libcuda.EVENT_DISABLE_TIMING))
                  for k in range(self._count)]
        self._idle.extend(pieces[1:])
        return pieces[0]
