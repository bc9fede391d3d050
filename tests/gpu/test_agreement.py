"""Functions with the host's algorithms: kernels against the host, and the check that they agree."""

import dataclasses

import numpy as np
import pytest

from lazyarr._core import api
from lazyarr.gpu.generator import agreement, expressions, flags
from lazyarr.gpu.generator.dialects import OPENCL
from lazyarr.gpu.generator.tile_kernels import Form, NoKernel, generate
from tests.support.opencl_kernels import program_of, run, same_bits

pytestmark = pytest.mark.skipif(api.DEBUG, reason="debug builds generate the same")

TABLE = list(agreement.DIGESTS)


@pytest.fixture
def fresh():
    """Clear what is known of the host before and after a test."""
    agreement.agrees.cache_clear()
    yield
    agreement.agrees.cache_clear()


@pytest.mark.parametrize(("op", "chars"), TABLE)
def test_digests_are_those_of_kernels_and_tell_whether_the_host_has_the_same_bits(op, chars, monkeypatch):
    is_known = agreement.agrees(op, chars)
    x = agreement.sample(chars[0])
    expected = agreement.on_sample(op, chars)
    result = np.zeros_like(expected)
    monkeypatch.setattr("lazyarr.gpu.generator.emitter.agrees", lambda *_: True)
    run(program_of(op, chars, result.dtype.char), [x, x[::-1].copy()][: len(chars)], [result])
    assert agreement.digest(result) == agreement.DIGESTS[op, chars]
    assert is_known == same_bits(result, expected).all()


@pytest.mark.parametrize("char", "efdFD")
def test_samples_have_all_signs_and_sizes(char):
    x = agreement.sample(char)
    parts = x.view(x.real.dtype)
    sizes = np.log2(np.abs(parts[np.isfinite(parts) & (parts != 0)].astype("d")))
    assert np.signbit(parts).any()
    assert sizes.min() < np.log2(np.finfo(char).tiny)
    assert sizes.max() > np.log2(np.finfo(char).max) - 2


def test_one_other_bit_is_found(fresh, monkeypatch):
    assert agreement.agrees("sin", "f") == agreement.agrees.__wrapped__("sin", "f")
    own = np.sin

    def other(x):
        result = own(x)
        result[17] = np.nextafter(result[17], np.float32(2))
        return result

    monkeypatch.setattr(np, "sin", other)
    agreement.agrees.cache_clear()
    assert not agreement.agrees("sin", "f")


def test_a_host_with_other_bits_computes_itself_unless_bits_may_differ(fresh, monkeypatch):
    monkeypatch.setitem(agreement.DIGESTS, ("sin", "f"), 0)
    program, form = program_of("sin", "f", "f"), Form(1, 0, (), (0,), ("f", "f"))
    with pytest.raises(NoKernel, match=r"sin f->f .* config\.exact"):
        generate(program, form, OPENCL)
    assert "sincos" not in generate(program, dataclasses.replace(form, exact=False), OPENCL).text


def test_functions_that_compute_in_float64_give_way_on_devices_without():
    single = dataclasses.replace(OPENCL, has_double=False)
    program, form = program_of("sin", "f", "f"), Form(1, 0, (), (15,), ("f", "f"))
    with pytest.raises(NoKernel, match="sin f->f"):
        generate(program, form, single)
    kernel = generate(program, dataclasses.replace(form, exact=False), single)
    assert "double" not in kernel.text


def test_tables_of_the_devices_functions_go_together():
    assert flags.VENDOR.keys() <= expressions.VENDOR.keys()
    assert all(row.keys() <= {"f", "c"} for row in expressions.VENDOR.values())
