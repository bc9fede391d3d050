"""Arrays in files: they round-trip, and neither crashes nor invalid files do harm."""

import contextlib
import json
import os
import random
import signal
import stat
import tracemalloc

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn, serialization
from lazyarr.autodiff.trees import leaves


class Net(nn.Layer):
    buffer_names = ("count",)

    def __init__(self, hidden=3):
        self.layers = [nn.Linear(2, hidden, rng=0), nn.Linear(hidden, 1, rng=1)]
        self.count = la.zeros(2, int)


def values(tree):
    return [np.array(x) for x in leaves(tree)]


def assert_same(a, b):
    for x, y in zip(values(a), values(b), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("dtype", serialization.DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3, 4)])
def test_what_was_saved_comes_back(dtype, shape, tmp_path):
    x = (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 1.5 + 1).astype(dtype)
    nn.save(tmp_path / "x", {"x": la.array(x), "y": [x, {"z": x.T}]})
    got = nn.load(tmp_path / "x")
    assert list(got) == ["x", "y"]
    for found, want in [(got["x"], x), (got["y"][0], x), (got["y"][1]["z"], x.T)]:
        assert isinstance(found, la.LazyArray)
        assert (found.dtype, found.shape) == (want.dtype, want.shape)
        np.testing.assert_array_equal(found.numpy(), want)


def test_form_order_and_numbers_come_back(tmp_path):
    tree = {"z": 1, "a": (2.5, [], {}), "n": None, "s": [True]}
    nn.save(tmp_path / "x", tree)
    got = nn.load(tmp_path / "x")
    assert list(got) == ["z", "a", "n", "s"]
    assert (int(got["z"]), got["z"].dtype, float(got["a"][0])) == (1, np.int64, 2.5)
    assert got["a"][1:] == [[], {}]
    assert got["n"] is None
    assert got["s"][0].dtype == bool


def test_layouts_do_not_matter(tmp_path):
    x = np.arange(24.0).reshape(4, 6)
    nn.save(tmp_path / "x", [x[::-2, ::3], x.T, x.astype(">f8"), la.array(x)[1:, ::-1], np.broadcast_to(x[0], (2, 6))])
    for got, want in zip(nn.load(tmp_path / "x"), [x[::-2, ::3], x.T, x, x[1:, ::-1], [x[0]] * 2], strict=True):
        np.testing.assert_array_equal(got, want)


def test_what_was_loaded_can_be_written_to(tmp_path):
    nn.save(tmp_path / "x", [la.zeros(2)])
    got = nn.load(tmp_path / "x")[0]
    got += 1
    assert got.tolist() == [1, 1]


def test_a_layer_comes_back(tmp_path):
    net, other = Net(), Net()
    net.layers[0].weight[...] = 5
    net.count[...] = 7
    nn.save(tmp_path / "net", net)
    assert nn.load(tmp_path / "net", other) is None
    assert_same(other.parameters(), net.parameters())
    assert other.count.tolist() == [7, 7]
    assert set(nn.load(tmp_path / "net")) == {"parameters", "buffers"}


def test_other_programs_read_the_file(tmp_path):
    from safetensors.numpy import load_file, save_file

    nn.save(tmp_path / "x", {"a": [la.ones(2)]})
    np.testing.assert_array_equal(load_file(tmp_path / "x")["a.0"], [1, 1])
    save_file({"layer.weight": np.ones(3)}, tmp_path / "y")
    assert nn.load(tmp_path / "y")["layer.weight"].tolist() == [1, 1, 1]
    assert nn.load_metadata(tmp_path / "y") is None


def test_metadata(tmp_path):
    state = np.random.default_rng(0).bit_generator.state    # with integers of 128 bits
    nn.save(tmp_path / "x", [], metadata={"step": 3, "state": state})
    assert nn.load_metadata(tmp_path / "x") == {"step": 3, "state": state}
    nn.save(tmp_path / "x", [])
    assert nn.load_metadata(tmp_path / "x") is None


@pytest.mark.parametrize("dtype", ["complex128", "longdouble", "U3", "M8[s]", "i4,f4", object])
def test_names_a_dtype_that_cannot_be_saved(dtype, tmp_path):
    with pytest.raises(TypeError, match=r"layers\.0 has dtype .*float32"):
        nn.save(tmp_path / "x", {"layers": [np.zeros(2, dtype)]})
    assert os.listdir(tmp_path) == []


