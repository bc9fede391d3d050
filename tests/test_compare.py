"""``lazyarr --compare``: two fresh processes, the same output, and figures of the script alone."""

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from lazyarr import compare
from support.script_folder import LAZY, Folder

COMPARE = (*LAZY, "--compare", "script.py")
measured = pytest.mark.skipif(not hasattr(os, "wait4"), reason="the system does not tell a process's peak memory")
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


@pytest.fixture
def folder(tmp_path):
    with Folder(tmp_path) as folder:
        yield folder


def figures(line):
    """Return the two numbers of a row of the table."""
    return [float(number) for number in re.findall(r"\d+\.\d+", line)]


def is_ratio(ratio, dividend, divisor, unit):
    """Return whether a printed ratio is consistent with two figures rounded to ``unit``."""
    least, most = ((dividend + error) / (divisor - error) for error in (-unit / 2, unit / 2))
    return least - 0.005 <= ratio <= most + 0.005


def test_output_comes_once_and_then_the_table(folder):
    folder.write(script="import numpy as np, sys\nprint(np.array([1.0, 2.0]).sum(), sys.argv[1:])")
    output, header, reference, other, ratio, note = folder.printed(*COMPARE, "--profile", "x")
    assert output == "3.0 ['--profile', 'x']"
    assert re.split("  +", header) == ["same output", "outside imports", "CPU time", "whole process", "peak memory"]
    assert [line.split()[0] for line in (reference, other, ratio)] == ["NumPy", "lazyarr", "NumPy/lazyarr"]
    assert note.startswith("The least of 5 runs each, in turns")


def test_figures_are_the_scripts_own(folder):
    folder.write(
        script="""
            import numpy, time
            if numpy.__name__ == "numpy":
                block = bytearray(100 << 20)
                began = time.process_time()
                while time.process_time() - began < 0.2:
                    pass
                time.sleep(0.5)
            """
    )
    _, *rows, _ = folder.printed(*COMPARE)
    reference, other, ratio = map(figures, rows)
    outside, cpu, whole = reference[:3]
    assert whole > outside > 0.7
    assert 0.2 < cpu < 0.4
    assert max(other[:2]) < 0.1
    assert is_ratio(ratio[2], whole, other[2], 0.001)


@measured
def test_memory_is_the_scripts_own(folder):
    folder.write(script="import numpy\nif numpy.__name__ == 'numpy': block = bytearray(100 << 20)")
    _, *rows, _ = folder.printed(*COMPARE)
    reference, other, ratio = (figures(row)[3] for row in rows)
    assert reference > other > 10
    assert is_ratio(ratio, reference, other, 0.1)


@measured
def test_memory_of_a_script_without_numpy_is_small(folder):
    folder.write(script="pass")
    _, reference, other, _, _ = folder.printed(*COMPARE)
    assert figures(reference)[3] < figures(other)[3] / 1.5


def test_time_outside_imports(folder):
    folder.write(
        script="import importlib, slow\nimportlib.import_module('slower')\nimport slow",
        slow="import time\ntime.sleep(0.3)",
        slower="import slow, time\ntime.sleep(0.3)",
    )
    _, *rows, _ = folder.printed(*COMPARE)
    for outside, _, whole, *_ in map(figures, rows[:2]):
        assert outside < 0.2
        assert whole > 0.6


def test_what_a_library_imports_when_needed_is_the_programs_time(folder):
    folder.write(script="exec('import slow', {'__name__': 'numpy.part'})", slow="import time\ntime.sleep(0.3)")
    _, *rows, _ = folder.printed(*COMPARE)
    assert all(figures(row)[0] >= 0.3 for row in rows[:2])  # as printed, rounded


def test_long_programs_run_once(folder, monkeypatch, capfd):
    folder.write(script="pass")
    monkeypatch.chdir(folder.path)
    monkeypatch.setattr(compare, "SECONDS", 0.1)
    assert compare.main([sys.executable], ["script", "script.py"], False) == 0
    assert "The least of 1 runs each" in capfd.readouterr().out


def test_warnings_come_once(folder):
    folder.write(script="import sys\nprint('careful', file=sys.stderr)")
    result = folder.run(*COMPARE)
    assert result.returncode == 0
    assert result.stderr == "careful\n" * 2


def test_failure_in_a_later_run_is_shown(folder):
    folder.write(
        script="""
            from pathlib import Path
            count = Path("count")
            count.write_text((count.read_text() if count.exists() else "") + "1")
            assert len(count.read_text()) < 4, "four"
            """
    )
    result = folder.run(*COMPARE)
    assert result.returncode == 1
    assert "AssertionError: four" in result.stderr
    assert result.stderr.endswith("lazyarr: the run with lazyarr exits with status 1; nothing to compare\n")


def test_program_that_ends_itself_at_once(folder):
    folder.write(script="import os\nprint('done', flush=True)\nos._exit(0)")
    _, _, reference, *_ = folder.printed(*COMPARE)
    assert reference.count("not measured") == 2


