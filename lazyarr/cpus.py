"""The number of cores this process may use: as the user asked, else as the operating system grants.

A container or a batch system limits a process in two ways: it pins it to some of the cores (affinity), or it grants
it a share of their time (a quota of its control group). OpenMP sees the first and not the second, and more threads
than the quota pays for only get stopped in turn.
"""

import math
import os
import re
import sys
from collections.abc import Iterator


def default_threads() -> int:
    """The number of threads to start with: ``OMP_NUM_THREADS`` if it is set to a number, else `usable_cpus`.

    Examples
    --------
    >>> default_threads() >= 1
    True
    """
    # The variable may list one number for each level of nesting; only the outermost level exists here.
    setting = re.fullmatch(r"\s*(\d+)\s*(,.*)?", os.environ.get("OMP_NUM_THREADS", ""))
    if setting and int(setting[1]) > 0:
        return int(setting[1])
    return usable_cpus()


def usable_cpus() -> int:
    """The number of cores that affinity and the control group's quota leave to this process, at least 1."""
    if sys.version_info >= (3, 13):
        cpus = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):
        cpus = len(os.sched_getaffinity(0))
    else:
        cpus = os.cpu_count() or 1
    # Rounded up: with a quota of 1.5 cores two threads do half as much again as one.
    return max(1, math.ceil(min(cpus, cgroup_quota())))


def cgroup_quota(root: str | os.PathLike[str] = "/") -> float:
    """The cores' worth of time granted by the control groups, version 1 or 2, of this process; infinity for no limit.

    `root` is where ``proc`` and ``sys`` are found.
    """
    return min((_read_quota(group) for group in _cpu_groups(os.fspath(root))), default=math.inf)


def _cpu_groups(root: str) -> Iterator[str]:
    """The folders of this process's CPU control groups, from its own up to the topmost that is visible."""
    try:
        membership = _read(root, "proc/self/cgroup")
        mounts = _read(root, "proc/self/mountinfo")
    except OSError:  # not Linux, or /proc is hidden
        return
    groups = {}
    for line in membership.splitlines():  # "4:cpu,cpuacct:/a/b", or "0::/a/b" in version 2
        _, controllers, group = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = group
    for line in mounts.splitlines():  # "36 35 98:0 /exported/folder /mount/point rw,... - type source options"
        left, _, right = line.partition(" - ")
        exported, mount_point = left.split()[3:5]
        kind, _, options = right.split(" ", 2)
        if kind == "cgroup2":
            group = groups.get("", "/")
        elif kind == "cgroup" and "cpu" in options.split(","):
            group = groups.get("cpu", "/")
        else:
            continue
        # A container may see only its own part of the tree, while the group is named from the host's top.
        below = "" if exported == "/" else exported
        inside = group.removeprefix(below) if group.startswith(below + "/") else ""
        mount = os.path.join(root, mount_point.strip("/"))
        names = [name for name in inside.split("/") if name]
        yield from (os.path.join(mount, *names[:depth]) for depth in range(len(names), -1, -1))


def _read(*path: str) -> str:
    with open(os.path.join(*path)) as file:
        return file.read()


def _read_quota(group: str) -> float:
    try:
        quota, period = _read(group, "cpu.max").split()
    except (OSError, ValueError):
        try:
            quota = _read(group, "cpu.cfs_quota_us").strip()
            period = _read(group, "cpu.cfs_period_us")
        except OSError:
            return math.inf
    # No limit is "max" in version 2 and -1 in version 1.
    return math.inf if quota in ("max", "-1") else int(quota) / int(period)
