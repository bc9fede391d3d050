"""Derivatives of `ufunc.at`, round by round: the first occurrence of each index, the second, and so on.

If the indices are unknown, it is a `scan` over them.
"""
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import subgraph
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.assignment_vjps import masks_replaced
from lazyarr.control.loops import scan
from lazyarr.ops.ufunc_rows import UFUNCS, combining


def _reading(rule: Any) -> Any:
    """Declare that a rule needs the old values."""
    rule.reads = True
    return rule


def _combining(ufunc):
    """Return the rule for a ufunc, which pulls back through a composition that returns the changed array."""
    @_reading
    def rule(g, operands, wanted, fill):
        old, *others = operands
        values, arrays = others[:ufunc.nin - 1], others[ufunc.nin - 1:]
        inputs = [vjp.alias(x) for x in (old, *values)]
        places = core.from_numpy(np.arange(old.size).reshape(old.shape))[masks_replaced(fill, arrays)]
        made = _combined(ufunc, places, *inputs)
        of_old, *of_values = vjp.pull_back([made], [g], inputs, True)
        g[...] = 0 if of_old is None else of_old
        return [None, *of_values, *[None] * len(arrays)]

    return rule


def _combined(ufunc, places, a, *values):
    lines = [np.broadcast_to(x, places.shape).reshape(-1) for x in values]
    flat = a.reshape(-1).copy()
    combine = _one_by_one if subgraph.reads_traced([places]) else _together
    return combine(ufunc, places.reshape(-1), flat, lines).reshape(a.shape)


def _one_by_one(ufunc, places, made, values):
    """Apply the ufunc index by index, where indices have no values yet."""
    def combine(made, given):
        place, *values = given
        made[place] = ufunc(made[place], *values).astype(made.dtype)
        return made, None

    return scan(combine, made, (places, *values))[0]


def _together(ufunc, places, made, values):
    """Apply the ufunc in as many rounds as an index repeats, or in one if the values for an index can be folded."""
    places, by = places.numpy(), combining(ufunc)
    for which in _rounds(places) if by is None else _sorted_by_place(places):
        at, given = places[which], [x[which] for x in values]
        if by is not None:
            starts = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
            at, given = at[starts], [by.reduceat(x, starts) for x in given]
        made[at] = ufunc(made[at], *given).astype(made.dtype)
    return made


def _sorted_by_place(places):
    return [np.argsort(places, kind="stable")] if places.size else []


def _rounds(places):
    """Order indices by occurrence: the first of each place, then the second, and so on."""
    order = np.argsort(places, kind="stable")
    first = np.searchsorted(places[order], places[order])
    times = np.empty(places.size, np.intp)
    times[order] = np.arange(places.size) - first
    return [np.flatnonzero(times == k) for k in range(times.max(initial=-1) + 1)]


for _name, _op in UFUNCS.items():
    _adds = _op.combined_by is not None and "sum" in UFUNCS[_op.combined_by].traits  # see `autodiff.assignment_vjps`
    if _op.function is not None and isinstance(_op.derivative, tuple) and not _adds:
        vjp.add_change_rule(f"{_name}.at", _combining(_op.function))
