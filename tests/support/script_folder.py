"""A folder of scripts, and Python command lines that run in it."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import lazyarr

PLAIN = ()
LAZY = ("-m", "lazyarr")


class Folder:
    """Writes scripts to a folder and runs them there; terminates those still running when it is closed.

    The interpreters find the lazyarr under test, which is not in that folder.
    """

    def __init__(self, path):
        self.path = path
        self.python_path = [str(Path(lazyarr.__file__).parents[1])]
        self._running = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in self._running:
            process.kill()
            process.communicate()

    def write(self, **texts):
        """Write Python files; `package__module` names ``package/module.py``."""
        for name, text in texts.items():
            path = self.path.joinpath(*name.split("__", 1)).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")

    def start(self, *command, **options):
        """Start ``python *command`` with pipes for its standard streams."""
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(self.python_path), "PYTHONIOENCODING": "utf-8"}
        process = subprocess.Popen(
            [sys.executable, *command], cwd=self.path, env=environment, encoding="utf-8", **streams, **options
        )
        self._running.append(process)
        return process

    def run(self, *command, stdin=""):
        """Run ``python *command`` to completion and return it, with ``stdout`` and ``stderr`` as text."""
        process = self.start(*command)
        output, errors = process.communicate(stdin, timeout=120)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def printed(self, *command, stdin=""):
        """Return the lines that ``python *command`` prints; it must succeed and print nothing to stderr."""
        result = self.run(*command, stdin=stdin)
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
        return result.stdout.splitlines()
