"""vmap's arguments and results: axes, trees, lengths, writes, and errors."""
import itertools

import numpy as np
import pytest

import lazyarr as la
from support.vmap_comparison import arrays, check, in_a_loop


def batch(*shape):
    return la.asarray(np.random.default_rng(1).standard_normal(shape))


@pytest.mark.parametrize(("in_axis", "out_axis"), [*itertools.product((0, 1, 2, -1, -3), (0, 1, -1, -2))])
def test_axes(in_axis, out_axis):
    x = batch(3, 4, 5)
    found = la.vmap(lambda x: x.T * 2, in_axis, out_axis)(x)
    elements = np.moveaxis(x.numpy(), in_axis, 0)
    np.testing.assert_array_equal(found.numpy(), np.stack([e.T * 2 for e in elements], out_axis))


@pytest.mark.parametrize("axis", [1, 2])
def test_windows_on_elements_of_any_axis(axis):
    x = batch(3, 4, 5)
    found = la.vmap(lambda x: x[::-1, 1:] + x[0, 0], axis)(x[::-1])
    elements = np.moveaxis(x.numpy()[::-1], axis, 0)
    np.testing.assert_array_equal(found.numpy(), [e[::-1, 1:] + e[0, 0] for e in elements])


def test_writing_to_elements_that_share_memory():
    x = np.broadcast_to(batch(3), (4, 3))

    def f(row, k):
        row[k] += 1
        row[::-1][0] *= 2
        return row

    expected = np.broadcast_to(x.numpy(), (4, 3)).copy()
    expected[range(4), [0, 1, 2, 2]] += 1
    expected[:, 2] *= 2
    np.testing.assert_array_equal(la.vmap(f)(x, la.array([0, 1, 2, 2])).numpy(), expected)


def test_trees():
    params = {"w": [batch(3, 2), batch(2, 3)], "b": None}
    f = la.vmap(lambda p, t: {"y": p["w"][0] * t, "z": (p["w"][1].sum(), 1)}, in_axes=({"w": [0, 1], "b": None}, None),
                out_axes={"y": 1, "z": (0, None)})
    made = f(params, 2.0)
    np.testing.assert_array_equal(made["y"].numpy(), params["w"][0].numpy().T * 2)
    np.testing.assert_array_equal(made["z"][0].numpy(), params["w"][1].numpy().sum(0))
    assert made["z"][1].item() == 1


def test_a_prefix_stands_for_all_below_it():
    x, y = batch(3, 2), batch(2, 3)
    made = la.vmap(lambda pair, z: (pair[0] + z, pair[1] - z), (1, 0), (0, 1))((x, x * 2), y)
    np.testing.assert_array_equal(made[0].numpy(), x.numpy().T + y.numpy())
    np.testing.assert_array_equal(made[1].numpy(), (x.numpy().T * 2 - y.numpy()).T)


def test_arguments_by_name_are_batched():
    x = batch(3, 2)
    np.testing.assert_array_equal(la.vmap(lambda x, *, y: x * y)(x, y=x).numpy(), x.numpy() ** 2)


def test_elements_of_a_vector_are_scalars():
    seen = []
    la.vmap(lambda x: (seen.append(x), x)[1])(batch(3))
    assert seen[0]._scalar
    assert seen[0].shape == ()


def test_what_all_share_is_repeated():
    made = la.vmap(lambda x: (la.ones(2), 3.0), out_axes=(1, 0))(batch(4, 2))
    assert made[0].shape == (2, 4)
    assert made[1].tolist() == [3.0] * 4
    made[1][0] = 7
    assert made[1].tolist() == [7.0, 3.0, 3.0, 3.0]


@pytest.mark.parametrize("shape", [(0, 3), (0,)])
def test_empty_batches(shape):
    x = la.asarray(np.zeros(shape, np.float32))
    made, place = la.vmap(lambda x: (np.outer(x, x), x.sum() > 0), out_axes=(1, 0))(x)
    inner = shape[1:] or (1,)
    assert made.numpy().shape == (inner[0], 0, inner[0])
    assert made.dtype == np.float32
    assert place.numpy().shape == (0,)
    assert place.dtype == bool


