"""asv_bench/npbench.py on a suite of two kernels in NPBench's format."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "asv_bench" / "npbench.py"
INIT = """
import numpy as np

def initialize(N):
    from numpy.random import default_rng
    return default_rng(1).random(N), np.random.rand(N)
"""
KERNELS = {
    "right": "def kernel(N, x, y):\n    x[1:] += y[:-1] * N\n    return np.sum(x)\n",
    "wrong": "def kernel(N, x, y):\n    return np.zeros(3) + (np.__name__ == 'numpy')\n",
}


@pytest.fixture
def suite(tmp_path):
    for name, source in KERNELS.items():
        folder = tmp_path / "npbench" / "benchmarks" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(INIT)
        (folder / f"{name}_numpy.py").write_text(f"import numpy as np\n\n{source}")
        tmp_path.joinpath("bench_info").mkdir(exist_ok=True)
        tmp_path.joinpath("bench_info", f"{name}.json").write_text(json.dumps({"benchmark": {
            "relative_path": name, "module_name": name, "func_name": "kernel", "parameters": {"S": {"N": 50}},
            "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["x", "y"]},
            "input_args": ["N", "x", "y"]}}))
    return tmp_path


def run(suite, *options):
    return subprocess.run([sys.executable, SCRIPT, suite, "S", "--seconds", "0", *options], capture_output=True,
                          text=True, check=False)


def test_table_and_difference(suite):
    done = run(suite)
    _, right, wrong, last = done.stdout.splitlines()
    assert done.returncode == 1
    assert right.split()[0] == "right"
    assert wrong == "wrong gives other results with lazyarr"
    assert last.startswith("1 kernels, geometric mean")
    assert last.endswith("1 failed")


def test_only_some(suite):
    done = run(suite, "--only", "ight")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["kernel", "right", "1"]
