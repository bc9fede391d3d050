"""Runs a program with NumPy and with lazyarr in fresh processes, in turns, and compares output, times and memory.

Each process is started by `launch.py`, which reports its time without imports.

On Linux a process inherits the peak memory of the process that started it. So that the figures are the script's own,
`start` keeps this process small: it replaces it by one that runs this file alone, without NumPy and lazyarr. For the
same reason this file imports nothing but the standard library.
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
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lazyarr.launch import Program

DIFF_LINES = 40
"""The maximum number of lines of differing output to show."""

ROUNDS = 5
SECONDS = 20
"""Each library has at most `ROUNDS` runs, fewer if all of them would take longer than about this many seconds."""

LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")


def start(program: "Program", profiled: bool = False) -> int:
    """Compare NumPy and lazyarr on a program and return the exit status; does not return on systems with `execv`.

    If `profiled`, the first run with lazyarr prints its profile.
    """
    plan = [sys.executable, *_interpreter_options()], [program.kind, program.target, *program.arguments], profiled
    if not hasattr(os, "wait4"):  # Windows: memory is not measured
        return main(*plan)
    os.execv(sys.executable, [sys.executable, "-I", "-S", __file__, json.dumps(plan)])


def _interpreter_options() -> list[str]:
    """Return the options that this interpreter was started with, such as ``-O`` or ``-W error``."""
    place = len(sys.orig_argv) - len(sys.argv)  # of the command's script, or of the module after `-m`
    options = sys.orig_argv[1:place]
    if sys.orig_argv[place] == sys.argv[0]:
        return options
    return options[:-1] if options[-1:] == ["-m"] else []


class Run(NamedTuple):
    """Measurements of one process."""

    output: bytes
    errors: bytes
    """Its stderr, unless passed on."""
    status: int
    """Exit status; negative for the number of a signal."""
    seconds: float
    """Wall time of the process."""
    peak: int | None
    """Peak resident memory in bytes; None if the system does not report it."""
    outside: float | None
    """Wall time without imports and the interpreter's start; None if the process ended abnormally."""
    cpu: float | None
    """CPU time of all threads, without imports."""


def main(python: list[str], program: list[str], profiled: bool) -> int:
    """Run a program with both libraries, and print its output and the comparison.

    `python` is the interpreter with its options, `program` kind, target and arguments as in `lazyarr.launch.Program`.
    """
    runs: dict[str, list[Run]] = {"NumPy": [], "lazyarr": []}
    began = time.perf_counter()
    try:
        stdin = Stdin()
        for turn in range(ROUNDS):
            for name, done in runs.items():
                library = "profiled" if profiled and not turn and name == "lazyarr" else name.lower()
                run = execute(python, library, program, stdin, quiet=turn > 0)
                if not any(runs.values()):
                    sys.stdout.buffer.write(run.output)
                    sys.stdout.flush()
                if run.status:
                    sys.stderr.buffer.write(run.errors)
                    print(f"lazyarr: the run with {name} {_ending(run.status)}; nothing to compare", file=sys.stderr)
                    return run.status if run.status > 0 else 128 - run.status
                done.append(run)
            reference, other = (done[turn] for done in runs.values())
            if reference.output != other.output:
                lines = difference(reference.output, other.output)
                print("lazyarr: the outputs differ", *lines, sep="\n", file=sys.stderr)
                return 1
            if (time.perf_counter() - began) * (turn + 2) / (turn + 1) > SECONDS:
                break
    except KeyboardInterrupt:
        return 130
    print(*table({name: best(done) for name, done in runs.items()}, turn + 1), sep="\n")
    return 0


