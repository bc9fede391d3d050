"""Interpreters without the GIL: a lock around the core takes its place."""
import importlib.util
import sysconfig
from pathlib import Path

import pytest

SOURCE = """
def function(x):
    def inner(): return x
    return inner() + (lambda: 1)()

cpdef int both(int x) except -1:
    return x

cdef int internal(int x) noexcept:
    return x

def generator():
    yield 1

cdef class Number:
    def __cinit__(self): pass
    def __dealloc__(self): pass
    def __add__(self, other): return other
    @property
    def value(self): return 1
    cdef int internal(self): return 2
"""
ENTRIES = 8  # function, inner, the lambda, both, __cinit__, __dealloc__, __add__, value


def test_each_function_that_python_can_call_takes_the_lock(tmp_path, monkeypatch):
    pipeline = pytest.importorskip("Cython.Compiler.Pipeline")
    main = pytest.importorskip("Cython.Compiler.Main")
    pytest.importorskip("setuptools")
    spec = importlib.util.spec_from_file_location("setup", Path(__file__).parents[1] / "setup.py")
    setup = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(pipeline, "create_pipeline", pipeline.create_pipeline)  # is restored after the test
    spec.loader.exec_module(setup)
    if not setup.FREE_THREADED:
        setup.lock_entries()
    source = tmp_path / "sample.pyx"
    source.write_text(SOURCE)
    made = main.compile_single(str(source), main.CompilationOptions(compiler_directives=setup.DIRECTIVES), "sample")
    code = Path(made.c_file).read_text()
    assert code.count("lz_enter(&lz_entered)") == ENTRIES
    assert code.count("lz_leave(&lz_entered)") >= ENTRIES


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter has the GIL")
def test_the_gil_stays_off(run_python):
    assert run_python("""
        import sys
        import lazyarr.nn, lazyarr.numpy
        print(lazyarr.numpy.arange(4).sum(), sys._is_gil_enabled())
    """).split() == ["6", "False"]
