"""The command ``lazyarr``: which NumPy is imported, what the script can observe, and how it ends."""

import os
import re
import signal
import sysconfig
import textwrap

import pytest

import lazyarr as la
from lazyarr import runner
from support.script_folder import LAZY, PLAIN, Folder

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and permissions")


@pytest.fixture
def folder(tmp_path):
    with Folder(tmp_path) as folder:
        yield folder


# ---- Whose NumPy? ----

# A statement, an expression for what it imported, and its value.
FORMS = [
    ("import numpy", "numpy.__name__", "lazyarr.numpy"),
    ("import numpy as np", "np.__name__", "lazyarr.numpy"),
    ("import numpy.linalg", "numpy.__name__", "lazyarr.numpy"),
    ("import numpy.linalg as la", "la.__name__", "lazyarr.numpy.linalg"),
    ("import numpy.polynomial.chebyshev", "numpy.__name__", "lazyarr.numpy"),
    ("import numpy.polynomial.chebyshev", "numpy.polynomial.chebyshev.__name__", "lazyarr.numpy.polynomial.chebyshev"),
    ("import numpy.ma.extras", "numpy.ma.extras.__name__", "numpy.ma.extras"),
    ("import numpy.lib.stride_tricks as tricks", "tricks.__name__", "lazyarr.numpy.stride_tricks"),
    ("from numpy import linalg", "linalg.__name__", "lazyarr.numpy.linalg"),
    ("from numpy import array", "type(array([1.0])).__name__", "LazyArray"),
    ("from numpy import *", "type(array([1.0])).__name__", "LazyArray"),
    ("from numpy.linalg import norm", "norm is sys.modules['lazyarr.numpy'].linalg.norm", "True"),
    ("from numpy.random import default_rng", "default_rng is sys.modules['lazyarr.numpy'].random.default_rng", "True"),
    ("from numpy.lib.stride_tricks import as_strided", "as_strided.__name__", "as_strided"),
    ("import importlib", "importlib.import_module('numpy').__name__", "lazyarr.numpy"),
    ("import importlib", "importlib.import_module('numpy.linalg').__name__", "lazyarr.numpy.linalg"),
    ("from importlib import import_module", "import_module('numpy').__name__", "lazyarr.numpy"),
    ("module = __import__('numpy')", "module.__name__", "lazyarr.numpy"),
    ("names = {}; exec('import numpy', globals(), names)", "names['numpy'].__name__", "lazyarr.numpy"),
]


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """Results of each form of import, in a module beside the script that imports it."""
    script = "import importlib\n"
    with Folder(tmp_path_factory.mktemp("forms")) as folder:
        for number, (statement, expression, _) in enumerate(FORMS):
            folder.write(**{f"form{number}": f"import sys\n{statement}\nvalue = {expression}\n"})
            script += f"print(importlib.import_module('form{number}').value)\n"
        folder.write(script=script)
        return dict(zip(FORMS, folder.printed(*LAZY, "script.py"), strict=True))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: " ".join(form[:2]))
def test_form_of_import(imported, form):
    assert imported[form] == form[2]


def test_users_files_get_lazyarr_wherever_they_import(folder):
    folder.write(
        script="""
            import helper, package.inner, package.relative
            import numpy as np
            def inside():
                import numpy
                return numpy
            print(np.__name__, inside().__name__, helper.np.__name__, helper.inside().__name__)
            print(package.inner.np.__name__, package.relative.numpy.__name__, package.relative.numpy.mine)
            """,
        helper="""
            import numpy as np
            def inside():
                from numpy import linalg
                return linalg
            """,
        package____init__="",
        package__inner="import numpy as np",
        package__numpy="mine = 'a module of the user'",
        package__relative="from . import numpy",
    )
    assert folder.printed(*LAZY, "script.py") == [
        "lazyarr.numpy lazyarr.numpy lazyarr.numpy lazyarr.numpy.linalg",
        "lazyarr.numpy package.numpy a module of the user",
    ]


