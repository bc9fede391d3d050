"""Programs on the CUDA mock: any order of streams, graphs, little memory, failed kernels, a lost device."""

import os
import subprocess
import sys
import textwrap

import pytest

from support import cuda_mock

pytestmark = pytest.mark.skipif(cuda_mock.COMPILER is None, reason="needs a C++ compiler")

HEAD = """
import ctypes, os, warnings
import numpy as np
import lazyarr as la

mock = ctypes.CDLL(os.environ["LAZYARR_CUDA"])
DEVICE = "cuda:0"

def there(x):
    return la.asarray(x).to_device(DEVICE)
"""


def run(program, seed=1):
    """Run a program in a separate process; return its output."""
    variables = cuda_mock.environment() | {"LAZYARR_MOCK_SEED": str(seed)}
    found = subprocess.run([sys.executable, "-P", "-c", HEAD + textwrap.dedent(program)], env=os.environ | variables,
                           capture_output=True, text=True)  # fmt: skip
    assert (found.returncode, found.stderr) == (0, "")
    return found.stdout.splitlines()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_results_do_not_depend_on_delays_of_streams(seed):
    assert run("""
        a = np.random.default_rng(0).random((64, 50))
        x, y, wanted = there(a.copy()), there(a[::-1].copy()), a.copy()
        other = a[::-1].copy()
        with np.errstate(all="ignore"):
            for k in range(40):
                x = x * 0.5 + there(np.full(50, float(k)))
                y[k % 60 : k % 60 + 3] += x[:3]
                if k % 7 == 0:
                    la.evaluate(x, y)
                wanted = wanted * 0.5 + k
                other[k % 60 : k % 60 + 3] += wanted[:3]
        print((x.numpy() == wanted).all(), (y.numpy() == other).all(), (x.max(axis=1).numpy() == wanted.max(1)).all())
    """, seed) == ["True True True"]


def test_what_has_no_room_is_computed_on_the_host():
    assert run("""
        x = there(np.arange(200_000.0))
        la.evaluate(x, x * 2)
        mock.mock_set_memory(ctypes.c_size_t(mock.mock_count(b"bytes") + 100_000))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            y = x + 1
            la.evaluate(y)
        print({w.category.__name__ for w in seen}, "has no room" in str(seen[0].message))
        print(y.sum().numpy() - x.sum().numpy())
        mock.mock_set_memory(ctypes.c_size_t(1 << 30))
        z = x + 2
        print(z.device, z.sum().numpy() - x.sum().numpy())
    """) == ["{'RuntimeWarning'} True", "200000.0", "cuda:0 400000.0"]


@pytest.mark.parametrize("errors", ["ignore", "warn"])
@pytest.mark.parametrize(("loss", "name"), [
    ("mock.mock_lose_device()", "CUDA_ERROR_ECC_UNCORRECTABLE"),
    ('mock.mock_fail(b"kernel", 0, 700)', "CUDA_ERROR_ILLEGAL_ADDRESS"),
])  # fmt: skip
def test_a_lost_device_fails_for_good_and_leaves_the_host_alone(loss, name, errors):
    assert run(f"""
        x, h = there(np.arange(10.0)), la.asarray(np.arange(10.0)) + 1
        la.evaluate(x)
        {loss}
        for _ in range(2):
            try:
                with np.errstate(all="{errors}"):
                    (x + 1).numpy()
            except RuntimeError as error:
                print(error.args[0].split(":")[0:2], "{name}" in str(error))
        print(h.sum().numpy())
    """) == [*["['cuda', '0 (Mock device) has failed'] True"] * 2, "55.0"]


def test_values_that_the_host_has_outlive_a_lost_device():
    assert run("""
        a = np.arange(10.0)
        fetched, view, alone = there(a) * 2, there(a)[::2] + 1, there(a) + 1
        la.evaluate(fetched, view, alone)
        fetched.numpy(), view.numpy()
        pending = there(a) - 1
        mock.mock_lose_device()

        def raises(call):
            try:
                call()
            except RuntimeError as error:
                return str(error).startswith("cuda:0 (Mock device) has failed") and "nvidia-smi" in str(error)

        print(all(raises(call) for call in (
            alone.numpy, pending.numpy, lambda: np.sort(fetched).numpy(), lambda: there(a).numpy(),
            lambda: alone.to_device("cpu").numpy())))
        print(fetched.numpy().sum(), fetched[3], np.asarray(view), hash(bytes(view)) == hash((a[::2] + 1).tobytes()))
        print((fetched.to_device("cpu") * 2).numpy().sum(), (la.asarray(a) + 1).numpy().sum(), a.sum())
    """) == ["True", "90.0 6.0 [1. 3. 5. 7. 9.] True", "180.0 55.0 45.0"]


def test_a_failing_call_leaves_the_device_usable():
    assert run("""
        x = there(np.arange(10.0))
        la.evaluate(x, x * 3)
        for function in (b"cuLaunchKernel", b"cuMemcpyDtoHAsync_v2"):
            mock.mock_fail(function, 0, 1)
            try:
                (x * 3).numpy()
            except RuntimeError as error:
                print("CUDA_ERROR_INVALID_VALUE" in str(error), function.decode() in str(error))
            print((x * 3).sum().numpy())
    """) == ["True True", "135.0"] * 2


def test_arrays_that_do_not_fit_together_take_turns():
    assert run("""
        n = 250_000
        a = np.arange(float(n))
        x = there(a) + 1
        la.evaluate(x, (x * 2 + 1).sum())
        mock.mock_set_memory(ctypes.c_size_t(mock.mock_count(b"bytes") + 4 * a.nbytes))
        warnings.simplefilter("error")
        arrays = [x, *[there(a) + k for k in range(2, 13)]]
        for y in arrays:
            la.evaluate(y)
        view = arrays[3][5:9]
        arrays = [y * 2 + 1 for y in arrays]
        for y in arrays:
            la.evaluate(y)
        view += 1
        print(all((y.numpy() == 2 * (a + k + 1) + 1).all() for k, y in enumerate(arrays)), view, view.device)
        print({y.device for y in arrays}, mock.mock_count(b"allocations") < 8)
    """) == ["True [10. 11. 12. 13.] cuda:0", "{Device('cuda:0')} True"]


@pytest.mark.parametrize("seed", [1, 2])
def test_an_evaluation_is_a_few_calls_of_the_driver(seed):
    assert run("""
        a = np.arange(64.0)
        x = there(a)
        la.evaluate(x)
        names = [b"cuLaunchKernel", b"cuGraphLaunch", b"cuGraphExecKernelNodeSetParams_v2", b"cuMemAllocAsync",
                 b"cuMemFreeAsync", b"kernel"]
        right = True
        for k in range(8):
            before = [mock.mock_count(name) for name in names]
            with np.errstate(all="ignore"):
                y, wanted = x, a
                for turn in range(40):
                    y, wanted = y * 0.5 + y.max(), wanted * 0.5 + wanted.max()
                y = y + float(k)
                la.evaluate(y)
            right = right and (y.numpy() == wanted + k).all()
        print(right, [mock.mock_count(name) - count for name, count in zip(names, before)])
        for failing in (b"cuGraphExecKernelNodeSetParams_v2", b"cuGraphLaunch"):
            mock.mock_fail(failing, 0, 2)
            with np.errstate(all="ignore"):
                y = x
                for turn in range(40):
                    y = y * 0.5 + y.max()
                right = right and ((y + 5.0).numpy() == wanted + 5).all()
        print(right)
    """, seed) == ["True [0, 1, 1, 0, 0, 41]", "True"]
