"""Graph files damaged by chance or on purpose never give a wrong graph, and never take much time or memory."""
import io
import os
import random
import sys
import time
import tracemalloc
import zipfile

import numpy as np
import pytest

import lazyarr as la
from lazyarr.safe_json import MOST_DEPTH
from lazyarr.symbolic.archive import unpacked
from support import harmful_graph_files

LOOPS, BYTES = 20, 10_000_000
"""Limits of time, as a multiple of `seconds_of_a_loop`, and of memory."""


def read_within_bounds(path):
    """The graph of a file, or None if it is refused; and that it takes neither time nor memory."""
    for last in (False, True):  # something else may have happened meanwhile
        start = time.thread_time()
        made = read(path)
        took = time.thread_time() - start
        if took < LOOPS * seconds_of_a_loop():
            break
        assert not last, f"{took:.3f} seconds"
    tracemalloc.start()
    try:
        read(path)
        took = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert took < BYTES, f"{took} bytes"
    return made


def seconds_of_a_loop():
    """CPU seconds of a fixed loop: how fast this machine is at the moment."""
    start = time.thread_time()
    for i in range(100_000):
        abs(i)
    return time.thread_time() - start


def read(path):
    try:
        return la.load_graph(path)
    except ValueError as error:
        if not str(error).startswith(f"load_graph: {path} is "):
            raise
        return None


def meaning(data):
    """What a file says, for comparison."""
    content, arrays = unpacked(io.BytesIO(data))
    return content, [(x.dtype, x.shape, x.tobytes()) for x in arrays]


def small():
    x = la.var((None,), name="x")
    return la.graph(x, (x * x).sum() ** 0.5)


def with_a_table():
    x = la.var((None, 64), "float32", "x")
    return la.graph(x, x @ np.random.default_rng(0).normal(size=(64, 20)).astype("f4"))


def with_shapes():
    x, i = la.var((None, 3), name="x"), la.var((), "int64", "i")
    y = la.zeros(x.shape) + x[:, ::-1] * (2j + i)
    y[0, ...] = np.float32(1.5)
    return la.graph([x, i], {"y": y.astype("c8"), "z": [np.add.reduce(y, axis=0), (x.T, np.sort(x))]}, "shapes")


def of_a_layer():
    layer = la.nn.Sequential(la.nn.Conv2d(1, 2, 3), la.nn.relu, la.nn.Flatten(), la.nn.Linear(72, 3))
    x, t = la.var((None, 8, 8, 1), "float32", "x"), la.var((None,), "int64", "t")
    loss = la.nn.cross_entropy(layer(x), t)
    return la.graph([x, t], [loss, loss.grad(x)])


def frozen():
    x = la.var((5,), name="x")
    made = la.graph(x, x * la.arange(5.0) + la.ones(5))
    made.freeze()
    return made


def of_many_calls():
    x = y = la.var((2, 2), name="x")
    for k in range(60):
        y = np.where(y > k, y @ x, y - k)
    return la.graph(x, y)


KINDS = small, with_a_table, with_shapes, of_a_layer, frozen, of_many_calls


def flipped(data, others, rng):
    made = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
    return bytes(made)


def overwritten(data, others, rng):
    at = rng.randrange(len(data))
    part = rng.randbytes(rng.randint(1, 16))
    return data[:at] + part + data[at + len(part):]


def cut(data, others, rng):
    first, last = sorted([rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)])
    return rng.choice([data[:last], data[first:], data[:first] + data[last:]])


def lengthened(data, others, rng):
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice([rng.randbytes(rng.randint(1, 64)), bytes(rng.randint(1, 64)), data]) + data[at:]


def spliced(data, others, rng):
    other = rng.choice(others)
    return data[:rng.randrange(len(data))] + other[rng.randrange(len(other)):]


