"""Scans of functions that depend on their arguments alone: traced, and pulled back, once for each form of these."""
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
    """`scan` with a function that is called only where it has not been called with arguments of the same forms.

    It is called as ``state, y = f(state, x, constants)``, depends on nothing else, and does nothing else. `init` and
    `constants`, which are the same in all rounds, are tuples of arrays; `xs` is one array.
    """
    trees = init, xs, constants
    arrays = [operands(tree, "walk") for tree in trees]
    length, forms = len(xs), map(form_of, itertools.chain(*arrays))
    if trace_scope.is_tracing():    # what is built meanwhile belongs to one graph
        made, captured = traced_scan(f, trees, arrays, length, reverse)
        return made([*itertools.chain(*arrays), *captured])
    where, code = subgraph.surroundings()
    key = f, *where, length, reverse, len(init), *forms
    made, _ = _cache.take(key) or (None, None)
    keeps_in_vain = made is not None and made.loop.groups and not where[-1]     # what only derivatives read
    if made is None or keeps_in_vain:
        made, captured = traced_scan(f, trees, arrays, length, reverse)
        assert not captured, "what a function depends on is among its arguments"
    _cache.put(key, (made, code))  # which keeps its number from being another's
    return made([*itertools.chain(*arrays)])
