"""The number of cores this process may use: as set by the user, otherwise as granted by the operating system.

A container or a batch system limits a process in two ways: it pins it to some cores (affinity), or it grants a share of
their time (a quota of the control group). OpenMP respects only the former, and threads beyond the quota merely get
throttled.
"""

import math
import os
import re
import sys
from collections.abc import Iterator


def default_threads() -> int:
    """Return the initial number of threads: ``OMP_NUM_THREADS`` if set to a number, otherwise `usable_cpus`.

    Examples
    --------
    >>> default_threads() >= 1
    True
    """
    # The variable may list a number per level of nesting; here there is one level.
    setting = re.fullmatch(r"\s*(\d+)\s*(,.*)?", os.environ.get("OMP_NUM_THREADS", ""))
    if setting and int(setting[1]) > 0:
        return int(setting[1])
    return usable_cpus()


def usable_cpus() -> int:
    """Return the number of cores that affinity and the control group's quota grant this process, at least 1."""
    if sys.version_info >= (3, 13):
        cpus = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):
        cpus = len(os.sched_getaffinity(0))
    else:
        cpus = os.cpu_count() or 1
    # Rounded up: with a quota of 1.5 cores, two threads do one and a half times the work of one.
    return max(1, math.ceil(min(cpus, cgroup_quota())))


def cgroup_quota(root: str | os.PathLike[str] = "/") -> float:
    """Return the quota of this process's control groups, version 1 or 2, in cores; infinity if unlimited.

    `root` contains ``proc`` and ``sys``.
    """
    return min((_read_quota(group) for group in _cpu_groups(os.fspath(root))), default=math.inf)


def _cpu_groups(root: str) -> Iterator[str]:
    """Yield the folders of this process's CPU control groups, from its own to the topmost visible one."""
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
        # A container may see only its part of the tree, though group names start at the host's root.
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
    # Unlimited is "max" in version 2 and -1 in version 1.
    return math.inf if quota in ("max", "-1") else int(quota) / int(period)