def test_others_keep_numpy(folder):
    folder.write(
        script="""
            import importlib, sys
            import installed, scipy.linalg
            print(installed.np.__name__, installed.inside().__name__, installed.by_function().__name__)
            print(scipy.linalg.inv([[2.0]]), sys.modules["numpy"].__name__, sys.modules["numpy.linalg"].__name__)
            """
    )
    packages = folder.path / "lib" / "site-packages"
    packages.mkdir(parents=True)
    packages.joinpath("installed.py").write_text(
        "import importlib\nimport numpy as np\ndef inside():\n    import numpy\n    return numpy\n"
        "def by_function():\n    return importlib.import_module('numpy')\n"
    )
    folder.python_path.append(str(packages))
    assert folder.printed(*LAZY, "script.py") == ["numpy numpy numpy", "[[0.5]] numpy numpy.linalg"]


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/home/me/script.py", True),
        ("/home/me/site-packages.py", True),
        ("/home/me/.venv/lib/python3.12/site-packages/package/module.py", False),
        ("/usr/lib/python3/dist-packages/package.py", False),
        (os.path.join(sysconfig.get_path("stdlib"), "json", "decoder.py"), False),
        (runner.__file__, False),
        (os.path.join(os.path.dirname(runner.__file__), "numpy", "__init__.py"), False),
        (re.__file__, False),
        (pytest.__file__, False),
    ],
)
def test_whose_file(path, own):
    assert runner.is_users_own(path) == own


def test_whose_file_follows_links(tmp_path):
    link = tmp_path / "link.py"
    try:
        link.symlink_to(re.__file__)
    except OSError:
        pytest.skip("no right to make links")
    assert not runner.is_users_own(str(link))


# ---- What the script sees ----


def test_script_is_the_main_program(folder):
    text = """
        import os, pickle, sys
        class Point: pass
        print(__name__, __spec__, __package__, __doc__, __file__, type(__loader__).__name__)
        print(sys.argv, sys.path[0], os.getcwd(), sys.modules["__main__"].Point is Point)
        print([name for name in globals() if not name.startswith("__")], type(__builtins__))
        print(type(pickle.loads(pickle.dumps(Point()))) is Point)
        if __name__ == "__main__":
            print("main")
        """
    folder.write(folder__script=text)
    script = os.path.join("folder", "script.py")
    arguments = ["--compare", "-x", "", "--", "two words", "ü"]
    assert folder.printed(*LAZY, script, *arguments) == folder.printed(*PLAIN, script, *arguments)


def test_folder_of_a_linked_script_is_where_the_file_is(folder):
    folder.write(folder__script="import sys; print(sys.path[0], __file__)")
    try:
        (folder.path / "link.py").symlink_to(folder.path / "folder" / "script.py")
    except OSError:
        pytest.skip("no right to make links")
    assert folder.printed(*LAZY, "link.py") == folder.printed(*PLAIN, "link.py")


def test_safe_path_adds_no_folder(folder):
    folder.write(script="import sys; print(sys.path)")
    assert folder.printed("-P", *LAZY, "script.py") == folder.printed("-P", "script.py")


def test_stdin_and_exit_functions(folder):
    folder.write(
        script="""
            import atexit, sys
            atexit.register(print, "at exit")
            print(sys.stdin.read().upper())
            """
    )
    assert folder.printed(*LAZY, "script.py", stdin="typed") == ["TYPED", "at exit"]


# ---- Modules and texts ----

SEEN = """
    import os, pickle, sys
    import numpy
    class Point: pass
    print(__name__, __package__, __doc__, getattr(__spec__, "name", None), globals().get("__file__"))
    print(sys.argv, sys.path[0], sys.modules["__main__"].Point is Point, __loader__ is not None)
    print([name for name in globals() if not name.startswith("__")], type(pickle.loads(pickle.dumps(Point()))) is Point)
    if __name__ == "__main__":
        print("main")
    """