def test_an_empty_batch_and_what_all_share():
    made, shared = la.vmap(lambda x: (la.ones(2), la.ones(2) * 3))(la.zeros((0, 2)))
    assert made.shape == shared.shape == (0, 2)
    assert la.vmap(lambda x: la.ones(2) * 3, out_axes=None)(la.zeros((0, 2))).tolist() == [3, 3]


def test_empty_elements():
    check(lambda x: (x * 2, x.sum(1), x.T.reshape(-1), x.sum()), *arrays((0, 3)))


def test_a_batch_of_one():
    x = batch(1, 3, 2)
    found = la.vmap(lambda x: x[::-1].T + 1)(x)
    np.testing.assert_array_equal(found.numpy(), x.numpy()[:, ::-1].transpose(0, 2, 1) + 1)


def test_writing_leaves_arguments_alone():
    x, shared = batch(3, 2), batch(2)
    before = x.numpy().copy(), shared.numpy().copy()

    def f(x, y):
        x += y
        y[0] = 5
        return x * y

    found = la.vmap(f, (0, None))(x, shared)
    np.testing.assert_array_equal(x.numpy(), before[0])
    np.testing.assert_array_equal(shared.numpy(), before[1])
    np.testing.assert_array_equal(found.numpy(), (before[0] + before[1]) * [5, before[1][1]])


def test_results_can_be_written_to():
    x = batch(3, 2)
    before = x.numpy().copy()
    made = la.vmap(lambda x: x)(x)
    made[0] = 0
    moved = la.vmap(lambda x: x[1:], out_axes=-1)(x)
    moved += 1
    np.testing.assert_array_equal(x.numpy(), before)
    assert made[0].tolist() == [0, 0]
    np.testing.assert_array_equal(moved.numpy(), before[:, 1:].T + 1)


def test_nothing_is_evaluated(evaluations):
    la.vmap(lambda x: np.sort(np.linalg.inv(x @ x.T + np.eye(3)))[0])(batch(4, 3, 3) * 2)
    assert not evaluations


def test_random_numbers_are_shared():
    rng = la.random.default_rng(0)
    made = la.vmap(lambda x: x * 0 + rng.standard_normal(3))(batch(4, 3)).numpy()
    assert (made == made[0]).all()
    assert len(set(made[0])) == 3
    assert rng.standard_normal(3).tolist() != made[0].tolist()


@pytest.mark.parametrize("draw", [
    lambda rng: la.vmap(lambda x: rng.normal(x, 1.0, 3))(la.ones(4) * 2),
    lambda rng: la.scan(lambda c, x: (c, rng.normal(x, 1.0, 3)), 0.0, la.ones(4) * 2),
])
def test_draws_that_need_a_value_are_refused_and_leave_the_generator_as_it_was(draw):
    rng = la.random.default_rng(0)
    with pytest.raises(la.TracedValueError):
        draw(rng)
    assert rng.normal(0.0, 1.0, 3).tolist() == np.random.default_rng(0).normal(0.0, 1.0, 3).tolist()


def test_floating_point_errors_are_reported():
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        la.vmap(la.log)(la.array([1.0, 0.0])).numpy()


def test_an_error_names_the_line_in_the_function():
    def f(x):
        return np.linalg.inv(x)  # here

    made = la.vmap(f)(la.zeros((2, 3, 3)))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        made.numpy()
    assert any("test_vmap_arguments.py" in note for note in caught.value.__notes__)


