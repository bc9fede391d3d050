"""Graphs in files: they round-trip, and damaged, foreign or harmful files are rejected."""
import copy
import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest

import lazyarr as la
from lazyarr.symbolic.function_registry import function_named


def declared():
    x, i = la.var((None, 3), name="x"), la.var((), "int64", "i")
    table = la.arange(6.0).reshape(3, 2)
    y = np.tanh(x[:, ::-1] @ table) + i
    y[0, ...] = 1.5
    z = np.concatenate([y, y * 2j], axis=1).astype(np.complex64)
    return la.graph([x, i], {"y": y, "z": [z, np.add.reduce(y, axis=0), x.T], "w": la.nn.relu(y).sum()}, "declared")


def leaves(tree):
    return la.autodiff.trees.leaves(tree)


def test_what_is_written_comes_back(tmp_path):
    g = declared()
    g.save(tmp_path / "g")
    h = la.load_graph(tmp_path / "g")
    assert repr(h) == repr(g) == "<graph declared(x: float64[?, 3], i: int64[])>"
    for rows in (1, 4):
        a = np.random.default_rng(0).normal(size=(rows, 3))
        for got, wanted in zip(leaves(h(a, 2)), leaves(g(a, 2)), strict=True):
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted)
    h.save(tmp_path / "h")
    with zipfile.ZipFile(tmp_path / "g") as one, zipfile.ZipFile(tmp_path / "h") as other:
        assert json.loads(one.read("graph.json")) == json.loads(other.read("graph.json"))


