"""The IPython extension: cells typed into a shell in a fresh process."""

import json

import pytest

from support import script_folder

pytest.importorskip("IPython")

# Runs the cells of all sessions, each in its own namespace; IPython is slow to import.
RUNNER = """
import io, json, os, sys
from contextlib import redirect_stdout
os.environ["IPYTHONDIR"] = os.getcwd()
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

def run(cell):
    with redirect_stdout(io.StringIO()) as printed:
        result = shell.run_cell(cell)
    if not result.success:
        raise RuntimeError(cell) from (result.error_in_exec or result.error_before_exec)
    return printed.getvalue()

printed = {}
shell = InteractiveShell.instance(colors="nocolor", config=Config(
    HistoryManager={"enabled": False}, DisplayFormatter={"active_types": ["text/plain"]}))  # as of a terminal
for name, cells in json.load(open("sessions.json")).items():
    with open("users_own.py", "w") as file:
        file.write("import numpy\\nmodule = numpy.__name__\\n")
    printed[name] = [run(cell) for cell in cells]
    for extension in ("lazyarr", "autoreload"):
        shell.extension_manager.unload_extension(extension)
    shell.reset()
    sys.modules.pop("users_own", None)
json.dump(printed, open("printed.json", "w"))
"""

LOAD = "%load_ext lazyarr"
WHOSE = "print(np.__name__, type(np.ones(3)).__name__)"
PENDING = "import numpy as np, lazyarr as la\nx = la.arange(3.0) * 2"

