"""The namespace: all of NumPy's names, the same bits from every ufunc, the same signatures."""

import functools
import inspect
import pickle
import types
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr.ops.table import TABLE
from support import sample_values

NUMERIC = frozenset("?bBhHiIlLqQefdgFDG")
UFUNCS = [op.function for op in TABLE.values() if isinstance(op.function, np.ufunc)]
MODULES = [(np, la.numpy), (np.linalg, la.numpy.linalg), (np.fft, la.numpy.fft), (np.random, la.numpy.random)]


def public_names(module):
    return [name for name in dir(module) if not name.startswith("_")]


@pytest.mark.parametrize("original, lazy", MODULES, ids=lambda module: module.__name__)
def test_every_public_name_is_there(original, lazy):
    missing = [name for name in public_names(original) if not hasattr(lazy, name)]
    assert missing == []
    assert set(public_names(original)) <= set(dir(lazy))
    for name in public_names(original):
        want, got = getattr(original, name), getattr(lazy, name)
        # What is a function, a class, a module or a constant is one here.
        assert callable(got) == callable(want), name
        assert isinstance(got, type) == isinstance(want, type), name
        assert isinstance(got, types.ModuleType) == isinstance(want, types.ModuleType), name
        if not callable(want) and not isinstance(want, types.ModuleType) and not hasattr(want, "__getitem__"):
            assert got is want, name


def test_the_package_offers_every_name_too():
    assert [name for name in public_names(np) if not hasattr(la, name)] == []


def test_dtypes_constants_and_exceptions_are_numpys_own():
    replaced = {"flatiter", "ndarray", "nditer", "ufunc", "vectorize"}
    for name in public_names(np):
        obj = getattr(np, name)
        if (isinstance(obj, type) and name not in replaced) or isinstance(obj, float | int | str):
            assert getattr(la.numpy, name) is obj, name
    for name in ("errstate", "newaxis", "set_printoptions", "seterr", "exceptions"):
        assert getattr(la.numpy, name) is getattr(np, name)
    assert la.numpy.ma.MaskedArray is np.ma.MaskedArray


@pytest.mark.parametrize("module, name", [(la, "nonsense"), (la.linalg, "nonsense"), (la.numpy, "__nonsense__")])
def test_unknown_name(module, name):
    with pytest.raises(AttributeError, match=name):
        getattr(module, name)


def test_names_that_numpy_removed_tell_what_numpy_tells():
    with pytest.raises(AttributeError, match=r"np\.float64"):
        la.float_  # that it is gone is what is tested
    with pytest.raises(AttributeError, match="float_"):
        la.numpy.float_


@pytest.mark.parametrize("name", ["", "char", "ctypeslib", "fft", "lib", "lib.stride_tricks", "linalg", "ma",
                                  "polynomial", "polynomial.chebyshev", "random", "rec", "testing"])
def test_modules_have_no_getattr_once_they_are_used(name):
    """As Python looks up names of modules that have one in four times the time."""
    module = functools.reduce(getattr, filter(None, name.split(".")), la.numpy)
    original = functools.reduce(getattr, filter(None, name.split(".")), np)
    getattr(module, public_names(original)[0])
    assert ("__getattr__" in vars(module)) <= ("__getattr__" in vars(original) and original is not np)


def test_submodules_are_imported_when_they_are_used(run_python):
    code = "import sys, lazyarr.numpy as np; np.sum, np.random, np.ma, np.f2py, np.testing, np.polynomial"
    slow = "'numpy.random', 'numpy.ma', 'numpy.f2py', 'numpy.testing', 'numpy.polynomial'"
    assert run_python(f"{code}; print({{{slow}}} & {{*sys.modules}})").strip() == "set()"
    used = "np.random.seed, np.ma.array, np.f2py.run_main, np.testing.assert_equal, np.polynomial.Polynomial"
    assert run_python(f"{code}; {used}; print({{{slow}}} - {{*sys.modules}})").strip() == "set()"


def test_names_asked_for_by_several_threads_at_first(run_python):
    code = """
    import threading
    import lazyarr.numpy as np
    found, ready = [], threading.Barrier(8)
    def ask():
        ready.wait()
        found.append((np.sum, np.random.default_rng, np.linalg.norm, np.testing.assert_equal.__name__))
    threads = [threading.Thread(target=ask) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    print(len(found), len(set(found)))
    """
    assert run_python(code).split() == ["8", "1"]


@pytest.mark.parametrize("name", [name for name, op in TABLE.items() if not isinstance(op.function, np.ufunc)])
def test_signature_is_numpys(name):
    op = TABLE[name]
    try:
        want = inspect.signature(op.numpy[0])
    except ValueError:
        pytest.skip("NumPy tells no signature")
    got = inspect.signature(op.function)
    if "kwargs" in got.parameters.keys() - want.parameters.keys():
        pytest.skip("further keywords are passed on to NumPy")
    assert [(p.name, p.kind) for p in got.parameters.values()] == [(p.name, p.kind) for p in want.parameters.values()]


def operand(char, seed):
    return sample_values.make(np.dtype(char).name, (37,), seed)


