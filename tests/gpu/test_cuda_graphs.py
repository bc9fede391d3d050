"""Queued launches on CUDA devices: single ones, graphs of repeated ones, and failures."""

import ctypes
import gc

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.runtime import plan_cache
from lazyarr._core.runtime.launch_queue import LaunchQueue, graph_functions, least_nodes, most_graphs, queue_length
from lazyarr.gpu.drivers import libcuda

STREAM, CONTEXT = 7, 5


class Parameters(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2."""

    _fields_ = [("function", ctypes.c_void_p), ("grid", 3 * ctypes.c_uint), ("block", 3 * ctypes.c_uint),
                ("shared", ctypes.c_uint), ("arguments", ctypes.POINTER(ctypes.c_void_p)),
                ("extra", ctypes.c_void_p), ("kernel", ctypes.c_void_p), ("context", ctypes.c_void_p)]  # fmt: skip


class Library:
    """Functions of a driver that record their calls, with the first numbers of a layout and a pointer behind it."""

    def __init__(self, *missing):
        self.calls, self.failing = [], {}
        names = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuLaunchKernel", *graph_functions)
        self._kept = {name: self._noting(name) for name in names if name not in missing}
        self.queue = LaunchQueue({name: ctypes.cast(function, ctypes.c_void_p).value
                                  for name, function in self._kept.items()}, CONTEXT, STREAM)  # fmt: skip

    def _noting(self, name):
        # addresses and 32-bit numbers alike, as they are passed
        types = [ctypes.POINTER(kind) if kind is libcuda.HANDLE and name in (
            "cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags") and place == 0 else kind
            for place, kind in enumerate(libcuda.PROTOTYPES[name])]
        return ctypes.CFUNCTYPE(ctypes.c_int, *types)(lambda *given: self._called(name, given))

    def _called(self, name, given):
        left = self.failing.get(name)
        if left is not None:
            self.failing[name] = left - 1
            if left <= 0:
                return 2
        if name == "cuLaunchKernel":
            self.calls.append((name, given[0], given[1], given[4], *_arguments(given[9])))
        elif name in ("cuGraphAddKernelNode_v2", "cuGraphExecKernelNodeSetParams_v2"):
            parameters = Parameters.from_address(given[-1])
            self.calls.append((name, parameters.function, parameters.grid[0], parameters.block[0],
                               *_arguments(parameters.arguments)))  # fmt: skip
        elif "Ctx" not in name:
            self.calls.append((name,))
        if name in ("cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags"):
            given[0][0] = 1000 + len(self.calls)
        return 0

    def run(self, *launches):
        """Queue launches and submit them; return the calls."""
        for function, number, pointer in launches:
            launched = [False]
            self.queue.add(function, 3, 32, [number, -1], [pointer], launched)
            assert launched == [True]
        self.calls.clear()
        result = self.queue.submit()
        return result or list(self.calls)


def _arguments(pointers):
    read = [ctypes.cast(pointers[k], ctypes.POINTER(ctypes.c_int64)) for k in range(2)]
    assert read[0][1] == -1
    return read[0][0], read[1][0]


def launches(*changed, count=least_nodes):
    """Return some launches, of which some have another number."""
    return [(100 + k, 50 if k in changed else k, 9000 + k) for k in range(count)]


def singly(some):
    return [("cuLaunchKernel", function, 3, 32, *rest) for function, *rest in some]


def test_few_launches_are_single():
    library = Library()
    for _ in range(3):
        assert library.run(*launches()[1:]) == singly(launches()[1:])
    assert library.run() == []


def test_what_comes_again_is_one_call():
    library = Library()
    assert library.run(*launches()) == singly(launches())
    made = [call[0] for call in library.run(*launches())]
    assert made == ["cuGraphCreate", *least_nodes * ["cuGraphAddKernelNode_v2"], "cuGraphInstantiateWithFlags",
                    "cuGraphLaunch"]  # fmt: skip
    for _ in range(2):
        assert library.run(*launches()) == [("cuGraphLaunch",)]
    assert library.queue.graphs == 1


def test_a_graph_gets_the_arguments_that_are_others():
    library = Library()
    for _ in range(2):
        library.run(*launches())
    assert library.run(*launches(1)) == [
        ("cuGraphExecKernelNodeSetParams_v2", 101, 3, 32, 50, 9001), ("cuGraphLaunch",)]
    assert library.run(*launches(1)) == [("cuGraphLaunch",)]
    assert [call[0] for call in library.run(*launches(2))] == [
        *2 * ["cuGraphExecKernelNodeSetParams_v2"], "cuGraphLaunch"]
    assert library.run(*launches(0, 1, 3)) == singly(launches(0, 1, 3))  # launches are as many calls
    assert library.queue.graphs == 1


def test_sequences_that_take_turns_are_graphs_each():
    library = Library()
    others = launches(*range(least_nodes))
    for _ in range(2):
        library.run(*launches())
        library.run(*others)
    for _ in range(2):
        assert library.run(*launches()) == [("cuGraphLaunch",)]
        assert library.run(*others) == [("cuGraphLaunch",)]


@pytest.mark.parametrize("missing", graph_functions)
def test_without_a_function_of_the_driver_all_are_single(missing):
    library = Library(missing)
    for _ in range(3):
        assert library.run(*launches()) == singly(launches())


@pytest.mark.parametrize(("function", "after"), [
    ("cuGraphCreate", 0), ("cuGraphAddKernelNode_v2", 1), ("cuGraphInstantiateWithFlags", 0),
    ("cuGraphExecKernelNodeSetParams_v2", 1), ("cuGraphLaunch", 0), ("cuGraphLaunch", 1)])  # fmt: skip
def test_what_cannot_be_a_graph_is_launched_singly(function, after):
    library = Library()
    library.run(*launches())
    library.failing[function] = after
    for some in (launches(), launches(0, 1), launches(1)):
        calls = library.run(*some)
        made = [call for call in calls if call[0] == "cuLaunchKernel"]
        assert made == ([] if calls[-1] == ("cuGraphLaunch",) else singly(some))
    assert library.failing[function] < 0
    assert library.queue.graphs == 0
    assert library.run(*launches(1)) == singly(launches(1))


def test_what_could_not_be_launched_stays_in_the_queue():
    library = Library()
    library.failing["cuLaunchKernel"] = 2
    assert library.run(*launches()) == 2
    assert library.queue.failed == "cuLaunchKernel"
    assert library.calls == singly(launches()[:2])
    assert len(library.queue) == least_nodes - 2
    library.failing.clear()
    assert library.run((1, 2, 3)) == singly([*launches()[2:], (1, 2, 3)])
    assert len(library.queue) == 0


def test_the_sequences_that_were_submitted_last_are_kept():
    library = Library()
    for number in range(most_graphs + 10):
        for _ in range(2):
            library.run(*[(number + 1, number, 0)] * least_nodes)
    assert library.queue.graphs == most_graphs
    calls = library.run(*[(11, 10, 0)] * least_nodes)
    assert calls == [("cuGraphLaunch",)]
    assert len(library.run(*[(1, 0, 0)] * least_nodes)) == least_nodes + 2  # and one is destroyed
    library.calls.clear()
    library.queue.forget()
    assert library.queue.graphs == 0
    assert library.calls.count(("cuGraphExecDestroy",)) == most_graphs - 1
    assert library.run(*launches()) == singly(launches())


def test_a_launch_that_does_not_fit_changes_nothing():
    library, launched = Library(), [False]
    for layout, addresses, error in (([1 << 64], [], OverflowError), ([1], [0] * 200, ValueError)):
        with pytest.raises(error):
            library.queue.add(1, 1, 1, layout, addresses, launched)
    for _ in range(queue_length):
        library.queue.add(1, 1, 1, [5, -1], [6], [False])
    assert library.queue.is_full
    with pytest.raises(ValueError, match="fit"):
        library.queue.add(1, 1, 1, [], [], launched)
    assert launched == [False]
    assert library.run() == [("cuLaunchKernel", 1, 1, 1, 5, 6)] * queue_length


# ---- on a device ---------------------------------------------------------------------------------------


@pytest.fixture
def device():
    return pytest.importorskip("support.cuda_device")


def test_a_loop_that_is_evaluated_again_has_the_same_results(device):
    a = np.arange(100.0)
    x = device.there(a)
    la.evaluate(x)
    for k in range(6):
        y, wanted = x, a
        for turn in range(150):
            y, wanted = y * 0.5 + y.max(), wanted * 0.5 + wanted.max()
            if turn == 70:
                y, wanted = y - float(k), wanted - float(k)
            if turn == 100 and k % 2:
                y, wanted = y + device.there(a * k), wanted + a * k
        device.same(y, wanted)
    assert device.DRIVER._resources.launches.graphs > 0


def test_graphs_do_not_outlive_their_kernels(device):
    def repeat():
        with np.errstate(all="ignore"):
            for _ in range(4):
                y = device.there(np.arange(10.0))
                for _ in range(10):
                    y = np.hypot(y, 3) - y.min()
                la.evaluate(y)
        return y

    wanted = repeat().numpy()
    queue = device.DRIVER._resources.launches
    assert queue.graphs > 0
    plan_cache.clear()
    gc.collect()
    assert device.DRIVER._dead
    device.same(repeat(), wanted)
    assert not device.DRIVER._dead


def test_functions_that_a_driver_lacks_have_no_address(device, monkeypatch):
    functions = libcuda.library()
    for name in graph_functions:
        monkeypatch.delattr(functions, name)
    assert libcuda.addresses("cuLaunchKernel", *graph_functions).keys() == {"cuLaunchKernel"}


def test_freed_blocks_are_used_again_in_the_order_of_launches(device):
    driver = device.another_driver()
    block = driver.allocate(1000)
    address = block.address
    del block
    assert driver.allocate(900).address == address
    assert driver.allocate(2000).address != address
    large = [driver.allocate(1 << 20) for _ in range(8)]
    addresses = {block.address for block in large}
    del large
    again = [driver.allocate(1 << 20) for _ in range(4)]
    assert {block.address for block in again} <= addresses  # as many are kept
