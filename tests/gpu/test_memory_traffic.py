"""Memory traffic of kernels: coalesced 128-byte accesses, and no element accessed more often than necessary."""

import functools

import numpy as np
import pytest

from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.calls import scans, sorts
from support.memory_traffic import LINE, traffic

RNG = np.random.default_rng(1)
SCAN_TILE = scans.items_of("i") * group_size
SORT_TILE = sorts.items_of("i", False) * group_size


def in_whole_pieces(used, waste=1.1):
    """Return whether warps access no more memory lines than their bytes fill, or little more."""
    return used.lines * LINE <= waste * used.nbytes


def scanned(a, axis, out):
    launches = traffic(scans.accumulate, "add.accumulate", functools.partial(np.add.accumulate, axis=axis), a, out)
    np.testing.assert_array_equal(out, np.cumsum(a, axis, dtype=out.dtype))
    return launches


@pytest.mark.parametrize(("shape", "axis"), [
    ((5 * SCAN_TILE,), 0), ((40, SCAN_TILE // 2), 1), ((40, SCAN_TILE // 2), 0), ((600, 64), 1), ((1000, 64), 0),
    ((SCAN_TILE, 4), 0)])  # fmt: skip
def test_running_sums_read_elements_twice_at_most(shape, axis):
    a = RNG.integers(-9, 9, shape, np.int32)
    launches = scanned(a, axis, np.zeros(shape, np.int32))
    reads, writes = (sum(launch[k].count for launch in launches) for k in (1, 2))
    assert reads <= 2.2 * a.size
    assert writes <= 1.1 * a.size
    assert all(in_whole_pieces(used) for launch in launches for used in launch[1:] if used.count >= a.size // 2)


def test_transposed_results_are_written_in_whole_pieces():
    a = RNG.integers(-9, 9, (64, 512), np.int32)
    _, *uses = scanned(a, 1, np.zeros((512, 64), np.int32).T)[-1]
    assert all(in_whole_pieces(used) for used in uses)


@pytest.mark.parametrize(("shape", "axis"), [((4 * SORT_TILE,), 0), ((96, 64), 1), ((320, 32), 0)])
@pytest.mark.parametrize("is_argsort", [False, True])
def test_sorts_read_elements_once_a_pass(shape, axis, is_argsort):
    """Merged runs begin anywhere, so that each read of them touches two lines."""
    a = RNG.integers(0, 1000, shape, np.int32)
    out = np.zeros(shape, np.intp if is_argsort else np.int32)

    def run(driver, call):
        sorts.sort_lines(driver, call, *call.operands, call.result, axis, is_argsort)

    launches = traffic(run, "sort", None, a, out)
    np.testing.assert_array_equal(out, np.argsort(a, axis, kind="stable") if is_argsort else np.sort(a, axis))
    for name, reads, writes in launches:
        if name != "lz_splits":
            assert writes.count <= (1 + is_argsort) * a.size
            assert in_whole_pieces(writes)
            assert reads.nbytes <= 1.8 * (1 + 2 * is_argsort) * a.nbytes
            assert in_whole_pieces(reads, 2 if name == "lz_merge_tiles" else 1.1)