@pytest.mark.parametrize("program", [["-m", "script"], ["-c", "import sys; print(sys.argv, sys.path[0])"]])
def test_modules_and_texts(folder, program):
    folder.write(script="import sys\nprint(sys.argv, sys.path[0], __name__, __spec__.name)")
    output, *_ = folder.printed(*LAZY, "--compare", *program, "-c", "x")
    assert [output] == folder.printed(*program, "-c", "x")


def test_different_output(folder):
    folder.write(script="import numpy\nprint('before')\nprint(numpy.__name__)\nprint('after')")
    result = folder.run(*COMPARE)
    assert result.returncode == 1
    assert result.stdout == "before\nnumpy\nafter\n"
    assert result.stderr.splitlines() == [
        "lazyarr: the outputs differ",
        "--- NumPy",
        "+++ lazyarr",
        "@@ -1,4 +1,4 @@",
        " before",
        "-numpy",
        "+lazyarr.numpy",
        " after",
        " ",
    ]


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("1 / 0", 1, "lazyarr: the run with NumPy exits with status 1; nothing to compare"),
        ("raise SystemExit(7)", 7, "lazyarr: the run with NumPy exits with status 7; nothing to compare"),
        (
            "import numpy\nif numpy.__name__ != 'numpy': raise SystemExit(4)",
            4,
            "lazyarr: the run with lazyarr exits with status 4; nothing to compare",
        ),
        pytest.param(
            "import os\nos.kill(os.getpid(), 9)",
            137,
            "lazyarr: the run with NumPy is ended by signal 9; nothing to compare",
            marks=posix,
        ),
    ],
)
def test_failing_script(folder, text, status, message):
    folder.write(script=f"print('so far', flush=True)\n{text}")
    result = folder.run(*COMPARE)
    assert (result.returncode, result.stdout) == (status, "so far\n")
    assert result.stderr.splitlines()[-1] == message
    assert result.stderr.count("Traceback") == (text == "1 / 0")


def test_both_runs_read_the_same_input(folder):
    folder.write(script="import sys\nprint(len(sys.stdin.read()))")
    assert folder.printed(*COMPARE, stdin="ten bytes\n" * 100_000)[0] == "1000000"


@posix
def test_input_may_arrive_late_or_never_end(folder):
    folder.write(script="import sys\nprint('ready', file=sys.stderr, flush=True)\nprint(input())")
    process = folder.start(*COMPARE)
    assert process.stderr.readline() == "ready\n"
    process.stdin.write("a line\n")
    process.stdin.flush()
    assert process.wait(timeout=60) == 0
    assert process.stdout.readline() == "a line\n"


@posix
@pytest.mark.parametrize("redirection", ["<&-", "</dev/null"])
def test_without_input(folder, redirection):
    folder.write(script="print('done')")
    folder.write(shell=f"import os, sys\nos.system(f'{{sys.executable}} {' '.join(COMPARE)} {redirection}')")
    assert folder.printed("shell.py")[0] == "done"


def test_interpreter_options_reach_both_runs(folder):
    folder.write(script="print(__debug__)")
    assert folder.printed("-O", *COMPARE)[0] == "False"


def test_profile_of_the_second_run(folder):
    folder.write(script="")
    result = folder.run(*LAZY, "--compare", "--profile", "script.py")
    assert result.returncode == 0
    assert result.stderr.count("lazyarr profile") == 1


@posix
def test_interrupt_leaves_no_process(folder):
    folder.write(script="import os, sys, time\nprint(os.getpid(), file=sys.stderr, flush=True)\ntime.sleep(60)")
    process = folder.start(*COMPARE)
    script = int(process.stderr.readline())
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    end = time.monotonic() + 10
    while is_running(script):
        assert time.monotonic() < end, "the script outlived the comparison"
        time.sleep(0.05)


def is_running(pid):
    """Return whether a process exists and is not a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:  # no such file system, or the process has just gone
        return not Path("/proc/self/stat").exists()
    return state != "Z"


# ---- Differences of two outputs ----


def test_difference_shows_what_is_near():
    first = [b"%d" % i for i in range(100_000)]
    second = first.copy()
    second[50_000] = b"other"
    assert compare.difference(b"\n".join(first), b"\n".join(second)) == [
        "--- NumPy",
        "+++ lazyarr",
        "@@ -49998,7 +49998,7 @@",
        " 49997",
        " 49998",
        " 49999",
        "-50000",
        "+other",
        *(f" {i}" for i in range(50_001, 50_004)),
    ]


def test_difference_is_cut_short():
    lines = compare.difference(b"\n".join(b"a%d" % i for i in range(1000)), b"\n".join(b"b%d" % i for i in range(1000)))
    assert len(lines) == compare.DIFF_LINES + 1
    assert lines[3:5] == ["-a0", "-a1"]
    assert lines[-1] == "..."


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        (b"x\n", b"x", ["-"]),
        (b"x\n", b"x\r\n", ["-x", "+x\\r"]),
        (b"\xff", b"\xfe", ["-\\xff", "+\\xfe"]),
        (b"", b"x", ["-", "+x"]),
    ],
)
def test_difference_that_is_hard_to_see(first, second, shown):
    assert [line for line in compare.difference(first, second)[3:] if line[0] in "+-"] == shown
