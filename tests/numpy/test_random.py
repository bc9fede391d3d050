"""Random numbers: identical to NumPy's, as LazyArrays."""

import pickle

import numpy as np
import pytest

import lazyarr as la
from lazyarr import numpy as lnp
from lazyarr._core import api as core


def value(x):
    return x.numpy() if isinstance(x, la.LazyArray) else x


@pytest.mark.parametrize("name, args", [
    ("random", (3,)),
    ("normal", (0, 1, 5)),
    ("integers", (0, 10, 6)),
    ("permutation", (7,)),
    ("permuted", (np.arange(12).reshape(3, 4),)),
    ("choice", (5, 3)),
    ("standard_normal", ((2, 2),)),
    ("uniform", ()),
    ("multivariate_normal", ([0, 0], np.eye(2))),
    ("bytes", (4,)),
])
def test_generator(name, args):
    want = getattr(np.random.default_rng(3), name)(*args)
    got = getattr(la.random.default_rng(3), name)(*args)
    assert isinstance(got, la.LazyArray) is isinstance(want, np.ndarray)
    np.testing.assert_array_equal(value(got), want)


@pytest.mark.parametrize("name, args", [
    ("rand", (3,)), ("randn", (2, 2)), ("randint", (10, None, 5)), ("random_sample", ()), ("normal", (0, 1, 4)),
    ("permutation", (6,)), ("choice", (4, 2)), ("random", (2,)), ("uniform", (0, 1, 3)),
])
def test_legacy_functions_draw_from_numpys_generator(name, args):
    la.random.seed(5)
    got = getattr(la.random, name)(*args)
    np.random.seed(5)
    want = getattr(np.random, name)(*args)
    assert isinstance(got, la.LazyArray) is isinstance(want, np.ndarray)
    np.testing.assert_array_equal(value(got), want)


def test_arguments_may_be_lazy():
    loc, cov = la.arange(2.0) * 1, la.eye(2) * 2
    got = la.random.default_rng(1).multivariate_normal(loc, cov, 3)
    want = np.random.default_rng(1).multivariate_normal(np.arange(2.0), np.eye(2) * 2, 3)
    np.testing.assert_array_equal(got.numpy(), want)


def shuffled(xp, shuffle):
    x = xp.arange(10) * 1
    shuffle(x)
    y = xp.arange(12).reshape(3, 4) * 1
    shuffle(y[:, ::2])
    return [np.asarray(x), np.asarray(y)]


@pytest.mark.parametrize("make", [lambda random: random.default_rng(2), lambda random: random.RandomState(2)])
def test_shuffle_works_in_place_and_through_views(make):
    want = shuffled(np, make(np.random).shuffle)
    got = shuffled(la, make(la.random).shuffle)
    for w, g in zip(want, got, strict=True):
        np.testing.assert_array_equal(w, g)


def test_shuffle_along_an_axis_and_of_lists():
    x, y = la.arange(12).reshape(3, 4) * 1, np.arange(12).reshape(3, 4)
    la.random.default_rng(1).shuffle(x, axis=1)
    np.random.default_rng(1).shuffle(y, axis=1)
    np.testing.assert_array_equal(x.numpy(), y)
    a, b = [1, 2, 3, 4], [1, 2, 3, 4]
    la.random.default_rng(1).shuffle(a)
    np.random.default_rng(1).shuffle(b)
    assert a == b


def test_legacy_shuffle():
    x = la.arange(6)
    la.random.seed(1)
    la.random.shuffle(x)
    np.random.seed(1)
    np.random.shuffle(y := np.arange(6))
    np.testing.assert_array_equal(x.numpy(), y)


def test_out():
    out = la.zeros(4)
    assert la.random.default_rng(2).random(out=out) is out
    np.testing.assert_array_equal(out.numpy(), np.random.default_rng(2).random(4))


def test_classes_are_numpys_subclasses():
    generator, state = la.random.default_rng(), la.random.RandomState(3)
    assert isinstance(generator, np.random.Generator)
    assert isinstance(state, np.random.RandomState)
    assert la.random.default_rng(generator) is generator
    assert type(generator.spawn(1)[0]) is la.random.Generator
    assert type(la.random.PCG64(1)) is np.random.PCG64
    assert isinstance(np.random.PCG64(1), la.random.PCG64)
    assert issubclass(la.random.PCG64, np.random.BitGenerator)


def test_seeds_are_arrays():
    numbers, expected = la.arange(10), np.random.SeedSequence(np.arange(10)).generate_state(4)
    np.testing.assert_array_equal(la.random.SeedSequence(numbers).generate_state(4), expected)
    for kind in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        drawn = getattr(la.random, kind)(numbers).random_raw(4)
        np.testing.assert_array_equal(drawn, getattr(np.random, kind)(np.arange(10)).random_raw(4))


def test_classes_that_take_seeds_are_derived_from():
    class Derived(la.random.PCG64):
        pass

    assert Derived.__mro__[1] is np.random.PCG64
    assert isinstance(Derived(1), la.random.PCG64)


def test_default_rng_shares_the_state_of_a_generator():
    original = np.random.default_rng(4)
    la.random.default_rng(original).random(3)
    reference = np.random.default_rng(4)
    reference.random(3)
    assert original.random() == reference.random()


@pytest.mark.parametrize("make", [la.random.default_rng, la.random.RandomState])
def test_pickled_generators_go_on_where_they_were(make):
    generator = make(4)
    generator.normal(size=3)
    again = pickle.loads(pickle.dumps(generator))
    assert type(again) is type(generator)
    np.testing.assert_array_equal(again.normal(size=3).numpy(), generator.normal(size=3).numpy())


def test_errors_are_numpys():
    with pytest.raises(ValueError, match="scale < 0"):
        la.random.default_rng(1).normal(0, -1, 3)


def test_few_numbers_are_drawn_at_once_again_after_many_that_waited():
    rng, reference = lnp.random.default_rng(3), np.random.default_rng(3)
    many, few = rng.normal(size=300_000), rng.normal(size=2)
    assert core.is_pending(few)
    assert few.sum() == reference.normal(size=300_002)[300_000:].sum()
    one = rng.normal()
    assert type(one) is float
    assert one == reference.normal()
    np.testing.assert_array_equal(many.numpy(), np.random.default_rng(3).normal(size=300_000))
