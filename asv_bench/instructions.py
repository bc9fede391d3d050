"""Instructions of everyday calls on ten elements, with NumPy and with lazyarr, counted by callgrind.

    python asv_bench/instructions.py                  # all calls, in about a minute
    python asv_bench/instructions.py --only 'sum|max' # those that match

Counts do not depend on the load of the machine, and repeat to within a few instructions. The exit status is 1 if a call
takes more instructions with lazyarr than with NumPy, and 2 if there is no valgrind.

Each library runs in its own process under callgrind, which dumps its counts whenever the process calls `getppid`, a C
library function that nothing else calls. A batch of calls runs between two such calls. The minimum over several batches
counts, less that of a batch of empty statements. Operands are evaluated beforehand; a result that lazyarr leaves
pending is evaluated in the loop, and marked by a star.
"""

import argparse
import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ARRAYS = {
    "x": "np.linspace(0.1, 1.0, 10)",
    "y": "np.linspace(1.0, 0.1, 10)",
    "z": "np.zeros(10)",
    "m": "np.linspace(0.1, 1.0, 10).reshape(2, 5)",
    "a": "np.linspace(0.1, 0.9, 9).reshape(3, 3)",
    "v": "np.linspace(0.1, 0.3, 3)",
    "i": "np.arange(10)",
    "b": "np.arange(10) % 3 == 0",
    "k": "np.array([1, 5, 3])",
    "c": "np.linspace(0.1, 1.0, 10) * (1 + 1j)",
}
NUMBERS = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]

CALLS = """
    r = x + y
    r = x - y
    r = x * y
    r = x / y
    r = x + 1.0
    r = 2 * x
    r = x ** 2
    r = -x
    r = abs(x)
    r = i % 3
    r = c * c
    r = x < y
    r = b & b
    r = ~b
    r = x @ y
    r = a @ v
    x += y
    x *= 1.0
    i += 1
    np.add(x, y, out=z)
    r = np.sin(x)
    r = np.exp(x)
    r = np.sqrt(x)
    r = np.maximum(x, y)
    r = np.isfinite(x)
    r = x.sum()
    r = np.sum(x)
    r = m.sum(axis=0)
    r = x.mean()
    r = np.max(x)
    r = x.argmax()
    r = b.any()
    r = x.std()
    r = x[3]
    r = m[1, 2]
    r = x[2:7]
    r = x[::-1]
    r = m[1]
    r = m[:, 1]
    r = x[:, None]
    r = x[k]
    r = x[b]
    x[3] = 1.0
    x[2:7] = y[2:7]
    x[:] = 0.5
    m[1] = 0.5
    x[k] = 0.5
    x[b] = 0.5
    r = m.T
    r = x.reshape(5, 2)
    r = x.ravel()
    r = x.copy()
    r = x.astype(np.float32)
    r = x.shape
    r = len(x)
    r = float(x[3])
    r = x.tolist()
    r = np.zeros(10)
    r = np.ones(10)
    r = np.arange(10)
    r = np.array(numbers)
    r = np.zeros_like(x)
    r = np.linspace(0.0, 1.0, 10)
    r = np.eye(3)
    r = np.dot(x, y)
    r = np.dot(a, a)
    r = np.outer(x, y)
    r = np.where(b, x, y)
    r = np.concatenate([x, y])
    r = np.roll(x, 1)
    r = np.clip(x, 0.2, 0.8)
    r = np.cumsum(x)
    r = np.sort(x)
    r = np.linalg.norm(x)
"""
EMPTY = "pass"

SIZE = 20
"""Calls in a batch."""

BATCHES = 7

SUMMARY = re.compile(r"^summary: (\d+)$", re.MULTILINE)
"""What each part of callgrind's output counted in all."""


def calls(only=""):
    """Return the statements that match a regular expression."""
    return [call for call in map(str.strip, CALLS.strip().splitlines()) if re.search(only, call)]


# ---- In the counted process ----


