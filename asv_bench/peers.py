"""lazyarr next to NumPy, PyTorch and JAX, as tables in Markdown and as a figure.

    python asv_bench/peers.py [FAMILY...] [--quick] [--figure docs/peers.svg] [--read docs/peers.md]

All run in one process in turns, on all cores, with a pause before each turn; a cell is the median of the rounds.
lazyarr's times include rebuilding the graph. PyTorch is eager; JAX is jitted, excluding compilation. Before a case is
timed, all results are compared with NumPy's. Libraries that are not installed are left out, with a note.

PyTorch is loaded before lazyarr. Both use whichever copy of GNU OpenMP is loaded first, and lazyarr makes the idle
threads of its own copy sleep early, which would slow PyTorch down twentyfold on a thousand elements.
"""
# ruff: noqa: E402 - for the reason above

import argparse
import functools
import math
import statistics
from pathlib import Path

from optional import optional

torch, jax = optional("torch"), optional("jax")

import numpy as np
from benchmarks.elementwise import CHAINS
from benchmarks.memory import convolution
from figures import COLOURS, GREY, axes_saved_to
from timing import side_by_side

import lazyarr as la

ROUNDS, SECONDS, PAUSE = 5, 0.01, 0.02
MEAN = "**geometric mean, lazyarr = 1**"


class Libraries:
    """The installed libraries, as namespaces by name, and how each converts an ndarray."""

    def __init__(self):
        self.modules = {"lazyarr": la, "NumPy": np}
        self.converters = {"lazyarr": la.asarray, "NumPy": np.asarray}
        if torch:
            torch.set_num_threads(la.config.num_threads)
            self.modules["PyTorch"], self.converters["PyTorch"] = torch, torch.from_numpy
        if jax:
            jax.config.update("jax_enable_x64", True)
            self.modules["JAX"], self.converters["JAX"] = jax.numpy, jax.numpy.asarray

    def call(self, name, function, arrays):
        """Return a function of no arguments that computes function(module, *arrays) to completion."""
        module, arrays = self.modules[name], [self.converters[name](x) for x in arrays]
        if name == "lazyarr":
            return lambda: function(module, *arrays).numpy()
        if name == "JAX":
            jitted = jax.jit(functools.partial(function, module))
            return lambda: jitted(*arrays).block_until_ready()
        return lambda: function(module, *arrays)


def random(dtype, *shapes):
    rng = np.random.default_rng(0)
    return [(rng.random(shape) + 0.1).astype(dtype) for shape in shapes]


# A family yields (case, {library: function of its module and the arrays}, arrays).


def same(function, **others):
    """Return a function for all libraries, except those that are named."""
    return dict.fromkeys(("lazyarr", "NumPy", "PyTorch", "JAX"), function) | others


def elementwise():
    for n in (1_000, 100_000, 10_000_000):
        for name, chain in CHAINS.items():
            yield f"{name}, {n:,} float32", same(chain), random("f4", *[n] * 3)
    for name, chain in CHAINS.items():
        yield f"{name}, 100,000 float64", same(chain), random("f8", *[100_000] * 3)


def reduce():
    def total(axis):
        return lambda xp, x: x.sum(axis)

    for extent in (20, 60):
        for axis in (0, 3, (0, 2), (1, 2), (0, 1, 2, 3)):
            yield f"sum over {axis}, {extent}^4 float32", same(total(axis)), random("f4", (extent,) * 4)
    yield ("max over (1, 3), 60^4 float32",
           same(lambda xp, x: x.max((1, 3)) if xp is np else xp.max(x, axis=(1, 3)),
                PyTorch=lambda xp, x: x.amax((1, 3))), random("f4", (60,) * 4))
    yield "sum((a - b) * (a - b) * c), 100,000 float32", same(
        lambda xp, a, b, c: ((a - b) * (a - b) * c).sum()), random("f4", *[100_000] * 3)


def repeat():
    def one_by_one(xp, x):
        for axis in range(4):
            x = xp.repeat_interleave(x, 2, axis) if xp.__name__ == "torch" else xp.repeat(x, 2, axis)
        return x

    for extent in (10, 30):
        arrays = random("f4", (extent,) * 4)
        yield f"repeat along four axes, {extent}^4 float32", same(
            one_by_one, lazyarr=lambda xp, x: la.repeat(x, (2, 2, 2, 2), axis=(0, 1, 2, 3))), arrays
        yield f"tile along four axes, {extent}^4 float32", same(
            lambda xp, x: xp.tile(x, (2, 2, 2, 2))), arrays


def matmul():
    for dtype in ("float32", "float64"):
        for m, k, n in ((64, 64, 64), (256, 256, 256), (1024, 1024, 1024), (32, 1024, 512), (4096, 64, 64)):
            yield f"{m} x {k} x {n} {dtype}", same(lambda xp, a, b: a @ b), random(dtype, (m, k), (k, n))