@pytest.mark.parametrize(
    "program",
    [["-m", "module"], ["-mmodule"], ["-m", "package"], ["-m", "package.inner"], ["-c", textwrap.dedent(SEEN)]],
    ids=["module", "joined", "package", "inner", "text"],
)
@pytest.mark.parametrize("options", [[], ["-P"]], ids=["", "safe path"])
def test_modules_and_texts_are_the_main_program(folder, program, options):
    folder.write(module=SEEN, package____init__="", package____main__=SEEN, package__inner=SEEN)
    folder.python_path.append(str(folder.path))
    arguments = ["-c", "--profile", "", "ü"]
    expected = folder.printed(*options, *program, *arguments)
    assert folder.printed(*options, *LAZY, *program, *arguments) == expected


@pytest.mark.parametrize("asked", ["", "0", "1"])
def test_libraries_find_the_array_api_standard_only_where_it_is_asked_for(folder, monkeypatch, asked):
    monkeypatch.setenv("SCIPY_ARRAY_API", asked)
    folder.write(script="import numpy; print(hasattr(numpy.ones(3), '__array_namespace__'))")
    assert folder.printed(*LAZY, "script.py") == [str(asked == "1")]


@pytest.mark.parametrize(
    "program", [["-m", "module"], ["-m", "package"], ["-c", "import numpy; print(numpy.__name__)"]]
)
def test_modules_and_texts_get_lazyarr(folder, program):
    folder.write(
        module="import numpy, helper; print(numpy.__name__)",
        helper="import numpy; assert numpy.__name__ == 'lazyarr.numpy'",
        package____init__="import helper",
        package____main__="import numpy; print(numpy.__name__)",
    )
    assert folder.printed(*LAZY, *program) == ["lazyarr.numpy"]


@pytest.mark.parametrize(
    "program",
    [
        ["-m", "nosuch"],
        ["-m", "package"],
        ["-m", "failing"],
        ["-m", "exits"],
        ["-m", "importing"],
        ["-m", "wrong"],
        ["-c", "def f(): return 1 / 0\nf()"],
        ["-c", "x ="],
        ["-c", "raise SystemExit(3)"],
        ["-c", "import failing"],
    ],
    ids=" ".join,
)
def test_modules_and_texts_end_as_with_python(folder, program):
    folder.write(
        package____init__="", failing="1 / 0", exits="raise SystemExit(7)", importing="import failing", wrong="def f(:"
    )
    plain, lazy = folder.run(*PLAIN, *program), folder.run(*LAZY, *program)
    assert (lazy.returncode, lazy.stderr, lazy.stdout) == (plain.returncode, plain.stderr, plain.stdout)


# ---- How it ends ----

ENDINGS = {
    "success": "",
    "status": "raise SystemExit(3)",
    "no status": "raise SystemExit",
    "message": "raise SystemExit('that is that')",
    "error": "def f():\n    return 1 / 0\nf()",
    "cause": "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise KeyError('x') from error",
    "context": "try:\n    import failing\nexcept ZeroDivisionError:\n    import numpy.nosuch",
    "group": "import failing_group",
    "failing import": "import failing",
    "missing module": "import nosuch",
    "missing module by function": "import importlib\nimportlib.import_module('nosuch')",
    "syntax error": "x = 1\nif x\n    pass",
    "syntax error in a module": "import wrong",
    "warning about the import": "import deprecated",
    "own hook": "import sys\nsys.excepthook = lambda kind, error, trace: print('hook', kind, trace.tb_lineno)\n1 / 0",
    "error at exit": "import atexit\natexit.register(lambda: 1 / 0)",
    "recursion": "def f():\n    f()\nf()",
}


@pytest.mark.parametrize("text", ENDINGS.values(), ids=ENDINGS)
def test_ends_as_with_python(folder, text):
    folder.write(
        script=text,
        failing="import failing_further",
        failing_further="def f():\n    1 / 0\nf()",
        failing_group="def f():\n    try:\n        import failing\n    except Exception as error:\n"
        "        raise ExceptionGroup('all', [error, ValueError()])\nf()",
        wrong="def f(:",
        deprecated="import warnings\nwarnings.warn('old', DeprecationWarning, stacklevel=2)",
    )
    plain, lazy = folder.run(*PLAIN, "script.py"), folder.run(*LAZY, "script.py")
    # Addresses differ between runs, and so does the depth at which a script begins.
    plain.stderr, lazy.stderr = (re.sub(r"0x\w+|\d+ more times", "...", run.stderr) for run in (plain, lazy))
    assert (lazy.returncode, lazy.stderr, lazy.stdout) == (plain.returncode, plain.stderr, plain.stdout)


