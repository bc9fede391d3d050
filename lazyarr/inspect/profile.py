"""`profile`: sums over the evaluations of a part of a program.

The sums come from the record of each evaluation (`lazyarr.inspect.observers`), numbers on the cache and the pool from
the core's counters, as differences between two readings. Only sums are kept, so the profile of a long loop stays small
unless it includes a trace of each step.
"""

import json
import os
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from lazyarr._core.host import allocator
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.ir import node
from lazyarr._core.runtime import memo, plan_cache
from lazyarr.inspect import fallbacks, formatting, markup, observers
from lazyarr.inspect.advice import advice
from lazyarr.inspect.fallback_report import Report

_NOTHING = "Nothing was evaluated: operations wait until a value is needed, or for lazyarr.evaluate(x) in the block."


class _Reading:
    """The core's counters at one moment."""

    def __init__(self) -> None:
        self.time = time.perf_counter()
        self.plans = plan_cache.stats()
        self.memo = memo.stats()
        self.pool = allocator.stats()
        self.pending = node.stats()["pending"]
        self.fallbacks = fallbacks.counts()


class Profile:
    """A summary of the evaluations inside a ``with profile()`` block. Prints as a table.

    It can be read at any time, and does not change after the block.

    Attributes
    ----------
    evaluations, steps : int
        Numbers of evaluations and of their steps.
    ops, fused : int
        Numbers of nodes in the evaluated graphs, inputs included, and of operations that ran in tile programs.
    bytes : int
        Bytes of the values of those nodes; most intermediates of a tile program never reach memory.
    seconds : float
        Time spent evaluating.
    kinds : collections.Counter
        Number of steps of each kind.
    opaque : collections.Counter
        Number of NumPy calls made by evaluations, by name.
    planning : float
        Time spent in evaluations whose plan was not cached, without their steps, in seconds.
    taken : dict of str to float
        Time of steps, in seconds, by the names of their operations.
    copies, copied : int
        Number of copies between devices, and their bytes.
    trace : list of dict or None
        With ``trace=True``, events of the trace format of Chrome and Perfetto: evaluations, steps, the share of each
        thread in a step (category "share"), and copies between devices (category "copy"). Devices other than the host
        have lanes of their own.
    """

    def __init__(self, trace: bool = False) -> None:
        self.evaluations: int = 0
        self.steps: int = 0
        self.ops: int = 0
        self.fused: int = 0
        self.bytes: int = 0
        self.copies: int = 0
        self.copied: int = 0
        self.seconds: float = 0.0
        self.planning: float = 0.0
        self.taken: dict[str, float] = {}
        self.kinds: Counter[str] = Counter()
        self.opaque: Counter[str] = Counter()
        self.trace: list[dict[str, Any]] | None = [] if trace else None
        self._lanes: dict[int, str] = {}  # of the trace: names by number
        self._start = _Reading()
        self._end: _Reading | None = None

    def _add(self, record: dict[str, Any]) -> None:
        if record["kinds"] == ["copy"]:
            self._add_copy(record)
            return
        self.evaluations += 1
        self.steps += record["steps"]
        self.ops += record["ops"]
        self.fused += record["fused"]
        self.bytes += record["bytes"]
        self.seconds += record["seconds"]
        self.kinds.update(record["kinds"])
        self.opaque.update(record["opaque"])
        timeline = record["timeline"]
        for name, _, seconds, *_ in timeline:
            self.taken[name] = self.taken.get(name, 0.0) + seconds
        if timeline and not record["hit"]:
            end = max(began + seconds for _, began, seconds, *_ in timeline)
            self.planning += record["seconds"] - (end - min(began for _, began, *_ in timeline))
        if self.trace is not None:
            lanes = partial(_lane, record["device"])
            self.trace.append(self._event("evaluation", "evaluation", record["began"], record["seconds"], lanes(0)))
            for kind, (name, began, seconds, thread, shares) in zip(record["kinds"], timeline, strict=False):
                self.trace.append(self._event(name, kind, began, seconds, lanes(thread)))
                self.trace += [self._event(name, "share", begun, lasted, lanes(t)) for t, begun, lasted in shares]

    def _add_copy(self, record: dict[str, Any]) -> None:
        self.copies += 1
        self.copied += record["bytes"]
        if self.trace is not None:
            name, began, seconds, lane, _ = record["timeline"][0]
            self.trace.append(self._event(name, "copy", began, seconds, lane))

    def _event(self, name: str, kind: str, began: float, seconds: float, lane: str) -> dict[str, Any]:
        tid = zlib.crc32(lane.encode())
        self._lanes[tid] = lane
        return {"name": name, "cat": kind, "ph": "X", "ts": 1e6 * (began - self._start.time), "dur": 1e6 * seconds,
                "pid": os.getpid(), "tid": tid}

    @api_boundary
    def save_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the trace to a file that chrome://tracing and ui.perfetto.dev open.

        Raises
        ------
        ValueError
            If the profile has no trace.
        """
        if self.trace is None:
            raise ValueError("save_trace: there is no trace; ask for it by profile(trace=True)")
        names = [{"name": "thread_name", "ph": "M", "pid": os.getpid(), "tid": tid, "args": {"name": name}}
                 for tid, name in self._lanes.items()]
        written = json.dumps({"traceEvents": names + self.trace, "displayTimeUnit": "ms"})
        Path(path).write_text(written, encoding="utf-8")

    def slowest(self, count: int = 10) -> list[tuple[str, int, float]]:
        """Return the slowest operations of the trace: names, counts, total seconds."""
        times: dict[str, list[float]] = {}
        for event in self.trace or ():
            if event["cat"] not in ("evaluation", "share"):
                times.setdefault(event["name"], []).append(event["dur"] / 1e6)
        rows = [(name, len(taken), sum(taken)) for name, taken in times.items()]
        return sorted(rows, key=lambda row: -row[2])[:count]

    @property
    def wall(self) -> float:
        """Time from the start of the block to its end, in seconds."""
        return (self._end or _Reading()).time - self._start.time

    @property
    def plans(self) -> dict[str, int]:
        """Changes of the plan cache's counters: ``hits``, ``misses``, ``evictions``."""
        end = self._end or _Reading()
        return {name: end.plans[name] - self._start.plans[name] for name in ("hits", "misses", "evictions")}

    @property
    def memo(self) -> dict[str, int]:
        """Counters of the memo (`lazyarr.config.memo_limit`): ``hits`` and ``misses`` inside the block.

        ``bytes`` is its size at the end of the block.
        """
        end = self._end or _Reading()
        changes = {name: end.memo[name] - self._start.memo[name] for name in ("hits", "misses")}
        return {**changes, "bytes": end.memo["bytes"]}

    @property
    def pool(self) -> dict[str, int]:
        """Changes of the buffer pool's counters: ``hits`` (blocks reused), ``misses`` (blocks allocated)."""
        end = self._end or _Reading()
        return {name: end.pool[name] - self._start.pool[name] for name in ("hits", "misses")}

    @property
    def pending(self) -> int:
        """The number of pending nodes at the end of the block."""
        return (self._end or _Reading()).pending

    @property
    def fallbacks(self) -> Report:
        """Fallbacks to NumPy inside the block."""
        return Report((self._end or _Reading()).fallbacks - self._start.fallbacks)

    @property
    def advice(self) -> str:
        """A sentence or two on where most of the time went; empty if nothing was evaluated."""
        return advice(self.wall, self.seconds, self.planning, *self._taken_by(), self.plans,
                      [row.name for row in self.fallbacks if not row.lazily])

    def _taken_by(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return the time of lazyarr's steps and of NumPy calls, in seconds, by name."""
        lazily = {name for name, lazily, _ in (self._end or _Reading()).fallbacks if lazily}
        own, numpys = ({name: seconds for name, seconds in self.taken.items() if (name in lazily) == is_numpys}
                       for is_numpys in (False, True))
        return own, numpys

    def _rows(self) -> list[tuple[str, str]]:
        end = self._end or _Reading()
        rows = [
            ("evaluations",
             f"{self.evaluations:,}, in {formatting.seconds(self.seconds)} of {formatting.seconds(self.wall)}"),
            ("steps", "; ".join([f"{self.steps:,}", *(f"{n:,} {kind}" for kind, n in self.kinds.most_common())])),
            ("nodes", f"{self.ops:,}, {self.fused:,} of them fused into tile programs"),
            ("values", f"{formatting.nbytes(self.bytes)}, those that stayed in cache included"),
            ("plan cache", _counted(self.plans)), ("buffer pool", _counted(self.pool)),
            ("peak memory",
             f"{formatting.nbytes(end.pool['peak_bytes'])} of results at once, since the program's start"),
            ("still pending", formatting.count(end.pending, "node"))]
        if any(self.memo.values()):
            *counts, (_, held) = self.memo.items()
            rows.append(("memo", f"{_counted(dict(counts))}, {formatting.nbytes(held)} held"))
        if self.copies:
            rows.append(("copies", f"{self.copies:,} between devices, of {formatting.nbytes(self.copied)}"))
        if self.opaque:
            rows.append(("NumPy calls", ", ".join(f"{n:,} {name}" for name, n in self.opaque.most_common())))
        return rows

    def __str__(self) -> str:
        slowest = [(formatting.seconds(seconds), f"{n:,}x", name) for name, n, seconds in self.slowest()]
        parts = [formatting.table(self._rows(), "<<"), str(self.fallbacks), formatting.table(slowest, ">><"),
                 self.advice]
        if not self.evaluations:
            parts.insert(0, _NOTHING)
        return "\n".join(part for part in parts if part)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        own, numpys = (sum(seconds.values()) for seconds in self._taken_by())
        amounts = [("lazyarr's steps", own), ("calls of NumPy", numpys), ("making plans", self.planning),
                   ("outside evaluations", self.wall - self.seconds),
                   ("other work of evaluations", self.seconds - own - numpys - self.planning)]
        parts = [(name, formatting.seconds(max(seconds, 0.0)), max(seconds, 0.0)) for name, seconds in amounts]
        longest = sorted(self.taken.items(), key=lambda item: -item[1])[:10]
        steps = [(name, markup.bar(formatting.seconds(seconds), seconds / (longest[0][1] or 1)))
                 for name, seconds in longest]
        return markup.panel(
            "Profile", markup.note(self.advice), markup.parts_of_whole("Where the time went", parts),
            markup.facts("What was evaluated", self._rows(), True),
            markup.table("Steps that took most time", ("operations", "time"), steps, "<<") if steps else "",
            self.fallbacks._table(), facts=[formatting.seconds(self.wall)])


def _lane(device: str, thread: int) -> str:
    """Return the name of the lane of a thread, by its number in the evaluating team, on a device."""
    evaluating = threading.get_ident()
    name = f"thread {thread} of {evaluating}" if thread else f"evaluating thread {evaluating}"
    return name if device == "cpu" else f"{device} {name}"


def _counted(changes: dict[str, int]) -> str:
    """As in "12 hits, 1 miss, 0 evictions"."""
    return ", ".join(formatting.count(number, _SINGULAR[name]) for name, number in changes.items())


_SINGULAR = {"hits": "hit", "misses": "miss", "evictions": "eviction"}


@api_boundary
@contextmanager
def profile(trace: bool = False) -> Iterator[Profile]:
    """Profile the evaluations of all threads inside a ``with`` block.

    Leaving the block evaluates nothing: operations that have not been evaluated by then are reported as pending.

    Parameters
    ----------
    trace : bool, optional
        Whether to record start, duration and threads of each step. `Profile.save_trace` writes them to a file for
        Chrome's or Perfetto's viewer, with lanes for threads, devices and copies, and the printed table names the
        slowest steps.

    Yields
    ------
    Profile
        The sums so far. Prints as a table.

    Examples
    --------
    >>> with la.profile() as collected:
    ...     total = float((la.ones(1000) * 2 + 1).sum())
    >>> collected.evaluations
    1
    """
    collected = Profile(trace)
    observers.listen(collected._add)
    try:
        yield collected
    finally:
        observers.ignore(collected._add)
        collected._end = _Reading()
