"""Errors of the functions of a device, in units of the last place, as a table in Markdown.

    python asv_bench/device_functions.py opencl:0

They are those that a kernel calls where `config.exact` is off; NumPy's own errors stand beside them. The exact values
are those of NumPy's long doubles, which therefore must be wider than float64.
"""

import argparse

import numpy as np

import lazyarr as la

N = 1_000_000
WIDE, UNIT, POSITIVE, ABOVE = (-20, 20), (-1, 1), (1e-3, 1e3), (1, 1e3)
DOMAINS = {
    "arccos": UNIT, "arccosh": ABOVE, "arcsin": UNIT, "arcsinh": WIDE, "arctan": WIDE, "arctan2": WIDE,
    "arctanh": (-0.99, 0.99), "cbrt": WIDE, "cosh": WIDE, "exp": WIDE, "exp2": WIDE, "expm1": WIDE, "hypot": WIDE,
    "log": POSITIVE,
    "log10": POSITIVE, "log1p": POSITIVE, "log2": POSITIVE, "logaddexp": (0, 20), "logaddexp2": (0, 20),
    "power": (0.1, 10), "sinh": WIDE, "tan": WIDE,
}  # fmt: skip
"""Where the operands of a function are."""


def largest_error(result, precise):
    """Return the largest error in units of the last place."""
    return float((np.abs(result.astype("g") - precise) / np.spacing(np.abs(precise).astype(result.dtype))).max())


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", help="such as opencl:0")
    device = parser.parse_args().device
    if np.finfo("g").nmant <= np.finfo("d").nmant:
        parser.error("long doubles are no wider than float64 here")
    rng = np.random.default_rng(0)
    print("| function | operands | float32 | NumPy's | float64 | NumPy's |\n| --- | --- | --- | --- | --- | --- |")
    for name, (low, high) in DOMAINS.items():
        function, cells = getattr(np, name), []
        for char in "fd":
            operands = [rng.uniform(low, high, N).astype(char) for _ in range(function.nin)]
            precise = function(*[x.astype("g") for x in operands])
            with la.config(exact=False):
                result = function(*[la.asarray(x).to_device(device) for x in operands]).numpy()
            cells += [largest_error(result, precise), largest_error(function(*operands), precise)]
        print(f"| {name} | {low:g} to {high:g} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")


if __name__ == "__main__":
    main()
