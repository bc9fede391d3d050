"""Importing lazyarr only loads the core; other layers are loaded and registered on first use."""

import os
import pickle
import sys

import numpy as np
import pytest

import lazyarr as la
from lazyarr import later
from lazyarr._core import api
from lazyarr.ops.table import TABLE

LAYERS = {"array_api", "autodiff", "control", "creation", "nn", "symbolic"}
MODULES = "import sys\nprint(*sorted(sys.modules))"
RESIDENT = """
with open("/proc/self/statm") as file:
    print(int(file.read().split()[1]))
"""


def imported(run_python, code):
    """Return the modules that a fresh process has imported after some code."""
    return set(run_python(f"{code}\n{MODULES}").split())


def rooms(modules):
    """Return the files and folders of the package that contain these modules."""
    return {name.split(".")[1] for name in modules if name.startswith("lazyarr.")}


@pytest.mark.parametrize("name", ["lazyarr", "lazyarr.numpy"])
def test_import_brings_no_layer(name, run_python):
    modules = imported(run_python, f"import {name}")
    assert not rooms(modules) & {*LAYERS, "ops"}
    assert {name for name in modules if name.startswith("lazyarr.compiler")} == set()
    assert {name for name in modules if name.startswith("lazyarr.inspect.")} <= {
        "lazyarr.inspect.observers", "lazyarr.inspect.progress_bar"}


def test_import_brings_no_module_that_numpy_does_not(run_python):
    ours, numpys = imported(run_python, "import lazyarr"), imported(run_python, "import numpy")
    own = "lazyarr", "cython_runtime", "_cython"
    assert {name for name in ours - numpys if not name.startswith(own)} <= {"__future__", "zlib"}


def test_import_leaves_kernels_that_few_programs_run(run_python):
    kernels = {module.__name__ for module in api.kernels.load()} - {
        f"lazyarr._core.kernels.{name}" for name in ("gemm", "gemv", "kernel", "matmul")}
    kernels |= {f"lazyarr._core.{name}" for name in ("control.loop_exec", "control.scan_buffers", "transforms.vmap")}
    assert kernels.isdisjoint(imported(run_python, "import lazyarr; lazyarr.ones(3) + 1"))


@pytest.mark.parametrize(("code", "absent"), [
    ("la.ones(3) + 1", LAYERS),
    ("np.sum(la.asarray(np.ones(3))).numpy()", LAYERS - {"creation"}),
    ("la.evaluate(la.ones(3))", LAYERS),
    ("la.grad(lambda x: (x * x).sum())(np.ones(3))", {"array_api", "nn", "symbolic"}),
    ("la.nn.relu(la.ones(3))", {"array_api", "symbolic"}),
])
def test_use_brings_what_is_used_alone(code, absent, run_python):
    modules = imported(run_python, f"import numpy as np; import lazyarr as la; {code}")
    assert not rooms(modules) & absent
    assert not {"opt_einsum", "scipy", "subprocess"} & modules
    assert "numpy.random" not in modules or "lazyarr.nn" in modules


@pytest.mark.skipif(api.DEBUG, reason="debug builds are larger")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["lazyarr", "lazyarr.numpy"])
def test_import_takes_little_memory(name, run_python):
    import resource

    pages = int(run_python(f"import {name}\n{RESIDENT}")) - int(run_python(f"import numpy\n{RESIDENT}"))
    # Two thirds of a MiB are the interpreter's table of interned strings, if it happens to grow.
    assert pages * resource.getpagesize() < 10 * 2**20


@pytest.mark.parametrize("name", sorted({*la.__all__, *later.WHERE}))
def test_names_are_found_first_thing(name, run_python):
    """By attribute and by import; if a module has the name of its content, the content is found."""
    out = run_python(f"import lazyarr\nfound = lazyarr.{name}\nfrom lazyarr import {name} as imported\n"
                     f"print(found is imported, type(found).__name__)")
    assert out.split() == ["True", type(getattr(la, name)).__name__]


def test_a_function_with_the_name_of_a_package_stays_one(run_python):
    assert run_python("""
        import lazyarr as la
        from lazyarr.compiler import pipeline, rewrite_rules
        from lazyarr.tracing import jit
        (la.ones(3) + 1).numpy()
        print(type(la.graph).__name__, type(la.config).__name__, type(la.numpy.ndarray).__name__, la.ndarray is
              la.numpy.ndarray)
    """).split() == ["function", "Config", "_ArrayType", "True"]


@pytest.mark.parametrize("first", [
    "from lazyarr._core.api import from_numpy as make",
    "from lazyarr.creation import asarray as make",
    "from lazyarr.ops.operands import lazy as make",
    "import pickle; make = lambda x: pickle.loads(PICKLED)",
])
def test_the_first_array_has_all_that_arrays_have(first, run_python):
    """Wherever it comes from: methods, functions, indexing, operators, counts of fallbacks."""
    pickled = pickle.dumps(la.asarray(np.arange(4.0)))
    assert run_python(f"""
        import numpy as np
        PICKLED = {pickled!r}
        {first}
        x = make(np.arange(4.0))
        print(x.sum(), np.pad(x, 1).shape, np.linalg.norm(x[[0, 1]]), (x + x)[x > 1], np.sinc(x).shape, x.nonzero()[0])
        x.argpartition(1)
        from lazyarr import report
        print("argpartition" in [row.name for row in report()])
    """) == "6.0 (6,) 1.0 [4. 6.] (4,) [1 2 3]\nTrue\n"


