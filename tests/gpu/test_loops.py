"""Loops, branches and traced functions on devices: the host's bits, also of derivatives, and no step on the host."""

import importlib
import warnings

import numpy as np
import pytest

import lazyarr as la

RNG = np.random.default_rng(5)
X = RNG.integers(0, 64, (7, 30)) / 64     # whose sums are exact, in any order
STEPS = RNG.integers(0, 64, (5, 7, 30)) / 64


@pytest.fixture(params=["opencl", "cuda"])
def machine(request):
    return importlib.import_module(f"support.{request.param}_device")


def values_of(tree):
    """Return the arrays of a tree as ndarrays, and their devices."""
    arrays = tree if isinstance(tree, tuple) else (tree,)
    return [np.asarray(x) for x in arrays], {x.device for x in arrays}


def same_as_on_the_host(machine, program, *arrays, steps=()):
    """Compare a program's results on the device bitwise with the host's; `steps` may run on the host."""
    wanted, _ = values_of(program(*map(la.asarray, arrays)))
    machine.DRIVER.host_steps.clear()
    made, devices = values_of(program(*map(machine.there, arrays)))
    assert devices == {machine.DEVICE}
    for got, expected in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(got, expected, strict=True)
    assert {name for name, _ in machine.DRIVER.host_steps} == set(steps)


def with_index(x):
    return la.fori_loop(2, 9, lambda i, s: s * 0.5 + i, x)


def until_large(x):
    return la.while_loop(lambda s: s[1] < 5, lambda s: (s[0] * 2 + x, s[1] + 1), (x, la.asarray(0)))[0]


def collected(x, steps):
    return la.scan(lambda s, v: (s * v + 1, (s - v, s[0])), x, steps)[1]


def backwards(x, steps):
    state, ys = la.scan(lambda s, v: (s * v + 1, s - v), x, steps, reverse=True)
    return state, ys


def exchanged(x):
    return la.fori_loop(0, 3, lambda i, s: (s[1], s[0] + 1, s[2]), (x, x * 2, x))


def constant(x):
    return la.fori_loop(0, 3, lambda i, s: (la.zeros(x.shape) + 2.0, s[0]), (x, x))


def without_rounds(x):
    return la.fori_loop(3, 3, lambda i, s: s * 2, x[2:4])


def views(x):
    return la.fori_loop(0, 2, lambda i, s: s.T @ s / 64, x[:, ::3][:, :7])


def written(x):
    def body(i, s):
        s[0] += i
        s[:, i] = 7
        return s

    return la.fori_loop(0, 4, body, x)


def gathered(x):
    return la.fori_loop(0, 5, lambda i, s: s + x[i], x[0])


def nested(x):
    return la.fori_loop(0, 3, lambda i, s: la.fori_loop(0, 2, lambda j, t: t * 0.5 + i - j, s), x)


def branches(x):
    step = la.scan(lambda s, v: (la.cond(s.sum() > 30, lambda a: a - v, lambda a: a + v * 3, s), s.sum()), x, x[:, :1])
    return la.switch(la.asarray(1), [lambda a: a, lambda a: a + step[0]], x), step[1]


LOOPS = [with_index, until_large, exchanged, constant, without_rounds, views, written, gathered, nested, branches]


@pytest.mark.parametrize("program", LOOPS)
def test_loops(machine, program):
    same_as_on_the_host(machine, program, X)


@pytest.mark.parametrize("program", [collected, backwards])
def test_scans(machine, program):
    same_as_on_the_host(machine, program, X, STEPS)


def test_many_rounds(machine):
    same_as_on_the_host(machine, lambda x: la.fori_loop(-3, 1100, lambda i, s: s * 0.5 + i, x), X)


def summed(program):
    """Return a program's gradient of the sum of squares of its results, without sums, whose order depends on the
    device.
    """
    def weighed(*arrays):
        made = program(*arrays)
        total = 0
        for y in made if isinstance(made, tuple) else (made,):
            total = total + (y * y).ravel()[:3].sum()
        return total

    return weighed


@pytest.mark.parametrize("program", [with_index, exchanged, constant, without_rounds, written, nested])
def test_derivatives(machine, program):
    same_as_on_the_host(machine, la.grad(summed(program)), X)


def test_derivatives_of_scans(machine):
    same_as_on_the_host(machine, la.grad(summed(collected), argnums=(0, 1)), X, STEPS)
    same_as_on_the_host(machine, la.grad(summed(backwards), argnums=(0, 1)), X, STEPS)


def test_derivatives_of_branches(machine):
    def chosen(x):
        return la.cond(x[0, 0] > 2, lambda a: a * 2, lambda a: la.sin(a) * a, x)

    same_as_on_the_host(machine, la.grad(summed(chosen)), X)
    same_as_on_the_host(machine, la.grad(summed(lambda x: la.fori_loop(0, 3, lambda i, s: chosen(s), x))), X)