# Cells of a session, with their output.
SESSIONS = {
    "imports after loading": [
        (LOAD, ""),
        ("import numpy as np", ""),
        (WHOSE, "lazyarr.numpy LazyArray\n"),
        ("import numpy.linalg, numpy.fft as nf\nfrom numpy import cos", ""),
        ("print(numpy.__name__, nf.__name__, cos is np.cos)",
         "lazyarr.numpy lazyarr.numpy.fft True\n"),
        ("def f():\n    import numpy\n    return numpy.__name__\nprint(f())", "lazyarr.numpy\n"),
        ("import importlib\nprint(importlib.import_module('numpy.random').__name__)", "lazyarr.numpy.random\n"),
        ("import scipy\nprint(scipy.__dict__.get('np', np).__name__)", "lazyarr.numpy\n"),
    ],
    "names bound before loading": [
        ("import numpy as np, numpy.linalg as nl\nfrom numpy import sin as sine, ndarray, pi\nold = np.ones(2)", ""),
        (LOAD, ""),
        (WHOSE, "lazyarr.numpy LazyArray\n"),
        ("print(nl.__name__, sine is np.sin, ndarray is np.ndarray, pi, type(old).__name__)",
         "lazyarr.numpy.linalg True True 3.141592653589793 ndarray\n"),
    ],
    "unloading": [
        ("import numpy as np\nfrom numpy import sin", ""),
        (LOAD, ""),
        ("import numpy as again\nfrom numpy import cos\nx = np.ones(3)", ""),
        ("%unload_ext lazyarr", ""),
        (WHOSE, "numpy ndarray\n"),
        ("print(again is np, sin is np.sin, cos is np.cos, type(x).__name__)", "True True True LazyArray\n"),
        ("import numpy\nprint(numpy.__name__)", "numpy\n"),
        (LOAD, ""),
        (WHOSE, "lazyarr.numpy LazyArray\n"),
    ],
    "reloading": [
        ("import numpy as np", ""),
        (LOAD, ""),
        ("%reload_ext lazyarr", ""),
        (WHOSE, "lazyarr.numpy LazyArray\n"),
    ],
    "files of the user": [
        (LOAD, ""),
        ("import users_own\nprint(users_own.module)", "lazyarr.numpy\n"),
        ("%run users_own.py\nprint(module)", "lazyarr.numpy\n"),
        ("import json.decoder, colorsys\nprint('fine')", "fine\n"),
    ],
    "autoreload": [
        (LOAD, ""),
        ("%load_ext autoreload\n%autoreload 2\nimport users_own, os", ""),
        ("with open('users_own.py', 'a') as file:\n    file.write('added = numpy.zeros(1)\\n')\n"
         "os.utime('users_own.py', (2e9, 2e9))", ""),
        ("print(users_own.module, type(users_own.added).__name__)", "lazyarr.numpy LazyArray\n"),
    ],
    "output is printed as numpy prints": [
        (LOAD, ""),
        (PENDING, ""),
        ("x", "Out[0]: array([0., 2., 4.])\n"),
        ("x.sum()", "Out[0]: np.float64(6.0)\n"),
        ("x.argmax()", "Out[0]: np.int64(2)\n"),
        ("(x > 1).any()", "Out[0]: np.True_\n"),
        ("np.float32(2) * x.astype('f4')[1]", "Out[0]: np.float32(4.0)\n"),
        ("[x, {'s': x.max()}]", "Out[0]: [array([0., 2., 4.]), {'s': np.float64(4.0)}]\n"),
        ("x.reshape(3, 1)", "Out[0]: \narray([[0.],\n       [2.],\n       [4.]])\n"),
        ("display(x)", "array([0., 2., 4.])\n"),
    ],
    "summary": [
        (LOAD, ""),
        (PENDING, ""),
        ("forbidden = la.no_evaluation()\nforbidden.__enter__()", ""),
        ("la.summary(x)", "Out[0]: \nshape    (3,)\ndtype    float64\nmemory   24 B\n"
                          "pending  1 operation: 1 multiply\nreads    1 array, 24 B\n"),
        ("print(forbidden.__exit__(None, None, None))", "False\n"),
    ],
    "probing evaluates nothing": [
        (LOAD, ""),
        (PENDING, ""),
        ("shell = get_ipython()\nfrom IPython.core.completer import provisionalcompleter\n"
         "with la.no_evaluation(), provisionalcompleter():\n"
         "    print([name for name in ('_repr_html_', '_repr_pretty_', '_ipython_display_', '_repr_mimebundle_',\n"
         "        '_ipython_canary_method_should_not_exist_', '__wrapped__') if hasattr(x, name)])\n"
         "    print([c.text for c in shell.Completer.completions('x.cumsu', 7)])\n"
         "    print([c.text for c in shell.Completer.completions('x.T.cumsu', 9)])\n"
         "    shell.run_line_magic('who', '')",
         "['_repr_html_', '_repr_mimebundle_']\n"
         "['cumsum']\n['cumsum']\nla\t np\t provisionalcompleter\t shell\t x\t \n"),
    ],
    "its own magic in a terminal": [
        ("%load_ext lazyarr.ipython", ""),
        (PENDING, ""),
        ("print(np.__name__, la.summary(x).pending)", "numpy 1\n"),
        ("report = %lazyarr report\nprint(type(report).__name__)", "Report\n"),
        ("explained = %lazyarr explain x, x + 1\nprint(len(explained.steps), la.summary(x).pending)", "1 1\n"),
        ("%%capture shown\n%lazyarr profile y = np.exp(x).numpy()", ""),
        ("print(shown.outputs[0].data['text/plain'][:17], y[0])", "evaluations    1, 1.0\n"),
        ("%unload_ext lazyarr.ipython", ""),
        ("print('lazyarr' in get_ipython().magics_manager.magics['line'])", "False\n"),
    ],
    "magics": [
        (LOAD, ""),
        (PENDING, ""),
        ("result = %timeit -o -q -n 2 -r 1 y = np.sin(x)\nprint(len(result.all_runs))", "1\n"),
        ("%%capture\n%%time\ny = np.sqrt(x + 2)\nprint(y)", ""),
        ("print(y)", "[1.41421356 2.         2.44948974]\n"),
        ("%precision 2", "Out[0]: '%.2f'\n"),
        ("x.sum()", "Out[0]: 6.00\n"),
        ("%precision", "Out[0]: '%r'\n"),
    ],
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    sessions = {name: [cell for cell, _ in cells] for name, cells in SESSIONS.items()}
    with script_folder.Folder(tmp_path_factory.mktemp("cells")) as folder:
        folder.write(cells=RUNNER)
        (folder.path / "sessions.json").write_text(json.dumps(sessions), encoding="utf-8")
        result = folder.run("cells.py")
        assert result.returncode == 0, result.stderr
        return json.loads((folder.path / "printed.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SESSIONS)
def test_session(name, printed):
    assert list(zip(printed[name], [cell for cell, _ in SESSIONS[name]], strict=True)) == \
        [(expected, cell) for cell, expected in SESSIONS[name]]