@pytest.mark.parametrize(("in_axes", "args", "error", "message"), [
    (0, (np.ones((3, 2)), np.ones((4, 2))), ValueError,
     "argument 0 has length 3 along axis 0, but argument 1 has length 4 along axis 0"),
    ((0, {"a": 1}), (np.ones(3), {"a": np.ones((3, 4))}), ValueError,
     r"argument 1\['a'\] has length 4 along axis 1"),
    (1, (np.ones(3),), ValueError, r"argument 0 has no axis 1: its shape is \(3,\)"),
    (0, (3.0,), ValueError, r"argument 0 has no axis 0: its shape is \(\)"),
    (None, (np.ones(3),), ValueError, "no argument has an axis"),
    ((0,), (np.ones(3), 1), ValueError, "in_axes has 1 items for 2 arguments"),
    (((0, 0),), (np.ones(3),), ValueError, r"in_axes\[0\] has 2 items, which does not fit one array"),
    (({"a": 0},), ({"b": np.ones(3)},), ValueError, r"in_axes\[0\] is a dict of \['a'\], which does not fit a dict"),
    (0.5, (np.ones(3),), TypeError, "in_axes must be integers"),
    (0, (np.array(["a"]),), TypeError, "argument 0 must be an array of numbers or booleans"),
])
def test_wrong_arguments(in_axes, args, error, message):
    with pytest.raises(error, match=message):
        la.vmap(lambda *args: 0, in_axes)(*args)


@pytest.mark.parametrize(("out_axes", "error", "message"), [
    (None, ValueError, "out_axes is None for the result, which depends on the element"),
    (3, ValueError, "the result has 2 axes with that of the batch, out_axes asks for axis 3"),
    ((0, 0), ValueError, "out_axes has 2 items, which does not fit one array"),
])
def test_wrong_results(out_axes, error, message):
    with pytest.raises(error, match=message):
        la.vmap(lambda x: x, 0, out_axes)(batch(3, 2))


def test_lengths_of_arguments_by_name_are_told():
    with pytest.raises(ValueError, match="argument y has length 2 along axis 0"):
        la.vmap(lambda x, y: x)(batch(3), y=batch(2))


def test_values_cannot_be_looked_at():
    with pytest.raises(la.TracedValueError):
        la.vmap(lambda x: x if x.sum() > 0 else -x)(batch(3, 2))
    assert la.ones(3).sum().item() == 3


def test_too_many_axes():
    with pytest.raises(ValueError, match="64 dimensions cannot have one more"):
        la.vmap(lambda x: x.reshape((1,) * 64))(batch(3, 1))


def loss(w, x):
    return (la.tanh(la.sin(w @ x)) ** 2).sum() + (x[::-1] * x).max()


