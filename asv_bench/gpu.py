"""lazyarr on a CUDA device next to CuPy, JAX and PyTorch, as tables in Markdown.

    python asv_bench/gpu.py --output gpu.md       # builds, runs the device tests on the device, measures
    python asv_bench/gpu.py chains sums --no-build
    python asv_bench/gpu.py --dry-run             # small sizes and few tests, on the mock of tests/support/cuda_mock

tests       device tests, and tests of operations with all arrays on the device: how many passed
chains      elementwise operations on large arrays: times, and bandwidth next to that of a device copy
sums        along any axes
cumsum      of a large vector
products    of matrices, of batches, and of a matrix and a vector
convolutions    of images, as in convolutional networks
launches    host time of a cached plan of one small kernel, next to a driver launch
loop        small dependent kernels
programs    examples/programs/ at large sizes, next to NumPy on the host
networks    a training step of LeNet, and ResNet50 on one image

A time is that of consecutive calls with a synchronization at the end. lazyarr rebuilds its graph in each call;
"unchecked" is under ``np.errstate(all="ignore")``, which needs no synchronization. JAX is jitted and PyTorch compiled.
Libraries that are not installed, or find no device, are left out; a dash marks what a library cannot do.
"""

import argparse
import contextlib
import ctypes
import functools
import importlib
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.elementwise import CHAINS
from benchmarks.programs import load, timed

import lazyarr as la

ROOT = Path(__file__).resolve().parents[1]
DEVICE = "cuda:0"
ROUNDS = 5


class Sizes(NamedTuple):
    """The sizes of all cases."""

    elements: int
    scanned: int
    turns: int
    seconds: float  # per round
    programs: dict
    extent: int     # of square matrices
    images: tuple   # batch, extent, channels
    lenet: tuple    # images, hidden units
    resnet: tuple   # extent of the image, channels of the first stage
    tests: tuple    # arguments of pytest, and whether all arrays are on the device


LARGE = Sizes(100_000_000, 50_000_000, 1000, 0.2, {
    "heat": (4000, 200), "cavity": (2001, 20, 50), "nbody": (5000, 5), "lattice_boltzmann": (3000, 1000, 100)},
    4096, (64, 56, 64), (100, 1024), (224, 64), ((["tests/gpu"], False), (["tests/ops"], True)))  # fmt: skip
SMALL = Sizes(3000, 1000, 5, 0.0, {
    "heat": (30, 3), "cavity": (21, 2, 3), "nbody": (20, 2), "lattice_boltzmann": (40, 20, 3)},
    24, (2, 6, 3), (2, 8), (32, 2), ((["tests/gpu/test_cuda_calls.py", "-k", "bincount"], False),
                                     (["tests/ops/test_logsumexp.py"], True)))  # fmt: skip


# ---- libraries ---------------------------------------------------------------------------------------------


class Library(NamedTuple):
    """A library with arrays on the device.

    Attributes
    ----------
    to_device : callable
    prepare : callable
        Converts a function of a namespace and arrays to one of arrays that starts the computation.
    wait : callable
        Waits for a result.
    """

    to_device: object
    prepare: object
    wait: object


def lazy(checked):
    """Return lazyarr, with or without reports of floating-point errors."""
    def to_device(array):
        there = la.asarray(array).to_device(DEVICE)
        la.evaluate(there)
        return there

    def prepare(function):
        def call(*arrays):
            with contextlib.nullcontext() if checked else np.errstate(all="ignore"):
                result = function(la, *arrays)
                la.evaluate(result)
            return result

        return call

    return Library(to_device, prepare, lambda result: result.reshape(-1)[:1].numpy())


def cupy_library():
    cupy = importlib.import_module("cupy")
    cupy.cuda.runtime.getDeviceCount()
    return Library(cupy.asarray, lambda function: functools.partial(function, cupy),
                   lambda result: cupy.cuda.runtime.deviceSynchronize())


def jax_library():
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    device = jax.devices("gpu")[0]
    return Library(lambda array: jax.device_put(array, device),
                   lambda function: jax.jit(functools.partial(function, jax.numpy)),
                   lambda result: result.block_until_ready())


def torch_library():
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        raise RuntimeError("no device")
    return Library(lambda array: torch.from_numpy(array).cuda(),
                   lambda function: torch.compile(functools.partial(function, torch)),
                   lambda result: torch.cuda.synchronize())