def count(library, statements):
    """Run batches of each statement, the first for warm-up, with a call of `getppid` after each."""
    np = importlib.import_module({"numpy": "numpy", "lazyarr": "lazyarr.numpy"}[library])
    for statement in [EMPTY, *statements]:
        names = {"np": np, "numbers": NUMBERS} | {name: eval(text, {"np": np}) for name, text in ARRAYS.items()}
        pending = library == "lazyarr" and _leaves_pending(statement, names)
        print(f"{'*' if pending else ' '}{statement}", flush=True)
        batch = _batch(statement, names, pending)
        for _ in range(1 + BATCHES):
            batch()
            os.getppid()


def _leaves_pending(statement, names):
    """Return whether lazyarr leaves the result pending; evaluate it, and all arrays beforehand."""
    import lazyarr as la

    la.evaluate(*(names[name] for name in ARRAYS))
    with la.profile() as collected:
        exec(statement, names)
    names["evaluate"] = la.evaluate
    if collected.pending:
        la.evaluate(names[_result(statement)])
    return collected.pending > 0


def _result(statement):
    """Return the variable with the result of a statement."""
    node = ast.parse(statement).body[0]
    if isinstance(node, ast.Expr):  # a call with out=
        node = node.value.keywords[0].value
    else:
        node = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return node.value.id if isinstance(node, ast.Subscript) else node.id


def _batch(statement, names, evaluated):
    """Return a function that executes a statement `SIZE` times, with all names as local variables."""
    body = f"{statement}; evaluate({_result(statement)})" if evaluated else statement
    parameters = ", ".join(f"{name}={name}" for name in names if name.isidentifier() and name != "__builtins__")
    exec(f"def batch({parameters}):\n for _ in range({SIZE}):\n  {body}", names)
    return names["batch"]


# ---- In the parent process ----


def counted(library, only):
    """Return the instructions per call of each statement, and the statements that leave a result pending."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *("valgrind", "--tool=callgrind", "--dump-after=getppid", "--combine-dumps=yes"),
            f"--callgrind-out-file={folder}/counts",
            *(sys.executable, "-X", "frozen_modules=on", __file__, "--count", library, "--only", only),
        ]
        # Fixes everything that varies between processes: string hashes, threads, the compiler's cache.
        same = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        result = subprocess.run(command, env=os.environ | same, capture_output=True, text=True, check=False)
        if result.returncode:
            raise SystemExit(f"the run with {library} fails:\n{result.stderr}")
        counts = [int(number) for number in SUMMARY.findall(Path(folder, "counts").read_text())]
    lines = result.stdout.splitlines()
    least = [min(counts[at + 1 : at + 1 + BATCHES]) for at in range(0, len(lines) * (1 + BATCHES), 1 + BATCHES)]
    a_call = {line[1:]: (number - least[0]) / SIZE for line, number in zip(lines, least, strict=True)}
    del a_call[EMPTY]
    return a_call, {line[1:] for line in lines if line.startswith("*")}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="REGEX", default="", help="the calls that match")
    parser.add_argument("--count", choices=["numpy", "lazyarr"], help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.count:
        count(options.count, calls(options.only))
        return 0
    if shutil.which("valgrind") is None:
        print("there is no valgrind to count instructions with; on Debian: apt install valgrind", file=sys.stderr)
        return 2
    numpy, _ = counted("numpy", options.only)
    lazyarr, pending = counted("lazyarr", options.only)
    above = [call for call in numpy if lazyarr[call] > numpy[call]]
    print(f"{'instructions a call':<32}{'NumPy':>10}{'lazyarr':>11}{'ratio':>8}")
    for call in numpy:
        verdict = "  more than NumPy" if call in above else ""
        star = "*" if call in pending else " "
        print(f"{call:<32}{numpy[call]:10,.0f}{lazyarr[call]:10,.0f}{star}{numpy[call] / lazyarr[call]:8.2f}{verdict}")
    if pending:
        print("* left pending, and evaluated in the loop")
    print(f"{len(above)} of {len(numpy)} calls take more instructions with lazyarr")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
