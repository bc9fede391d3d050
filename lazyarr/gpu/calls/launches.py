"""Calls with several kernel launches."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazyarr._core.runtime.device_call import Call
from lazyarr._core.runtime.kernel_launch import most_groups
from lazyarr.gpu.calls.text import CallText, Text


class NamedText(CallText):
    """Emits a kernel whose numbers have names.

    Parameters
    ----------
    name : str
    pointers : sequence of str
        Its pointer parameters.
    words : sequence of str
        Names of the numbers, in order.
    has_status : bool, optional
        Whether there is a one-word status.

    Attributes
    ----------
    words : dict of str to str
        Expression of each number in the kernel.
    """

    def __init__(self, name: str, pointers: Sequence[str], words: Sequence[str], has_status: bool = False):
        super().__init__(name, pointers, int(has_status), reported_flags=(0,))  # casts raise no flags
        self.words = dict(zip(words, self.numbers(len(words)), strict=True))

    def open_scope(self) -> None:
        """Open a nested scope."""
        self.write("{")
        self.depth += 1


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel.

    Attributes
    ----------
    text : Text
    groups, threads : int
    numbers : list of int
        Numbers of the kernel's layout.
    blocks : tuple of int or str
        Its pointers: the number of an operand, ``"result"``, ``"tables"``, or ``"partial"`` for workspace.
    partial_bytes : int
        Bytes of the workspace, if this launch is the first to use it.
    tables : bytes, optional
        Constant data that it reads.
    """

    text: Text
    groups: int
    threads: int
    numbers: list[int]
    blocks: tuple[int | str, ...]
    partial_bytes: int = 0
    tables: bytes = b""


def run_launches(driver: Any, call: Call, launches: Iterable[Launch]) -> None:
    """Launch the kernels of a call, in order."""
    blocks: dict[int | str, Any] = {"result": call.result.block}
    blocks |= {number: operand.block for number, operand in enumerate(call.operands)}
    for launch in launches:
        kernel = driver.kernel_of_text(*launch.text)
        if launch.partial_bytes:
            blocks["partial"] = driver.workspace(launch.partial_bytes)
        if launch.tables:
            blocks["tables"] = driver.table(launch.tables, functools.partial(np.frombuffer, launch.tables, np.uint8))
        call.launch(driver, kernel, min(launch.groups, most_groups), launch.threads, launch.numbers,
                    [blocks[block] for block in launch.blocks])  # fmt: skip
