"""How good measured choices of backends are.

    python asv_bench/backends.py

One process measures the calls of ``lazyarr tune --ops`` and writes the results to a temporary file; a second one must
measure nothing. This process then times all backends of each call again, and prints how much slower the chosen one is
than the fastest. The last line says how many choices are within 5 %.
"""

import os
import subprocess
import sys
import tempfile

TUNE = [sys.executable, "-m", "lazyarr", "tune", "--ops"]
SECONDS, NEAR = 0.5, 1.05


def main():
    """Tune, tune again, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LAZYARR_TUNING"] = os.path.join(folder, "tuning.json")
        subprocess.run(TUNE, check=True, stdout=subprocess.DEVNULL)
        second = subprocess.run(TUNE, check=True, stdout=subprocess.PIPE, text=True).stdout
        if "All calls are in the file." not in second:
            raise SystemExit(f"the second process measured again:\n{second}")
        import lazyarr as la
        from lazyarr.autotune import operations
        from lazyarr.backends.choice import measured

        la.asarray(0.0)  # the first array loads the file
        written = measured.as_json()
        names = [name for shapes in written.values() for name in shapes.values()]
        la.backends.forget()
        ratios = []
        for (label, taken), chosen in zip(operations.measured(SECONDS), names, strict=True):
            ratios.append(taken[chosen] / min(taken.values()))
            print(f"{label:32}{chosen:16}{ratios[-1]:6.2f}")
        near = sum(ratio <= NEAR for ratio in ratios)
        print(f"within 5 % of the fastest backend: {near} of {len(ratios)} ({near / len(ratios):.0%})")


if __name__ == "__main__":
    main()
