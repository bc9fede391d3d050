"""Evaluating a graph again after some of what it takes has changed.

For each set of operands that changed together the graph is cut in two: what does not depend on them, whose values are
kept, and what does, which is computed of them and of those values.
"""
from lazyarr._core import api as core
from lazyarr._core import subgraph, tape
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.control.learning import GraphCall
from lazyarr.ops.layout import axes_by_stride


class Incremental:
    """Evaluations of a graph, each of which computes what has changed since the one before.

    Parameters
    ----------
    learnt : Learnt
    """

    def __init__(self, learnt):
        self.learnt = learnt
        self._before = None     # the operands of the last evaluation, and its results
        self._results = None
        self._parts = {}        # by the numbers of the operands that changed

    def __call__(self, arrays):
        """The results for these arrays, lazy."""
        learnt = self.learnt
        if learnt.writes:
            return learnt(arrays)
        operands = learnt.operands(arrays)
        before, self._before = self._before, [*map(tape.another, operands)]  # what they are now, whatever is written
        if before is None:
            self._results = learnt.run(learnt.call, arrays, operands)
        else:
            changed = tuple([k for k, (x, y) in enumerate(zip(operands, before, strict=True)) if not _same(x, y)])
            if changed or learnt.draws:
                if changed not in self._parts:
                    self._parts[changed] = _Part(learnt, changed)
                self._results = self._parts[changed](arrays, operands)
        return rebuilt(self._results, map(tape.another, leaves(self._results)))


class _Part:
    """A graph cut in two at what does not depend on some of its operands."""

    def __init__(self, learnt, changed):
        self._learnt, self._changed = learnt, set(changed)
        nodes = subgraph.frontier(learnt.graph, list(changed))
        kept = subgraph.with_outputs(learnt.graph, nodes)
        self._keep = GraphCall(kept)
        self._forms = [(y.shape, y.dtype) for y in kept.results]
        self._traced, results = subgraph.detach(learnt.graph.results, nodes)
        graph, _ = subgraph.close([*learnt.graph.inputs, *self._traced], results, redraws=True)
        self._rest = GraphCall(graph)
        self._values, self._made_of = None, []

    def __call__(self, arrays, operands):
        others = [x for k, x in enumerate(operands) if k not in self._changed]
        if self._values is None or not all(map(_same, others, self._made_of)):
            made = core.opaque_multi(self._learnt.name, self._keep, operands, self._forms, is_native=True) \
                if self._forms else []
            self._values = [*map(_laid_out, made, self._traced)]
            self._made_of = [*map(tape.another, others)]
        return self._learnt.run(self._rest, arrays, [*operands, *self._values])


def _laid_out(x, like):
    """x, or a copy that lies in memory as another array does, which it takes the place of."""
    if subgraph.lies_as(x, like):
        return x
    made = core.empty(x.shape, x.dtype, axes=axes_by_stride([like]))
    core.assign(made, x)
    return made


def _same(x, y):
    return subgraph.node_id(x) == subgraph.node_id(y)
