"""Optimisers equal their formulas in NumPy, are lazy, and hit one plan."""

import itertools
import math

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr._core.host import allocator
from lazyarr._core.runtime import plan_cache
from lazyarr.autodiff.trees import leaves

SHAPES = {"layers": [{"weight": (4, 3), "bias": (3,)}, {"scale": ()}], "last": (2, 1, 2)}


def filled(shapes, make):
    """Return a tree of arrays of these shapes."""
    if isinstance(shapes, dict):
        return {key: filled(part, make) for key, part in shapes.items()}
    if isinstance(shapes, list):
        return [filled(part, make) for part in shapes]
    return make(shapes)


def random(rng, dtype, wrap=la.array):
    return filled(SHAPES, lambda shape: wrap(np.asarray(rng.standard_normal(shape), dtype)))


# One step of each rule in NumPy: f(step counted from 1, parameter, gradient, state) -> (parameter, state).


def sgd(t, p, g, state, rate=0.1, decay=0.0):
    return p - rate * (g + decay * p), state


def momentum(t, p, g, state, rate=0.1, mu=0.9, decay=0.0, nesterov=False):
    g = g + decay * p
    v = mu * (state[0] if state else 0 * p) + g
    return p - rate * (g + mu * v if nesterov else v), (v,)


def adagrad(t, p, g, state, rate=0.1, decay=0.0):
    g = g + decay * p
    s = (state[0] if state else 0 * p) + g * g
    return p - rate * g / (np.sqrt(s) + 1e-10), (s,)


def rmsprop(t, p, g, state, rate=0.1, decay=0.0):
    g = g + decay * p
    s = 0.99 * (state[0] if state else 0 * p) + 0.01 * g * g
    return p - rate * g / (np.sqrt(s) + 1e-8), (s,)


def moments(t, g, state):
    m, v = state or (0 * g, 0 * g)
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return m, v, m / (1 - 0.9 ** t), v / (1 - 0.999 ** t)


def adam(t, p, g, state, rate=0.1, decay=0.0):
    m, v, m_hat, v_hat = moments(t, g + decay * p, state)
    return p - rate * m_hat / (np.sqrt(v_hat) + 1e-8), (m, v)


def adamw(t, p, g, state, rate=0.1, decay=0.01):
    m, v, m_hat, v_hat = moments(t, g, state)
    return p - rate * decay * p - rate * m_hat / (np.sqrt(v_hat) + 1e-8), (m, v)


def lamb(t, p, g, state, rate=0.1, decay=0.01):
    m, v, m_hat, v_hat = moments(t, g, state)
    u = m_hat / (np.sqrt(v_hat) + 1e-6) + decay * p
    own, steps = np.sqrt((p * p).sum()), np.sqrt((u * u).sum())
    return p - rate * (own / steps if own and steps else 1) * u, (m, v)


RULES = {
    "SGD": (lambda **k: nn.SGD(0.1, **k), sgd),
    "Momentum": (lambda **k: nn.Momentum(0.1, 0.9, **k), momentum),
    "Nesterov": (lambda **k: nn.Nesterov(0.1, 0.9, **k), lambda *a, **k: momentum(*a, nesterov=True, **k)),
    "Adagrad": (lambda **k: nn.Adagrad(0.1, **k), adagrad),
    "RMSprop": (lambda **k: nn.RMSprop(0.1, **k), rmsprop),
    "Adam": (lambda **k: nn.Adam(0.1, **k), adam),
    "AdamW": (lambda **k: nn.AdamW(0.1, **k), adamw),
    "LAMB": (lambda **k: nn.LAMB(0.1, **k), lamb),
}
each_rule = pytest.mark.parametrize("name", RULES)


@each_rule
@pytest.mark.parametrize("decay", [None, 0.25])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gives_what_the_formula_gives(name, decay, dtype):
    make, rule = RULES[name]
    optimiser = make() if decay is None else make(weight_decay=decay)
    rng = np.random.default_rng(0)
    tree = random(rng, dtype)
    want = [np.array(p) for p in leaves(tree)]
    states = [None] * len(want)
    for t in range(1, 6):
        gradients = random(rng, dtype)
        optimiser.update(tree, gradients)
        for k, g in enumerate(leaves(gradients)):
            want[k], states[k] = rule(t, want[k], g.numpy(), states[k], **({} if decay is None else {"decay": decay}))
    for p, expected in zip(leaves(tree), want, strict=True):
        assert p.dtype == dtype
        np.testing.assert_allclose(p.numpy(), expected, rtol=20 * np.finfo(dtype).eps, atol=20 * np.finfo(dtype).eps)


