"""The tuning file: its location, its round trip, and that no file breaks an import."""

import json
import os
import random
import sys
import warnings

import pytest

import lazyarr as la
from lazyarr._version import __version__
from lazyarr.autotune import store
from lazyarr.autotune.parameters import rows
from lazyarr.autotune.settings import Tuning

VALUES = {"pool.byte_ns": 0.5, "fft.team": 3, "ufunc.add_ns": 0.7}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where the file is, in a folder that does not exist yet."""
    path = tmp_path / "cache" / "tuning.json"
    monkeypatch.setenv(store.VARIABLE, str(path))
    return path


@pytest.fixture
def loaded():
    """Load the file into new tuning; the numbers are put back afterwards."""

    def load():
        tuning = Tuning()
        tuning.load()
        return tuning

    yield load
    for row in rows().values():
        row.set(row.default)


def sources(tuning):
    return {name: tuning[name] for name in tuning if tuning.source(name) == "tuned"}


def put(place, text):
    place.parent.mkdir()
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    place.chmod(0o600)


def of_this_machine(values):
    return json.dumps({"format": store.FORMAT, "machines": {store.processor(): {__version__: values}}})


def test_round_trip(place, loaded):
    assert store.write(VALUES) == str(place)
    tuning = loaded()
    assert sources(tuning) == VALUES
    assert la.config.tuning["pool.byte_ns"] == 0.5  # it is in force
    tuning["pool.byte_ns"] = 0.9
    tuning.reset()
    assert tuning["pool.byte_ns"] == 0.5
    assert os.listdir(place.parent) == ["tuning.json"]


def test_other_machines_and_versions_stay(place, monkeypatch):
    monkeypatch.setattr(store, "processor", lambda: "another")
    store.write({"fft.team": 5})
    monkeypatch.undo()
    monkeypatch.setenv(store.VARIABLE, str(place))
    monkeypatch.setattr(store, "__version__", "0.0.1")
    store.write({"fft.team": 6})
    monkeypatch.setattr(store, "__version__", __version__)
    assert store.load() == ({}, {})
    store.write(VALUES)
    assert json.loads(place.read_text())["machines"] == {
        "another": {__version__: {"fft.team": 5}},
        store.processor(): {"0.0.1": {"fft.team": 6}, __version__: VALUES},
    }


def test_no_file(place, loaded):
    assert sources(loaded()) == {}


@pytest.mark.parametrize("values", [
    {"pool.byte_ns": 1e9}, {"pool.byte_ns": "1"}, {"pool.byte_ns": None}, {"fft.team": 2.5}, {"fft.team": True},
    {"no such number": 1}, {"pool.byte_ns": float("nan")}, {"pool.byte_ns": [1]}, {"fft.team": 10**4000}, {},
])
def test_wrong_numbers_are_passed_over(place, loaded, values):
    put(place, of_this_machine(values | {"repeat.byte_ns": 0.25}))
    assert sources(loaded()) == {"repeat.byte_ns": 0.25}


@pytest.mark.parametrize(("text", "reason"), [
    ("", "Expecting value"),
    ("{", "Expecting property name"),
    (b"\xff\xfe\x00", "decode"),
    ("[]", "not a file of format"),
    ("1", "not a file of format"),
    ('{"a": 1}', "not a file of format"),
    ('{"format": "lazyarr tuning 1", "machines": 1}', "not a file of format"),
    ('{"format": "lazyarr tuning 1", "machines": {"a": 1}}', "not a file of format"),
    ('{"format": "lazyarr tuning 2", "machines": {}}', "not a file of format"),
    (of_this_machine([1]), "not a table"),
    ("[" * 200_000, "recursion"),
    (" " * (store.MOST_BYTES + 1), "more than 1048576 bytes"),
    (of_this_machine({"fft.team": 3})[:-5], "Expecting"),
])
def test_a_damaged_or_foreign_file_is_ignored(place, loaded, text, reason):
    put(place, text)
    with pytest.warns(RuntimeWarning, match=f"lazyarr goes without the tuning in .*{reason}") as caught:
        tuning = loaded()
    assert len(caught) == 1
    assert sources(tuning) == {}
    store.write(VALUES)  # and can be written anew
    assert sources(loaded()) == VALUES


def test_a_folder_is_no_file(place, loaded):
    place.mkdir(parents=True)
    with pytest.warns(RuntimeWarning, match="not a regular file"):
        loaded()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(place, loaded):
    place.parent.mkdir()
    os.mkfifo(place)
    with pytest.warns(RuntimeWarning, match="not a regular file"):
        loaded()


POSIX = pytest.mark.skipif(os.name != "posix", reason="needs owners and modes of files")


def refused(loaded, reason):
    with pytest.warns(RuntimeWarning, match=f"lazyarr goes without the tuning in .*{reason}") as caught:
        assert sources(loaded()) == {}
    assert len(caught) == 1


@POSIX
@pytest.mark.parametrize(("mode", "is_used"), [
    (0o600, True), (0o644, True), (0o400, True), (0o620, False), (0o602, False), (0o666, False),
])
def test_a_file_that_others_may_write_to_is_ignored(place, loaded, mode, is_used):
    store.write(VALUES)
    place.chmod(mode)
    if is_used:
        assert sources(loaded()) == VALUES
    else:
        refused(loaded, "other users may write to it")
        store.write({"fft.team": 5})  # nothing of it is kept
        assert sources(loaded()) == {"fft.team": 5}


@POSIX
def test_a_file_of_another_user_is_ignored(place, loaded, monkeypatch):
    store.write(VALUES)
    monkeypatch.setattr(os, "geteuid", lambda: place.stat().st_uid + 1)
    refused(loaded, "it belongs to another user")


@POSIX
@pytest.mark.parametrize(("mode", "is_used"), [(0o755, True), (0o775, True), (0o1777, True), (0o777, False)])
@pytest.mark.parametrize("above", [0, 1])
def test_a_folder_that_others_may_write_to(place, loaded, mode, is_used, above):
    store.write(VALUES)
    folder = place.parents[above]
    before = folder.stat().st_mode
    folder.chmod(mode)
    try:
        if is_used:
            assert sources(loaded()) == VALUES
        else:
            refused(loaded, f"all users may write to the folder {folder}")
            with pytest.raises(PermissionError, match="all users may write to the folder"):
                store.write({"fft.team": 5})
            assert os.listdir(place.parent) == ["tuning.json"]
    finally:
        folder.chmod(before)


@POSIX
def test_links_lead_to_what_is_checked(place, loaded, tmp_path):
    store.write(VALUES)
    other = tmp_path / "open" / "other.json"
    other.parent.mkdir()
    place.rename(other)
    place.symlink_to(other)
    assert sources(loaded()) == VALUES
    other.parent.chmod(0o777)
    refused(loaded, f"all users may write to the folder {other.parent}")
    before = other.read_bytes()
    with pytest.raises(PermissionError, match=f"all users may write to the folder {other.parent}"):
        store.write({"fft.team": 5})
    assert other.read_bytes() == before


@POSIX
def test_a_link_to_a_missing_folder(place, tmp_path):
    place.parent.mkdir()
    place.symlink_to(tmp_path / "missing" / "other.json")
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: .*missing'"):
        store.write(VALUES)
    assert os.listdir(tmp_path) == ["cache"]


@POSIX
def test_what_is_written_is_the_users_own(place):
    before = os.umask(0)
    try:
        store.write(VALUES)
    finally:
        os.umask(before)
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_what_is_half_written_is_not_seen(place, loaded, monkeypatch, name):
    store.write(VALUES)
    monkeypatch.setattr(os, name, refuse)
    with pytest.raises(PermissionError):
        store.write({"fft.team": 9})
    assert os.listdir(place.parent) == ["tuning.json"]
    assert sources(loaded()) == VALUES


def test_damage_by_chance(place, loaded):
    store.write(VALUES)
    whole, rng = place.read_bytes(), random.Random(0)
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.choice(b'"{}[],:0123456789e.-' + rng.randbytes(4))
        place.write_bytes(data[:rng.choice([len(data), rng.randrange(len(data))])])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            tuning = loaded()
        assert all(rows()[name].checked(value) == value for name, value in sources(tuning).items())


def refuse(*args, **kwargs):
    raise PermissionError(13, "Permission denied")


def test_a_file_that_may_not_be_read(place, loaded, monkeypatch):
    store.write(VALUES)
    monkeypatch.setattr(store, "open", refuse, raising=False)
    with pytest.warns(RuntimeWarning, match="Permission denied. Write it anew"):
        assert sources(loaded()) == {}


def test_where_the_file_is(monkeypatch, tmp_path):
    monkeypatch.setenv(store.VARIABLE, "0")
    assert store.path() is None
    with pytest.raises(FileNotFoundError, match="LAZYARR_TUNING is 0"):
        store.write(VALUES)
    monkeypatch.setenv(store.VARIABLE, "")
    home, cache = str(tmp_path / "home"), str(tmp_path / "elsewhere")
    monkeypatch.setenv("HOME", home)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert store.path() == os.path.join(home, ".cache", "lazyarr", "tuning.json")
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    assert store.path() == os.path.join(cache, "lazyarr", "tuning.json")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert store.path() == os.path.join(home, ".cache", "lazyarr", "tuning.json")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert store.path() == os.path.join(home, "Library/Caches", "lazyarr", "tuning.json")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", cache)
    assert store.path() == os.path.join(cache, "lazyarr", "tuning.json")
    monkeypatch.delenv("LOCALAPPDATA")
    assert store.path() is None


@pytest.mark.parametrize(("text", "name"), [
    ("processor\t: 0\nmodel\t\t: 85\nmodel name\t: A  B @ 2 GHz\n\nprocessor\t: 1\nmodel name : C\n", "A  B @ 2 GHz"),
    ("processor : 0\nCPU implementer : 0x41\nCPU variant : 0x3\nCPU part : 0xd0c\n",
     "CPU implementer 0x41, CPU part 0xd0c, CPU variant 0x3"),
    ("", "unknown"),
])
def test_names_of_processors(text, name):
    assert store._first_core(text) == name


def test_this_processor_has_a_name():
    assert store.processor() not in ("", "unknown")


# ---- what an import does ----

SHOW = "import lazyarr as la; t = la.config.tuning; print(t['fft.team'], t.source('fft.team'))"


def test_an_import_reads_the_file(run_python, place):
    assert run_python(SHOW).split() == ["4", "default"]
    store.write(VALUES)
    assert run_python(SHOW).split() == ["3", "tuned"]
    assert run_python(SHOW, LAZYARR_TUNING="0").split() == ["4", "default"]


def test_numbers_are_in_force_from_the_first_array_on(run_python, place):
    store.write({"repeat.byte_ns": 0.5, "ufunc.add_ns": 0.7})
    assert run_python("""
        import sys
        import numpy as np
        import lazyarr as la
        print("lazyarr.autotune.parameters" in sys.modules)
        x = la.numpy.ones(3)
        from lazyarr._core.ir import ufunc_traits
        from lazyarr._core.host import tunables
        print(tunables.declared()["repeat.byte_ns"].get(), ufunc_traits.get_cost(np.add))
    """).split() == ["False", "0.5", "0.7"]


def test_an_import_outlives_a_damaged_file(start_python, place):
    put(place, "{")
    process = start_python(SHOW)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output.split()) == (0, ["4", "default"])
    assert errors.count("RuntimeWarning: lazyarr goes without the tuning in") == 1


def test_an_import_without_a_file_needs_no_table(run_python, place):
    assert run_python("import sys, lazyarr; print('lazyarr.autotune.parameters' in sys.modules)") == "False\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.load() == ({}, {})