def test_second_derivatives(machine):
    def inner(x):
        return la.grad(summed(with_index))(x)

    same_as_on_the_host(machine, la.grad(summed(inner)), X)


def test_derivatives_of_batches(machine):
    def walked(x):
        return la.scan(lambda s, v: (s * v + s, s * v), x[0], x)[1]

    same_as_on_the_host(machine, la.vmap(la.grad(summed(walked))), STEPS)
    same_as_on_the_host(machine, la.grad(summed(la.vmap(walked))), STEPS)


def test_a_derivative_that_is_computed_again(machine):
    same_as_on_the_host(machine, la.grad(lambda x: la.checkpoint(lambda a: la.sin(a) * a)(x).ravel()[:3].sum()), X)


def test_a_derivative_of_the_programs_own(machine):
    @la.custom_vjp
    def doubled(x):
        return x * 2

    doubled.defvjp(lambda x: (x * 2, x), lambda x, g: (g * x,))
    same_as_on_the_host(machine, la.grad(summed(doubled)), X)


def test_traced_functions(machine):
    traced = la.jit(lambda x: (x * 2 + 1, x[::2].cumsum(axis=0)))
    same_as_on_the_host(machine, traced, X)
    same_as_on_the_host(machine, traced, X)
    same_as_on_the_host(machine, la.grad(summed(la.jit(with_index))), X)


def test_a_traced_function_that_writes(machine):
    @la.jit
    def write(x):
        x[1] = x[0] * 2
        return x + 1

    def program(x):
        x = x.copy()
        y = write(x)
        return x, y

    same_as_on_the_host(machine, program, X)


def test_what_has_no_kernel_is_a_step_on_the_host(machine):
    def program(x):
        return la.fori_loop(0, 3, lambda i, s: la.nan_to_num(np.real_if_close(s)) + la.linalg.matrix_power(s, 2), x)

    def body(i, s):
        return s + la.delay(lambda a: a * 2, s, shape=s.shape, dtype=s.dtype)

    same_as_on_the_host(machine, lambda x: la.fori_loop(0, 3, body, x), X, steps=["delay of <lambda>"])
    same_as_on_the_host(machine, la.grad(summed(lambda x: la.fori_loop(0, 2, lambda i, s: s * la.stop_gradient(
        body(i, s)), x))), X, steps=["delay of <lambda>"])


def test_warnings_name_operations(machine):
    x = machine.there(np.array([1.0, 0.0]))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        la.fori_loop(0, 100, lambda i, s: 1 / s, x).numpy()
        la.jit(lambda s: 1 / s)(x).numpy()
    assert {str(warning.message).split("\n")[0] for warning in seen} == {"divide by zero encountered in divide"}
    with pytest.raises(FloatingPointError), la.errstate(divide="raise"):
        la.fori_loop(0, 3, lambda i, s: 1 / s, x).numpy()


def test_errors_of_values(machine):
    x = machine.there(X)
    with pytest.raises(IndexError):
        la.fori_loop(0, 3, lambda i, s: s + x[i * 5], x[0]).numpy()
    with pytest.raises(IndexError, match="chooses none"):
        la.switch(machine.there(np.array(5)), [lambda a: a + 1], x[0, 0]).numpy()
    np.testing.assert_array_equal(x.numpy(), X)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_tapes_are_read_on_the_other_side(machine, monkeypatch, after):
    """A loop whose results do not fit runs on the host, its derivative on the device, or conversely."""
    program = la.grad(summed(collected), argnums=(0, 1))
    wanted, _ = values_of(program(la.asarray(X), la.asarray(STEPS)))
    arrays = machine.there(X), machine.there(STEPS)
    la.evaluate(*arrays)
    stacks = []

    def allocate(nbytes, real=machine.DRIVER.allocate):
        if nbytes == STEPS.nbytes:
            if len(stacks) == after:
                raise MemoryError("no room")
            stacks.append(nbytes)
        return real(nbytes)

    monkeypatch.setattr(machine.DRIVER, "allocate", allocate)
    with pytest.warns(RuntimeWarning, match="on the host"):
        got, _ = values_of(program(*arrays))
    for made, expected in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(made, expected)


def test_empty_storage_of_a_device_in_a_loop_on_the_host(machine):
    def body(i, s):
        with la.device(machine.DEVICE):
            return s + la.zeros(s.shape).to_device("cpu") + 1

    y = la.fori_loop(0, 3, body, la.asarray(X))
    np.testing.assert_array_equal(np.asarray(y), X + 3)