def test_plain_steps_give_the_bits_of_numpy():
    rng = np.random.default_rng(1)
    tree = random(rng, "f4")
    want = [np.array(p) for p in leaves(tree)]
    velocity = [np.zeros_like(p) for p in want]
    optimiser = nn.Momentum(0.1, 0.9)
    for _ in range(4):
        gradients = random(rng, "f4")
        optimiser.update(tree, gradients)
        for p, v, g in zip(want, velocity, leaves(gradients), strict=True):
            v *= 0.9
            v += g.numpy()
            p -= 0.1 * v
    for p, expected in zip(leaves(tree), want, strict=True):
        np.testing.assert_array_equal(p.numpy(), expected)


@each_rule
def test_evaluates_nothing_and_has_one_plan_for_all_steps(name, evaluations):
    rng = np.random.default_rng(0)
    optimiser, tree = RULES[name][0](), random(rng, "f4")
    optimiser.rate = nn.schedules.cosine(0.1, 10)
    steps = [random(rng, "f4") for _ in range(6)]
    la.evaluate(*leaves(tree), *leaves(steps))
    for k, gradients in enumerate(steps):
        del evaluations[:]
        with la.no_evaluation():
            optimiser.update(tree, gradients)
        assert not evaluations
        before = plan_cache.stats()["misses"]
        la.evaluate(*leaves(tree), *optimiser.arrays())
        assert k < 2 or plan_cache.stats()["misses"] == before


@each_rule
def test_goes_on_from_a_state(name):
    rng = np.random.default_rng(0)
    steps = [random(rng, "f8") for _ in range(6)]
    whole, first, second = (RULES[name][0]() for _ in range(3))
    start = random(rng, "f8")
    one, two = ([la.array(p) for p in leaves(start)] for _ in range(2))
    for gradients in steps:
        whole.update(one, leaves(gradients))
    for gradients in steps[:3]:
        first.update(two, leaves(gradients))
    second.load_state(first.state())
    for gradients in steps[3:]:
        second.update(two, leaves(gradients))
        first.steps = None    # what second goes on with is a copy
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_state_has_the_form_of_the_parameters():
    rng = np.random.default_rng(0)
    optimiser, tree = nn.Adam(), random(rng, "f4")
    assert optimiser.state() == {"steps": 0}
    optimiser.update(tree, random(rng, "f4"))
    state = optimiser.state()
    assert set(state) == {"steps", "mean", "square"}
    assert state["mean"]["layers"][0]["weight"].shape == (4, 3)
    assert state["mean"]["layers"][0]["weight"] is optimiser.state()["mean"]["layers"][0]["weight"]


def test_an_unused_state_can_be_loaded():
    optimiser = nn.Adam()
    optimiser.load_state(nn.Adam().state())
    p = la.ones(2)
    optimiser.update([p], [la.ones(2)])
    assert optimiser.steps == 1


@pytest.mark.parametrize(("state", "message"), [
    ({"steps": 1, "velocity": [np.ones(2)]}, "must have steps, mean, square"),
    ({"mean": [], "square": []}, "must have steps"),
    ({"steps": 1, "mean": [np.ones(2)], "square": []}, "different numbers"),
])
def test_refuses_the_state_of_another(state, message):
    with pytest.raises(ValueError, match=message):
        nn.Adam().load_state(state)


def test_refuses_a_state_of_other_shapes():
    optimiser = nn.Momentum(0.1)
    optimiser.load_state({"steps": 1, "velocity": {"w": np.ones(3)}})
    p = la.ones(2)
    with pytest.raises(ValueError, match=r"parameter w has shape \(2,\), velocity has \(3,\)"):
        optimiser.update({"w": p}, {"w": la.ones(2)})
    assert p.tolist() == [1, 1]
    assert optimiser.steps == 1


def test_zeros_stay_finite():
    for make, _ in RULES.values():
        p = la.zeros(3)
        with np.errstate(all="raise"):
            make().update([p], [la.zeros(3)])
            assert p.tolist() == [0, 0, 0]


def test_writes_into_the_arrays_that_it_was_given():
    base = la.ones((2, 3))
    nn.SGD(0.5).update([base[0]], [la.ones(3)])
    assert base.tolist() == [[0.5] * 3, [1.0] * 3]