def test_derivatives_layers_and_scalars(tmp_path):
    layer = la.nn.Sequential(la.nn.Conv2d(1, 2, 3), la.nn.relu, la.nn.MaxPool2d(2), la.nn.Flatten(),
                             la.nn.Linear(18, 3), la.nn.LayerNorm(3))
    x, t = la.var((None, 8, 8, 1), "float32", "x"), la.var((None,), "int64", "t")
    loss = la.nn.cross_entropy(layer(x), t) * np.float32(0.5)
    g = la.graph([x, t], [loss, loss.grad(x), float("nan") * x.sum(), x * 1e-300])
    g.save(tmp_path / "g")
    before = [y.numpy() for y in g(np.ones((2, 8, 8, 1), "f4"), [0, 2])]
    for got, wanted in zip(la.load_graph(tmp_path / "g")(np.ones((2, 8, 8, 1), "f4"), [0, 2]), before, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_shared_arrays_stay_shared(tmp_path):
    w, x = la.ones(3), la.var((3,), name="x")
    la.graph(x, (x + w) * w).save(tmp_path / "g")
    with zipfile.ZipFile(tmp_path / "g") as archive:
        assert [name for name in archive.namelist() if name.startswith("arrays")] == ["arrays/0.npy"]


@pytest.mark.parametrize("outputs", [
    lambda x: la.nn.Dropout(0.5)(x),
    lambda x: x.computed(None, lambda a: a + 1, x),
    lambda x: x.computed("nonsense", lambda a: a + 1, x),
])
def test_what_cannot_be_stored(tmp_path, outputs):
    x = la.var((3,), "float32", "x")
    g = la.graph(x, outputs(x))
    with pytest.raises(TypeError, match=r"^save: .*(Python object|cannot be stored)"):
        g.save(tmp_path / "g")
    assert not os.listdir(tmp_path)


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    g = declared()
    g.save(tmp_path / "g")
    before = (tmp_path / "g").read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        g.save(tmp_path / "g")
    assert (tmp_path / "g").read_bytes() == before
    assert os.listdir(tmp_path) == ["g"]


@pytest.mark.parametrize("name", [
    "numpy save", "numpy load", "numpy fromfile", "numpy memmap", "numpy vectorize", "numpy apply_along_axis",
    "numpy lib.npyio.DataSource", "numpy linalg", "numpy nonsense", "numpy", "os.system", "nn.nonsense", "", " ",
    "method tofile", "method dump", "method __reduce__", "method __class__", "method", "attribute __class__",
    "attribute ctypes", "operator attrgetter", "operator methodcaller", "operator call", "ufunc os",
    "ufunc add.__call__", "ufunc nonsense",
])
def test_names_that_stand_for_nothing(name):
    with pytest.raises(ValueError, match="no function"):
        function_named(name)


def rewritten(path, change):
    """The file with another content."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    content = json.loads(parts["graph.json"])
    made = change(content)
    parts["graph.json"] = json.dumps(content if made is None else made).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def set_to(*keys, value):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


@pytest.mark.parametrize(("change", "said"), [
    (set_to("version", value=2), r"it has version 2 of the format; 1 can be read"),
    (set_to("version", value=None), "version None"),
    (set_to("format", value="other"), "another format"),
    (lambda content: [], "another format"),
    (set_to("calls", 0, 0, value="numpy save"), r"call 0, 'numpy save': there is no function"),
    (set_to("calls", 0, 1, "tuple", 0, "symbol", value=[9, 0]), r"call 0, .*comes later: a cycle"),
    (set_to("calls", 0, 1, "tuple", 0, "symbol", value=[2, 0]), r"call 0, .*comes later: a cycle"),
    (set_to("calls", 0, 1, "tuple", 0, "symbol", value=[-1, 0]), "cycle"),
    (set_to("calls", 0, 1, value=None), "call 0"),
    (set_to("calls", 0, value=["operator mul", {"tuple": [{"shape": [0, 0]}, 10**9]}, {"dict": {}}]),
     "call 0, .*no operand is a symbol"),
    (set_to("calls", 0, 1, value={"list": [{"symbol": [0, 0]}]}), "call 0, .*list where tuple should be"),
    (set_to("inputs", 0, 1, value=[1] * 65), "maximum supported dimension"),
    (set_to("inputs", 0, 1, value=[-1]), "negative dimensions"),
    (set_to("inputs", 0, 2, value="O"), "numbers or booleans"),
    (set_to("arrays", value=3), "no item named"),
    (set_to("outputs", value={"symbol": [0]}), "not enough values"),
    (set_to("outputs", value={"unknown": 1}), "unknown"),
    (set_to("backend", value="numpy"), "str where dict should be"),
    (set_to("backend", value={"*": "nmpy"}), "no backend 'nmpy'"),
    (set_to("backend", value={"*": ["numpy"]}), r"no backend \['numpy'\]"),
    (set_to("backend", value={"matmull" * 100_000: "numpy"}), "backends cannot compute"),
])
def test_damaged_contents(tmp_path, change, said):
    path = tmp_path / "g"
    declared().save(path)
    rewritten(path, change)
    with pytest.raises(ValueError, match=said) as caught:
        la.load_graph(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(("change", "said"), [
    (set_to("inputs", 0, 1, value=[3, 4]), "matmul"),
    (set_to("calls", 1, 1, "tuple", 0, "symbol", value=[2, 7]), "no <result 7 of operator getitem>"),
    (set_to("calls", 1, 1, "tuple", 0, "symbol", value=[2, -1]), "no <result -1 of operator getitem>"),
])
def test_calls_that_do_not_fit_show_when_they_are_made(tmp_path, change, said):
    path = tmp_path / "g"
    declared().save(path)
    rewritten(path, change)
    g = la.load_graph(path)
    with pytest.raises(ValueError, match=said) as caught:
        g(np.ones([3 if n is None else n for n in g._program.inputs[0].shape]), 2)
    assert "in matmul(<result" in caught.value.__notes__[0]


def test_damaged_arrays(tmp_path):
    path = tmp_path / "g"
    declared().save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for old, new in [(b"}", b"("), (b"<f8", b"|O8"), (b"3, 2", b"9, 9")]:
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in parts.items():
                archive.writestr(name, data.replace(old, new, 1) if name.startswith("arrays") else data)
        with pytest.raises(ValueError, match="damaged"):
            la.load_graph(path)


def test_files_of_other_kinds(tmp_path):
    path = tmp_path / "g"
    with pytest.raises(FileNotFoundError):
        la.load_graph(path)
    for data in (b"", b"text", np.arange(5).tobytes()):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="damaged, or no graph"):
            la.load_graph(path)
    np.savez(path, a=np.ones(2))
    with pytest.raises(ValueError, match=r"graph\.json"):
        la.load_graph(f"{path}.npz")


def test_packed_parts_are_not_unpacked(tmp_path):
    path = tmp_path / "g"
    declared().save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match="compressed"):
        la.load_graph(path)


def test_pickles_are_not_read(tmp_path):
    path = tmp_path / "g"
    declared().save(path)
    harmful = io.BytesIO()
    np.save(harmful, np.array([{}]), allow_pickle=True)
    with zipfile.ZipFile(path) as archive:
        content = archive.read("graph.json")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("graph.json", content)
        archive.writestr("arrays/0.npy", harmful.getvalue())
    with pytest.raises(ValueError, match="dtype object"):
        la.load_graph(path)


@pytest.mark.parametrize("copied", [lambda g: pickle.loads(pickle.dumps(g)), copy.deepcopy])
def test_graphs_are_pickled_as_they_are_stored(copied):
    v, w = la.var((None,), name="v"), la.var((2,), name="w")
    g = la.graph([v, w], {"a": v * 2 + w.sum(), "b": [np.sort(v)]}, "two")
    g.assign(w=np.ones(2))
    made = copied(g)
    assert repr(made) == repr(g)
    found = made([3.0, 1.0])
    assert found["a"].tolist() == [8, 4]
    assert found["b"][0].tolist() == [1, 3]
    with pytest.raises(TypeError, match="cannot be stored"):
        copied(la.graph(v, np.apply_along_axis(lambda row: row * 2, 0, v)))


def test_copies_share_arrays_and_deep_ones_do_not(tmp_path):
    v, p = la.var((2,), name="v"), la.array([1.0, 2.0])
    g = la.graph(v, v * p)
    shallow, deep = copy.copy(g), copy.deepcopy(g)
    shallow.assign(v=[1.0, 1.0])
    p[:] = 5
    assert g([1.0, 1.0]).tolist() == shallow().tolist() == [5, 5]
    assert deep([1.0, 1.0]).tolist() == [1, 2]
    with pytest.raises(TypeError, match="nothing is assigned"):
        g()


def test_frozen_values_are_stored(tmp_path):
    v, p = la.var((2,), name="v"), la.array([1.0, 2.0])
    g = la.graph(v, v * p)
    g.freeze()
    p[:] = 5
    g.save(tmp_path / "g")
    for made in (g, copy.copy(g), copy.deepcopy(g), la.load_graph(tmp_path / "g")):
        assert made([1.0, 1.0]).tolist() == [1, 2]


@pytest.mark.parametrize("shape", [(3,), (None,)])
@pytest.mark.parametrize("declare", [
    lambda v: la.array([v[0], v[1]]),
    lambda v: la.asarray([[v[0], 2], [1, v[1]]]),
    lambda v: la.array([v, v * 2], "f4", ndmin=3),
    lambda v: la.array(v.shape) + v[0],
    lambda v: la.array(v, ndmin=2),
    lambda v: la.array(v, copy=None) + la.asarray(v, "f4"),
])
def test_arrays_of_parts(tmp_path, shape, declare):
    v, x = la.var(shape, name="v"), np.array([3.0, 5.0, 7.0])
    g = la.graph(v, declare(v))
    g.save(tmp_path / "g")
    want = declare(la.array(x))
    for made in (g(x), la.load_graph(tmp_path / "g")(x)):
        assert (made.dtype, made.tolist()) == (want.dtype, want.tolist())


def test_masks_that_are_known(tmp_path):
    v, mask = la.var((3,), name="v"), np.array([True, False, True])
    g = la.graph(v, (v[mask] * 2).reshape(2, 1))
    g.save(tmp_path / "g")
    for made in (g, la.load_graph(tmp_path / "g")):
        assert made([1.0, 2.0, 3.0]).tolist() == [[2], [6]]
