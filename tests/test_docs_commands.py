"""Every command in the README and docs/ runs, and every Python block is an example or a program that one runs."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ELSEWHERE = {
    "pip install": "by .ci/run, in fresh environments",
    "lazyarr tune": "by tests/autotune",
    "python asv_bench/": "by tests/test_benchmarks.py and its neighbours, with small sizes",
}
NEEDS_HARDWARE = ("tensor = torch.from_dlpack(x) ",)  # tests/gpu/test_cuda_exchange.py has the same on a mock
SCRIPT = "import numpy as np\nx = np.linspace(0, 1, 20_000)\nprint((x * x).sum().round(3))\n"


def blocks(language):
    for page in PAGES:
        for found in BLOCK.finditer(page.read_text("utf-8")):
            if found[1] == language:
                yield page.relative_to(ROOT).as_posix(), found[2]


def commands():
    lines = {line.split("  #")[0].strip(): page for page, block in blocks("sh") for line in block.splitlines()}
    return [pytest.param(line, id=f"{page}: {line}") for line, page in lines.items()
            if line and not line.startswith(tuple(ELSEWHERE))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the programs that the commands name."""
    folder = tmp_path_factory.mktemp("commands")
    for name in ("script.py", "module.py"):
        (folder / name).write_text(SCRIPT, "utf-8")
    for _, block in blocks("python"):
        if name := re.match(r"# (\w+\.py)\n", block):
            (folder / name[1]).write_text(block, "utf-8")
    return folder


@pytest.mark.host_only("the commands name their devices")
@pytest.mark.parametrize("command", commands())
def test_a_command_runs(command, folder):
    program, *arguments = shlex.split(command)
    start = {"lazyarr": [sys.executable, "-m", "lazyarr"], "python": [sys.executable]}[program]
    if "opencl:0" in arguments:
        pytest.importorskip("pyopencl")
    ended = subprocess.run([*start, *arguments], cwd=folder, capture_output=True, text=True, timeout=250)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout


def test_blocks_of_python_are_examples_or_programs():
    for page, block in blocks("python"):
        assert block.startswith((">>> ", *NEEDS_HARDWARE)) or re.match(r"# \w+\.py\n", block), f"{page}:\n{block}"
