"""Sums of products equal NumPy's, however they are contracted."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr._core import api as core
from lazyarr.ops import einsum
from support.lazy_helpers import pending
from support.numpy_comparison import difference

LETTERS = "ijkl"
SIZES = {"i": 3, "j": 2, "k": 4, "l": 1}


@st.composite
def contractions(draw):
    """Subscripts and arrays that fit them: repeated labels, ellipses, broadcast axes, some mistakes."""
    label = st.sampled_from(LETTERS)
    terms, arrays = [], []
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    dtype = draw(st.sampled_from(["float64", "float64", "float32", "complex128", "int32", "bool", "float16"]))
    for _ in range(draw(st.integers(1, 3))):
        term = "".join(draw(st.lists(label, max_size=3)))
        shape = [SIZES[c] if draw(st.integers(0, 9)) else 1 for c in term]
        if draw(st.integers(0, 3)) == 0:
            place = draw(st.integers(0, len(term)))
            term = term[:place] + "..." + term[place:]
            shape[place:place] = draw(st.sampled_from([(), (2,), (1,), (3, 2)]))
        x = (4 * rng.standard_normal(shape)).astype(dtype)
        arrays.append(np.asfortranarray(x) if draw(st.booleans()) else x)
        terms.append(term)
    subscripts = ",".join(terms)
    if draw(st.booleans()):
        used = [c for c in LETTERS if c in subscripts]
        output = draw(st.permutations(used)) if used else []
        dots = "..." if "..." in subscripts else ""
        subscripts += "->" + dots + "".join(output[:draw(st.integers(0, 4))])
    return subscripts, arrays


def outcome(call):
    try:
        return call()
    except Exception as error:
        return error


@given(contraction=contractions(), optimize=st.sampled_from([False, True, "greedy", "optimal"]), much=st.booleans(),
       options=st.sampled_from([{}, {}, {"order": "F"}, {"dtype": "float64"}, {"casting": "no"}]))
def test_results_and_errors_are_numpys(contraction, optimize, much, options):
    subscripts, arrays = contraction
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setattr(einsum, "MANY", 0 if much else 1 << 16)
        want = outcome(lambda: np.einsum(subscripts, *arrays, optimize=optimize, **options))
        lazy = [pending(x) if x.flags.c_contiguous else la.array(x) for x in arrays]
        if isinstance(want, Exception):
            got = outcome(lambda: la.einsum(subscripts, *lazy, optimize=optimize, **options))
        else:
            with la.no_evaluation():
                got = la.einsum(subscripts, *lazy, optimize=optimize, **options)
            if optimize and len(arrays) > 2:  # layout, and what a single number is, follow from the order
                want, got = np.asarray(want), core.unscalar(got)
            elif want.size:
                axes = [axis for axis in range(want.ndim) if want.shape[axis] > 1]
                assert [got.strides[k] for k in axes] == [want.strides[k] for k in axes]
        problem = difference(want, got, near=True)
    assert problem is None, problem


@pytest.mark.parametrize("operands", [
    ("m", [0, 1], "n", [1, 2]), ("m", [0, 1], "n", [1, 2], [2, 0]), ("m", [30, 1], "n", [1, 2]), ("m", [Ellipsis, 0]),
    ("m", [0, 1], "n", [1, 2], "m", [3, 2], [3, 0]), ("m", [0, 0, 1]), ("m", [0, 52]), ("m", [0, -1]), ("m", "ij"),
    ("m",), ("m", [0, 1], "n", [0, 1]), ("m", [0, 1], []), ("m", [0, "a"]), (), ("ij,jk", "m"), ("ij", "m", "n"),
    ("i j, jk", "m", "n"), ("ij,jk->xy", "m", "n"), ("ij->ii", "m"), ("ij.jk", "m", "n"), ("...->", "m"), ("i...", "m"),
])
def test_notations(operands):
    arrays = {"m": np.random.default_rng(0).random((3, 4)), "n": np.random.default_rng(1).random((4, 3))}
    lazy = {name: pending(x) for name, x in arrays.items()}

    def call(xp, arrays):
        return outcome(lambda: xp.einsum(*[arrays.get(x, x) if isinstance(x, str) else x for x in operands]))

    assert difference(call(np, arrays), call(la, lazy), near=True) is None


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_out(dtype):
    x = np.random.default_rng(0).random((3, 4))
    out, lazy_out = np.zeros((3, 3), dtype), la.zeros((3, 3), dtype)
    want, got = outcome(lambda: np.einsum("ij,kj", x, x, out=out)), outcome(
        lambda: la.einsum("ij,kj", pending(x), x, out=lazy_out))
    if dtype == "float64":
        assert got is lazy_out
    assert difference(want, got, near=True) is None


@pytest.mark.host_only("contractions on a device go by pairs")
def test_large_contractions_go_through_matrix_products(monkeypatch):
    paths = []
    original = np.einsum

    def spy(*operands, optimize, **kwargs):
        paths.append(optimize)
        return original(*operands, optimize=optimize, **kwargs)

    x = pending(np.random.default_rng(0).random((50, 50)))
    monkeypatch.setattr(np, "einsum", spy)
    result = la.einsum("ij,jk,kl,lm->im", x, x, x, x[:, :1])
    paths.clear()
    result.numpy()
    assert paths == [["einsum_path", (2, 3), (1, 2), (0, 1)]]


def test_products_of_equal_labels_are_native():
    x = pending(np.random.default_rng(0).random((300, 300)))
    names = []
    core.set_hook("fallback", names.append)
    try:
        fused = la.einsum("ij,ij->i", x, x + 1), la.einsum("ij,ji->ij", x, x.T), la.einsum("ij,ij->", x, x)
        assert names == []
        la.einsum("ij,kj->ik", x, x)
        assert names == ["einsum"]
    finally:
        from lazyarr.inspect import fallbacks
        core.set_hook("fallback", fallbacks._joined_graph)
    data = x.numpy()
    want = (data * (data + 1)).sum(1), data * data, (data * data).sum()
    for w, g in zip(want, fused, strict=True):
        assert difference(w, g, near=True) is None


def test_no_flags_are_looked_at_where_numpy_looks_at_none():
    x = pending(np.full((300, 300), 1e200))
    with np.errstate(all="raise"):
        products = la.einsum("ij,jk->ik", x, x), la.einsum("ij,ij->i", x, x)
        np.einsum("ij,jk->ik", x.numpy(), x.numpy())
        for product in products:
            assert np.isinf(product.numpy()).all()
