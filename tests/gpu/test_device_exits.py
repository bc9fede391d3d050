"""Processes that use a device exit with status 0 and no output."""

import importlib
import textwrap

import pytest

from support.device_programs import run

HEAD = """
import atexit, sys, threading

def report():
    y = np.sort(x * 2)
    z = y + 1
    z.evaluate_async()
    print(float(y[-1]), float(x.sum()), there(A)[7] + 1, np.asarray(z)[0])
    x[3] = 5
    print(x[2:4], x.to_device("cpu").sum())

{first}
import numpy as np
import lazyarr as la

DEVICE = {device!r}
A = np.arange(300_000.0)

def there(x):
    return la.asarray(x).to_device(DEVICE)

x = there(A)
"""
REPORTED = "599998.0 44999850000.0 8.0 1.0\n[2. 5.] 44999850002.0\n"

PROGRAMS = {
    "pending": """
        y = np.sin(x)[::2] + x[1::2]
        x[3:5] = 7

        class Holder:
            pass

        holder = Holder()
        holder.me, holder.x = holder, x + 1
        la.evaluate(holder.x)
        holder.y = holder.x * 2
    """,
    "launched and not waited for": """
        with np.errstate(all="ignore"):
            for _ in range(20):
                x = x * 0.5 + 1
                la.evaluate(x)
    """,
    "evaluations and copies in flight": """
        future = (np.sort(x) + 1).evaluate_async()
        other = la.evaluate_async(x.sum(), np.cumsum(x))
        back = [(there(A + k) * 2).to_device("cpu").evaluate_async() for k in range(4)]
    """,
    "daemon threads": """
        ready = threading.Barrier(3)

        def work(k):
            x = there(A + k)
            for step in range(10**9):
                y = np.sort(x)[::-1] * 2
                la.evaluate(y)
                y.sum().numpy()
                if step == 1:
                    ready.wait()

        for k in range(2):
            threading.Thread(target=work, args=(k,), daemon=True).start()
        ready.wait()
    """,
    "suspended generators": """
        def steps(holder):
            with la.device(DEVICE):
                holder.append(la.ones(1000))
                while True:
                    holder.append(holder[-1] + 1)
                    yield holder[-1]

        generator, cycle = steps([]), []
        next(generator)
        cycle.append(cycle)
        cycle.append(steps([]))
        next(cycle[1])
        del cycle
    """,
    "objects that outlive modules": """
        class Last:
            def __init__(self):
                self.x, self.y = x * 1, x + 1
                la.evaluate(self.x)

            def __del__(self):
                self.y = None
                self.x = None

        sys.last = Last()
        la.last = x * 2
    """,
    "an exit in an evaluation": """
        y = la.delay(lambda x: sys.exit(0), x, shape=(3,), dtype=float) + x[:3]
        y.numpy()
    """,
}


@pytest.fixture(params=["opencl", "cuda"])
def device(request):
    """The module of a driver's device; skips the test if there is none."""
    return importlib.import_module(f"support.{request.param}_device")


def ended(device, program, first=""):
    """Return the output of a program that must end normally."""
    text = HEAD.format(device=device.DEVICE, first=first) + textwrap.dedent(program)
    process = run(text, environment=device.ENVIRONMENT)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_end_with_status_0_and_without_a_word(device, name):
    assert ended(device, PROGRAMS[name]) == ""


def test_functions_that_run_at_the_end_may_use_the_device(device):
    assert ended(device, "atexit.register(report)") == REPORTED


def test_functions_that_run_after_those_of_lazyarr_may_use_the_device(device):
    assert ended(device, "y = (x + 1).evaluate_async()", first="atexit.register(report)") == REPORTED
