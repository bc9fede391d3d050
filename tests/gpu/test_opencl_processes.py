"""OpenCL devices in processes of their own: what is imported when, forks, and unchanged programs."""
import subprocess
import sys
import textwrap

from support.opencl_device import DEVICE


def run(program, *options):
    return subprocess.run([sys.executable, "-P", *options], input=textwrap.dedent(program), capture_output=True,
                          text=True, timeout=120, check=False)


def test_without_pyopencl_the_error_says_what_to_install():
    ended = run("""
        import sys
        sys.modules["pyopencl"] = None
        import lazyarr as la
        print(la.devices())
        la.ones(3).to_device("opencl:0")
    """, "-")
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
    """, "-")
    devices, error = ended.stdout.splitlines()
    assert devices.startswith("[Device('cpu'), Device('cpu:1')")
    assert error.startswith("there is no device 'opencl:0'; there are 'cpu', 'cpu:1'")
    assert "; pyopencl, for OpenCL devices, cannot be imported: libOpenCL.so.1: cannot open shared object file" in error


def test_pyopencl_is_not_imported_before_a_device_is_asked_for():
    ended = run("""
        import sys
        import lazyarr as la
        x = la.ones(3).to_device("cpu:1") + 1
        print(x, la.zeros(3, device="cpu"), "pyopencl" in sys.modules)
    """, "-")
    assert ended.stdout == "[2. 2. 2.] [0. 0. 0.] False\n"


def test_forked_children_cannot_use_the_device():
    ended = run("""
        import os
        import lazyarr as la
        x = la.arange(4.0).to_device("opencl:0")
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
    """, "-W", "ignore", "-")
    assert ended.stdout == "opencl:0 cannot be used in a forked child: start processes by 'spawn'\n[1. 2. 3. 4.]\n"


def test_programs_run_there(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent("""
        import numpy as np
        a = np.linspace(0, 1, 10_000)
        b = np.zeros((4, 5))
        b[1:3] = a[:5]
        print(b, np.sqrt(a * 2)[-1], a.device)
    """))
    ended = run("", "-m", "lazyarr", "--device", DEVICE, str(script))
    plain = run("", "-m", "lazyarr", str(script))
    assert ended.stdout == plain.stdout.replace("cpu", DEVICE)
    assert run("", "-m", "lazyarr", "--device", "opencl:99", str(script)).returncode == 2