def window():
    """Pooling, and convolutions of 3 by 3 taps without padding, which NumPy builds from matrix products."""
    for batch, extent, channels, columns in ((1, 58, 64, 64), (1, 16, 256, 256), (8, 58, 32, 64)):
        yield f"convolution of {batch} x {extent} x {extent} x {channels}, {columns} columns", {
            "lazyarr": convolution, "NumPy": convolution, "PyTorch": torch_convolution, "JAX": jax_convolution,
        }, random("f4", (batch, extent, extent, channels), (3, 3, channels, columns))
    for batch, extent, channels in ((32, 28, 32), (8, 56, 128)):
        yield f"largest of 2 x 2, {batch} x {extent} x {extent} x {channels}", {
            "lazyarr": lambda xp, x: la.nn.max_pool2d(x, 2), "NumPy": reshaped_max, "JAX": reshaped_max,
            "PyTorch": torch_pool}, random("f4", (batch, extent, extent, channels))


def reshaped_max(xp, x):
    batch, height, width, channels = x.shape
    return x.reshape(batch, height // 2, 2, width // 2, 2, channels).max((2, 4))


def torch_convolution(xp, x, w):
    """Convolve with PyTorch: channels first, but last in the memory of these views, which oneDNN uses directly."""
    y = xp.nn.functional.conv2d(x.permute(0, 3, 1, 2), torch_weights(w))
    return y.permute(0, 2, 3, 1)


@functools.lru_cache(maxsize=1)
def torch_weights(w):
    """Return weights in PyTorch's preferred layout, converted once, as in a program."""
    return w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)


def torch_pool(xp, x):
    return xp.nn.functional.max_pool2d(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)


def jax_convolution(xp, x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


FAMILIES = {family.__name__: family for family in (elementwise, reduce, repeat, matmul, window)}


def check(case, calls):
    """Fail unless all libraries agree with NumPy up to rounding."""
    want = np.asarray(calls["NumPy"]())
    for name, call in calls.items():
        got = np.asarray(call())
        if (got.shape, got.dtype) != (want.shape, want.dtype):
            raise AssertionError(f"{case}: {name} gives {got.dtype}{got.shape}, NumPy {want.dtype}{want.shape}")
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3 * np.abs(want).max(), err_msg=f"{case}: {name}")


def microseconds(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def mean(ratios):
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def measure(family, libraries, rounds):
    """Print a family's table; return {library: geometric mean of its time relative to lazyarr's}."""
    names = list(libraries.modules)
    print(f"## {family}\n\n| µs | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    ratios = {name: [] for name in names if name != "lazyarr"}
    for case, functions, arrays in FAMILIES[family]():
        calls = {name: libraries.call(name, functions[name], arrays) for name in names}
        check(case, calls)
        samples = side_by_side(calls, rounds, SECONDS, PAUSE)
        times = {name: 1e6 * statistics.median(samples[name]) for name in names}
        for name, found in ratios.items():
            found.append(times[name] / times["lazyarr"])
        print(f"| {case} | {' | '.join(microseconds(times[name]) for name in names)} |", flush=True)
    means = {name: mean(found) for name, found in ratios.items()}
    print(f"| {MEAN} | 1 | {' | '.join(f'{value:.2f}' for value in means.values())} |\n")
    return means


def read(path):
    """Return {family: {library: mean}} from printed tables."""
    means = {}
    for line in Path(path).read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("## "):
            family = line.removeprefix("## ")
        elif cells[0] == "µs":
            names = cells[1:]
        elif cells[0] == MEAN:
            means[family] = dict(zip(names[1:], map(float, cells[2:]), strict=True))  # lazyarr is the first column
    return means


def draw(means, path):
    """Draw a bar chart of {family: {library: mean}} for light and dark pages."""
    with axes_saved_to(path, (7.5, 4.2)) as axes:
        names = list(next(iter(means.values())))
        height = 0.8 / len(names)
        for k, name in enumerate(names):
            places = [row + (k - (len(names) - 1) / 2) * height for row in range(len(means))]
            values = [means[family][name] for family in means]
            bars = axes.barh(places, values, 0.9 * height, color=COLOURS[name], label=name)
            axes.bar_label(bars, [f"{value:.1f}" for value in values], padding=3, fontsize=8)
        axes.set_yticks(range(len(means)), list(means))
        axes.invert_yaxis()
        axes.axvline(1, color=GREY, linewidth=1)
        axes.text(1, 1, "lazyarr", ha="center", va="bottom", transform=axes.get_xaxis_transform())
        axes.set_xlabel("time over lazyarr's, geometric mean of the family's cases (longer is slower)")
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.08)
        axes.legend(frameon=False, loc="best")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"some of {', '.join(FAMILIES)}; all if none")
    parser.add_argument("--quick", action="store_true", help="one round: do the cases still work?")
    parser.add_argument("--figure", metavar="PATH", help="where to write the figure")
    parser.add_argument("--read", metavar="PATH", help="measure nothing, take the means from tables in this file")
    options = parser.parse_args()
    if unknown := set(options.families) - FAMILIES.keys():
        parser.error(f"no family {', '.join(sorted(unknown))}")
    if options.read:
        means = read(options.read)
    else:
        libraries = Libraries()
        rounds = 1 if options.quick else ROUNDS
        means = {family: measure(family, libraries, rounds) for family in options.families or FAMILIES}
    if options.figure:
        draw(means, options.figure)


if __name__ == "__main__":
    main()