def test_gradients_may_be_of_numpy():
    p = la.ones(2)
    nn.SGD(0.5).update({"p": p}, {"p": np.ones(2)})
    assert p.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(("gradients", "message"), [
    ({"a": [np.ones(3)], "b": np.ones(2)}, r"parameter a\.0 has shape \(2,\), the gradient has \(3,\)"),
    ({"a": [np.ones(2, "f4")], "b": np.ones(2)}, r"parameter a\.0 has dtype float64, the gradient has float32"),
    ({"a": [np.ones(2)]}, "the gradient of parameter b is missing"),
    ({"a": [np.ones(2)], "b": None}, "the gradient of parameter b is missing"),
    ({"a": [np.ones(2)], "c": np.ones(2)}, "the gradient of parameter b is missing"),
    ([[np.ones(2)], np.ones(2)], r"the gradient of parameter a\.0 is missing"),
    ({"a": {"0": np.ones(2)}, "b": np.ones(2)}, "the gradient has other containers"),
    ({"a": [np.ones(2)], "b": np.ones(2), "c": np.ones(2)}, "the gradient has c, which is no parameter"),
])
def test_names_the_parameter_whose_gradient_is_wrong(gradients, message):
    tree = {"a": [la.ones(2)], "b": la.ones(2)}
    optimiser = nn.Momentum(0.5)
    with pytest.raises(ValueError, match=message):
        optimiser.update(tree, gradients)
    assert [p.tolist() for p in leaves(tree)] == [[1, 1], [1, 1]]
    assert optimiser.steps == 0


@pytest.mark.parametrize("make", [lambda: np.ones(2), lambda: la.ones(2, int), lambda: la.ones(2, complex),
                                  lambda: la.ones(2).sum()], ids=["ndarray", "integers", "complex", "scalar"])
def test_parameters_are_lazy_arrays_of_floats(make):
    wrong = make()
    with pytest.raises(TypeError, match="parameter w must be a lazy array of floats"):
        nn.SGD(0.1).update({"w": wrong}, {"w": la.ones(wrong.shape, wrong.dtype)})


@pytest.mark.parametrize("call", [
    lambda g: nn.SGD(0.1).update([la.ones(2)], [g]), lambda g: nn.clip_by_value([g], -1, 1), nn.global_norm,
    lambda g: nn.clip_by_norm([g], 1), lambda g: nn.clip_by_global_norm([g], 1),
    lambda g: nn.Momentum(0.1).load_state({"steps": 1, "velocity": [g]})])
def test_gradients_with_semantics_of_their_own_are_refused(call):
    with pytest.raises(TypeError, match="must be an array, not MaskedArray"):
        call(np.ma.ones(2))


@pytest.mark.parametrize("make", [
    lambda: nn.SGD(-0.1), lambda: nn.SGD(math.nan), lambda: nn.Adam(0.1, (0.9, 1.0)), lambda: nn.Momentum(0.1, -0.5),
    lambda: nn.AdamW(weight_decay=-1), lambda: nn.RMSprop(0.1, 1.5), lambda: nn.Adagrad(epsilon=-1)])
def test_refuses_numbers_out_of_bounds(make):
    with pytest.raises(ValueError, match="must be"):
        make()


def test_refuses_a_schedule_that_gives_no_rate():
    optimiser, p = nn.SGD(lambda step: -1.0), la.ones(2)
    with pytest.raises(ValueError, match=r"rate must be finite and not negative, got -1\.0"):
        optimiser.update([p], [p])
    assert optimiser.steps == 0


def test_schedule_counts_steps_from_zero():
    seen = []
    optimiser, p = nn.SGD(lambda step: seen.append(step) or 0.0), la.ones(1)
    for _ in range(3):
        optimiser.update([p], [la.ones(1)])
    assert seen == [0, 1, 2]


def test_one_cycle_has_the_bounds_of_its_definition():
    rate = nn.schedules.one_cycle(2.0, 100)
    rates = [rate(step) for step in range(120)]
    assert rates[0] == pytest.approx(2 / 25)
    assert max(rates) == rates[29] == 2
    assert rates[99] == rates[119] == pytest.approx(2 / 250_000)
    assert all(a < b for a, b in itertools.pairwise(rates[:30]))
    assert all(a > b for a, b in itertools.pairwise(rates[29:100]))


@pytest.mark.parametrize("make", [
    lambda s: s.step(1, 0), lambda s: s.cosine(1, 0), lambda s: s.warm_up(1, 0), lambda s: s.one_cycle(1, 0),
    lambda s: s.one_cycle(1, 5, rising=2), lambda s: s.piecewise([3, 1], [1, 2, 3]), lambda s: s.piecewise([1], [1])])
def test_schedules_refuse_wrong_numbers(make):
    with pytest.raises(ValueError, match=r"must|need"):
        make(nn.schedules)


