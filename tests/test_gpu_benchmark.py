"""asv_bench/gpu.py, on the mock of a device: each family prints a table with all of lazyarr's times."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lazyarr._core import api
from support import cuda_mock

SCRIPT = Path(__file__).parents[1] / "asv_bench" / "gpu.py"

pytestmark = [
    pytest.mark.skipif(cuda_mock.COMPILER is None, reason="needs a C++ compiler"),
    pytest.mark.skipif(api.DEBUG, reason="times are those of release builds"),      # and nothing else is checked here
]


def run(*options):
    return subprocess.run([sys.executable, SCRIPT, *options], capture_output=True, text=True,
                          env=os.environ | cuda_mock.environment())


def test_each_family_has_a_table(tmp_path):
    output = tmp_path / "gpu.md"
    found = run("--dry-run", "--output", output)
    assert found.returncode == 0, found.stderr
    text = output.read_text(encoding="utf-8")
    assert text == found.stdout
    families = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert " ".join(family.split("\n")[0] for family in families) == (
        "tests chains sums cumsum products convolutions launches loop programs networks")
    for peer in ("CuPy", "JAX", "PyTorch"):
        assert f"{peer} is left out: " in text      # none finds the mock
    done, *families = families
    assert [line.split(":")[0] for line in done.split("\n") if "tests/" in line] == [
        "Tests of devices, tests/gpu/test_cuda_calls.py -k bincount",
        "Tests with all arrays on cuda", ]
    assert len(re.findall(r"\b[1-9]\d* passed", done)) == 2
    assert not re.findall("failed|error", done)
    for family in families:
        rows = [line.strip("| ").split(" | ") for line in family.split("\n") if line.startswith("| ")]
        assert len(rows) > 1
        place = rows[0].index("lazyarr")
        assert all(float(row[place].replace(",", "")) >= 0 for row in rows if row[place] != "lazyarr"), family


def test_unknown_families_are_refused():
    found = run("--dry-run", "flops")
    assert found.returncode == 2
    assert "flops" in found.stderr
