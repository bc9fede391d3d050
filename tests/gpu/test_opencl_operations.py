"""Operations on an OpenCL device: which run there, required device features, repeated elements."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import lazyarr as la
from support.opencl_device import DRIVER, host_steps, same, there

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("char", ["f", "d"])
def test_the_devices_functions_run_unless_numpys_bits_are_asked_for(char):
    a = RNG.uniform(-3, 3, 1000).astype(char)
    x = there(a)
    la.report().clear()
    for _ in range(2):
        with la.config(exact=True):
            same(np.tan(x) * 2, np.tan(a) * 2)
        assert any("tan" in name for name in host_steps())
        with la.config(exact=False):
            np.testing.assert_allclose((np.tan(x) * 2).numpy(), np.tan(a) * 2, rtol=8 * np.finfo(char).eps)
        assert host_steps() == []
    assert [(row.name, row.calls) for row in la.report() if "bits may differ" in row.reason] == [("tan", 2)]


def test_functions_whose_algorithm_is_known_have_numpys_bits():
    from lazyarr.gpu.generator.agreement import agrees

    a = np.concatenate([RNG.uniform(-50, 50, 5000), np.exp2(RNG.uniform(-80, 80, 5000))])
    with la.config(exact=True):
        for name in ("sin", "cos", "tanh"):
            for char in "fd":
                same(getattr(np, name)(there(a.astype(char))), getattr(np, name)(a.astype(char)))
                assert host_steps() == ([] if agrees(name, char) else [name])


def test_functions_of_the_device_warn():
    x = there(np.array([1.0, -2.0]))
    with la.config(exact=False), pytest.warns(RuntimeWarning, match="invalid value encountered in log10"):
        la.evaluate(np.log10(x))
    assert host_steps() == []


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), (1, 2)])
def test_sums_of_float16_are_rounded_once(axis):
    a = (RNG.standard_normal((3, 500, 40)) * 4).astype("e")
    large = np.where(np.indices(a.shape).sum(0) % 2, -6e4, 6e4).astype("e")
    for b in (a, large):
        wanted = np.asarray(b.sum(axis, "d")).astype("e")
        for x in (there(b), there(b) * 1, there(b.T.copy()).T):
            with np.errstate(all="raise"):
                got = np.sum(x, axis).numpy()
            np.testing.assert_allclose(got, wanted, 1e-3, 1e-2)
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
        assert np.isinf(np.sum(abs(there(large)), axis).numpy()).all()
    assert host_steps() == []


LIMITS = [(0, 1), (0.0, 1), (np.array(0.0), np.array(1.0)), (np.array(0), 1), (np.zeros(1), np.ones((1, 1))),
          (np.zeros((12, 1)), np.ones((12, 1))), (np.zeros(30), 1), (np.zeros((12, 1), int), np.ones((12, 1), int)),
          (np.broadcast_to(0.0, (12, 30)), np.broadcast_to(1.0, (12, 30)))]


@pytest.mark.parametrize("limits", LIMITS, ids=range(len(LIMITS)))
@pytest.mark.parametrize("char", ["e", "f", "d"])
def test_limits_keep_the_sign_of_zeros_as_numpys(char, limits):
    a = RNG.choice([-0.0, 0.0, 1.0, -1.0, 0.5], (12, 30)).astype(char)
    for b in (a, a.T.copy().T, a[::2, ::3]) if np.ndim(limits[0]) == 0 else (a,):
        wanted, x = np.clip(b, *limits), there(b)
        arrays = [there(limit) if isinstance(limit, np.ndarray) else limit for limit in limits]
        for got in (np.clip(x, *arrays), np.clip(x, *limits)):
            assert got.numpy().tobytes() == wanted.tobytes()
        got = np.clip(x * 1, *[limit * 1 for limit in arrays])
        assert got.numpy().tobytes() == np.clip(b * 1, *[limit * 1 for limit in limits]).tobytes()
        if wanted.dtype == b.dtype:
            np.clip(x, *arrays, out=x)
            assert x.numpy().tobytes() == wanted.tobytes()
    assert host_steps() == []


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_limits_of_one_element(shape):
    a = np.full(shape, -0.0)
    for low, high in ((0, 1), (np.array(0.0), np.array(1.0)), (np.zeros(shape), np.ones(shape))):
        x, wanted = there(a), np.asarray(np.clip(a, low, high))
        arrays = [there(limit) if isinstance(limit, np.ndarray) else limit for limit in (low, high)]
        assert np.asarray(np.clip(x, *arrays)).tobytes() == wanted.tobytes()


def device(floats, doubles=1):
    return SimpleNamespace(single_fp_config=floats, double_fp_config=doubles, max_parameter_size=1024)


def test_dialects_say_what_a_device_can_do():
    import pyopencl as cl

    from lazyarr.gpu.drivers.opencl import dialect_of

    able = cl.device_fp_config
    full = dialect_of(device(able.DENORM | able.CORRECTLY_ROUNDED_DIVIDE_SQRT | able.INF_NAN))
    assert (full.has_float_denormals, full.rounds_float_division, full.has_double) == (True, True, True)
    poor = dialect_of(device(able.INF_NAN | able.ROUND_TO_NEAREST, 0))
    assert (poor.has_float_denormals, poor.rounds_float_division, poor.has_double) == (False, False, False)


def test_a_device_without_float64_leaves_it_to_the_host(monkeypatch):
    monkeypatch.setattr(DRIVER, "_dialect", replace(DRIVER._dialect, has_double=False))
    a = np.arange(20.0)
    x, y = there(a), there(a.astype("f"))
    same(x * 3.25 - x, a * 3.25 - a)
    (reason,) = [reason for _, reason in DRIVER.host_steps]
    assert "float64, which the device does not have" in reason
    assert host_steps() == ["multiply, subtract"]
    same(y * 3.25 - y, a.astype("f") * np.float32(3.25) - a.astype("f"))
    assert host_steps() == []


def test_a_device_that_takes_subnormal_numbers_for_0_computes_in_float64_alone(monkeypatch):
    monkeypatch.setattr(DRIVER, "_dialect", replace(DRIVER._dialect, has_float_denormals=False))
    a = RNG.random(7)
    same(there(a.astype("f")) * 3 - 5, a.astype("f") * 3 - 5)
    assert host_steps() != []
    same(there(a) * 3 - 7, a * 3 - 7)
    assert host_steps() == []


@pytest.mark.parametrize("char", "bhilBHIL")
def test_powers_of_integers_run_there_if_no_exponent_can_be_negative(char):
    a, b = np.arange(30).astype(char), np.arange(30)[::-1].astype(char)
    x = there(a)
    same(x**5 + x, a**5 + a)
    assert host_steps() == []
    same(np.power(x, there(b)), np.power(a, b))
    assert host_steps() == ([] if char.isupper() else ["power"])
    with pytest.raises(ValueError, match="negative integer powers") if char.islower() else nullcontext():
        (x ** there(-b)).numpy()


@pytest.mark.parametrize(("shape", "axis", "times"), [((5,), 0, 3), ((4, 3), 0, 2), ((4, 3), 1, 5), ((2, 3, 4), 1, 2),
                                                      ((2, 1, 3), 1, 4), ((3, 2), 1, 1)])  # fmt: skip
def test_repeated_elements_are_read_where_they_lie(shape, axis, times):
    a = RNG.random(shape)
    wanted = np.repeat(a, times, axis)
    b = RNG.random(wanted.shape)
    x, y = there(a), there(b)
    la.evaluate(x, y)
    same(np.repeat(x, times, axis) + 1, wanted + 1)
    same(np.repeat(x, times, axis) * y, wanted * b)
    assert host_steps() == []


@pytest.mark.parametrize("fold_axis", [None, 0, 1])
def test_repeated_elements_are_folded(fold_axis):
    a = RNG.integers(0, 9, (6, 5))
    x = there(a)
    same((-np.repeat(x, 3, 1)).max(axis=fold_axis), (-np.repeat(a, 3, 1)).max(axis=fold_axis))
    same((np.repeat(x, 3, 0) * 2).sum(axis=fold_axis), (np.repeat(a, 3, 0) * 2).sum(axis=fold_axis))
    assert host_steps() == []


def test_a_write_of_repeated_elements_of_its_own_array_sees_the_old_ones():
    a = np.arange(12.0)
    x = there(a.copy())
    x[:] = np.repeat(x[:4], 3) + 1
    same(x, np.repeat(a[:4], 3) + 1)
