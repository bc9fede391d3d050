"""Runs a script with NumPy and with lazyarr, each in a fresh process, and compares output, wall time and memory.

On Linux a process's peak memory counts from the peak of the process that started it. So that the figures are the
script's own, `start` makes this process small: it replaces it by one that runs this very file, by itself, without
NumPy and lazyarr. For the same reason nothing but the standard library is imported here.
"""

import contextlib
import difflib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

DIFF_LINES = 40
"""At most so many lines of differing output are shown."""


def start(script: str, arguments: Sequence[str], profiled: bool = False) -> int:
    """Compare NumPy and lazyarr on a script and return the exit status; does not return where there is `execv`.

    Parameters
    ----------
    script : str
        Path of a readable file.
    arguments : sequence of str
        Its command-line arguments.
    profiled : bool
        Have the second run print its profile.
    """
    python = [sys.executable, *_interpreter_options()]
    runner = ["-m", "lazyarr", *(["--profile"] if profiled else [])]
    plan = {"NumPy": [*python, script, *arguments], "lazyarr": [*python, *runner, script, *arguments]}
    if not hasattr(os, "wait4"):  # Windows: no memory figures, nothing to keep small
        return main(plan)
    os.execv(sys.executable, [sys.executable, "-I", "-S", __file__, json.dumps(plan)])


def _interpreter_options() -> list[str]:
    """The options that this interpreter was started with, such as ``-O`` or ``-W error``."""
    options = list(itertools.takewhile(lambda argument: argument != "-m", sys.orig_argv[1:]))
    return options if len(options) < len(sys.orig_argv) - 1 else []


class Run(NamedTuple):
    """What one process did."""

    output: bytes
    status: int
    """Exit status; negative for the number of the signal that ended it."""
    seconds: float
    peak: int | None
    """Peak resident memory in bytes; None where the system does not tell."""


def main(plan: dict[str, list[str]]) -> int:
    """Run two command lines, the reference first, print what they printed and how they compare."""
    try:
        stdin = Stdin()
        runs = {}
        for name, command in plan.items():
            run = runs[name] = execute(command, stdin)
            if len(runs) == 1:
                sys.stdout.buffer.write(run.output)
                sys.stdout.flush()
            if run.status:
                print(f"lazyarr: the run with {name} {_ending(run.status)}; nothing to compare", file=sys.stderr)
                return run.status if run.status > 0 else 128 - run.status
    except KeyboardInterrupt:
        return 130
    reference, other = runs.values()
    if reference.output != other.output:
        print("lazyarr: the outputs differ", *difference(runs), sep="\n", file=sys.stderr)
        return 1
    print(*table(runs), sep="\n")
    return 0


def execute(command: Sequence[str], stdin: "Stdin") -> Run:
    """Run one command to its end. Its stderr is this process's."""
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = None
        try:
            with interrupt_deferred():  # an interrupt while the process is being started must find it to kill
                process = subprocess.Popen(command, stdin=stdin.kind, stdout=output)
            stdin.feed(process.stdin)
            status, peak = _wait(process)
        except BaseException:
            if process is not None:
                process.kill()
                process.wait()
            raise
        seconds = time.perf_counter() - began
        output.seek(0)
        return Run(output.read(), status, seconds, peak)


@contextlib.contextmanager
def interrupt_deferred() -> Iterator[None]:
    """Raise KeyboardInterrupt for a Ctrl-C in the block when the block is done."""
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if seen:
        raise KeyboardInterrupt


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, int | None]:
    """Exit status and peak memory of a process."""
    if not hasattr(os, "wait4"):
        return process.wait(), None
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class Stdin:
    """Standard input, of which every process gets all that arrives, from the beginning.

    A terminal is left to the processes themselves.
    """

    def __init__(self) -> None:
        self.kind = None if sys.stdin is None or sys.stdin.isatty() else subprocess.PIPE
        self._arrived = bytearray()
        self._ended = False
        self._news = threading.Condition()
        if self.kind is not None:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while not self._ended:
            try:
                chunk = os.read(0, 1 << 16)
            except OSError:  # what cannot be read is empty
                chunk = b""
            with self._news:
                self._arrived += chunk
                self._ended = not chunk
                self._news.notify_all()

    def feed(self, pipe: IO[bytes] | None) -> None:
        """Have a thread write to `pipe` what has arrived and what will."""
        if pipe is not None:
            threading.Thread(target=self._write, args=(pipe,), daemon=True).start()

    def _write(self, pipe: IO[bytes]) -> None:
        sent = 0
        try:
            with pipe:
                while True:
                    with self._news:
                        while len(self._arrived) == sent and not self._ended:
                            self._news.wait()
                        chunk = bytes(self._arrived[sent:])
                    if not chunk:
                        break
                    pipe.write(chunk)
                    pipe.flush()
                    sent += len(chunk)
        except OSError:  # the process has ended, or wants no more
            pass


def difference(runs: dict[str, Run]) -> list[str]:
    """The first differing lines of two outputs, as a unified diff."""
    outputs = [run.output.decode(errors="backslashreplace").replace("\r", "\\r").split("\n") for run in runs.values()]
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*outputs, strict=False)))
    first, second = (lines[: same + DIFF_LINES] for lines in outputs)
    reference, other = runs
    lines = list(difflib.unified_diff(first, second, reference, other, lineterm=""))
    return lines if len(lines) <= DIFF_LINES else [*lines[:DIFF_LINES], "..."]


def table(runs: dict[str, Run]) -> list[str]:
    """Wall time and peak memory of two runs, and how many times as much the first needed."""
    reference, other = runs.values()
    rows = [("same output", "wall time", "peak memory")]
    rows += [(name, f"{run.seconds:.2f} s", _mebibytes(run.peak)) for name, run in runs.items()]
    less = "-" if reference.peak is None or other.peak is None else f"{reference.peak / other.peak:.2f}"
    rows.append(("/".join(runs), f"{reference.seconds / other.seconds:.2f}", less))
    return [f"{name:<15}{seconds:>12}{memory:>14}" for name, seconds, memory in rows]


def _mebibytes(number: int | None) -> str:
    return "not measured" if number is None else f"{number / 2**20:.1f} MiB"


def _ending(status: int) -> str:
    return f"exits with status {status}" if status > 0 else f"is ended by signal {-status}"


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