def outcome(function, *operands):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*operands)
            results = result if isinstance(result, tuple) else (result,)
            return [np.asarray(r) for r in results]
        except (TypeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_ufunc_has_numpys_bits_for_every_numeric_signature(ufunc):
    lazy = getattr(la, ufunc.__name__)
    signatures = [types for types in ufunc.types if set(types) <= NUMERIC | set("->")]
    for signature in signatures:
        for seed in range(3):
            operands = [operand(char, seed + i) for i, char in enumerate(signature.split("->")[0])]
            want = outcome(ufunc, *operands)
            got = outcome(lambda *arrays: lazy(*arrays), *map(la.array, operands))
            if isinstance(want, str) or isinstance(got, str):
                assert got == want, (signature, seed)
                continue
            for w, g in zip(want, got, strict=True):
                assert (w.dtype, w.shape) == (g.dtype, g.shape), (signature, seed)
                if ufunc.signature is None:
                    assert sample_values.same_values(w, g).all(), (signature, seed)
                else:
                    assert sample_values.near_values(w, g).all(), (signature, seed)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_ufunc_tells_what_numpys_tells(ufunc):
    lazy = getattr(la, ufunc.__name__)
    for name in ("__name__", "__doc__", "nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
        assert getattr(lazy, name) == getattr(ufunc, name)
    assert repr(lazy) == repr(ufunc)
    assert isinstance(lazy, la.ufunc)
    assert pickle.loads(pickle.dumps(lazy)) is lazy


def test_aliases_are_one_object():
    assert la.abs is la.absolute
    assert la.divide is la.true_divide
    assert la.concat is la.concatenate


def test_functions_of_scalars_give_numpy_scalars():
    assert type(la.sqrt(2.0)) is np.float64
    assert la.add(1, 2) == 3
    assert {la.sqrt(4.0): "hashes"}[2.0] == "hashes"


def test_ufunc_of_a_user_and_of_scipy():
    special = pytest.importorskip("scipy.special")
    x = np.linspace(0.1, 2, 5)
    np.testing.assert_array_equal(np.asarray(special.gamma(la.array(x))), special.gamma(x))
    doubled = la.frompyfunc(lambda value: 2 * value, 1, 1)
    assert doubled(la.arange(3)).tolist() == [0, 2, 4]
    assert isinstance(doubled, la.ufunc)


def test_numpys_own_functions_stay_lazy_on_lazy_arrays():
    x = la.array([1.0, 4.0]) * 1
    with la.no_evaluation():
        made = [np.sqrt(x), np.add.reduce(x), np.sum(x), np.concatenate([x, x]), np.reshape(x, (2, 1)),
                np.multiply.outer(x, x), np.linalg.norm(x), np.fft.fft(x)]
    assert all(isinstance(y, la.LazyArray) for y in made)


def test_isinstance_flatiter_and_nditer():
    assert isinstance(la.zeros(2).flat, la.flatiter)
    assert isinstance(np.zeros(2).flat, la.flatiter)
    assert not isinstance(la.zeros(2), la.flatiter)
    assert isinstance(la.nditer(la.zeros(2)), la.nditer)
    assert isinstance(np.nditer(np.zeros(2)), la.nditer)


def test_info_prints_what_there_is_to_know_about_the_memory(capsys):
    la.info(la.zeros((2, 3)) + 1)
    assert "shape:  (2, 3)" in capsys.readouterr().out


def test_bmat_finds_blocks_by_their_names():
    a = la.array([[1, 2]])
    assert la.bmat("a, a; a, a").tolist() == [[1, 2, 1, 2], [1, 2, 1, 2]]
    assert la.bmat("b", {"b": a}, {}).tolist() == [[1, 2]]


def test_objects_that_are_indexed_or_decorate():
    assert la.r_[1:3, 7].tolist() == [1, 2, 7]
    assert la.c_[la.array([1, 2]), la.array([3, 4])].tolist() == [[1, 3], [2, 4]]
    assert all(isinstance(grid, la.LazyArray) for grid in la.ogrid[0:2, 0:3])
    assert la.mgrid[0:2, 0:3].shape == (2, 2, 3)
    assert la.s_[1:2] == slice(1, 2)

    @la.vectorize
    def larger(a, b):
        return a if a > b else b

    assert larger(la.array([1, 5]), 3).tolist() == [3, 5]


def test_files(tmp_path):
    x = la.arange(6.0).reshape(2, 3) * 2
    la.save(tmp_path / "x.npy", x)
    la.savez(tmp_path / "x.npz", x=x)
    la.savetxt(tmp_path / "x.txt", x)
    for loaded in (la.load(tmp_path / "x.npy"), la.load(tmp_path / "x.npz")["x"], la.loadtxt(tmp_path / "x.txt")):
        np.testing.assert_array_equal(np.asarray(loaded), x.numpy())
    assert isinstance(la.load(tmp_path / "x.npy"), la.LazyArray)


def test_functions_can_be_pickled():
    for function in (la.sum, la.pad, la.unique, la.arange, la.linalg.norm, la.linalg.inv, la.fft.fft, la.result_type):
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("dtype", ["U3", "S3", "M8[D]", "O", [("a", "i4"), ("b", "f8")], ">f8"])
def test_dtypes_without_native_loops(dtype):
    def program(xp):
        x = xp.zeros(4, dtype)
        y = x[::2]
        y[0] = (1, 2.0) if isinstance(dtype, list) else "2000-01-01" if dtype == "M8[D]" else 5
        x[xp.array([1, 3])] = x[0]
        z = xp.concatenate([x, y]).reshape(2, 3)
        return [np.asarray(a) for a in (x, y, z, z.T, z[1, ::-1])]

    for want, got in zip(program(np), program(la), strict=True):
        assert want.dtype == got.dtype
        np.testing.assert_array_equal(want, got)


def test_fields_of_records_are_views():
    x = la.zeros(3, [("a", "i4"), ("b", "f8")])
    x["b"][1] = 2.5
    x["a"] += 7
    assert x.tolist() == [(7, 0.0), (7, 2.5), (7, 0.0)]
