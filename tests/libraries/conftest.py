"""Programs that are run with NumPy and with lazyarr in its place."""

import pytest


@pytest.fixture
def printed_both_ways(start_python, tmp_path):
    """What a program prints, and what it prints under the runner."""
    def run(code):
        program = start_python(code)
        plain = program.communicate(timeout=300)
        lazily = start_python(f"""
            import runpy, sys
            sys.argv = ["lazyarr", {str(tmp_path / "script0.py")!r}]
            runpy.run_module("lazyarr", run_name="__main__")
        """).communicate(timeout=300)
        assert (plain[1], lazily[1]) == ("", "")
        return plain[0], lazily[0]

    return run
