"""Scans of functions that depend on their arguments alone: traced, and differentiated, once per signature."""
import itertools

from lazyarr._core.control import subgraph
from lazyarr._core.frontend import trace_scope
from lazyarr.control.loops import traced_scan
from lazyarr.control.signature_cache import SignatureCache
from lazyarr.control.tracing import form_of, operands
from lazyarr.ops.deferred_dispatch import deferrable

_cache = SignatureCache()


@deferrable
def walk(f, init, xs, constants, reverse=False):
    """Scan with a pure function, ``state, y = f(state, x, constants)``, that is traced once per signature.

    `init` and `constants`, which are the same in all iterations, are tuples of arrays; `xs` is one array.
    """
    trees = init, xs, constants
    arrays = [operands(tree, "walk") for tree in trees]
    length, forms = len(xs), map(form_of, itertools.chain(*arrays))
    if trace_scope.is_tracing():    # the arrays belong to the graph being traced: nothing may be cached
        made, captured = traced_scan(f, trees, arrays, length, reverse)
        return made([*itertools.chain(*arrays), *captured])
    where, code = subgraph.surroundings()
    key = f, *where, length, reverse, len(init), *forms
    made, _ = _cache.take(key) or (None, None)
    keeps_in_vain = made is not None and made.loop.groups and not where[-1]     # residuals that no derivative reads
    if made is None or keeps_in_vain:
        made, captured = traced_scan(f, trees, arrays, length, reverse)
        assert not captured, "what a function depends on is among its arguments"
    _cache.put(key, (made, code))  # a reference, so that no other code object gets the id that is in the key
    return made([*itertools.chain(*arrays)])
