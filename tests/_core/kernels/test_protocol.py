"""The properties of every kernel class; results are compared in test_kernels.py."""

import importlib.util
import pkgutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn, ops
from lazyarr._core import api as core
from support import reference_kernels, vmap_comparison

BASES = {"_AtPlaces"}
# Operations whose extents depend on values, which are only lazy on devices: see tests/gpu.
FOR_DEVICES = {"_Coordinates", "_Counts", "_Sums"}
RNG = np.random.default_rng(0)
MATRIX, WEIGHTS, INDEX = RNG.standard_normal((6, 4)), RNG.standard_normal((3, 6, 2)), np.array([3, 0, 3, 1])


class Case(NamedTuple):
    """A kernel's family in test_kernels.py, its reference, and a function of an array of shape (2, 8, 6)."""

    family: str
    reference: str
    function: object
    has_derivative: bool = True


def gradient_of(function):
    return lambda x: la.grad(lambda y: (function(y) ** 2).sum())(x)


KERNELS = {  # by class, or class and what it computes
    "MatrixProduct": Case("products", "matmul", lambda x: x @ MATRIX),
    "VectorProduct": Case("products", "matmul", lambda x: x[0] @ MATRIX[:, 0]),
    "Convolution": Case("convolutions", "conv", lambda x: nn.conv1d(x, WEIGHTS)),
    "_Repeat": Case("repeats", "repeat", lambda x: la.repeat(x, 3, 1)),
    "_Lines": Case("lines", "argsort", lambda x: la.sort(x, 1)),
    "_Predicate": Case("predicates", "is_mirrored", lambda x: la.is_symmetric(x[:, :6]), False),
    "Gather": Case("places", "take", lambda x: la.take(x, INDEX, 1)),
    "Scatter": Case("places", "take_gradient", gradient_of(lambda x: la.take(x, INDEX, 1))),
    "Pool max": Case("maxima", "max_pool", lambda x: nn.max_pool1d(x, 3)),
    "Pool places": Case("maxima", "max_pool_gradient", gradient_of(lambda x: nn.max_pool1d(x, 3))),
    "Pool mean": Case("means", "avg_pool", lambda x: nn.avg_pool1d(x, 3)),
}


for module in pkgutil.iter_modules(ops.__path__, "lazyarr.ops."):
    importlib.import_module(module.name)


def below(cls):
    for found in cls.__subclasses__():
        yield found
        yield from below(found)


CLASSES = {cls.__name__: cls for cls in below(core.Kernel) if cls.__module__.startswith("lazyarr.")}


def families_of_tests():
    path = Path(__file__).with_name("test_kernels.py")
    spec = importlib.util.spec_from_file_location("families_of_tests", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FAMILIES


def case_is_of_nodes(name):
    return KERNELS[name].family == "products"


def test_every_kernel_has_a_case():
    assert set(CLASSES) - BASES - FOR_DEVICES == {name.split()[0] for name in KERNELS}
    assert {case.family for case in KERNELS.values()} <= set(families_of_tests())
    assert all(callable(getattr(reference_kernels, case.reference)) for case in KERNELS.values())


@pytest.mark.parametrize("name", KERNELS)
def test_what_it_says_of_itself(name):
    cls = CLASSES[name.split()[0]]
    assert case_is_of_nodes(name) or callable(cls.__call__)
    assert cls.pull_back is None or callable(cls.pull_back)
    assert cls.batch is None or callable(cls.batch)
    numbers, objects = la.zeros((2, 2)), la.asarray(np.array([[None, 1]]))
    indices = [la.asarray(INDEX)] if issubclass(cls, CLASSES["_AtPlaces"]) else []
    assert cls.accept(numbers, *indices)
    assert not cls.accept(objects, *indices)


@pytest.mark.parametrize("name", KERNELS)
def test_it_runs_at_an_expected_cost_and_is_batched_and_differentiated(name, monkeypatch):
    case, seen = KERNELS[name], set()
    kernel = core.kernel
    monkeypatch.setattr(core, "kernel", lambda name, function, *rest: (
        seen.add(type(function).__name__), kernel(name, function, *rest))[1])
    x = RNG.standard_normal((2, 8, 6))
    result = case.function(la.asarray(x))
    assert name.split()[0] in seen or case_is_of_nodes(name)
    assert all(step.expected is None or step.expected > 0 for step in la.explain(result).steps)
    vmap_comparison.check(case.function, RNG.standard_normal((vmap_comparison.SIZE, 2, 8, 6)))
    if case.has_derivative:
        slope, step = la.grad(lambda x: (case.function(x) ** 2).sum())(la.asarray(x)).numpy(), 1e-6
        there, back = [(np.asarray(case.function(la.asarray(x + d * slope))) ** 2).sum() for d in (step, -step)]
        np.testing.assert_allclose((there - back) / (2 * step), (slope**2).sum(), rtol=1e-4)