@pytest.mark.parametrize("text", ["x = 1\0", "# coding: nosuch\n"])
def test_what_is_no_source_text(folder, text):
    folder.write(script=text)
    result = folder.run(*LAZY, "script.py")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("SyntaxError: ")
    assert "Traceback" not in result.stderr


def test_names_that_numpy_removed_tell_what_numpy_tells(folder):
    folder.write(script="import numpy as np\nnp.float(3)")
    assert "use `float` by itself" in folder.run(*LAZY, "script.py").stderr


def test_submodules_that_are_imported_by_name(folder):
    folder.write(script="""
        import numpy
        numpy.sum
        import numpy.lib.recfunctions, numpy.matrixlib.defmatrix, numpy.ma.testutils
        print(numpy.lib.recfunctions.__name__, numpy.matrixlib.defmatrix.__name__, numpy.ma.testutils.__name__)
        """)
    assert folder.printed(*LAZY, "script.py") == ["lazyarr.numpy.lib.recfunctions numpy.matrixlib.defmatrix "
                                                  "numpy.ma.testutils"]


def test_error_in_an_operation_shows_the_line(folder):
    folder.write(script="import numpy as np\nx = np.ones(3)\ny = x + np.ones(4)\n")
    result = folder.run(*LAZY, "script.py")
    assert result.returncode == 1
    assert 'script.py", line 3, in <module>\n    y = x + np.ones(4)\n' in result.stderr
    assert result.stderr.endswith("ValueError: operands could not be broadcast together with shapes (3,) (4,) \n")
    assert "runner.py" not in result.stderr


def test_keyboard_interrupt(folder):
    folder.write(script="raise KeyboardInterrupt")
    plain, lazy = folder.run(*PLAIN, "script.py"), folder.run(*LAZY, "script.py")
    assert (lazy.returncode, lazy.stderr) == (130, plain.stderr)


@posix
@pytest.mark.parametrize("options", [[], ["--compare"]])
def test_interrupt_by_signal(folder, options):
    folder.write(script="import sys, time\nprint('ready', file=sys.stderr, flush=True)\ntime.sleep(60)")
    process = folder.start(*LAZY, *options, "script.py")
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    assert "runner.py" not in process.stderr.read()


@pytest.mark.parametrize("options", [[], ["--compare"], ["--profile"]])
@pytest.mark.parametrize(
    ("script", "reason"),
    [("nosuch.py", "No such file or directory"), (".", "Is a directory|Permission denied"), ("", "")],
)
def test_script_that_cannot_be_read(folder, options, script, reason):
    result = folder.run(*LAZY, *options, script)
    assert result.returncode == 2
    assert re.fullmatch(rf"lazyarr: can't read '{script}': ({reason}).*\n", result.stderr)


def test_misspelt_options_are_answered_with_a_suggestion(folder):
    result = folder.run(*LAZY, "--devcie", "cpu:1", "script.py")
    assert result.returncode == 2
    assert result.stderr.endswith("error: unrecognized arguments: --devcie; did you mean '--device'?\n")


@posix
def test_script_without_permission(folder):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    folder.write(script="")
    (folder.path / "script.py").chmod(0)
    result = folder.run(*LAZY, "script.py")
    assert (result.returncode, result.stderr) == (2, "lazyarr: can't read 'script.py': Permission denied\n")


