"""Programs that run in separate processes, with the tests' devices."""

import os
import subprocess
import sys
import textwrap


def run(program, *options, environment=()):
    """Run a Python program, from standard input unless options say what to run.

    Parameters
    ----------
    program : str
    options : str
    environment : mapping, optional
        Environment variables to add.
    """
    return subprocess.run(
        [sys.executable, "-P", "-W", "ignore", *(options or ["-"])], input=textwrap.dedent(program),
        capture_output=True, text=True, timeout=120, check=False, env=os.environ | dict(environment))  # fmt: skip
