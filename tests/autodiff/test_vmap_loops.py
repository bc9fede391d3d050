"""vmap of loops and branches, of functions that contain them, and of their derivatives."""
import gc

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.transforms.vmap import Each
from support.vmap_comparison import arrays, check, in_a_loop


def running(x):
    return la.scan(lambda c, r: (c * la.sin(r) + r, c.sum()), x[0], x)


def backwards(x):
    return la.scan(lambda c, r: (c * r, {"y": c}), x[0], x, reverse=True)[1]["y"]


def of_what_is_shared(x):
    """Only one of two carries is batched, and that by a capture."""
    (c, d), ys = la.scan(lambda c, _: ((c[0] * 2, c[1] + c[0] * x[0].sum()), c[0]), (1.0, 0.5), length=3)
    return c, d, ys


def counted(x):
    return la.fori_loop(0, 4, lambda i, c: c * x[i] + i, x[1])


def with_a_shared_test(x):
    return la.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * x), (0, x))[1]


def until_large(x):
    return la.while_loop(lambda s: (s ** 2).sum() < 100, lambda s: s * 1.5, x)


def until_as_large_as_told(x):
    """The test captures what is batched, the state begins unbatched."""
    return la.while_loop(lambda s: s < (x ** 2).sum(), lambda s: s * 1.5, 1.0)


def one_of_two(x):
    return la.cond(x.sum() > 0, lambda a: a * 2, la.sin, x)


def shared_choice(x):
    return la.cond(la.asarray(np.array(True)) & True, lambda a: (a * x[0], a.sum()), lambda a: (a, a[0, 0]), x)


def one_of_many(x):
    return la.switch(x.argmax() % 3 - 1, [la.sin, la.cos], x)


def branches_in_a_loop(x):
    return la.scan(lambda c, r: (la.cond(r.sum() > 0, lambda a: a * r, lambda a: la.sin(a) + r, c), c), x[0], x)[1]


def loops_in_a_loop(x):
    def body(c, r):
        grown = la.while_loop(lambda s: (s ** 2).sum() < r[0] ** 2 + 3, lambda s: s * 1.5 + 0.01, c)
        return grown, grown[0]
    return la.scan(body, x[0] * 0.1, x)[0]


def a_shared_loop_in_a_loop(x):
    weights = la.asarray(np.linspace(0.5, 1, 3))

    def body(c, r):
        w = la.scan(lambda a, _: (a * la.cos(a), None), weights, length=3)[0]
        return c * la.sin(r) * w.sum() + r, c.sum()
    return la.scan(body, x[0], x)[1]


def calls_in_a_loop(x):
    return la.scan(lambda c, r: (np.sort(c @ x.T @ x) + r, np.linalg.norm(c)), x[0] / 9, x)


def writes_in_a_loop(x):
    def body(i, c):
        c[i] = x[i] * i
        return c
    return la.fori_loop(0, 3, body, la.zeros((4, 3)))


LOOPS = [running, backwards, of_what_is_shared, counted, with_a_shared_test, until_large, until_as_large_as_told,
         one_of_two, shared_choice, one_of_many, branches_in_a_loop, loops_in_a_loop, a_shared_loop_in_a_loop,
         calls_in_a_loop, writes_in_a_loop]
SMOOTH = [running, backwards, counted, with_a_shared_test, until_large, one_of_two, shared_choice, one_of_many,
          branches_in_a_loop, loops_in_a_loop, a_shared_loop_in_a_loop]


def total(f):
    def number(x):
        made = f(x)
        return sum((y ** 2).sum() for y in made) if isinstance(made, tuple) else (made ** 2).sum()
    return number


@pytest.mark.parametrize("f", LOOPS)
def test_loops(f):
    check(f, *arrays((4, 3)))


@pytest.mark.parametrize("f", SMOOTH)
def test_gradients_of_each(f):
    check(la.grad(total(f)), *arrays((4, 3)))


@pytest.mark.parametrize("f", SMOOTH)
def test_the_gradient_of_all(f):
    batch, = arrays((4, 3))
    found = la.grad(lambda x: la.vmap(total(f))(x).sum())(la.asarray(batch))
    np.testing.assert_allclose(found.numpy(), in_a_loop(la.grad(total(f)), batch), rtol=1e-9)


