"""Recording of calls. Each is traced on placeholders, so that errors are raised at once and its results are known.

Placeholders have `HINT` for unknown extents. Whether an extent of a result is known is determined when it is read: it
is if the program gives the same for the shortest unknown extents that it allows.
"""
import contextlib
import warnings

import numpy as np

from lazyarr._core.control import subgraph
from lazyarr._core.frontend import trace_scope
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.ops.operands import LazyArray
from lazyarr.symbolic.program import IN_PLACE, Call, Storage, filled, symbols_in
from lazyarr.tracing.capture import tracing

HINT = 120
"""The extent of placeholders for unknown extents: divisible by most small numbers."""
_SHORTER = (*[n for n in range(1, HINT) if HINT % n == 0], HINT - 1)  # the last for programs that need long arrays
_IN_PLACE = frozenset([f"operator {name}" for name in IN_PLACE])


def record(name, function, args, kwargs):
    """Record a call and return its results, with symbols for arrays.

    Files refer to the call by its name, which is None if it cannot be stored.

    Raises
    ------
    TypeError
        If a result that is not an array depends on unknown extents, if a function with a name writes to an array that
        is not a symbol, or if a function that takes symbols uses other symbols, too.
    """
    if trace_scope.is_tracing():
        raise TypeError("a function that is called with symbols has found another outside its arguments: it must be "
                        "given that, too")
    call = Call(name, function, args, kwargs)
    given = call.symbols()
    depends = any(x._extents is None or None in x._extents for x in given)
    try:
        tree, written = _trace(call, HINT)
    except Exception as error:
        if depends:
            error.add_note(f"extents of {HINT} stand for those that are not known")
        raise
    storages = {subgraph.base_id(x.placeholder(HINT)): x._storage for x in given}
    if name is not None and not written <= storages.keys():
        raise TypeError(f"{name}: a symbol cannot be written to an array, only to what is made of symbols, such as "
                        "numpy.zeros_like of one")
    made = _symbols(call, tree, given, storages, depends)
    stored = {storages[base] for base in written & storages.keys()}
    # The trace shows no write to a slice that is empty; a function that is named and returns nothing does write.
    is_writer = name is not None and (made is None or name in _IN_PLACE)
    stored |= {x._storage for x in (given[:1] if is_writer else symbols_in(kwargs.get("out")))}
    for storage in stored:
        storage.writes.append(call)
    return made


def _trace(call, extent):
    """Call the function on placeholders with this extent; return results and the ids of arrays it writes to."""
    args, kwargs = filled((call.args, call.kwargs), lambda x: x.placeholder(extent))
    with tracing() as (outside, _):
        tree = call.function(*args, **kwargs)
        found = leaves(tree)
        for y in found:  # a selection has a shape only while it may take its mask apart
            getattr(y, "shape", None)
    subgraph.set_aside([y for y in found if isinstance(y, LazyArray)])
    if list(map(_kind, found)) != list(map(_kind, call.found.get(HINT, found))):
        raise ValueError(f"{call.name}: the form of its results depends on extents")
    call.found[extent] = found
    return tree, {id(x) for x, after in zip(outside.arrays, outside.after, strict=True) if after is not None}


def _kind(y):
    """Return what must be equal in two traces of a call."""
    return (y.ndim, y.dtype) if isinstance(y, LazyArray) else None


def _symbols(call, tree, given, storages, depends):
    """Return the results of a call on placeholders as symbols."""
    known = {id(x.placeholder(HINT)): x for x in given}
    made = []
    for place, y in enumerate(call.found[HINT]):
        if not isinstance(y, LazyArray):
            if depends and ((short := short_results(call)) is None or not np.array_equal(short[place], y)):
                raise TypeError(f"{call.name or call.function}: its result depends on extents that are not known")
            made.append(y)
        elif id(y) in known:  # `out`, or the array itself
            made.append(known[id(y)])
        else:
            storage = storages.setdefault(subgraph.base_id(y), Storage())
            made.append(type(given[0])(call, place, storage, y.dtype, None if depends else y.shape))
    return rebuilt(tree, iter(made))


def short_results(call):
    """Return the results of a call on placeholders with the shortest unknown extents that the program allows.

    Returns None if these have to be `HINT` or longer.
    """
    for extent in _SHORTER:
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            _trace_program(call, extent)
            return call.found[extent]
    return None


def _trace_program(call, extent):
    """Trace a call and the calls that it depends on, with these unknown extents."""
    stack = [call]
    while stack:
        missing = [x._call for x in stack[-1].symbols() if x._call is not None and extent not in x._call.found]
        stack += missing
        if not missing:
            each = stack.pop()
            if extent not in each.found:
                _trace(each, extent)
