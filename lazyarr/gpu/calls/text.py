"""Text of kernels for calls, and their launches.

Kernels get their numbers in one int64 array, like those of tile programs, so that one text serves all shapes.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lazyarr._core.runtime.device_call import Call
from lazyarr._core.runtime.kernel_launch import group_size, most_groups
from lazyarr.gpu.generator.dialects import OPENCL
from lazyarr.gpu.generator.emitter import Emitter

UNITS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}
"""The type in which an element is moved, by its size in bytes."""


def words_of(itemsize: int) -> list[tuple[int, int]]:
    """Return an axis of 8-byte words (extent, stride) that moves a larger element; empty for other sizes."""
    return [(itemsize // 8, 8)] if itemsize > 8 else []


class Text(NamedTuple):
    """Text of a kernel, and the arguments of `Driver.kernel_of_text`."""

    text: str
    name: str
    nstatus: int
    parameter_bytes: int


class Row(NamedTuple):
    """How a call runs on a device.

    Attributes
    ----------
    refusal : callable
        ``refusal(call)`` returns why the call is left to the host, or None.
    run : callable
        ``run(driver, call)`` launches kernels. It allocates its workspace before the first launch that overwrites
        operands, and may raise `NoKernel` until then.
    """

    refusal: Callable[[Call], str | None]
    run: Callable[[Any, Call], None]


class CallText(Emitter):
    """Emits a kernel.

    Parameters
    ----------
    name : str
    pointers : sequence of str
        Its pointer parameters, besides the status.
    nstatus : int, optional
        Number of status words.
    reported_flags : sequence of int, optional
        Status flags to detect.
    """

    def __init__(self, name: str, pointers: Sequence[str], nstatus: int = 0, reported_flags: Sequence[int] = ()):
        super().__init__(reported_flags, OPENCL, is_exact=True)  # drivers reject texts that would round differently
        self._name, self._pointers, self._nstatus, self._size = name, pointers, nstatus, 0

    def numbers(self, count: int) -> list[str]:
        """Return the names of the kernel's next number arguments."""
        first, self._size = self._size, self._size + count
        return [f"layout.v[{place}]" for place in range(first, self._size)]

    def number(self) -> str:
        """Return the name of the kernel's next number argument."""
        return self.numbers(1)[0]

    def finish(self) -> Text:
        """Return the kernel."""
        parameters = ["const struct layout layout", *[f"GLOBAL char *{pointer}" for pointer in self._pointers]]
        parameters += ["GLOBAL u32 *status"] if self._nstatus else []
        lines = [f"struct layout {{ i64 v[{self._size}]; }};", "", f"KERNEL lz_{self._name}({', '.join(parameters)})",
                 "{", *self.lines, "}", ""]  # fmt: skip
        nbytes = 8 * (self._size + len(self._pointers) + bool(self._nstatus))
        return Text("\n".join(lines), f"lz_{self._name}", self._nstatus, nbytes)


def launch(driver: Any, call: Call, text: Text, items: int, numbers: Sequence[int], blocks: Sequence[Any],
           changes: bool = False) -> None:  # fmt: skip
    """Launch a kernel that covers `items` in a grid-stride loop; `changes` says that it may overwrite operands."""
    call.launch(driver, driver.kernel_of_text(*text), _groups(items), group_size, list(numbers), list(blocks), changes)


def check(driver: Any, call: Call, text: Text, items: int, numbers: Sequence[int], blocks: Sequence[Any]) -> bool:
    """Launch such a kernel and wait for its status, if it has one; return whether that is nonzero."""
    return call.check(driver, driver.kernel_of_text(*text), _groups(items), group_size, list(numbers), list(blocks))


def _groups(items: int) -> int:
    return min(-(-items // group_size), most_groups)
