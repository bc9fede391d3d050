"""The initial number of threads: as requested, else as CPU affinity and control groups allow."""

import math
import os

import pytest

from lazyarr import cpus

V2 = "30 23 0:26 {exported} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "33 32 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "34 32 0:30 {exported} /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
)
OTHER_MOUNTS = "22 1 8:1 / / rw,relatime - ext4 /dev/root rw\n"


@pytest.fixture
def system(tmp_path):
    """Create a system's /proc and /sys; return its root."""

    def system(mounts, exported, groups, files):
        own = tmp_path / "proc" / "self"
        own.mkdir(parents=True)
        (own / "cgroup").write_text(groups)
        (own / "mountinfo").write_text(OTHER_MOUNTS + mounts.format(exported=exported))
        for name, text in files.items():
            path = tmp_path / "sys" / "fs" / "cgroup" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        return tmp_path

    return system


@pytest.mark.parametrize(
    ("exported", "group", "files", "quota"),
    [
        ("/", "/", {"cpu.max": "150000 100000"}, 1.5),
        ("/", "/", {"cpu.max": "max 100000"}, math.inf),
        ("/", "/", {}, math.inf),
        ("/", "/jobs/42", {"jobs/42/cpu.max": "300000 100000", "jobs/cpu.max": "max 100000"}, 3),
        ("/", "/jobs/42", {"jobs/42/cpu.max": "300000 100000", "jobs/cpu.max": "20000 10000"}, 2),
        ("/", "/jobs/42", {"other/cpu.max": "100000 100000"}, math.inf),
        ("/docker/1a", "/docker/1a", {"cpu.max": "50000 100000"}, 0.5),
        ("/docker/1a", "/docker/1a/inner", {"cpu.max": "500000 100000", "inner/cpu.max": "400000 100000"}, 4),
        ("/docker/1a", "/docker/1abc", {"cpu.max": "50000 100000", "bc/cpu.max": "1 1"}, 0.5),
    ],
)
def test_quota_in_version_2(system, exported, group, files, quota):
    assert cpus.cgroup_quota(system(V2, exported, f"0::{group}\n", files)) == quota


@pytest.mark.parametrize(
    ("exported", "group", "quotas", "quota"),
    [
        ("/", "/", {"": 250000}, 2.5),
        ("/", "/", {"": -1}, math.inf),
        ("/", "/a/b", {"a/b/": 700000, "a/": 600000}, 6),
        ("/docker/1a", "/docker/1a", {"": 100000}, 1),
    ],
)
def test_quota_in_version_1(system, exported, group, quotas, quota):
    files = {}
    for folder, value in quotas.items():
        files[f"cpu,cpuacct/{folder}cpu.cfs_quota_us"] = str(value)
        files[f"cpu,cpuacct/{folder}cpu.cfs_period_us"] = "100000"
    groups = f"5:memory:/elsewhere\n4:cpu,cpuacct:{group}\n1:name=systemd:/x\n"
    assert cpus.cgroup_quota(system(V1, exported, groups, files)) == quota


def test_version_1_counts_where_both_are_mounted(system):
    files = {"cpu,cpuacct/cpu.cfs_quota_us": "200000", "cpu,cpuacct/cpu.cfs_period_us": "100000"}
    root = system(V1 + V2.replace("/sys/fs/cgroup", "/sys/fs/cgroup/unified"), "/", "4:cpu,cpuacct:/\n0::/\n", files)
    assert cpus.cgroup_quota(root) == 2


def test_no_control_groups(tmp_path):
    assert cpus.cgroup_quota(tmp_path) == math.inf


@pytest.mark.parametrize(("quota", "threads"), [(0.2, 1), (1.0, 1), (1.5, 2), (math.inf, 4), (16.0, 4)])
def test_quota_is_rounded_up_and_bounded_by_the_cores(monkeypatch, quota, threads):
    monkeypatch.setattr(os, "process_cpu_count", lambda: 4, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(4)), raising=False)
    monkeypatch.setattr(cpus, "cgroup_quota", lambda: quota)
    assert cpus.usable_cpus() == threads


@pytest.mark.parametrize(
    ("variable", "threads"),
    [("3", 3), (" 3 ", 3), ("64", 64), ("3,2,1", 3), ("", 7), ("0", 7), ("-1", 7), ("many", 7), ("3.5", 7)],
)
def test_variable_comes_first(monkeypatch, variable, threads):
    monkeypatch.setattr(cpus, "usable_cpus", lambda: 7)
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    assert cpus.default_threads() == threads


def test_without_the_variable(monkeypatch):
    monkeypatch.setattr(cpus, "usable_cpus", lambda: 7)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert cpus.default_threads() == 7


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity")
def test_affinity(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert cpus.default_threads() == 1
    finally:
        os.sched_setaffinity(0, allowed)
