"""Exceptions have the names under which they are public."""

import pickle

import pytest

import lazyarr as la

NAMES = [name for name in dir(la) if isinstance(getattr(la, name), type) and issubclass(getattr(la, name), Exception)
         and getattr(la, name).__module__.partition(".")[0] == "lazyarr"]


def test_there_are_some():
    assert {"EvaluationForbidden", "NotDifferentiable", "TracedValueError", "DrawingError"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_exception_has_its_public_name(name):
    kind = getattr(la, name)
    assert f"{kind.__module__}.{kind.__qualname__}" == f"lazyarr.{name}"
    assert pickle.loads(pickle.dumps(kind)) is kind
