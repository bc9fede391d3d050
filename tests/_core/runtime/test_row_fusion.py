"""Steps that process rows together: same bits, warnings, errors and memory as one after the other."""

import signal
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host import allocator
from lazyarr._core.runtime import row_fusion
from support.feature_switches import assert_same_bits, evaluated, switched


@pytest.fixture(autouse=True, params=[1, 2, 3], ids=["1 thread", "2 threads", "3 threads"])
def threads(request):
    """Process arrays of any size by rows, in blocks of a few."""
    before = row_fusion.set_sizes(50_000, 0)
    with la.config(num_threads=request.param, budget_nodes=10**6):
        yield request.param
    row_fusion.set_sizes(*before)


def apart(make):
    """Evaluate make() with each step on its own."""
    with switched(row_fusion, False):
        return evaluated(make)


def together(make):
    """Evaluate make(), compare bits with separate steps, and return the number of fused steps."""
    before = row_fusion.counts()[1]
    results = evaluated(make)
    counted = row_fusion.counts()[1] - before
    assert_same_bits(results, apart(make))
    return results, counted


def drawn(shape, dtype="f4", seed=0):
    values = np.random.default_rng(seed).standard_normal(shape) * 3
    x = la.array(values.astype(dtype))
    la.evaluate(x)
    return x


def softmax(x):
    e = la.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    y = x - x.max(-1, keepdims=True)
    return y - la.log(la.exp(y).sum(-1, keepdims=True))


def log_sum_exp(x):
    m = x.max(-1)
    return m + la.log(la.exp(x - m[..., None]).sum(-1))


def layer_norm(x):
    d = x - x.mean(-1, keepdims=True)
    return d / la.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * x[(0,) * (x.ndim - 1)] + 1


def kurtosis(x):
    d = x - x.mean(-1, keepdims=True)
    v = (d * d).mean(-1, keepdims=True)
    return la.exp((d * d * d * d).mean(-1, keepdims=True) / (v * v)) * d


PROGRAMS = {
    "softmax": softmax,
    "log_softmax": log_softmax,
    "log_sum_exp": log_sum_exp,
    "layer_norm": layer_norm,
    "kurtosis": kurtosis,
    "norm": lambda x: x / la.sqrt((x * x).sum(-1, keepdims=True)),
    "several results": lambda x: [x - x.max(-1, keepdims=True), la.exp(x - x.min(-1, keepdims=True)), x.sum(-1)],
    "range": lambda x: (x - x.min(-1, keepdims=True)) / (x.max(-1, keepdims=True) - x.min(-1, keepdims=True)),
    "wider": lambda x: x.astype("f8") / la.exp(x.astype("f8")).sum(-1, keepdims=True),
}


def listed(results):
    return list(results) if isinstance(results, (list, tuple)) else [results]