def libraries():
    """Return the available libraries by name, and notes about missing ones."""
    found, notes = {"lazyarr": lazy(True), "lazyarr, unchecked": lazy(False)}, []
    for name, make in (("CuPy", cupy_library), ("JAX", jax_library), ("PyTorch", torch_library)):
        try:
            found[name] = make()
        except Exception as error:  # not installed, or no device: the exceptions vary
            notes.append(f"{name} is left out: {error}")
    return found, notes


# ---- measuring ---------------------------------------------------------------------------------------------


def mean_seconds(call, wait, seconds):
    """Return the mean seconds of consecutive calls with one wait, as the median of the rounds."""
    wait(call())  # compiles
    began = time.perf_counter()
    wait(call())
    count = max(1, int(seconds / (time.perf_counter() - began)))
    samples = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(count):
            result = call()
        wait(result)
        samples.append((time.perf_counter() - began) / count)
    return statistics.median(samples)


def measure(function, arrays, found, seconds):
    """Return {library: seconds per call}, None where it fails; results must agree up to rounding."""
    times, wanted = {}, None
    for name, library in found.items():
        try:
            there = [library.to_device(array) for array in arrays]
            call = library.prepare(function)
            result = np.asarray(first_elements(call(*there)))
            times[name] = mean_seconds(functools.partial(call, *there), library.wait, seconds)
        except Exception as error:  # a dash in the table
            if name.startswith("lazyarr"):
                raise
            print(f"{name} cannot do this: {error}", file=sys.stderr)
            times[name] = None
            continue
        wanted = result if wanted is None else wanted
        np.testing.assert_allclose(result, wanted, rtol=1e-3, err_msg=name)
    return times


def first_elements(result):
    """Return some elements of a result as an ndarray."""
    some = result.reshape(-1)[:1000]
    for method in ("cpu", "get"):  # PyTorch's and CuPy's
        some = getattr(some, method)() if hasattr(some, method) else some
    return some.numpy() if hasattr(some, "numpy") else some


def cell(value, scale):
    return "-" if value is None else f"{value * scale:,.3g}" if value * scale < 1000 else f"{value * scale:,.0f}"


