"""Evaluating a graph again after some of what it takes has changed.

For each set of operands that changed together there is a *cut*: values that do not depend on them, and are read by what
does. The values of all cuts are kept. An evaluation computes, in one graph, what depends on what has changed: of the
values that are still valid it reads, and the rest it recomputes.
"""
from lazyarr._core import api as core
from lazyarr._core.control import subgraph
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.control.signature_cache import SignatureCache
from lazyarr.ops.concatenation import axes_by_stride
from lazyarr.tracing.capture import GraphCall


class Incremental:
    """Evaluations of a graph, a TracedFunction, each of which computes what has changed since the one before."""

    def __init__(self, traced):
        self.traced = traced
        self._before = None     # the operands of the last evaluation, and its results
        self._results = None
        self._depends = subgraph.dependences(traced.graph)
        self._cuts = SignatureCache()    # by what has changed: nodes
        self._values = {}       # by node, as long as they are right
        self._parts = SignatureCache()   # by the nodes that are read, and those that are given

    def __call__(self, arrays):
        """The results for these arrays, lazy."""
        traced = self.traced
        if traced.writes:
            return traced(arrays)
        operands = traced.operands(arrays)
        now, before, self._before = [*map(vjp.another, operands)], self._before, None  # whatever is written to them
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
        """Compute what depends on the operands of these numbers."""
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
    """A graph that reads values of some nodes, and gives those of other nodes besides its results."""

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
    """x, or a copy that lies in memory as another array does, which it takes the place of."""
    if subgraph.lies_as(x, like):
        return x
    made = core.empty(x.shape, x.dtype, axes=axes_by_stride([like]))
    core.assign(made, x)
    return made


def _same(x, y):
    return subgraph.node_id(x) == subgraph.node_id(y)
