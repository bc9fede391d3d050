"""The cost of pushes to the dependency engine, next to other schedulers: `python asv_bench/engine.py`.

Each row is a scheduler: microseconds per push, and until all pushed operations have run, for empty operations on 50
variables that each read one variable and mutate another. `concurrent.futures` has no dependencies. dask's graph is a
chain through the variables, run by its threaded scheduler. A push to Ray is a call of `.remote()`, with the results of
two earlier ones or without. dask and Ray are measured if installed.
"""
import argparse
import ctypes
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lazyarr.runtime import Engine, NativeFunction, Pool, Serial

ROOT = Path(__file__).parents[1]


def from_c(pushes):
    """Return microseconds, and the kilobytes of memory growth in a second round."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "engine_pushes")
        subprocess.run(["cc", "-O2", "-I", ROOT / "lazyarr/_core/simd", ROOT / "asv_bench/native/engine_pushes.c", "-o",
                        program, "-lpthread"], check=True)
        push, whole, grown = subprocess.check_output([program, str(pushes), "2"], text=True).split()
    return float(push), float(whole), int(grown)


def nothing():
    pass


def engine(policy, fn, pushes, bound=False):
    with Engine(policy) as made:
        variables = [made.new_variable() for _ in range(50)]
        names = [((variables[k],), (variables[(k + 7) % 50],)) for k in range(50)]
        operators = [made.new_operator(fn, *pair) for pair in names]
        start = time.perf_counter()
        if bound:
            for k in range(pushes):
                made.push(operators[k % 50])
        else:
            for k in range(pushes):
                made.push(fn, *names[k % 50])
        pushed = time.perf_counter()
        made.wait_all()
        return (pushed - start) / pushes * 1e6, (time.perf_counter() - start) / pushes * 1e6


def futures(pushes):
    with ThreadPoolExecutor(2) as pool:
        start = time.perf_counter()
        made = [pool.submit(nothing) for _ in range(pushes)]
        pushed = time.perf_counter()
        for future in made:
            future.result()
        return (pushed - start) / pushes * 1e6, (time.perf_counter() - start) / pushes * 1e6


def dask_threads(pushes):
    import dask.threaded

    start = time.perf_counter()
    latest = [("variable", k) for k in range(50)]
    graph = dict.fromkeys(latest, (nothing,))
    for k in range(pushes):
        graph["operation", k] = (lambda *_: None, latest[k % 50], latest[(k + 7) % 50])
        latest[(k + 7) % 50] = "operation", k
    made = time.perf_counter()
    dask.threaded.get(graph, latest, num_workers=2)
    return (made - start) / pushes * 1e6, (time.perf_counter() - start) / pushes * 1e6


def ray_tasks(pushes, depend=True):
    import ray

    if not ray.is_initialized():
        ray.init(num_cpus=2, log_to_driver=False)
    task = ray.remote(lambda *_: None)
    latest = [task.remote() for _ in range(50)]
    ray.get(latest)
    start = time.perf_counter()
    if depend:
        for k in range(pushes):
            latest[(k + 7) % 50] = task.remote(latest[k % 50], latest[(k + 7) % 50])
    else:
        latest = [task.remote() for _ in range(pushes)]
    pushed = time.perf_counter()
    ray.get(latest)
    return (pushed - start) / pushes * 1e6, (time.perf_counter() - start) / pushes * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pushes", type=int, default=1_000_000)
    pushes = parser.parse_args().pushes
    native = NativeFunction(ctypes.cast(ctypes.pythonapi.PyMem_RawFree, ctypes.c_void_p).value)
    push, whole, grown = from_c(pushes)
    rows = [("native function, from C", push, whole),
            ("native function", *engine(Pool(2), native, pushes)),
            ("native function, bound to its variables", *engine(Pool(2), native, pushes, bound=True)),
            ("Python function", *engine(Pool(2), nothing, pushes)),
            ("Python function, Serial()", *engine(Serial(), nothing, pushes)),
            ("concurrent.futures, no dependencies", *futures(pushes // 5))]
    for name, measure, few in (("dask, threaded scheduler", dask_threads, 50), ("Ray", ray_tasks, 100),
                               ("Ray, no dependencies", lambda pushes: ray_tasks(pushes, False), 100)):
        try:
            rows.append((name, *measure(pushes // few)))
        except ImportError:
            print(f"{name}: not installed")
    print("| operation | us a push | us to the end |\n|---|---|---|")
    for name, push, whole in rows:
        print(f"| {name} | {push:.2f} | {whole:.2f} |")
    print(f"\nMemory after a second round of {pushes} pushes from C: {grown} kB more.")


if __name__ == "__main__":
    main()
