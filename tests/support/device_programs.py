"""Programs that run in processes of their own, with the devices that tests use."""

import os
import subprocess
import sys
import textwrap


def run(program, *options, environment=()):
    """Run a program by Python, which gets it as its input unless there are options that say what to run.

    Parameters
    ----------
    program : str
    options : str
    environment : mapping, optional
        Variables besides those of this process.
    """
    return subprocess.run(
        [sys.executable, "-P", "-W", "ignore", *(options or ["-"])], input=textwrap.dedent(program),
        capture_output=True, text=True, timeout=120, check=False, env=os.environ | dict(environment))  # fmt: skip
