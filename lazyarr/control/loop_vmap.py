"""Batching of loops and branches: their bodies are rebuilt on batches, as is the graph around them.

There are two kinds of batched tapes. A *joint* tape belongs to a loop or branch that runs for all elements at once; its
columns are batches, in the layout of `vmap.stored_as`, and its array still has shape (). *Separate* tapes, one per
element, form an array with the batch axis. They belong to loops and branches that run one by one, because each element
decides which iterations or branches run; so do their derivatives.
"""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import branch_exec, subgraph
from lazyarr._core.control.residuals import add_tapes, share_tape
from lazyarr._core.transforms import vmap
from lazyarr.control.loop_vjp import OBJECT, TAPE, operands_of_parameters
from lazyarr.control.tracing import in_order
from lazyarr.ops.vmap_helpers import on_batch


def _is_tape(x):
    return x.dtype == OBJECT


def _joint(tape, is_batched):
    """Return a joint tape; a tape shared by all elements is converted."""
    return tape if is_batched else core.opaque("a tape for each element", share_tape, [tape], *TAPE)


def _has_separate_tapes(operands):
    return any(_is_tape(x) and x.ndim for x in operands)


class _Body:
    """A sub-graph rebuilt on batches.

    `batched` states for each parameter of `graph` whether it has the batch axis, of length `size`; `params` are
    placeholders for the first ones. The attributes are the sub-graph's `inputs` and `results`, placeholders for all its
    parameters (`params`), and the batched results (`made`), with None for those that all elements share.
    """

    def __init__(self, graph, batched, size, params=()):
        self.size, self.inputs, self.results = size, graph.inputs, graph.results
        self.params = [*params, *[
            vmap.stand_in_for_batch(x, size) if is_batched and not _is_tape(x) else x
            for x, is_batched in zip(self.inputs[len(params):], batched[len(params):], strict=True)]]
        pairs = [(x, y) for x, y, is_batched in zip(self.inputs, self.params, batched, strict=True) if is_batched]
        self.made = vmap.batch(self.results, [x for x, _ in pairs], [y for _, y in pairs], size, True)

    def whole(self, k):
        """Return result k with the batch axis."""
        return on_batch(self.results[k], False, self.size) if self.made[k] is None else self.made[k]

    def either(self, k):
        """Return result k, with the batch axis if it is batched."""
        return self.results[k] if self.made[k] is None else self.made[k]

    def can_keep(self, columns):
        """Return whether these results can be columns of a joint tape: none of them is a separate tape."""
        return not _has_separate_tapes([self.made[k] for k in columns if k >= 0 and self.made[k] is not None])

    def outputs(self, whole, kept):
        """Return all results: those in `whole` with the batch axis, those in `kept` as tapes store them."""
        return [self._column(k) if k in kept else self.whole(k) if k in whole else self.either(k)
                for k in range(len(self.made))]

    def _column(self, k):
        if not _is_tape(self.results[k]):
            return vmap.stored_as(self.whole(k), self.results[k], self.size)
        return _joint(self.either(k), self.made[k] is not None)


def _all_stored(operands, batched, params, size):
    """Return operands in the layout of a sub-graph's parameters."""
    return [vmap.stored_as(x, param, size) if is_batched and not _is_tape(x) else x
            for x, is_batched, param in zip(operands, batched, params, strict=True)]


def loop_on_batch(loop, call, operands, batched, size):
    """Return the results of a loop on a batch; None if it has to run for each element.

    A carried value is batched if it starts so or becomes so in an iteration. If elements stop at different iterations,
    the loop continues while any element does, and a select keeps finished ones.
    """
    if _has_separate_tapes(operands):
        return None
    nc, nxs = loop.ncarry, loop.nxs
    columns = {k for group in loop.groups for k in group}
    at = operands_of_parameters(loop)
    first = nc + nxs + len(loop.tapes)  # first capture of the body; those of the test follow
    behind = first + sum(k is not None and k >= first for k in at)
    carried, body, test = _bodies(loop, at, batched, behind, size)
    stops_singly = test is not None and test.made[0] is not None
    if not body.can_keep(columns) or (stops_singly and (loop.groups or loop.tapes)):
        return None
    params = list(body.params)
    outputs = body.outputs({k for k in range(nc) if carried[k]}, columns)
    captures = _all_stored(operands[first:behind], batched[first:behind], body.inputs[len(at) - behind + first:], size)
    of_test, test_graph = [], None
    if test is not None:
        of_test = _all_stored(operands[behind:], batched[behind:], test.inputs[nc:], size)
        test_graph, captured = subgraph.close(test.params, [test.either(0).any()])
        of_test += captured
    if stops_singly:
        again = _Body(loop.test, [True] * nc + list(batched[behind:]), size, params[:nc])
        outputs[:nc] = [np.where(again.whole(0).reshape(size, *[1] * (old.ndim - 1)), new, old)
                        for new, old in zip(outputs[:nc], params[:nc], strict=True)]
        params += again.params[nc:]
        captures += _all_stored(operands[behind:], batched[behind:], test.inputs[nc:], size)
    graph, captured = subgraph.close(params, outputs)
    starts = [in_order(on_batch(x, is_batched, size)) if carries else x
              for x, is_batched, carries in zip(operands, batched[:nc], carried, strict=False)]
    walked = [in_order(x.swapaxes(0, 1)) if is_batched else x
              for x, is_batched in zip(operands[nc:nc + nxs], batched[nc:nc + nxs], strict=True)]
    made = type(loop)(graph, nc, nxs, loop.nys, test=test_graph, length=loop.length, start=loop.start, tapes=loop.tapes,
                      reverse=loop.reverse, groups=loop.groups)
    found = made.called(call.name, [*starts, *walked, *operands[nc + nxs:first], *captures, *captured, *of_test], False)
    results = [on_batch(x, carries, size) for x, carries in zip(found[:nc], carried, strict=True)]
    for k, x in enumerate(found[nc:nc + loop.nys], nc):
        results.append(on_batch(x, False, size) if body.made[k] is None else x.swapaxes(0, 1))
    return (*results, *found[nc + loop.nys:])