def execute(python: Sequence[str], library: str, program: Sequence[str], stdin: "Stdin", quiet: bool) -> Run:
    """Run a program to its end with a library, named as in `lazyarr.launch.main`.

    If `quiet`, its stderr is captured, otherwise passed on.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        report = os.path.join(folder, "times")
        command = [*python, LAUNCH, report, library, *program]
        began = time.perf_counter()
        process = None
        try:
            with interrupt_deferred():  # so that an interrupt finds the process to kill
                process = subprocess.Popen(command, stdin=stdin.kind, stdout=output, stderr=errors if quiet else None)
            stdin.feed(process.stdin)
            status, peak = _wait(process)
        except BaseException:
            if process is not None:
                process.kill()
                process.wait()
            raise
        seconds = time.perf_counter() - began
        output.seek(0)
        errors.seek(0)
        return Run(output.read(), errors.read(), status, seconds, peak, *_times(report))


def _times(report: str) -> tuple[float | None, float | None]:
    """Return wall and CPU time without imports, as `launch.py` reports them."""
    try:
        with open(report, encoding="ascii") as file:
            outside, cpu = map(float, file.read().split())
    except FileNotFoundError:  # the process ended by os._exit or a signal
        return None, None
    return outside, cpu


def best(runs: Sequence[Run]) -> Run:
    """Return the minimum of each figure over several runs."""

    def least(field: str) -> Any:
        return min((getattr(run, field) for run in runs if getattr(run, field) is not None), default=None)

    return runs[0]._replace(**{field: least(field) for field in ("seconds", "peak", "outside", "cpu")})


@contextlib.contextmanager
def interrupt_deferred() -> Iterator[None]:
    """Defer Ctrl-C: raise KeyboardInterrupt at the end of the block."""
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if seen:
        raise KeyboardInterrupt


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, int | None]:
    """Return exit status and peak memory of a process."""
    if not hasattr(os, "wait4"):
        return process.wait(), None
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class Stdin:
    """Standard input, which every process receives from the beginning.

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
            except OSError:  # unreadable input is empty
                chunk = b""
            with self._news:
                self._arrived += chunk
                self._ended = not chunk
                self._news.notify_all()

    def feed(self, pipe: IO[bytes] | None) -> None:
        """Write all input, as it arrives, to `pipe`, on a thread."""
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
        except OSError:  # the process has ended, or closed its input
            pass


def difference(reference: bytes, other: bytes) -> list[str]:
    """Return the first differing lines of both outputs as a unified diff."""
    outputs = [text.decode(errors="backslashreplace").replace("\r", "\\r").split("\n") for text in (reference, other)]
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*outputs, strict=False)))
    first, second = (lines[: same + DIFF_LINES] for lines in outputs)
    lines = list(difflib.unified_diff(first, second, "NumPy", "lazyarr", lineterm=""))
    return lines if len(lines) <= DIFF_LINES else [*lines[:DIFF_LINES], "..."]


def table(runs: dict[str, Run], turns: int) -> list[str]:
    """Return a table of times and peak memory with both libraries, and their ratios."""
    rows = [["same output", "outside imports", "CPU time", "whole process", "peak memory"]]
    for name, run in runs.items():
        rows.append([name, *map(_seconds, (run.outside, run.cpu, run.seconds)), _mebibytes(run.peak)])
    figures = [(run.outside, run.cpu, run.seconds, run.peak) for run in runs.values()]
    rows.append(["/".join(runs), *itertools.starmap(_ratio, zip(*figures, strict=True))])
    lines = ["{:<15}{:>17}{:>14}{:>16}{:>14}".format(*row) for row in rows]
    return [*lines, f"The least of {turns} runs each, in turns; CPU time is that of all threads, outside imports too."]


def _seconds(number: float | None) -> str:
    return "not measured" if number is None else f"{number:.3f} s"


def _mebibytes(number: int | None) -> str:
    return "not measured" if number is None else f"{number / 2**20:.1f} MiB"


def _ratio(reference: float | None, other: float | None) -> str:
    return f"{reference / other:.2f}" if reference and other else "-"


def _ending(status: int) -> str:
    return f"exits with status {status}" if status > 0 else f"is ended by signal {-status}"


if __name__ == "__main__":
    sys.exit(main(*json.loads(sys.argv[1])))