def test_refuses_what_cannot_come_back(tmp_path):
    with pytest.raises(ValueError, match=r"two arrays have the name 'a\.b'"):
        nn.save(tmp_path / "x", {"a.b": np.ones(1), "a": {"b": np.ones(1)}})
    with pytest.raises(ValueError, match="no place for an array of the name '__metadata__'"):
        nn.save(tmp_path / "x", {"__metadata__": np.ones(1)})
    with pytest.raises(TypeError, match="keys of dicts must be strings, got 3"):
        nn.save(tmp_path / "x", [{3: np.ones(1)}])
    with pytest.raises(TypeError, match="what JSON can express"):
        nn.save(tmp_path / "x", [], metadata={"x": object()})
    assert os.listdir(tmp_path) == []


# ---- invalid files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [0, 4, 8, 20, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off(part, tmp_path):
    nn.save(tmp_path / "x", {"w": la.ones(100)})
    data = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(data[:part if isinstance(part, int) else int(part * len(data))])
    for read in nn.load, nn.load_metadata:
        with pytest.raises(ValueError, match="damaged or not in the format safetensors"):
            read(tmp_path / "x")


@pytest.mark.parametrize("data", [b"PK\x03\x04 a zip" * 9, b"\x93NUMPY\x01\x00v\x00{'descr'", b"{}", b"\xff" * 99])
def test_a_file_of_another_format(data, tmp_path):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(ValueError, match="not in the format safetensors"):
        nn.load(tmp_path / "x")


@pytest.mark.parametrize("form", ["{", '["other"]', '["w", "w"]', "[3]", '"w.x"'])
def test_a_form_that_is_damaged(form, tmp_path):
    from safetensors.numpy import save_file

    save_file({"w": np.ones(3)}, tmp_path / "x", {serialization._FORM: form})
    with pytest.raises(ValueError, match="its form does not fit its arrays"):
        nn.load(tmp_path / "x")


def written(path, header, data=b""):
    """Write a file with any header."""
    header = json.dumps(header).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)


@pytest.mark.parametrize("shape", [[10**9], [10**18], [10**30], [0, 10**18], [0, 2**62, 2**62], [0] * 65, [-1], [1.5]])
def test_shapes_that_the_bytes_do_not_fill(shape, tmp_path):
    written(tmp_path / "x", {"w": {"dtype": "F64", "shape": shape, "data_offsets": [0, 0]}})
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"load: .*x is damaged"):
            nn.load(tmp_path / "x")
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_texts_that_are_nested_without_end(tmp_path):
    entry = {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}
    notes = {serialization._FORM: "[" * 100_000, serialization._NOTES: '{"a":' * 100_000}
    written(tmp_path / "x", {"w": entry, "__metadata__": notes}, bytes(8))
    with pytest.raises(ValueError, match="its form does not fit its arrays"):
        nn.load(tmp_path / "x")
    with pytest.raises(ValueError, match="its metadata are no JSON"):
        nn.load_metadata(tmp_path / "x")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x")
    for path in (tmp_path / "x", "/dev/zero"):
        with pytest.raises(ValueError, match="not a regular file"):
            nn.load(path)
    with pytest.raises(IsADirectoryError):
        nn.load(tmp_path)


def test_bytes_that_are_damaged_by_chance(tmp_path):
    nn.save(tmp_path / "x", {"a": [la.ones((3, 4)), la.zeros(2)], "b": (la.arange(5), 2.5)}, metadata={"step": 3})
    whole, rng = (tmp_path / "x").read_bytes(), random.Random(0)
    header = 8 + int.from_bytes(whole[:8], "little")    # no checksum covers what is behind it
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(header)] = rng.choice(b'"{}[],:0123456789' + rng.randbytes(4))
        (tmp_path / "x").write_bytes(data[:rng.choice([len(data), rng.randrange(len(data))])])
        for read in nn.load, nn.load_metadata:
            with contextlib.suppress(ValueError):
                read(tmp_path / "x")


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("dtype, size", [("BF16", 2), ("F8_E4M3", 1)])
def test_dtypes_that_numpy_does_not_have(dtype, size, known, tmp_path):
    if known:    # to NumPy, as JAX makes them
        pytest.importorskip("ml_dtypes")
    written(tmp_path / "x", {"w": {"dtype": dtype, "shape": [2], "data_offsets": [0, 2 * size]}}, bytes(2 * size))
    with pytest.raises(ValueError, match=f"has w of dtype {dtype}, which NumPy does not have"):
        nn.load(tmp_path / "x")