def test_the_device_of_the_environment(folder, monkeypatch):
    folder.write(script="import numpy as np\nprint(np.zeros(100_000).device)")
    for name, expected in {"cpu:1": "cpu:1", "": "cpu", "cpu:0": "cpu"}.items():
        monkeypatch.setenv("LAZYARR_DEVICE", name)
        assert folder.printed(*LAZY, "script.py") == [expected]
    monkeypatch.setenv("LAZYARR_DEVICE", "cpu:77")
    for options in ((), ("--compare",)):
        result = folder.run(*LAZY, *options, "script.py")
        assert result.returncode == 2
        assert result.stderr.startswith("lazyarr: LAZYARR_DEVICE: there is no device 'cpu:77'; there are ")
    assert folder.printed(*LAZY, "--device", "cpu:1", "script.py") == ["cpu:1"]



@pytest.mark.parametrize("arguments", [[], ["--profile"], ["--nosuch", "script.py"], ["-m"], ["-c"]])
def test_wrong_command_line(folder, arguments):
    result = folder.run(*LAZY, *arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("usage: lazyarr")


def test_version(folder):
    assert folder.printed(*LAZY, "--version") == [f"lazyarr {la.__version__}"]


def test_help_has_examples_and_commands(folder):
    text = "\n".join(folder.printed(*LAZY, "--help"))
    assert text.startswith("usage: lazyarr")
    examples = text.partition("examples:")[2].partition("\n\n")[0].strip().splitlines()
    assert [line.split()[0] for line in examples] == ["lazyarr"] * 3
    assert "lazyarr tune " in text
    assert "lazyarr doctor " in text
    assert max(map(len, text.splitlines())) <= 120


def test_doctor(folder):
    lines = folder.printed(*LAZY, "doctor")
    assert [line for line in lines if line and not line.startswith(" ")][:4] == [
        "Versions", "Processor", "Threads", "Devices"]
    assert any(line.split() == ["lazyarr", la.__version__] for line in lines)


# ---- --profile ----

PROFILED = """
    import numpy as np
    x = np.arange(100000.0)
    print(float((x * 2 + 1).sum()))
    """


def test_profile_goes_to_stderr(folder):
    folder.write(script=PROFILED)
    result = folder.run(*LAZY, "--profile", "script.py")
    assert (result.returncode, result.stdout) == (0, "10000000000.0\n")
    rows = dict(line.split(maxsplit=1) for line in result.stderr.splitlines())
    assert result.stderr.startswith("lazyarr profile\n")
    assert rows["evaluations"].startswith("1, ")
    assert int(rows["steps"][0]) >= 1


def test_profile_of_a_failing_script_follows_its_traceback(folder):
    folder.write(script=textwrap.dedent(PROFILED) + "1 / 0")
    result = folder.run(*LAZY, "--profile", "script.py")
    assert result.returncode == 1
    traceback, _, profile = result.stderr.partition("ZeroDivisionError: division by zero\n")
    assert traceback.startswith("Traceback")
    assert profile.startswith("lazyarr profile\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_profile_is_printed_once(folder):
    folder.write(script="import os, sys\nif os.fork() == 0: sys.exit()\nos.wait()")
    result = folder.run(*LAZY, "--profile", "script.py")
    assert result.stderr.count("lazyarr profile") == 1


# ---- Processes ----


@pytest.mark.parametrize("method", ["spawn", *(["fork", "forkserver"] if os.name == "posix" else [])])
def test_processes_of_the_program_are_lazy(method, folder):
    folder.write(
        other="import numpy as np\n\ndef name():\n    return type(np.ones(2)).__name__\n",
        script=f"""
        import multiprocessing
        import numpy as np
        import other

        def work(depth):
            names = [type(np.ones(2)).__name__, other.name()]
            if depth:
                with multiprocessing.get_context({method!r}).Pool(1) as pool:
                    names += pool.apply(other.name), str(pool.apply(np.add, (np.arange(2), 1)))
            return names

        if __name__ == "__main__":
            context = multiprocessing.get_context({method!r})
            with context.Pool(1) as pool:
                print(*pool.apply(work, (0,)))
            from concurrent.futures import ProcessPoolExecutor
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                print(*pool.submit(work, 1).result())
        """,
    )
    assert folder.printed(*LAZY, "script.py") == ["LazyArray LazyArray", "LazyArray LazyArray LazyArray [1 2]"]
