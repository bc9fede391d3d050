"""Run the array API conformance suite on NumPy and on lazyarr, and print the failures of lazyarr alone.

    python tests/conformance.py CHECKOUT [--modules NAMES] [--examples N] [--seed N] [-- ARGUMENTS OF PYTEST]

CHECKOUT is a clone of https://github.com/data-apis/array-api-tests with its submodule. Its requirements.txt lists what
the suite needs besides pytest. The exit status is 1 if a test fails with a module of lazyarr but not with NumPy.

Both see the same examples. Hypothesis is seeded, and so is the `random` module before each test: the special-case tests
draw their single example from it, and NumPy passes some of them by luck.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "2024.12"


class Recorder:
    """A pytest plugin that seeds each test and records its outcome."""

    def __init__(self, seed):
        self.seed = seed
        self.outcomes = {}

    def pytest_runtest_setup(self, item):
        random.seed(self.seed)

    def pytest_runtest_logreport(self, report):
        # the first of set-up, call and tear-down that did not pass counts
        if self.outcomes.get(report.nodeid, "passed") == "passed":
            self.outcomes[report.nodeid] = report.outcome

    def pytest_collectreport(self, report):
        if report.failed:
            self.outcomes[report.nodeid] = "failed"


def run_here(module, examples, seed, path, rest):
    """Run the suite in this fresh process, from the checkout, and write the outcomes to a file."""
    import pytest

    recorder = Recorder(seed)
    pytest.main(["array_api_tests", "-q", "-p", "no:cacheprovider", "--disable-deadline", "--max-examples",
                 str(examples), "--hypothesis-seed", str(seed), "--tb=short", *rest], plugins=[recorder])
    Path(path).write_text(json.dumps(recorder.outcomes), encoding="utf-8")


def start(checkout, module, examples, seed, path, rest):
    """Start the suite in a separate process."""
    environment = os.environ | {"ARRAY_API_TESTS_MODULE": module, "ARRAY_API_TESTS_VERSION": VERSION}
    log = Path(path).with_suffix(".log").open("w", encoding="utf-8")
    with log:
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--here", module, "--examples", str(examples), "--seed",
             str(seed), "--to", str(path), ".", "--", *rest], cwd=checkout, env=environment, stdout=log, stderr=log)


def failed(outcomes):
    return {name for name, outcome in outcomes.items() if outcome == "failed"}


def summary(module, outcomes):
    counts = {kind: list(outcomes.values()).count(kind) for kind in ("passed", "failed", "skipped")}
    return f"{module}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())


def main():
    """Compare the modules with NumPy."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout")
    parser.add_argument("--modules", default="lazyarr.numpy,lazyarr.array_api")
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--logs", default=None, help="a folder for what pytest prints")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    parser.add_argument("--to", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs="*", help="arguments of pytest, after --")
    options = parser.parse_args()
    if options.here:
        run_here(options.here, options.examples, options.seed, options.to, options.rest)
        return 0
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.logs or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        modules = ["numpy", *options.modules.split(",")]
        for module in modules:
            path = folder.resolve() / f"{module}.json"
            start(options.checkout, module, options.examples, options.seed, path, options.rest).wait()
            if not path.is_file():
                print(path.with_suffix(".log").read_text(encoding="utf-8"))
                return 2
            results[module] = json.loads(path.read_text(encoding="utf-8"))
            print(summary(module, results[module]), flush=True)
    known = failed(results["numpy"])
    worse = False
    for module in modules[1:]:
        alone = sorted(failed(results[module]) - known)
        worse = worse or bool(alone)
        print(f"{module} alone fails {len(alone)}", *alone, sep="\n    ")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
