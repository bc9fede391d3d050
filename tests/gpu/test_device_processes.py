"""Each driver's devices in separate processes: forks, unchanged programs, and program exit."""

import importlib
import os
import textwrap

import pytest

from support.device_programs import run


@pytest.fixture(params=["opencl", "cuda"])
def device(request):
    """The module of a driver's device; skips the test if there is none."""
    return importlib.import_module(f"support.{request.param}_device")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_children_cannot_use_the_device(device):
    ended = run(f"""
        import os
        import lazyarr as la
        x = la.arange(4.0).to_device("{device.DEVICE}")
        la.evaluate(x)
        child = os.fork()
        if child == 0:
            try:
                print((x + 1).numpy())
            except RuntimeError as error:
                print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(x + 1)
    """, environment=device.ENVIRONMENT)
    error = f"{device.DEVICE} cannot be used in a forked child: start processes by 'spawn'"
    assert ended.stdout == f"{error}\n[1. 2. 3. 4.]\n"


def test_unchanged_programs_run_there(device, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent("""
        import numpy as np
        a = np.linspace(0, 1, 10_000)
        b = np.zeros((4, 5))
        b[1:3] = a[:5]
        print(b, np.sqrt(a * 2)[-1], a.device)
    """))
    ended = run("", "-m", "lazyarr", "--device", device.DEVICE, str(script), environment=device.ENVIRONMENT)
    plain = run("", "-m", "lazyarr", str(script))
    assert ended.stdout == plain.stdout.replace("cpu", device.DEVICE)
    assert device.DEVICE in ended.stdout
    missing = device.DEVICE.replace("0", "99")
    assert run("", "-m", "lazyarr", "--device", missing, str(script), environment=device.ENVIRONMENT).returncode == 2
    named = {**device.ENVIRONMENT, "LAZYARR_DEVICE": device.DEVICE}
    assert run("", "-m", "lazyarr", str(script), environment=named).stdout == ended.stdout


def test_programs_end_with_arrays_on_the_device(device):
    ended = run(f"""
        import lazyarr as la
        x = la.arange(4.0).to_device("{device.DEVICE}")
        y = x + 1
        print(y)
    """, environment=device.ENVIRONMENT)
    assert (ended.stdout, ended.stderr) == ("[1. 2. 3. 4.]\n", "")


def test_libraries_are_not_opened_before_a_device_is_asked_for():
    ended = run("""
        import sys
        import lazyarr as la
        print(la.ones(3).to_device("cpu:1") + 1, la.zeros(3, device="cpu"))
        print([name for name in sys.modules if name.startswith(("lazyarr.gpu", "pyopencl"))])
    """)
    assert ended.stdout == "[2. 2. 2.] [0. 0. 0.]\n[]\n"


def test_without_pyopencl_the_error_says_what_to_install():
    ended = run("""
        import sys
        sys.modules["pyopencl"] = None
        import lazyarr as la
        print(la.devices())
        la.ones(3).to_device("opencl:0")
    """)
    assert ended.stdout.startswith("[Device('cpu'), Device('cpu:1')")
    assert "there is no device 'opencl:0'" in ended.stderr
    assert "pip install 'lazyarr[opencl]'" in ended.stderr


def test_a_pyopencl_that_cannot_be_imported_is_no_device():
    ended = run("""
        import sys, types
        class Broken:
            def find_spec(self, name, path=None, target=None):
                if name == "pyopencl":
                    raise ImportError("libOpenCL.so.1: cannot open shared object file")
        sys.meta_path.insert(0, Broken())
        import lazyarr as la
        print(la.devices())
        try:
            la.ones(3).to_device("opencl:0")
        except ValueError as error:
            print(error)
    """)
    devices, error = ended.stdout.splitlines()
    assert devices.startswith("[Device('cpu'), Device('cpu:1')")
    assert error.startswith("there is no device 'opencl:0'; there are 'cpu', 'cpu:1'")
    assert "; pyopencl, for OpenCL devices, cannot be imported: libOpenCL.so.1: cannot open shared object file" in error


ARRAY_OF_CUDA = """
    import lazyarr as la

    class Array:
        def __dlpack_device__(self):
            return 2, 0

    la.from_dlpack(Array())
"""


@pytest.mark.parametrize("program", ["import lazyarr as la; la.ones(3).to_device('cuda:0')", ARRAY_OF_CUDA])
def test_without_nvidias_driver_the_error_says_so(program):
    ended = run(program, environment={"LAZYARR_CUDA": "/none/libcuda.so.1"})
    assert "there is no device 'cuda:0'" in ended.stderr
    assert "there are no CUDA devices: NVIDIA's driver is not installed: /none/libcuda.so.1" in ended.stderr