def test_warm_up_of_a_number():
    assert list(map(nn.schedules.warm_up(1.0, 4, begin=0.5), range(6))) == [0.5, 0.625, 0.75, 0.875, 1, 1]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_clipping_keeps_form_and_dtype_and_looks_at_nothing(dtype):
    tree = random(np.random.default_rng(0), dtype)
    want = [p.numpy() for p in leaves(tree)]
    total = math.sqrt(sum(float((x.astype("f8") ** 2).sum()) for x in want))
    with la.no_evaluation():
        by_value = nn.clip_by_value(tree, -0.5, 0.25)
        by_norm = nn.clip_by_norm(tree, 1.0)
        together = nn.clip_by_global_norm(tree, 1.0)
        loose = nn.clip_by_global_norm(tree, 2 * total)
    for k, x in enumerate(want):
        assert leaves(by_value)[k].dtype == leaves(by_norm)[k].dtype == leaves(together)[k].dtype == dtype
        np.testing.assert_array_equal(leaves(by_value)[k], x.clip(-0.5, 0.25))
        np.testing.assert_allclose(leaves(by_norm)[k], x / max(1, np.linalg.norm(x)), rtol=1e-5)
        np.testing.assert_allclose(leaves(together)[k], x / total, rtol=1e-5)
        np.testing.assert_array_equal(leaves(loose)[k], x)
    assert float(nn.global_norm(together)) == pytest.approx(1, rel=1e-5)
    assert together["layers"][0]["weight"].shape == (4, 3)


def test_clipping_of_zeros_raises_no_flag():
    with np.errstate(all="raise"):
        assert nn.clip_by_norm([la.zeros(2)], 1)[0].tolist() == [0, 0]


@pytest.mark.parametrize("call", [
    lambda: nn.clip_by_value([], 1, 0), lambda: nn.clip_by_norm([], 0), lambda: nn.clip_by_global_norm([], -1)])
def test_clipping_refuses_wrong_bounds(call):
    with pytest.raises(ValueError, match="must"):
        call()


def test_parameters_and_state_are_written_where_they_are():
    size = 512
    model = nn.Sequential(nn.Linear(size, size), nn.Linear(size, size))
    step = nn.training_step(model, nn.mse_loss, nn.Momentum(0.1))
    x, y = la.ones((4, size), "float32"), la.ones((4, size), "float32")
    step(x, y)  # makes the state
    for _ in range(2):
        allocator.reset_peak()
        before = allocator.stats()["live_bytes"]
        step(x, y)
    assert allocator.stats()["peak_bytes"] - before < 1.5 * size * size * 4  # one gradient


def test_a_step_is_one_plan_after_loops_whose_rounds_differ():
    rng = np.random.default_rng(0)
    with la.config(budget_nodes=20):
        x = la.ones(8)
        for _ in range(200):
            for _ in range(rng.integers(1, 9)):
                x += (la.exp if rng.random() < 0.5 else la.cos)(x) * 0.1
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    step = nn.training_step(model, nn.mse_loss, nn.Momentum(0.1))
    for _ in range(3):
        with la.profile() as collected:
            step(la.ones((4, 3), "float32"), la.ones((4, 3), "float32"))
    assert collected.evaluations == 1


def test_an_array_that_shares_its_values_with_a_parameter_keeps_them():
    model = nn.Linear(2, 1, weight=nn.initialisers.ones)
    shared, scale = la.array(model.weight), la.array(2.0, "float32")
    model.scale = scale
    la.evaluate(shared, scale)
    step = nn.training_step(model, lambda y, t: ((model.scale * y - t) ** 2).mean(), nn.Momentum(0.1))
    x = la.ones((1, 2), "float32")
    losses = [float(step(x, la.zeros((1, 1), "float32"))["loss"]) for _ in range(2)]
    np.testing.assert_array_equal(shared.numpy(), [[1], [1]])
    assert losses[0] == 16 != losses[1]


def test_norms_of_numbers_in_half_precision():
    large = [la.full(3, 60000, "f2"), la.full((2, 2), -30000, "f2")]
    total = np.sqrt(3 * 60000.0**2 + 4 * 30000.0**2)
    assert float(nn.global_norm(large)) == pytest.approx(total, rel=1e-3)
    for made, x in zip(nn.clip_by_global_norm(large, 1.0), large, strict=True):
        assert made.dtype == "f2"
        np.testing.assert_allclose(made.astype(float), x.astype(float) / total, rtol=1e-3)
    [made] = nn.clip_by_norm(large[:1], 2.0)
    np.testing.assert_allclose(made.astype(float), 2 / np.sqrt(3), rtol=1e-3)
    np.testing.assert_array_equal(nn.clip_by_norm(large[:1], 2e5)[0], large[0])


def test_norms_of_complex_numbers_integers_and_nothing():
    assert nn.global_norm([la.array([3 + 4j]), la.array([0.0, 12.0])]) == 13
    [made] = nn.clip_by_norm([la.array([3 + 4j])], 1)
    np.testing.assert_allclose(made, [0.6 + 0.8j])
    np.testing.assert_allclose(nn.clip_by_global_norm([np.array([3, 4])], 1)[0], [0.6, 0.8])
    assert nn.global_norm([]) == 0
