"""Layers take and give arrays, and their parameters have types."""

from typing import TYPE_CHECKING, Any

import lazyarr as la

if TYPE_CHECKING:
    from typing import assert_type
else:
    from support.static_checks import assert_type

ARRAY = la.LazyArray[Any]


def test_calls() -> None:
    x = la.ones((2, 3), "float32")
    assert_type(la.nn.Linear(3, 4, bias=False)(x), ARRAY)
    assert_type(la.nn.LayerNorm(3, eps=1e-5)(x), ARRAY)
    assert_type(la.nn.RMSNorm(3)(x), ARRAY)
    assert_type(la.nn.Dropout(0.5)(x), ARRAY)
    assert_type(la.nn.Sequential(la.nn.Linear(3, 4), la.tanh)(x), ARRAY)
    assert_type(la.nn.Embedding(3, 4)([0, 2]), ARRAY)


def test_parameters() -> None:
    assert_type(la.nn.Linear(3, 4).parameters(), dict[str, Any])
