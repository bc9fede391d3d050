"""Incremental evaluation of a graph after some of its operands have changed.

Each set of operands that changed together has a *cut*: the values that do not depend on them but are read by nodes that
do. The values of all cuts are kept. An evaluation runs one graph, which reads the kept values that are still valid and
recomputes the nodes that depend on changed operands.
"""
from lazyarr._core import api as core
from lazyarr._core.control import subgraph
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.control.signature_cache import SignatureCache
from lazyarr.ops.concatenation import axes_by_stride
from lazyarr.tracing.capture import GraphCall


class Incremental:
    """Evaluations of a TracedFunction that recompute only what has changed since the evaluation before."""

    def __init__(self, traced):
        self.traced = traced
        self._before = None     # the operands of the last evaluation, and its results
        self._results = None
        self._depends = subgraph.dependences(traced.graph)
        self._cuts = SignatureCache()   # nodes, by the operands that changed
        self._values = {}       # valid values, by node
        self._parts = SignatureCache()  # of _Part, by the nodes that it reads and returns

    def __call__(self, arrays):
        """Return the results for these arrays, lazily."""
        traced = self.traced
        if traced.writes:
            return traced(arrays)
        operands = traced.operands(arrays)
        now, before, self._before = [*map(vjp.another, operands)], self._before, None  # aliases do not see later writes
        if before is None:
            self._values = {}
            self._results = traced(arrays)
        else:
            changed = [k for k, (x, y) in enumerate(zip(operands, before, strict=True)) if not _same(x, y)]
            if changed or traced.draws:
                self._compute(changed, arrays, operands)
        self._before = now
        return rebuilt(self._results, map(vjp.another, leaves(self._results)))

    def _compute(self, changed, arrays, operands):
        """Compute what depends on the operands with these indices."""
        traced, key = self.traced, tuple(changed)
        cut = self._cuts.take(key)
        self._cuts.put(key, subgraph.frontier(traced.graph, changed) if cut is None else cut)
        bits = subgraph.DRAWN | sum(subgraph.DRAWN << k + 1 for k in changed)
        right = {node: x for node, x in self._values.items() if not self._depends[node] & bits}
        wanted = dict.fromkeys(node for cut in self._cuts.values() for node in cut)
        reads, gives = [tuple([node for node in wanted if (node in right) == is_right]) for is_right in (True, False)]
        part = self._parts.take((reads, gives)) or _Part(traced, reads, gives)
        self._parts.put((reads, gives), part)
        self._results, made = part(arrays, operands, [right[node] for node in reads])
        self._values = {node: right[node] for node in reads} | dict(zip(gives, made, strict=True))


class _Part:
    """A graph that reads the values of some nodes, and returns those of other nodes besides its results."""

    def __init__(self, traced, reads, gives):
        self._traced = traced
        given = subgraph.with_outputs(traced.graph, [*gives]).results
        self._likes, _ = subgraph.detach(given, [*gives])
        self._forms = [(x.shape, x.dtype) for x in given]
        params, outputs = subgraph.detach([*traced.graph.results, *given], [*reads])
        graph, _ = subgraph.close([*traced.graph.inputs, *params], outputs, redraws=True)
        self._call = GraphCall(graph, traced.within)

    def __call__(self, arrays, operands, values):
        made = self._traced.computed(self._call, [*operands, *values], self._forms)
        first = len(made) - len(self._forms)
        return self._traced.given(arrays, made), [*map(_laid_out, made[first:], self._likes)]


def _laid_out(x, like):
    """Return x, or a copy in the memory layout of another array, which it replaces."""
    if subgraph.lies_as(x, like):
        return x
    made = core.empty(x.shape, x.dtype, axes=axes_by_stride([like]))
    core.assign(made, x)
    return made


def _same(x, y):
    return subgraph.node_id(x) == subgraph.node_id(y)
