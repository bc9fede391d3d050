"""The time of a fresh process to import lazyarr and to use it first, next to one that imports NumPy.

Processes take turns, and the fastest of each counts, with files in the disk cache and compiled to bytecode.
"""

import subprocess
import sys

TIMED = """
import time
begin = time.perf_counter()
{}
seconds = time.perf_counter() - begin
with open("/proc/self/statm") as file:
    print(seconds, file.read().split()[1])
"""
STATEMENTS = {
    "import": "import lazyarr",
    "import of the namespace": "import lazyarr.numpy",
    "first array": "import lazyarr; lazyarr.ones(3)",
    "first evaluation": "import lazyarr; (lazyarr.ones(3) + 1).numpy()",
}


def measured(statement):
    """Return the seconds of a statement in a fresh process, and the resident pages afterwards."""
    process = [sys.executable, "-P", "-c", TIMED.format(statement)]
    return tuple(map(float, subprocess.run(process, stdout=subprocess.PIPE, check=True).stdout.split()))


class Start:
    """The fastest of several turns on either side."""

    params = tuple(STATEMENTS)
    param_names = ("what",)
    turns = 15

    def setup(self, what):
        if sys.platform != "linux":
            raise NotImplementedError
        pairs = [(measured(STATEMENTS[what]), measured("import numpy")) for _ in range(self.turns)]
        ours, numpys = zip(*pairs, strict=True)
        self.seconds, self.pages = map(min, zip(*ours, strict=True))
        self.numpy_seconds, self.numpy_pages = map(min, zip(*numpys, strict=True))

    def track_time(self, what):
        return self.seconds / self.numpy_seconds

    def track_memory(self, what):
        import resource

        return (self.pages - self.numpy_pages) * resource.getpagesize() / 2**20

    track_time.unit = "times that of import numpy"
    track_memory.unit = "MiB above import numpy"