def with_an_end_of_other_numbers(data, others, rng):
    """The places and lengths of parts are in the last records of the archive, which no checksum covers."""
    made = bytearray(data)
    for _ in range(rng.choice([1, 1, 2])):
        first = data.index(b"PK\x01\x02")
        made[rng.randrange(first, len(made))] = rng.choice([0, 1, 8, 127, 128, 255, rng.randrange(256)])
    return bytes(made)


DAMAGES = flipped, overwritten, cut, lengthened, spliced, with_an_end_of_other_numbers


def test_damaged_files_are_refused_or_read_as_they_were(tmp_path):
    rng, path = random.Random(0), tmp_path / "g"
    files = [kind().parts()[0] for kind in KINDS]
    meanings = [meaning(data) for data in files]
    read_whole = 0
    for k in range(2000):
        damage = DAMAGES[k % len(DAMAGES)]
        path.write_bytes(damage(rng.choice(files), files, rng))
        made = read_within_bounds(path)
        if made is not None:
            assert meaning(made.parts()[0]) in meanings
            read_whole += 1
    assert 20 < read_whole < 1000  # what is damaged by chance is harmless now and then


@pytest.fixture
def no_limits_of_python():
    """A program may have lifted these: the limits are ours."""
    depth, digits = sys.getrecursionlimit(), sys.get_int_max_str_digits()
    sys.setrecursionlimit(10**6)
    sys.set_int_max_str_digits(0)
    yield
    sys.setrecursionlimit(depth)
    sys.set_int_max_str_digits(digits)


@pytest.mark.usefixtures("no_limits_of_python")
def test_harmful_files_take_no_time_and_no_memory(tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "g"
    files = dict(harmful_graph_files.files())
    assert len(set(files.values())) >= 200
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    modules = set(sys.modules)
    for what, data in files.items():
        path.write_bytes(data)
        try:
            made = read_within_bounds(path)
        except Exception as error:
            error.add_note(what)
            raise
        if what.startswith(("calls_that_compute", "growth")):
            assert (made is None) == ("repeated shape" in what), what  # nothing is wrong in them
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KiB: what tracemalloc does not see
    assert not {name for name in set(sys.modules) - modules if name.startswith("numpy.")}


@pytest.mark.parametrize("what", ["numbers, 5: an extent", "calls_that_compute, 1000000000: zeros",
                                  "sizes, 1000000000: no elements"])
def test_large_extents_are_read(tmp_path, what):
    path = tmp_path / "g"
    path.write_bytes(dict(harmful_graph_files.files())[what])
    assert isinstance(read_within_bounds(path), la.symbolic.Graph)


def test_a_file_with_holes(tmp_path):
    path = tmp_path / "g"
    with open(path, "wb") as file:
        try:
            file.truncate(1 << 40)
        except OSError:
            pytest.skip("files have no holes here")
    assert read_within_bounds(path) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_and_devices_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "g")
    for path in (tmp_path / "g", "/dev/zero"):
        with pytest.raises(ValueError, match="not a regular file"):
            la.load_graph(path)
    with pytest.raises(IsADirectoryError):
        la.load_graph(tmp_path)


@pytest.mark.parametrize("depth", [(MOST_DEPTH - 8) // 2, MOST_DEPTH])
def test_what_could_not_be_read_is_not_written(tmp_path, depth):
    outputs = x = la.var((3,), name="x")
    for _ in range(depth):
        outputs = [outputs]
    g = la.graph(x, outputs)
    if depth < MOST_DEPTH // 2:
        g.save(tmp_path / "g")
        assert repr(la.load_graph(tmp_path / "g")) == repr(g)
    else:
        with pytest.raises(TypeError, match="save: graph cannot be stored: it is nested more than 200 deep"):
            g.save(tmp_path / "g")
        assert not os.listdir(tmp_path)


def test_parts_that_are_not_read_do_no_harm(tmp_path):
    path = tmp_path / "g"
    small().save(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../other", "x")
    assert read_within_bounds(path)([3.0, 4.0]) == 5
    assert os.listdir(tmp_path) == ["g"]