DERIVATIVES = {
    "gradients": lambda w, x: la.grad(loss, (0, 1))(w, x),
    "both": lambda w, x: la.value_and_grad(loss)(w, x),
    "pushed forward": lambda w, x: la.jvp(loss, (w, x), (w * 2, x))[1],
    "jacobian": lambda w, x: la.jacobian(lambda x: la.sin(w @ x))(x),
    "jacobian forward": lambda w, x: la.jacobian(lambda x: la.sin(w @ x), mode="forward")(x),
    "hessian": lambda w, x: la.hessian(lambda x: (la.sin(w @ x) ** 2).sum())(x),
    "laplacian": lambda w, x: la.laplacian(lambda x: (la.sin(w @ x) ** 2).sum())(x),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_of_each(name):
    check(DERIVATIVES[name], *arrays((3, 3), (3,)))


CALLS = {
    "solve": lambda x: np.linalg.solve(x @ x.T + np.eye(3), x[:, 0]).sum(),
    "eigenvalues": lambda x: (np.linalg.eigh(x + x.T)[0] ** 3).sum(),
    "determinant": lambda x: np.linalg.slogdet(x)[1],
    "sorted": lambda x: (np.sort(x, 0) * np.arange(9).reshape(3, 3)).sum(),
    "taken": lambda x: (x[np.array([0, 0, 2])] ** 2).sum() + (np.take_along_axis(x, x.argmax(0)[None], 0) ** 2).sum(),
    "repeated": lambda x: (np.repeat(x, 2, 1)[:, :3] * x).sum(),
    "running": lambda x: (np.cumsum(x, 1) ** 2).sum(),
    "a product": lambda x: x.prod(),
    "under a mask": lambda x: np.where(x > 0, x, x ** 2).sum(),
    "written": lambda x: (lambda y: (y.__setitem__(0, x[1] ** 2), (y * x).sum())[1])(x * 2),
    "convolved": lambda x: (la.nn.conv1d(x[None, :, :1], x[:2, None, :1]) ** 2).sum(),
    "pooled": lambda x: (la.nn.max_pool1d(x[None], 2) ** 2).sum(),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients_through_calls(name):
    f = CALLS[name]
    x, = arrays((3, 3))
    each = in_a_loop(la.grad(f), x)
    np.testing.assert_allclose(la.vmap(la.grad(f))(la.asarray(x)).numpy(), each, rtol=1e-8, atol=1e-11)
    whole = la.grad(lambda x: (la.vmap(f)(x)).sum())(la.asarray(x))
    np.testing.assert_allclose(whole.numpy(), each, rtol=1e-8, atol=1e-11)


def test_a_call_without_a_rule_has_its_derivative_all_the_same():
    """Of weights for each sample there is none; the derivative of the call is made for each element, too."""
    from lazyarr._core import api as core

    def cubed(v):
        return v ** 3

    cubed.pull_back = lambda g, out, operands, wanted: (3 * g * operands[0] ** 2,)

    def f(x):
        return core.opaque("cubed", cubed, [x], x.shape, x.dtype)

    x, = arrays((3,))
    found = la.grad(lambda x: la.vmap(f)(x).sum())(la.asarray(x))
    np.testing.assert_allclose(found.numpy(), 3 * x ** 2)
    with pytest.raises(la.NotDifferentiable, match="halved has no derivative"):
        la.grad(lambda x: la.vmap(lambda x: core.opaque("halved", lambda v: v / 2, [x], x.shape, x.dtype))(x).sum())(
            la.asarray(x))
    found = la.grad(lambda x: la.vmap(lambda x: np.interp(x[0], x, x * 2))(x).sum())(la.asarray(np.sort(x)))
    assert found.shape == x.shape


def test_nested():
    x = batch(3, 4, 5)
    found = la.vmap(lambda x: la.vmap(lambda row, m: row * m, (1, None), 1)(x, x.sum()))(x)
    np.testing.assert_allclose(found.numpy(), x.numpy() * x.numpy().sum((1, 2), keepdims=True))


def test_nested_with_what_only_the_inner_one_batches():
    x, y = batch(3), batch(4)
    found = la.vmap(lambda a: la.vmap(lambda b: la.sin(a) * b)(y))(x)
    np.testing.assert_array_equal(found.numpy(), np.sin(x.numpy())[:, None] * y.numpy())


def test_a_deep_graph():
    def f(x):
        for _ in range(20_000):
            x = x + 1
        return x

    assert la.vmap(f)(la.zeros((2, 1))).tolist() == [[20_000], [20_000]]


def test_a_function_may_be_called_with_other_lengths():
    f = la.vmap(lambda x: x * 2)
    assert f(la.ones(2)).tolist() == [2, 2]
    assert f(la.ones(3)).tolist() == [2, 2, 2]


def put(v):
    made = v * 1
    np.put(made, [0, 2], v[:2] * 3)
    return made * made


def assigned(v):
    made = np.zeros_like(v)
    made[[0, 1, 1]] = v * v
    return made * v


def added(v):
    made = v * 1
    np.add.at(made, [0, 0, 1], v * v)
    return made * made


def diagonal(v):
    made = np.zeros((3, 3), like=v)
    np.fill_diagonal(made, v * v)
    return made @ v


CHANGES = [put, assigned, added, diagonal, lambda v: np.insert(v, 1, v[0] * v[1]) ** 2,
           lambda v: np.bincount([0, 1, 1], weights=v) ** 2]


@pytest.mark.parametrize("f", CHANGES)
def test_what_changes_arrays_has_its_derivative_on_a_batch(f):
    x = la.asarray(np.random.default_rng(4).standard_normal((2, 3)))
    each = la.vmap(la.grad(lambda v: f(v).sum()))(x)
    np.testing.assert_allclose(la.grad(lambda x: la.vmap(f)(x).sum())(x), each, rtol=1e-12)
    _, slope = la.jvp(lambda x: la.vmap(f)(x).sum(), (x,), (x + 1,))
    np.testing.assert_allclose(slope, (each * (x + 1)).sum(), rtol=1e-12)
