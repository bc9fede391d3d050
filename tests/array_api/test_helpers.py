"""array_api_compat and array_api_extra accept LazyArrays, and query them without evaluating."""

import warnings

import array_api_extra as xpx
import numpy as np
import pytest

import lazyarr as la

# Libraries carry copies of their own.
COPIES = ["array_api_compat", "scipy._lib.array_api_compat", "sklearn.externals.array_api_compat"]
ARRAYS = {
    "matrix": lambda: la.arange(6.0).reshape(2, 3) * 2,
    "mask": lambda: la.arange(6.0) > 2,
    "element": lambda: (la.arange(6.0) * 2)[3],
    "sum": lambda: (la.arange(6.0) * 2).sum(),
    "one truth": lambda: (la.ones((1, 1)) > 0),
    "empty": lambda: la.zeros((0, 3)) + 1,
    "view": lambda: (la.arange(6.0) * 2)[::2],
}


@pytest.fixture(params=COPIES)
def compat(request):
    return pytest.importorskip(request.param)


@pytest.mark.parametrize("name", ARRAYS)
def test_questions_about_an_array_evaluate_nothing(compat, name, evaluations):
    x = ARRAYS[name]()
    assert compat.is_array_api_obj(x)
    assert compat.array_namespace(x, 1.0, None, x) is la.array_api
    assert compat.device(x) == "cpu"
    assert compat.to_device(x, "cpu") is x
    assert compat.size(x) == x.size
    assert compat.is_writeable_array(x)
    assert not compat.is_numpy_array(x)
    assert not compat.is_numpy_namespace(la.array_api)
    assert not evaluations


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_is_lazy_where_its_values_cannot_be_had(compat, name):
    x = ARRAYS[name]()
    with la.no_evaluation():
        assert compat.is_lazy_array(x)
        assert compat.array_namespace(x) is la.array_api
    assert not compat.is_lazy_array(x)


def test_asking_whether_an_array_is_lazy_evaluates_it_and_keeps_the_values(compat, evaluations):
    x = la.arange(6.0) * 2
    assert not compat.is_lazy_array(x)
    assert len(evaluations) == 1
    with la.no_evaluation():
        assert x.tolist() == [0, 2, 4, 6, 8, 10]


def test_an_array_is_lazy_in_the_body_of_a_loop(compat):
    answers = []
    la.fori_loop(0, 3, lambda i, x: (answers.append(compat.is_lazy_array(x)), x + 1)[1], la.ones(3))
    assert answers == [True]


@pytest.mark.parametrize("module", COPIES)
def test_arrays_of_several_libraries(module):
    namespace = pytest.importorskip(module).array_namespace
    with pytest.raises(TypeError, match="Multiple namespaces"):
        namespace(la.ones(3), np.ones(3))
    with pytest.raises(ValueError, match=r"2020\.01"):
        namespace(la.ones(3), api_version="2020.01")


M, V, I = np.arange(12.0).reshape(3, 4)[::-1] / 7, np.array([3.0, 1, 2, np.nan]), np.array([3, 1, 2, 3])  # noqa: E741
EXTRA = {
    "angle": lambda f, a: f.angle(a(M + 1j)),
    "apply_where": lambda f, a: f.apply_where(a(M > 0.5), (a(M), a(M * 2)), lambda x, y: x / y, lambda x, y: x - y),
    "apply_where with a value": lambda f, a: f.apply_where(a(M > 0.5), a(M), lambda x: x * 2, fill_value=-1.0),
    "argpartition": lambda f, a: f.argpartition(a(M), 2),
    "at, an index": lambda f, a: f.at(a(M))[0].set(7.0),
    "at, a column": lambda f, a: f.at(a(M))[:, 1].multiply(2.0),
    "at, a copy": lambda f, a: f.at(a(M), (1,)).add(7.0, copy=True),
    "at, a mask": lambda f, a: f.at(a(M))[a(M > 0.5)].multiply(2.0),
    "atleast_nd": lambda f, a: f.atleast_nd(a(V), ndim=3),
    "cov": lambda f, a: f.cov(a(M)),
    "create_diagonal": lambda f, a: f.create_diagonal(a(I), offset=1),
    "deg2rad": lambda f, a: f.deg2rad(a(M)),
    "expand_dims": lambda f, a: f.expand_dims(a(M), axis=(0, 2)),
    "isclose": lambda f, a: f.isclose(a(M), a(M) + 1e-12),
    "isin": lambda f, a: f.isin(a(I), a(np.array([1, 2]))),
    "kron": lambda f, a: f.kron(a(M), a(np.eye(2))),
    "lazy_apply": lambda f, a: f.lazy_apply(lambda x: x * 2, a(M), shape=M.shape, dtype=M.dtype),
    "lazy_apply of NumPy": lambda f, a: f.lazy_apply(np.exp, a(M), shape=M.shape, dtype=M.dtype, as_numpy=True),
    "nan_to_num": lambda f, a: f.nan_to_num(a(V)),
    "nanmax": lambda f, a: f.nanmax(a(V)),
    "nunique": lambda f, a: f.nunique(a(I)),
    "one_hot": lambda f, a: f.one_hot(a(I), 5),
    "pad": lambda f, a: f.pad(a(M), 1, constant_values=2.0),
    "partition": lambda f, a: f.partition(a(M), 2),
    "searchsorted": lambda f, a: f.searchsorted(a(np.array([1.0, 2, 3])), a(np.array([1.5, 3]))),
    "setdiff1d": lambda f, a: f.setdiff1d(a(I), a(np.array([1, 2]))),
    "sinc": lambda f, a: f.sinc(a(M)),
}
LAZY = "angle atleast_nd cov create_diagonal deg2rad expand_dims kron nan_to_num one_hot pad sinc".split()


@pytest.mark.parametrize("name", EXTRA)
def test_extra_functions(name, evaluations):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = EXTRA[name](xpx, np.copy)
        got = EXTRA[name](xpx, lambda x: la.array(x) * np.ones((), x.dtype))
    assert not (evaluations and name in LAZY)
    assert isinstance(got, la.LazyArray)
    assert (got.shape, got.dtype) == (np.shape(want), want.dtype)
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)


@pytest.mark.parametrize("namespace", [la.numpy, la.array_api, la])
def test_extra_functions_take_the_namespace(namespace):
    x = la.arange(3.0) * 2
    assert xpx.atleast_nd(x, ndim=2, xp=namespace).shape == (1, 3)
    assert xpx.pad(x, 1, xp=namespace).tolist() == [0, 0, 2, 4, 0]
    assert xpx.one_hot(la.array([0, 2]), 3, xp=namespace).tolist() == [[1, 0, 0], [0, 0, 1]]