def table(unit, scale, rows, write):
    """Write a table of {case: {column: value}}."""
    columns = list(next(iter(rows.values())))
    write(f"| {unit} | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for case, values in rows.items():
        write(f"| {case} | {' | '.join(cell(values[column], scale) for column in columns)} |")
    write("")


# ---- families ----------------------------------------------------------------------------------------------


def chains(sizes, found, write):
    n = sizes.elements
    arrays = [(np.random.default_rng(seed).random(n, np.float32) + np.float32(0.1)) for seed in range(3)]
    times = {"copy": measure(lambda xp, x: x.clone() if hasattr(x, "clone") else x.copy(), arrays[:1], found,
                             sizes.seconds)}  # fmt: skip
    times |= {name: measure(chain, arrays, found, sizes.seconds) for name, chain in CHAINS.items()}
    write(f"{n:,} float32 elements; a copy reads one array, a chain three.\n")
    table("ms", 1e3, times, write)
    moved = {case: (8 if case == "copy" else 16) * n for case in times}
    table("GB/s", 1e-9, {case: {name: value and moved[case] / value for name, value in row.items()}
                         for case, row in times.items()}, write)  # fmt: skip


def sums(sizes, found, write):
    extent = round(sizes.elements ** (1 / 4))
    x = np.random.default_rng(0).random((extent,) * 4, np.float32)
    write(f"{extent}^4 float32 elements.\n")
    table("ms", 1e3, {f"sum over {axes}": measure(lambda xp, x, axes=axes: x.sum(axes), [x], found, sizes.seconds)
                      for axes in ((0, 1, 2, 3), 0, 3, (0, 2), (1, 2), (1, 3))}, write)  # fmt: skip


def cumsum(sizes, found, write):
    x = np.random.default_rng(0).random(sizes.scanned, np.float32)
    table("ms", 1e3, {f"cumsum of {x.size:,} float32": measure(
        lambda xp, x: xp.cumsum(x, 0), [x], found, sizes.seconds)}, write)  # fmt: skip


def launches(sizes, found, write):
    x = np.ones(1000, np.float32)
    times = {"one kernel": measure(lambda xp, x: x + x, [x], found, sizes.seconds) | {
        "the driver's launch": driver_launch(sizes.seconds)}}  # fmt: skip
    write("A sum of 1,000 float32 elements, and the launch of a kernel that does nothing.\n")
    table("µs", 1e6, times, write)


def driver_launch(seconds):
    """Return the time of a driver launch of a kernel without arguments."""
    from lazyarr.gpu.drivers import libcuda, nvrtc

    version, _ = libcuda.devices()
    cuda = libcuda.library()
    major, minor = (libcuda.made(ctypes.c_int, cuda.cuDeviceGetAttribute, attribute, 0)
                    for attribute in (libcuda.CAPABILITY_MAJOR, libcuda.CAPABILITY_MINOR))
    compiler = nvrtc.library(version)
    image = nvrtc.compile_cubin('extern "C" __global__ void nothing() {}', f"sm_{10 * major + minor}", compiler)
    cuda.cuCtxPushCurrent_v2(libcuda.made(libcuda.HANDLE, cuda.cuDevicePrimaryCtxRetain, 0))
    try:
        module = libcuda.made(libcuda.HANDLE, cuda.cuModuleLoadDataEx, image, 0, None, None)
        function = libcuda.made(libcuda.HANDLE, cuda.cuModuleGetFunction, module, b"nothing")
        stream = libcuda.made(libcuda.HANDLE, cuda.cuStreamCreate, libcuda.STREAM_NON_BLOCKING)
        launch = functools.partial(cuda.cuLaunchKernel, function, 1, 1, 1, 32, 1, 1, 0, stream, None, None)
        return mean_seconds(launch, lambda result: cuda.cuStreamSynchronize(stream), seconds)
    finally:
        cuda.cuCtxPopCurrent_v2(None)


def loop(sizes, found, write):
    def repeated(step):
        def call(x):
            for _ in range(sizes.turns):
                x = step(x)
            return x

        return call

    prepared = {name: library._replace(prepare=lambda function, library=library: repeated(library.prepare(function)))
                for name, library in found.items()}
    times = measure(lambda xp, x: x * 0.5 + 1, [np.ones(1000, np.float32)], prepared, sizes.seconds)
    table("ms", 1e3, {f"{sizes.turns:,} times x * 0.5 + 1 of 1,000 float32": times}, write)


def products(sizes, found, write):
    n = sizes.extent
    rng = np.random.default_rng(0)
    cases = {f"{n} x {n} {dtype}": ((n, n), (n, n), dtype) for dtype in ("float32", "float64")}
    cases |= {f"{n // 8} of 64 x 64 float32": ((n // 8, 64, 64), (n // 8, 64, 64), "float32"),
              f"{n} x {n} float32 and a vector": ((n, n), (n,), "float32")}  # fmt: skip
    times = {case: measure(lambda xp, a, b: a @ b, [rng.random(shape).astype(dtype) for shape in shapes], found,
                           sizes.seconds)
             for case, (*shapes, dtype) in cases.items()}  # fmt: skip
    table("ms", 1e3, times, write)


def convolve(xp, x, w):
    """Convolve images (batch, height, width, channels), padded to preserve their extents."""
    if xp is la:
        return la.nn.conv2d(x, w, padding="same")
    if xp.__name__ == "torch":
        of_image = importlib.import_module("torch.nn.functional").conv2d(
            x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), padding="same")
        return of_image.permute(0, 2, 3, 1)
    if xp.__name__ == "jax.numpy":
        return importlib.import_module("jax.lax").conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    raise NotImplementedError("it has no convolutions of images")


def convolutions(sizes, found, write):
    count, extent, channels = sizes.images
    rng = np.random.default_rng(0)
    x = rng.random((count, extent, extent, channels), np.float32)
    times = {f"{taps} x {taps}": measure(convolve, [x, rng.random((taps, taps, channels, channels), np.float32)], found,
                                         sizes.seconds) for taps in (1, 3, 5)}  # fmt: skip
    write(f"{count} images of {extent} x {extent}, {channels} channels to as many, float32.\n")
    table("ms", 1e3, times, write)


def networks(sizes, found, write):
    with contextlib.redirect_stdout(sys.stderr):    # it reports whether PyTorch is there
        definitions = importlib.import_module("networks")
    images, hidden = sizes.lenet
    extent, narrowest = sizes.resnet
    shapes = definitions.Shapes(0)
    definitions.resnet50(definitions.Network(shapes), 3, narrowest)
    image = np.random.default_rng(1).random((1, extent, extent, 3), np.float32)
    rows = {}
    with la.device(DEVICE):
        step, ops = definitions.lenet_step(images, hidden), definitions.Lazy(shapes.weights)
        there = ops.image(image)

        def train():
            results = step()
            la.evaluate(*results)
            return results[0]

        def look():
            return definitions.resnet50(definitions.Network(ops), there, narrowest)

        for case, call in ((f"LeNet, a step on {images} images", train), (f"ResNet50, an image of {extent}", look)):
            rows[case] = {"lazyarr": mean_seconds(call, lambda result: result.numpy(), sizes.seconds)}
    if "PyTorch" in found:
        torch_seconds = resnet_by_torch(definitions, shapes, image, narrowest, sizes.seconds)
        rows[f"ResNet50, an image of {extent}"]["PyTorch"] = torch_seconds
    table("ms", 1e3, {case: {name: row.get(name) for name in ("lazyarr", "PyTorch")} for case, row in rows.items()},
          write)  # fmt: skip


def resnet_by_torch(definitions, shapes, image, narrowest, seconds):
    """Return the time of ResNet50 in PyTorch, without derivatives."""
    torch = importlib.import_module("torch")
    ops = definitions.Torch(shapes.weights)
    ops.weights = {name: weight.cuda() for name, weight in ops.weights.items()}
    there = ops.image(image).cuda()
    with torch.no_grad():
        return mean_seconds(lambda: definitions.resnet50(definitions.Network(ops), there, narrowest),
                            lambda result: torch.cuda.synchronize(), seconds)  # fmt: skip


def tests(sizes, found, write):
    """Report pytest's last line, and the tests that failed."""
    for arguments, is_there in sizes.tests:
        environment = os.environ | ({"LAZYARR_DEVICE": DEVICE} if is_there else {})
        # -P: the working directory need not be built if the package is installed.
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        lines = done.stdout.strip().split("\n")
        failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        where = f"with all arrays on {DEVICE}" if is_there else "of devices"
        write("\n".join([f"Tests {where}, {' '.join(arguments)}: {lines[-1]}\n", *failed]))


def programs(sizes, found, write):
    rows = {}
    for name, arguments in sizes.programs.items():
        with la.config(device=DEVICE):
            module = load(name, lazy=True)
            timed(module, *arguments)  # compiles
            rows[f"{name} {' '.join(map(str, arguments))}"] = row = {"lazyarr": timed(module, *arguments)[0]}
        row["NumPy on the host"] = timed(load(name, lazy=False), *arguments)[0]
        if "CuPy" in found:
            row["CuPy"] = timed_by_cupy(name, arguments)
    table("s", 1, rows, write)


def timed_by_cupy(name, arguments):
    """Return the seconds of a program with CuPy in place of NumPy, None if it fails."""
    module = load(name, lazy=False)
    module.np = importlib.import_module("cupy")
    try:
        timed(module, *arguments)
        return timed(module, *arguments)[0]
    except Exception as error:  # a dash in the table
        print(f"{name} does not run with CuPy: {error}", file=sys.stderr)
        return None


FAMILIES = {family.__name__: family for family in (
    tests, chains, sums, cumsum, products, convolutions, launches, loop, programs, networks)}  # fmt: skip


# ---- the command -------------------------------------------------------------------------------------------


def use_mock():
    """Make this process load the mocks of the driver and of NVRTC, unless the environment names others."""
    os.environ |= {"LAZYARR_KERNELS": "0", "LAZYARR_MOCK_RACES": "0"}
    if "LAZYARR_CUDA" not in os.environ:
        sys.path.insert(0, str(ROOT / "tests"))
        from support import cuda_mock

        os.environ.update(cuda_mock.environment())


def build():
    """Build the checkout."""
    subprocess.run([sys.executable, "setup.py", "build_ext", "--inplace", f"-j{os.cpu_count()}"], cwd=ROOT, check=True)


def main():
    """Build, and run the families."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", help=", ".join(FAMILIES))
    parser.add_argument("--output", type=Path, help="a file for the tables, besides the terminal")
    parser.add_argument("--no-build", action="store_true", help="do not build")
    parser.add_argument("--dry-run", action="store_true", help="small sizes and few tests, on the mock")
    options = parser.parse_args()
    if unknown := {*options.families} - FAMILIES.keys():
        parser.error(f"no such family: {', '.join(sorted(unknown))}")
    if options.dry_run:
        use_mock()
    elif not options.no_build:
        build()
    lines = []

    def write(line):
        print(line, flush=True)
        lines.append(line)

    found, notes = libraries()
    write("\n".join([f"{DEVICE} of {la.__version__}", "", *notes, ""]))
    for name in options.families or FAMILIES:
        write(f"## {name}\n")
        FAMILIES[name](SMALL if options.dry_run else LARGE, found, write)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