def _bodies(loop, at, batched, behind, size):
    """Return which carried values are batched, and the loop's body and optional test on batches."""
    nc = loop.ncarry
    carried, before, body, test = list(batched[:nc]), None, None, None
    while carried != before:
        before = carried
        if loop.test is not None:
            test = _Body(loop.test, [*carried, *batched[behind:]], size)
            if test.made[0] is not None:
                carried = [True] * nc
        body = _Body(loop.body, [k is not None and (carried[k] if k < nc else batched[k]) for k in at], size)
        carried = [is_batched or y is not None for is_batched, y in zip(carried, body.made, strict=False)]
    return carried, body, test


def switch_on_batch(switch, call, operands, batched, size):
    """Return the results of a branch on a batch; None if it has to run for each element.

    If all elements share the index, one branch runs. Otherwise all branches run for all elements, followed by a select.
    """
    if _has_separate_tapes(operands):
        return None
    if batched[0]:
        return _each_chosen(switch, call.name, operands, batched, size)
    forms = [((size, *shape), dtype) for shape, dtype in switch.forms]
    arrays, made = list(operands[1:]), []
    for branch in switch.branches:
        sources = [source[0] if isinstance(source, tuple) else source for source in branch.takes]
        body = _Body(branch.graph, [batched[k + 1] for k in sources], size)
        columns = {k for group in branch.groups for k in group}
        if not body.can_keep(columns):
            return None
        graph, captured = subgraph.close(body.params, body.outputs(set(branch.gives), columns))
        takes: list = []
        for source, param in zip(branch.takes, body.inputs, strict=True):
            if isinstance(source, tuple) or not batched[source + 1]:
                takes.append(source)
            else:  # in this branch's layout
                takes.append(len(arrays))
                arrays += _all_stored([operands[source + 1]], [True], [param], size)
        takes += range(len(arrays), len(arrays) + len(captured))
        arrays += captured
        made.append(branch_exec.Branch(graph, takes, branch.gives, branch.groups))
    return type(switch)(made, forms, switch.shift).called(call.name, [operands[0], *arrays], False)


def _each_chosen(switch, name, operands, batched, size):
    if any(branch.groups or any(isinstance(source, tuple) for source in branch.takes) for branch in switch.branches):
        return None
    numbers = core.opaque(name, _Numbers(len(switch.branches), switch.shift), operands[:1], (size,), np.dtype(np.int64))
    results: list = []
    for number, branch in enumerate(switch.branches):
        given = [on_batch(operands[k + 1], batched[k + 1], size) for k in branch.takes]
        found = vmap.batch(branch.graph.results, branch.graph.inputs, given, size, True)
        given_back = [y if x is None else x for x, y in zip(found, branch.graph.results, strict=True)]
        ours = [_zeros(form) if k < 0 else given_back[k] for k, form in zip(branch.gives, switch.forms, strict=True)]
        if not number:
            results = [on_batch(x, x.ndim > len(shape), size)
                       for x, (shape, _) in zip(ours, switch.forms, strict=True)]
        else:
            results = [np.where((numbers == number).reshape(size, *[1] * len(shape)), x, y)
                       for x, y, (shape, _) in zip(ours, results, switch.forms, strict=True)]
    return tuple(results)


def _zeros(form):
    shape, dtype = form
    return core.full(shape, 0, dtype)


class _Numbers:
    """Map indices to numbers of branches; raise IndexError if one is out of range."""

    def __init__(self, count, shift):
        self.count, self.shift = count, shift

    def __call__(self, index):
        number = index.astype(np.int64)
        which = np.maximum(number + self.shift, 0) if self.shift else number
        outside = (which < 0) | (which >= self.count)
        if outside.any():
            raise IndexError(f"index {number[outside][0]} chooses none of {self.count - self.shift} branches")
        return which


def _sum_of_tapes(call, operands, batched, size):
    """Add joint tapes to a joint tape, separate ones element by element."""
    if _has_separate_tapes(operands):
        tapes = [on_batch(x, is_batched, size) for x, is_batched in zip(operands, batched, strict=True)]
        return core.opaque(call.name, add_tapes, tapes, (size,), OBJECT)
    tapes = [_joint(x, is_batched) for x, is_batched in zip(operands, batched, strict=True)]
    return core.opaque(call.name, add_tapes, tapes, *TAPE)


vmap.add_batch_rule("the sum of tapes", _sum_of_tapes)