@pytest.mark.parametrize("shape", [(64, 1000), (301, 256), (130, 16), (1000, 7), (2, 3000), (5, 6, 40), (3, 40, 500)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bits_are_those_of_one_after_the_other(name, dtype, shape):
    x = drawn(shape, dtype)
    _, counted = together(lambda: listed(PROGRAMS[name](x)))
    assert counted or shape == (2, 3000) or shape[-1] == 7


@pytest.mark.parametrize("dtype", ["f2", "g", "F", "i4", "u8", "?"])
def test_other_dtypes(dtype):
    x = drawn((200, 300), dtype)
    together(lambda: [x - x.sum(-1, keepdims=True, dtype=x.dtype) if dtype != "?" else x & x.any(-1, keepdims=True)])
    with np.errstate(all="ignore"):
        together(lambda: [la.exp(x / 5) / (la.exp(x / 5) + 1).sum(-1, keepdims=True)])


LAYOUTS = {
    "transposed": lambda x: x.T,
    "rows reversed": lambda x: x[::-1],
    "columns reversed": lambda x: x[:, ::-1],
    "part of the columns": lambda x: x[:, 3:-5],
    "every other row": lambda x: x[::2],
    "every other column": lambda x: x[:, ::2],
    "broadcast": lambda x: la.broadcast_to(x[:1], (100, x.shape[1])),
    "stack": lambda x: x.reshape(20, 20, -1).transpose(1, 0, 2),
    "repeated": lambda x: la.repeat(x, 3, axis=0),
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("program", ["softmax", "layer_norm", "log_sum_exp"])
def test_layouts(name, program):
    x = drawn((400, 300))
    together(lambda: listed(PROGRAMS[program](LAYOUTS[name](x))))
    together(lambda: listed(PROGRAMS[program](LAYOUTS[name](x * 2))))  # what dies may be overwritten


UNARY = [la.exp, la.tanh, la.sqrt, abs, la.sin, lambda x: x * 2, lambda x: x.astype("f8"), lambda x: x.astype("f4"),
         lambda x: (x > 0) * x, lambda x: la.log1p(abs(x))]
BINARY = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, la.maximum, lambda a, b: a / (b * b + 1),
          lambda a, b: la.where(a > b, a, b)]
FOLDS = ["sum", "max", "min", "mean", "prod"]
SHOWN = [lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x.T, lambda x: x[:1], lambda x: x[:, :1], lambda x: x * 1]


def random_values(seed):
    """Draw values computed from rows and folds of rows, sometimes from other rows, or overwritten."""
    rng = np.random.default_rng(seed)
    count = int(rng.choice([2, 40, 100, 257]))
    shape = (count, count if rng.integers(2) else int(rng.choice([5, 33, 100, 500])))
    values = [drawn(shape, rng.choice(["f4", "f8"]), seed) * 1, drawn((shape[1],), "f4", seed)]
    for _ in range(int(rng.integers(3, 14))):
        x, y = (values[i] for i in rng.integers(len(values), size=2))
        kind = rng.choice(["unary", "binary", "fold", "shown", "written"], p=[0.2, 0.4, 0.3, 0.05, 0.05])
        if kind == "unary":
            made = UNARY[rng.integers(len(UNARY))](x)
        elif kind == "fold":
            made = getattr(x, rng.choice(FOLDS))(-1, keepdims=True)
        elif kind == "shown" and x.ndim == 2:
            made = SHOWN[rng.integers(len(SHOWN))](x)
        elif kind == "written":
            made = x * 1
            made[..., ::2] += 1
        else:
            made = BINARY[rng.integers(len(BINARY))](x, y) if fits(x.shape, y.shape, shape) else x
        values.append(made)
    kept = rng.random(len(values)) < 0.3
    return [x for x, keep in zip(values, kept, strict=True) if keep] + values[-1:]


def fits(one, other, most):
    try:
        return np.prod(np.broadcast_shapes(one, other)) <= max(np.prod(most), most[0] ** 2)
    except ValueError:
        return False


def test_random_programs():
    counted = 0
    with np.errstate(all="ignore"):
        for seed in range(150):
            before = row_fusion.set_sizes(int(np.random.default_rng(seed).choice([2000, 20_000, 300_000])), 0)
            counted += together(lambda seed=seed: random_values(seed))[1]
            row_fusion.set_sizes(*before)
    assert counted > 30


def test_folds_over_several_axes():
    x = drawn((60, 4, 5, 30))
    scale = drawn((4, 1, 1), seed=1)

    def normalised():
        d = x - x.mean((1, 2, 3), keepdims=True)
        return [d / la.sqrt((d * d).mean((1, 2, 3), keepdims=True) + 1e-5) * scale]

    assert together(normalised)[1] == 5


def test_masks_of_attention():
    scores, mask = drawn((4, 6, 50, 50)), drawn((4, 1, 50, 50), seed=1)
    assert together(lambda: [softmax(scores * 0.125 + mask)])[1]
    assert together(lambda: [softmax(la.where(mask[0, 0] > 0, scores, -np.inf))])[1]


@pytest.mark.parametrize("other", [
    lambda x, m: x - m[::-1],           # another row's
    lambda x, m: x[::-1] - m,
    lambda x, m: x - m[:1],             # one row's
    lambda x, m: x - m.max(0),
    lambda x, m: x[:, :1] - m.T,
    lambda x, m: la.exp(x - m).sum(0) - x,
    lambda x, m: la.exp(x - m)[::-1] - x.sum(-1, keepdims=True),
    lambda x, m: la.repeat(m, x.shape[1], axis=1) - x,
], ids=range(8))
def test_values_of_other_rows(other):
    x = drawn((300, 300))
    together(lambda: [other(x, x.max(-1, keepdims=True))])
    together(lambda: [other(x * 2, la.exp((x * 2).max(-1, keepdims=True)))])
    together(lambda: [softmax(other(x + 1, softmax(x + 1).max(-1, keepdims=True)))])


def test_nothing_of_others_is_overwritten():
    """An array that is read later keeps its values, one that dies need not."""
    def rounds():
        x = drawn((300, 200)) * 1
        for _ in range(3):
            x = softmax(x) * 3
        y = x * 2
        return [softmax(y), y, softmax(y)[::-1] + y]

    assert together(rounds)[1]


def test_updates_stand_between():
    def written():
        x = drawn((300, 200)) * 1
        m = x.max(-1, keepdims=True)
        x[1:] -= m[:-1]
        x[:, 5] = 1
        y = softmax(x)
        y *= m
        return [x, y, y.sum(-1)]

    together(written)


def test_gradients():
    x, g = drawn((200, 100)), drawn((100,), seed=1)

    def gradients():
        return [*la.grad(lambda x, g: (softmax(x) * g).sum(), argnums=(0, 1))(x, g),
                *la.grad(lambda x, g: (la.nn.layer_norm(x, g) ** 2).sum(), argnums=(0, 1))(x, g)]

    assert together(gradients)[1]


def test_loops():
    x = drawn((100, 200))
    assert together(lambda: [la.fori_loop(0, 4, lambda i, state: (softmax(state[0] * 2 + 1),), (x,))[0]])[1]


def test_small_arrays_go_step_by_step():
    x = drawn((300, 300))
    row_fusion.set_sizes(50_000, 1 << 20)
    assert together(lambda: [softmax(x)])[1] == 0
    row_fusion.set_sizes(1000, 0)  # no row fits
    assert together(lambda: [softmax(x)])[1] == 0


def test_memory():
    """Intermediate values of the steps take only the memory of the result."""
    x = drawn((1000, 500))
    for function in (softmax, log_softmax, la.nn.softmax):
        allocator.reset_peak()
        before, counted = allocator.stats()["live_bytes"], row_fusion.counts()[0]
        function(x).numpy()
        assert row_fusion.counts()[0] == counted + 1
        assert allocator.stats()["peak_bytes"] - before < 1.2 * x.nbytes


def test_what_nobody_takes_over_takes_a_block_for_each_thread():
    x = drawn((2000, 500))

    def entropy():
        p = softmax(x)
        return [(p * la.log(p)).sum(-1), (p * p * p).sum(-1)]

    assert together(entropy)[1] == 3
    with api.one_plan():
        results = entropy()
        told = la.explain(*results).memory
        allocator.reset_peak()
        before = allocator.stats()["live_bytes"]
        la.evaluate(*results)
    assert allocator.stats()["peak_bytes"] - before < 0.2 * x.nbytes
    assert told.planned < 0.2 * x.nbytes < told.naive


def test_warnings_come_in_the_order_of_the_program():
    values = np.random.default_rng(0).standard_normal((300, 300)).astype("f4")
    values[17, 3], values[250, 9], values[100] = np.inf, np.nan, 0

    def warned(make):
        x = la.array(values)
        la.evaluate(x)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make(lambda: [x / la.sqrt((x * x * 1e30).sum(-1, keepdims=True)), la.log(softmax(x) - 1)])
        return [str(warning.message) for warning in caught]

    seen = []
    expected = warned(lambda make: seen.append(apart(make)))
    before = row_fusion.counts()[0]
    assert warned(lambda make: seen.append(together(make)))[:len(expected)] == expected
    assert len(expected) == 3
    assert row_fusion.counts()[0] > before


def test_errors_are_raised_where_they_come_up():
    x = drawn((300, 300))
    for step, name in enumerate(("multiply", "exp", "reduce")):
        with api.one_plan():
            with np.errstate(all="raise" if step == 0 else "ignore"):
                d = x * np.float32(1e38) - x.max(-1, keepdims=True) * np.float32(3e37)
            with np.errstate(all="raise" if step == 1 else "ignore"):
                e = la.exp(x + 1e5)
            with np.errstate(all="raise" if step == 2 else "ignore"):
                y = e / (d.sum(-1, keepdims=True) * 0)
            for _ in range(2):
                with pytest.raises(FloatingPointError, match=name):
                    y.numpy()


def test_where_memory_ends_so_does_the_group():
    x = drawn((1000, 500))

    def results():
        s = softmax(x)
        return [s, la.exp(s - s.max(-1, keepdims=True)), s / s.sum(-1, keepdims=True)]

    expected = [np.asarray(y) for y in apart(results)]
    for room in range(6):
        with api.one_plan():
            found = results()
            with la.config(memory_limit=allocator.stats()["live_bytes"] + room * x.nbytes * 5 // 4 + 50_000):
                try:
                    la.evaluate(*found)
                except MemoryError:
                    assert room < 4
                else:
                    assert room > 1
            for got, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(got, other)
        del found


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
@pytest.mark.parametrize("consumed", [False, True])
def test_an_interruption_leaves_all_usable(consumed):
    x = drawn((2000, 1500))
    expected = np.asarray(apart(lambda: [softmax(x * 2 if consumed else x)])[0])

    def interrupt(*_):
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, interrupt)
    try:
        for delay in (0.005, 0.02, 0.06):
            y = expected  # on a busy machine the signal may come before there is another
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                while True:
                    y = softmax(x * 2 if consumed else x)
                    y.numpy()
            except KeyboardInterrupt:
                np.testing.assert_array_equal(y, expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def test_the_first_nan_is_found():
    x = drawn((300, 300))
    with la.config(debug_nans=True), np.errstate(all="ignore"), api.one_plan():
        y = softmax(la.sqrt(x))
        with pytest.raises(FloatingPointError, match="sqrt made the first NaN"):
            y.numpy()


def test_the_timeline_tells_of_each_step():
    x = drawn((500, 500))
    before = row_fusion.counts()[1]
    with la.profile(trace=True) as profile:
        softmax(x).numpy()
    assert row_fusion.counts()[1] == before + 3
    [whole] = [event for event in profile.trace if event["name"] == "evaluation"]
    parts = [event for event in profile.trace if event["name"].endswith(("divide", "reduce"))]
    names = [event["name"] for event in parts if event["cat"] != "share"]
    assert names == ["maximum.reduce", "subtract, exp, add.reduce", "divide"]
    for number in {event["tid"] for event in parts if event["cat"] == "share"}:  # each thread has a part of each step
        assert [event["name"] for event in parts if (event["tid"], event["cat"]) == (number, "share")] == names
    for step in parts:
        assert whole["ts"] <= step["ts"] <= step["ts"] + step["dur"] <= whole["ts"] + whole["dur"]