@pytest.mark.parametrize("code", [
    "from lazyarr.ops.table import TABLE; print(len(TABLE))",
    "from lazyarr.ops.table import TABLE; print(len([*TABLE.items()]))",
    "import lazyarr.numpy.namespace; from lazyarr.ops import table; print(len(table._rows))",
    "import lazyarr.numpy.fft; lazyarr.numpy.fft.fft; from lazyarr.ops import table; print(len(table._rows))",
    "import lazyarr.numpy.polynomial; from lazyarr.ops import table; print(len(table._rows))",
])
def test_the_table_is_complete(code, run_python):
    assert int(run_python(code)) == len(TABLE)


def test_a_ufunc_that_was_stored_is_found_first_thing(run_python):
    stored = pickle.dumps([la.add, la.matmul, la.sum, la.linalg.inv])
    assert run_python(f"import pickle; print(*[f.__name__ for f in pickle.loads({stored!r})])").split() == [
        "add", "matmul", "sum", "inv"]


def test_rules_that_are_loops_are_known(run_python):
    """They are in a layer above the other rules."""
    assert run_python("""
        from lazyarr.autodiff import grad
        import numpy as np
        def f(x):
            y = x * 1.0
            np.multiply.at(y, [0, 0], x[1])
            return y.sum()
        print(grad(f)(np.array([3.0, 4.0])))
    """) == "[16. 25.]\n"
    assert run_python("""
        import lazyarr as la
        x = la.asarray([3.0, 4.0])
        print(la.hypot.reduce(x).grad(x))
    """) == "[0.6 0.8]\n"


@pytest.mark.parametrize("name", ["grad", "to_dot", "__array_namespace__"])
def test_what_layers_give_arrays_is_there(name, run_python):
    assert run_python(f"""
        import lazyarr as la
        from lazyarr._core.api import LazyArray
        print(callable(LazyArray.{name}), hasattr(la.ones(3), {name!r}))
    """).split() == ["True", "True"]
    namespace = run_python("import lazyarr as la\nprint(la.ones(3).__array_namespace__() is la.array_api)")
    assert namespace.split() == ["True"]


def test_stored_graphs_find_the_functions_that_they_name(run_python):
    assert run_python("""
        from lazyarr.symbolic.function_registry import function_named
        print(*[callable(function_named(name)) for name in ("array", "logsumexp", "nn.relu", "numpy pad")])
    """).split() == 4 * ["True"]


def test_threads_may_make_the_first_array_at_once(run_python):
    assert run_python("""
        import sys, threading
        sys.setswitchinterval(1e-6)
        import numpy as np
        import lazyarr as la
        found, gate = [], threading.Barrier(6)
        def first(k):
            gate.wait()
            x = la.numpy.arange(4.0) if k % 3 == 0 else la.asarray(np.arange(4.0)) if k % 3 == 1 else None
            found.append(float((la.array([6.0]) if x is None else np.pad(x, 1)).sum()))
        threads = [threading.Thread(target=first, args=(k,)) for k in range(6)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        print(found)
    """) == f"{[6.0] * 6}\n"


def test_an_import_that_fails_in_a_subinterpreter_leaves_the_main_one_whole(run_python):
    assert run_python("""
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        import lazyarr as la
        before = la.arange(5) + 1
        other = interpreters.create()
        try:
            error = interpreters.run_string(other, "import lazyarr").formatted  # since Python 3.13
        except Exception as raised:
            error = str(raised)
        print("ImportError" in error)
        interpreters.destroy(other)
        with la.config(num_threads=2):
            print(before, (la.ones(1_000_000) + 1).sum(), (la.ones((300, 300)) @ la.ones((300, 300))).sum())
    """).split("\n") == ["True", "[1 2 3 4 5] 2000000.0 27000000.0", ""]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("first", ["la.numpy.ones(3)", "(la.asarray(np.ones(3)) + 1).numpy()", "la.nn", "la.random"])
def test_a_thread_may_import_while_another_forks(first, run_python):
    assert run_python(f"""
        import os, sys, threading, time
        sys.setswitchinterval(1e-5)
        import numpy as np
        import lazyarr as la
        def use():
            return {first}
        thread = threading.Thread(target=use)
        thread.start()
        for _ in range(8):
            time.sleep(0.003)
            child = os.fork()
            if child == 0:
                use()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        thread.join()
        print("done")
    """) == "done\n"


def test_star_import_gives_every_name(run_python):
    assert run_python("""
        import lazyarr
        names = {}
        exec("from lazyarr import *", names)
        print(set(lazyarr.__all__) <= names.keys())
        exec("from lazyarr.numpy import *", names)
        print(set(lazyarr.numpy.__all__) <= names.keys())
    """).split() == ["True", "True"]


def test_a_module_that_is_imported_again_finds_its_names(run_python):
    assert run_python("""
        import importlib
        import lazyarr
        for module in (lazyarr, lazyarr.numpy):
            importlib.reload(module)
        print(lazyarr.ones(3).sum(), lazyarr.numpy.ones(2).sum(), lazyarr.graph.__name__)
    """).split() == ["3.0", "2.0", "graph"]