def test_metadata_that_are_damaged(tmp_path):
    from safetensors.numpy import save_file

    save_file({}, tmp_path / "x", {serialization._NOTES: "{"})
    with pytest.raises(ValueError, match="its metadata are no JSON"):
        nn.load_metadata(tmp_path / "x")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        nn.load(tmp_path / "x")
    with pytest.raises(FileNotFoundError):
        nn.save(tmp_path / "folder" / "x", [])


def test_other_shapes_change_nothing(tmp_path):
    net = Net(hidden=4)
    before = values(serialization.layer_tree(net))
    nn.save(tmp_path / "x", Net(hidden=3))
    with pytest.raises(ValueError, match=r"layers\.0\.weight has shape \(2, 4\), but \(2, 3\) is given"):
        nn.load(tmp_path / "x", net)
    wrong = serialization.layer_tree(Net(hidden=4))
    nn.save(tmp_path / "x", {"parameters": wrong["parameters"], "buffers": {"count": np.ones(3, int)}})
    with pytest.raises(ValueError, match=r"buffer count has shape \(2,\), but \(3,\) is given"):
        nn.load(tmp_path / "x", net)
    nn.save(tmp_path / "x", wrong["parameters"])
    with pytest.raises(ValueError, match="does not hold a layer's parameters"):
        nn.load(tmp_path / "x", net)
    assert_same(serialization.layer_tree(net), before)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "safetensors.numpy", None)
    with pytest.raises(ImportError, match=r"nn\.save needs the package safetensors: pip install 'lazyarr\[nn\]'"):
        nn.save(tmp_path / "x", [])


# ---- crashes --------------------------------------------------------------------------------------------


class Stop(BaseException):
    """An exception that no ordinary handler catches."""


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError, Stop])
def test_a_failed_step_leaves_the_file_before(step, error, tmp_path, monkeypatch):
    nn.save(tmp_path / "x", {"w": la.zeros(3)})

    def fail(*args):
        raise error("no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, step, fail)
        with pytest.raises(error):
            nn.save(tmp_path / "x", {"w": la.ones(3)})
    assert os.listdir(tmp_path) == ["x"]
    assert nn.load(tmp_path / "x")["w"].tolist() == [0, 0, 0]


def test_everything_is_on_the_disk_before_the_name_is_given(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: done.append(stat.S_ISDIR(os.fstat(file).st_mode)) or fsync(file))
    monkeypatch.setattr(os, "replace", lambda a, b: done.append("replace") or replace(a, b))
    nn.save(tmp_path / "x", [la.ones(3)])
    assert done == [False, "replace", True]    # the file, its name, the folder


@pytest.mark.parametrize("call", ["open", "fsync", "replace", "close"])
def test_a_process_that_is_killed_leaves_the_file_before(call, tmp_path, start_python):
    nn.save(tmp_path / "x", {"w": la.zeros(3)})
    process = start_python(f"""
        import os, signal, builtins
        import lazyarr as la

        def kill(*args):
            os.kill(os.getpid(), signal.SIGKILL)

        if {call!r} == "open":    # in the middle of writing
            from lazyarr import user_files
            class Dying:
                def __init__(self, file): self.file = file
                def __enter__(self): return self
                def __exit__(self, *args): pass
                def write(self, data):
                    self.file.write(data[:len(data) // 2])
                    self.file.flush()
                    kill()
            user_files.open = lambda *args, **options: Dying(builtins.open(*args, **options))
        else:
            setattr(os, {call!r}, kill)
        import safetensors.numpy
        la.nn.save({str(tmp_path / "x")!r}, {{"w": la.ones(3)}})
    """)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    got = nn.load(tmp_path / "x")["w"].tolist()
    assert got == ([1, 1, 1] if call == "close" else [0, 0, 0])    # closing the folder comes last


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "x").symlink_to(tmp_path / "real" / "y")
    nn.save(tmp_path / "x", [la.ones(1)])
    assert (tmp_path / "x").is_symlink()
    assert nn.load(tmp_path / "real" / "y")[0].tolist() == [1]


def test_the_header_says_what_the_form_is(tmp_path):
    nn.save(tmp_path / "x", {"a": [la.ones(1)]}, metadata={"b": 1})
    data = (tmp_path / "x").read_bytes()
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
    assert header["__metadata__"] == {"lazyarr.form": '{"a": ["a.0"]}', "lazyarr.metadata": '{"b": 1}'}
