"""Devices with little memory."""

from lazyarr.gpu.drivers.driver import Driver


class Full:
    """A limit on device memory: replaces a driver's `allocate` by one that has room for a given number of bytes.

    Parameters
    ----------
    driver : Driver
    room : int
        Bytes.

    Attributes
    ----------
    room : int
    least : int
        The least room so far.
    failures : int
        Number of failed allocations.
    """

    def __init__(self, driver: Driver, room: int):
        self.driver, self.room, self.least, self.failures = driver, room, room, 0

    def allocate(self, nbytes):
        """Allocate a block, whose room is returned when it is freed."""
        full = self
        if nbytes > self.room:
            self.failures += 1
            raise MemoryError(f"{self.driver.name} has no room for {nbytes:,} bytes")
        block = type(self.driver).allocate(self.driver, nbytes)

        class Counted(type(block)):
            __slots__ = ()

            def __del__(self):
                full.room += nbytes
                getattr(super(), "__del__", int)()

        block.__class__ = Counted
        self.room -= nbytes
        self.least = min(self.least, self.room)
        return block
