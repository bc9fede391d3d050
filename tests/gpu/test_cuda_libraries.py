"""Where NVIDIA's libraries are searched for, and whether they export the functions that are called."""

import ctypes.util

import pytest

import lazyarr as la
from lazyarr.gpu.libraries import cublas, cudnn, cufft, cusolver, loading

LIBRARIES = [cublas.LIBRARY, cudnn.LIBRARY, cufft.LIBRARY, cusolver.LIBRARY]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of Python packages, with libraries as files."""
    folder = tmp_path / "nvidia" / "cu" / "lib"
    folder.mkdir(parents=True)
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path / "nvidia")]})
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda name: spec)
    return folder


def test_newer_libraries_come_first_and_none_is_newer_than_the_driver(folder, monkeypatch):
    monkeypatch.setattr(loading.sys, "platform", "linux")
    for name in ("libsome.so.12", "libsome.so.13", "libsome.so.14", "libsome.so.13.1", "libsomeLt.so.13"):
        (folder / name).touch()
    packaged = [str(folder / f"libsome.so.{version}") for version in (13, 12)]
    assert loading.candidates("libsome.so.{}", "some64_{}.dll", 13) == [
        packaged[0], "libsome.so.13", packaged[1], "libsome.so.12"]
    assert loading.candidates("libsome.so.{}", "some64_{}.dll", 12) == [packaged[1], "libsome.so.12"]
    assert loading.candidates("libsome.so.{}", "some64_{}.dll", 13, lag=1) == [
        packaged[1], "libsome.so.12", "libsome.so.11"]
    assert loading.candidates("libsome.so.{}", "some64_{}.dll", 14)[0] == str(folder / "libsome.so.14")


@pytest.mark.parametrize("cuda", [12, 13])
def test_versions_of_their_own(folder, monkeypatch, cuda):
    monkeypatch.setattr(loading.sys, "platform", "linux")
    for name in ("libsome.so.8", "libsome.so.9", "libsome.so.13"):
        (folder / name).touch()
    assert loading.candidates("libsome.so.{}", "some64_{}.dll", cuda, cuda - 9, cuda) == [
        str(folder / "libsome.so.9"), "libsome.so.9"]


def test_libraries_of_windows(folder, monkeypatch):
    monkeypatch.setattr(loading.sys, "platform", "win32")
    (folder / "some64_130_0.dll").touch()
    assert loading.candidates("libsome.so.{}", "some64_{}0_0.dll", 13) == [
        str(folder / "some64_130_0.dll"), "some64_130_0.dll", "some64_120_0.dll"]


def test_what_cannot_be_opened_is_passed_over(tmp_path):
    broken = tmp_path / "libsome.so.13"
    broken.write_text("no library")
    assert loading.open_first([str(broken), "/none/libsome.so.12"]) is None


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.title)
def test_the_installed_library_has_all_functions(library):
    functions = library.functions(99)
    if functions is None:
        pytest.skip(f"{library.title} is not installed")
    assert set(vars(functions)) == set(library.prototypes)


def test_a_library_that_lacks_a_function_is_not_used(monkeypatch):
    library = loading.Library("libm", "m", 0, {"cos": (), "cublasSgemm_v9": ()}, {}, frozenset())
    monkeypatch.setattr(loading, "candidates", lambda *args: [ctypes.util.find_library("m")])
    assert library.functions(13) is None
    x = la.arange(3.0).to_device("cpu:1")
    with pytest.warns(RuntimeWarning, match="libm is not used: .* is too old, as it has no cublasSgemm_v9"):
        la.evaluate(x)
