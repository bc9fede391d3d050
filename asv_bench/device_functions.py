"""Errors of a device's real and complex functions, in units in the last place, as tables in Markdown.

    python asv_bench/device_functions.py opencl:0

Kernels call these functions if `config.exact` is off; NumPy's own errors are listed beside them. The exact values are
computed with NumPy's long doubles, which must be wider than float64. The error of a complex number is its distance from
the exact one, in units in the last place of that one's magnitude.
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
COMPLEX = ("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cos", "cosh", "exp", "exp2", "expm1", "log",
           "log10", "log1p", "log2", "power", "sign", "sin", "sinh", "sqrt", "tan", "tanh")  # fmt: skip
"""Functions of complex numbers; both parts of their operands are from -3 to 3."""


def largest_error(result, precise):
    """Return the largest error in units in the last place."""
    unit = np.spacing(np.abs(precise).astype(result.real.dtype))
    return float((np.abs(result.astype(precise.dtype) - precise) / unit).max())


def errors(name, chars, device, draw):
    """Return the largest errors of the device's function and of NumPy's, by dtype."""
    function, cells = getattr(np, name), []
    for char in chars:
        operands = [draw(char) for _ in range(function.nin)]
        precise = function(*[x.astype("G" if char in "FD" else "g") for x in operands])
        with la.config(exact=False):
            result = function(*[la.asarray(x).to_device(device) for x in operands]).numpy()
        cells += [largest_error(result, precise), largest_error(function(*operands), precise)]
    return " | ".join(f"{cell:.2f}" for cell in cells)


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
        cells = errors(name, "fd", device, lambda char, low=low, high=high: rng.uniform(low, high, N).astype(char))
        print(f"| {name} | {low:g} to {high:g} | {cells} |")
    print("\n| function | complex64 | NumPy's | complex128 | NumPy's |\n| --- | --- | --- | --- | --- |")
    for name in COMPLEX:
        cells = errors(name, "FD", device, lambda char: (rng.uniform(-3, 3, (N, 2)) @ [1, 1j]).astype(char))
        print(f"| {name} | {cells} |")


if __name__ == "__main__":
    main()