@pytest.mark.parametrize("f", [running, counted, one_of_two, a_shared_loop_in_a_loop, branches_in_a_loop])
def test_second_derivatives(f):
    def twice(x):
        return la.grad(lambda y: (la.grad(total(f))(y) ** 2).sum())(x)

    batch, = arrays((4, 3))
    expected = in_a_loop(twice, batch)
    np.testing.assert_allclose(la.vmap(twice)(la.asarray(batch)).numpy(), expected, rtol=1e-8, atol=1e-10)
    mixed = la.grad(lambda y: (la.vmap(la.grad(total(f)))(y) ** 2).sum())(la.asarray(batch))
    np.testing.assert_allclose(mixed.numpy(), expected, rtol=1e-8, atol=1e-10)
    outside = la.grad(lambda z: (la.grad(lambda y: la.vmap(total(f))(y).sum())(z) ** 2).sum())(la.asarray(batch))
    np.testing.assert_allclose(outside.numpy(), expected, rtol=1e-8, atol=1e-10)


def test_second_derivatives_by_what_is_shared():
    """Cotangents of one tape, one of which is the same for each element."""
    def loss(x, w):
        def body(c, r):
            inner = la.scan(lambda a, _: (a * la.cos(a), None), w, length=3)[0]
            return c * la.sin(r) * inner.sum() + r, c.sum()
        return la.scan(body, x[0], x)[1].sum()

    weights = la.asarray(np.linspace(0.5, 1, 3))
    check(lambda x: la.grad(lambda w: (la.grad(loss, (0, 1))(x, w)[1] ** 2).sum())(weights), *arrays((4, 3)))


@pytest.mark.parametrize("body", [
    lambda x: la.while_loop(lambda s: (s ** 2).sum() < 60, lambda s: s * s * 0.3 + 1.1 * s, x).sum(),
    lambda x: la.scan(lambda s, _: (s * s * 0.3 + 1.1 * s, None), x, length=3)[0].sum(),
])
def test_tapes_that_several_derivatives_read(body):
    """Their cotangents are added up, whether there is one tape or one for each element."""
    def f(x):
        pull = la.vjp(body, x)[1]
        return (pull(1.0)[0] * pull(2.0)[0] ** 2).sum()

    batch = np.abs(arrays((3,))[0]) + 0.5
    expected = in_a_loop(la.grad(f), batch)
    found = la.grad(lambda x: la.vmap(f)(x).sum())(la.asarray(batch))
    np.testing.assert_allclose(found.numpy(), expected)
    np.testing.assert_allclose(la.vmap(la.grad(f))(la.asarray(batch)).numpy(), expected)


def test_a_tape_of_a_shared_loop_is_read_by_a_derivative_on_a_batch():
    w = la.asarray(np.linspace(0.5, 1, 3))
    _, pull = la.vjp(lambda w: la.scan(lambda a, _: (a * la.cos(a), a), w, length=3)[1], w)
    cotangents = np.random.default_rng(0).standard_normal((5, 3, 3))
    found = la.vmap(lambda g: pull(g)[0])(la.asarray(cotangents))
    np.testing.assert_allclose(found.numpy(), [pull(la.asarray(g))[0].numpy() for g in cotangents], rtol=1e-12)


def test_numbers_of_rounds_of_each_element():
    def f(x, n):
        return la.fori_loop(0, n, lambda i, c: c * x[0] + i, x[1])

    x, = arrays((4, 3))
    n = np.array([3, 1, 0, 4, 2])
    check(f, x, n)
    check(la.grad(lambda x, n: f(x, n).sum()), x, n)


@pytest.mark.parametrize("f", [running, backwards, counted, with_a_shared_test, until_large, one_of_two, one_of_many,
                               shared_choice, la.grad(total(running)), la.grad(total(counted)),
                               la.grad(total(shared_choice)), la.grad(total(a_shared_loop_in_a_loop))])
def test_they_run_once_for_all(f):
    batch, = arrays((4, 3))
    found = la.vmap(f)(la.asarray(batch))
    assert not any(type(one) is Each for one in gc.get_objects())
    del found


def test_an_index_that_chooses_nothing_is_told():
    with pytest.raises(IndexError, match="index 2 chooses none of 2 branches"):
        la.vmap(lambda k: la.switch(k, [lambda: 1.0, lambda: 2.0]))(la.array([0, 2])).numpy()


def test_nested():
    def f(x):
        return la.vmap(lambda c: la.scan(lambda c, r: (c * r.sum(), c), c, x)[1], 1, 1)(x)

    def one_by_one(x):
        return np.stack([la.scan(lambda c, r: (c * r.sum(), c), x[:, j], x)[1].numpy() for j in range(3)], 1)

    batch, = arrays((4, 3))
    np.testing.assert_allclose(la.vmap(f)(la.asarray(batch)).numpy(), in_a_loop(one_by_one, batch))


def test_vmap_in_the_body_of_a_loop():
    check(lambda x: la.scan(lambda c, r: (la.vmap(lambda a, b: a * b.sum(), (0, None))(c, r), c), x[0], x)[1],
          *arrays((4, 3)))
