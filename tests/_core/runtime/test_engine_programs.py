"""Random programs on the native engine alone (`tests/support/engine/random_programs.c`), compared with serial runs."""
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "support" / "engine" / "random_programs.c"
HEADERS = Path(__file__).parents[3] / "lazyarr" / "_core" / "simd"
COMPILER = shutil.which("gcc") or shutil.which("clang")


def build(folder, *flags):
    """Compile the programs; skip the test if that is impossible."""
    if COMPILER is None or sysconfig.get_platform().startswith("win") or not HEADERS.exists():
        pytest.skip("no C compiler")
    program = folder / "random_programs"
    made = subprocess.run([COMPILER, "-O2", "-g", *flags, "-I", HEADERS, SOURCE, "-o", program, "-lpthread"],
                          capture_output=True, text=True)
    if made.returncode and flags:
        pytest.skip(f"the compiler has no {' '.join(flags)}")
    assert made.returncode == 0, made.stderr
    return program


def differing(program, programs, seed, threads):
    """Return the number of programs that differ; threads 0: one thread that draws the order."""
    command = [program, str(programs), str(seed), str(threads)]
    if shutil.which("setarch"):  # ThreadSanitizer needs memory to lie where it expects it
        command = ["setarch", "-R", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if "unexpected memory mapping" in done.stderr or "failed to set personality" in done.stderr:
        pytest.skip("ThreadSanitizer does not run here")
    assert "WARNING: ThreadSanitizer" not in done.stderr, done.stderr
    assert done.returncode in (0, 1), done.stderr
    return int(done.stdout.split()[2])


@pytest.mark.parametrize("threads", [0, 1, 2, 6])
def test_programs_are_as_run_serially(tmp_path, threads):
    assert differing(build(tmp_path), 3000, seed=threads + 1, threads=threads) == 0


@pytest.mark.parametrize("threads", [0, 3])
def test_thread_sanitizer_finds_nothing(tmp_path, threads):
    assert differing(build(tmp_path, "-fsanitize=thread"), 200, seed=threads + 1, threads=threads) == 0


def test_a_wrong_engine_is_seen(tmp_path):
    """Programs differ if a write does not wait for reads."""
    wrong = tmp_path / "headers"
    shutil.copytree(HEADERS, wrong)
    text = (wrong / "engine.h").read_text()
    rule = "!variable->writing && !(first->write && variable->readers)"
    assert text.count(rule) == 1
    (wrong / "engine.h").write_text(text.replace(rule, "!variable->writing"))
    program = build(tmp_path, "-I", str(wrong))
    assert differing(program, 500, seed=1, threads=2) > 0
