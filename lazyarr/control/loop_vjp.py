"""Derivatives of loops and branches: loops and branches in reverse.

The derivative of a body extends the graph of the body's own nodes (`vjp.pull_back`). The values it reads of them are
residuals, which the forward loop keeps per iteration in a tape. Closed over these and the cotangents, the derivative is
the body of a loop from the last iteration to the first, with these operands and results:

    carries     ->  cotangents of carried values; sums of the cotangents of captures
    scanned     ->  cotangents of collected slices; scanned arrays that the derivative reads
    tapes       ->  cotangents of tapes; residuals; tapes that it reads
    captures    ->  captures that it reads
    collected   <-  cotangents of scanned slices
"""
import abc
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import branch_exec, subgraph
from lazyarr._core.frontend import trace_scope
from lazyarr._core.runtime import evaluation_lock
from lazyarr._core.transforms import vjp, where_masks
from lazyarr.control.tracing import Form, in_order, stand_ins

OBJECT = np.dtype(object)  # the dtype of tapes
_INDEX = (), np.dtype(np.int64)
TAPE = (), OBJECT
WORTH_FEWER_PRODUCTS = 4  # times the memory of one product per iteration


def _form(x):
    return x.shape, x.dtype


def _has_cotangent(x):
    return x.dtype.kind in "fc" or x.dtype == OBJECT


def _zeros(form):
    """Return zeros in C order, or an empty tape."""
    shape, dtype = form
    made = np.zeros(shape, dtype) if dtype != OBJECT else np.array(None, object)
    made.flags.writeable = False
    return core.from_numpy(made)


def _kept(graph, outputs, again):
    """Detach a derivative, `outputs`, from the nodes of a sub-graph.

    It reads values of the sub-graph. Those of the parameters numbered `again` are available later; the others must be
    kept as residuals. Return placeholders for such parameters by number, the nodes to keep, placeholders for these, and
    the derivative on placeholders.
    """
    nodes = subgraph.split(graph, outputs)
    counting = where_masks.where_read(graph, outputs, nodes)
    traced, outputs = subgraph.detach(outputs, nodes)
    place = {id(node): k for k, node in enumerate(graph.params) if k in again}
    read = {place[id(node)]: x for node, x in zip(nodes, traced, strict=True) if id(node) in place}
    kept = [(counts, x) for node, counts, x in zip(nodes, counting, traced, strict=True) if id(node) not in place]
    return read, [node for node, _ in kept], [x for _, x in kept], outputs


def _pulled(results, given, inputs, targets):
    """Return placeholders for the cotangents of some results, and the cotangents of inputs by position, if any."""
    cotangents = stand_ins([Form(*_form(results[k])) for k in given])
    found = vjp.pull_back([results[k] for k in given], cotangents, [inputs[k] for k in targets])
    return cotangents, {k: x for k, x in zip(targets, found, strict=True) if x is not None}


class Transposable(abc.ABC):
    """A loop or a branch that caches its derivatives.

    Subclasses have `forms`, the shapes and dtypes of results before the tapes, and `groups`: for each tape that it
    returns, the outputs by column.
    """

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.transposes: dict = {}  # by known and wanted cotangents
        self._again: tuple = None, None

    @abc.abstractmethod
    def twin(self):
        """Return an independent copy."""

    @abc.abstractmethod
    def transposed(self, given, wanted, operands):
        """Build the derivative for given results and wanted operands, those of one of its calls."""

    def called(self: Any, name: str, operands: list, is_native: bool = True) -> tuple:
        """Return the results of a call, tapes last."""
        return core.opaque_multi(name, self, operands, self.forms + [TAPE] * len(self.groups), is_native=is_native)

    def pull_back(self, g, results, operands, wanted):
        """Return the cotangents of the operands, given those of the results by number.

        A call that has run kept no residuals, so it runs again; no other thread runs it meanwhile.
        """
        with vjp.recording(), evaluation_lock.held():
            call, node = self, subgraph.call_of(results[0])
            if node is None:
                call = self._not_run()
                node = subgraph.call_of(call.called("once more for its derivative", operands)[0])
            return call.transpose(g, wanted, operands)(g, node, operands)

    def _not_run(self: Any) -> "Transposable":
        """Return a copy that has not run; it is cached until this call keeps more tapes."""
        count, made = self._again
        if count != len(self.groups):
            made = self.twin()
            self._again = len(self.groups), made
        return made

    def transpose(self, g, wanted, operands):
        """Return the derivative, cached by the cotangents that are given and wanted."""
        if trace_scope.is_tracing():  # nodes built meanwhile belong to one graph
            return self.transposed([*g], wanted, operands)
        key = *subgraph.surroundings()[0], *wanted, *g
        if key not in self.transposes:
            self.transposes[key] = self.transposed([*g], wanted, operands)
        return self.transposes[key]


class TransposedLoop:
    """The derivative of a loop's body, with the positions of its operands in a call of the loop.

    `given` numbers the results whose cotangents are known; `wanted` states for each operand whether its cotangent is.
    """

    def __init__(self, loop, given, wanted):
        nc, ny = loop.ncarry, loop.nys
        first_x = nc + (loop.start is not None)
        first_column = first_x + loop.nxs
        at = operands_of_parameters(loop)
        first_capture = len(at) - sum(k is not None and k >= nc + loop.nxs + len(loop.tapes) for k in at)
        inputs, results = loop.body.inputs, loop.body.results

        carried = [k for k in range(nc) if _has_cotangent(results[k])]
        collected = [k for k in range(nc, nc + ny) if k in given]
        given_groups = [number for number in range(len(loop.groups)) if nc + ny + number in given]
        columns = [(number, column, k) for number in given_groups
                   for column, k in enumerate(loop.groups[number]) if k >= 0 and _has_cotangent(results[k])]
        targets = [k for k, operand in enumerate(at) if operand is not None and _has_cotangent(inputs[k])
                   and (k < nc or wanted[operand])]
        cotangents, found = _pulled(results, carried + collected + [k for *_, k in columns], inputs, targets)
        of_columns = cotangents[len(carried) + len(collected):]
        of_slices = cotangents[len(carried):len(carried) + len(collected)]

        # results of the derivative's body
        captured = {k: found[k] for k in found if k >= first_capture}
        products = {k: pair for k, g in captured.items() if (pair := _factors_at_once(loop, g)) is not None}
        factors = [x for pair in products.values() for x in pair]
        folds = {k: fold for k, g in captured.items() if (fold := _fold_at_once(g, factors)) is not None}
        sums = [k for k in captured if k not in products and k not in folds]
        slices = [k for k in found if first_x <= k < first_column]
        behind = [k for k in found if first_column <= k < first_capture]
        totals = stand_ins([Form(*_form(inputs[k])) for k in sums])
        parts = [found[k] for k in slices] + factors + [x for x, _ in folds.values()]
        stacks = {subgraph.node_id(x): x for x in parts}
        outputs = [found[k] if k in found else _zeros(_form(inputs[k])) for k in carried]
        outputs += [total + found[k] for k, total in zip(sums, totals, strict=True)]
        outputs += [*stacks.values(), *[in_order(found[k]) for k in behind]]
        first_stack = len(carried) + len(sums)
        again = {k for k in range(len(inputs)) if k >= nc and not first_column <= k < first_capture}
        read, kept, from_tape, outputs = _kept(loop.body, outputs, again)

        # its operands
        along = [k for k in read if first_x <= k < first_column]
        captures = [k for k in read if k >= first_capture]
        index = [] if loop.start is None else [read[nc]] if nc in read else stand_ins([Form(*_INDEX)])
        params = [*cotangents[:len(carried)], *totals, *index, *of_slices, *[read[k] for k in along], *from_tape,
                  *of_columns, *[read[k] for k in captures]]
        graph, self._captured = subgraph.close(params, outputs)
        tapes = [(len(kept), tuple(range(len(kept))))]
        tapes += [(len(loop.groups[number]), tuple([column for n, column, _ in columns if n == number]))
                  for number in given_groups]
        groups = _columns_given(loop, at, behind, first_stack + len(stacks))
        self._back = type(loop)(graph, first_stack, len(collected) + len(along), len(stacks), length=loop.length,
                                start=loop.start, tapes=tapes, reverse=not loop.reverse, groups=groups.values())

        # numbers of results and operands
        self._tape = loop.keep(kept)
        self._starts = [(k, _form(inputs[k])) for k in carried]
        self._zeros = [_form(inputs[k]) for k in sums]
        self._collected, self._given_groups = collected, [nc + ny + number for number in given_groups]
        self._along, self._captures = [at[k] for k in along], [at[k] for k in captures]
        place = {node: number for number, node in enumerate(stacks, first_stack)}
        self._of_carried = [at[k] for k in carried + sums]
        self._of_slices = [(at[k], place[subgraph.node_id(found[k])]) for k in slices]
        self._of_products = [(at[k], [place[subgraph.node_id(x)] for x in pair]) for k, pair in products.items()]
        self._of_folds = [(at[k], place[subgraph.node_id(x)], axes, inputs[k].shape) for k, (x, axes) in folds.items()]
        self._of_tapes = list(enumerate(groups, first_stack + len(stacks)))

    def __call__(self, g, node, operands):
        """Return the cotangents of the operands of a call of the loop."""
        starts = [in_order(g[k]) if k in g else _zeros(form) for k, form in self._starts]
        starts += map(_zeros, self._zeros)
        walked = [in_order(g[k]) for k in self._collected] + [operands[k] for k in self._along]
        own = subgraph.result_of(node, self._tape, *TAPE)
        made = self._back.called("the derivative of a loop", [
            *starts, *walked, own, *[g[k] for k in self._given_groups], *[operands[k] for k in self._captures],
            *self._captured])
        out: list = [None] * len(operands)
        for operand, x in zip(self._of_carried, made, strict=False):
            out[operand] = x
        for operand, place in self._of_slices:
            out[operand] = made[place]
        for operand, places in self._of_products:
            a, b = [made[place] for place in places]
            rows = a.shape[0] * a.shape[1]
            out[operand] = a.reshape(rows, a.shape[2]).T @ b.reshape(rows, b.shape[2])
        for operand, place, axes, shape in self._of_folds:
            out[operand] = made[place].sum((0, *[axis + 1 for axis in axes])).reshape(shape)
        for place, operand in self._of_tapes:
            out[operand] = made[place]
        return out


def _factors_at_once(loop, g):
    """Return the factors of a matrix product computed per iteration; None if they take much more memory than it.

    The sum of a[t].T @ b[t] over t is one product: all a concatenated along rows and transposed, times all b. One large
    product is faster, and without it in the body, iterations may run in blocks of rows.
    """
    pair = subgraph.factors(g) if loop.length >= 0 else None
    return pair if pair and pair[0].size + pair[1].size <= WORTH_FEWER_PRODUCTS * g.size else None


def _fold_at_once(g, factors):
    """Return the operand and axes of a sum, to be summed after the loop; None if it takes more memory than factors."""
    fold = subgraph.folded(g)
    return fold if fold and fold[0].size <= sum(x.size for x in factors) else None


def operands_of_parameters(loop):
    """Return the operand of the loop for each parameter of its body; None for the index."""
    nc = loop.ncarry
    at = list(range(nc)) + ([] if loop.start is None else [None]) + list(range(nc, nc + loop.nxs))
    for number, (_, columns) in enumerate(loop.tapes):
        at += [nc + loop.nxs + number] * len(columns)
    first = nc + loop.nxs + len(loop.tapes)
    return at + list(range(first, first + len(loop.body) - len(at)))


def _columns_given(loop, at, behind, first):
    """Return for each tape operand the output with the cotangent of each column, counted from `first`, or -1."""
    groups: dict[int, list[int]] = {}
    for position, k in enumerate(behind):
        number = at[k] - loop.ncarry - loop.nxs
        total, columns = loop.tapes[number]
        given = groups.setdefault(at[k], [-1] * total)
        given[columns[k - at.index(at[k])]] = first + position
    return {operand: tuple(given) for operand, given in groups.items()}


class TransposedSwitch:
    """The derivative of a branch: the same index selects among the derivatives of its branches.

    After the index, operands are cotangents, the operands of the branches, the tape of the branch that ran, and
    captures. Shapes and dtypes of operands are those of one call; otherwise as `TransposedLoop`.
    """

    def __init__(self, switch, given, wanted, operands):
        self._count = len(switch.forms)
        targets = [k for k, x in enumerate(operands) if wanted[k] and _has_cotangent(x)]
        self._plain = [k for k in targets if operands[k].dtype != OBJECT]
        self._tapes = [k for k in targets if operands[k].dtype == OBJECT]
        self._given = {number: place for place, number in enumerate(given)}
        self._first = len(given)
        self._own = len(given) + len(operands) - 1
        self._captured: list = []
        made = [self._branch(branch) for branch in switch.branches]
        self._tape = self._count + len(switch.groups) - 1
        self._back = type(switch)(made, [_form(operands[k]) for k in self._plain], switch.shift)

    def _branch(self, branch):
        """Return the derivative of one branch."""
        plain, tapes = self._plain, self._tapes
        inputs, results = branch.graph.inputs, branch.graph.results
        given: list[int] = []
        takes: list = []
        for number, source in self._given.items():
            if number < self._count:
                pairs: list = [(branch.gives[number], source)] if branch.gives[number] >= 0 else []
            else:
                pairs = [(k, (source, column)) for column, k in enumerate(branch.groups[number - self._count])
                         if k >= 0 and _has_cotangent(results[k])]
            given += [k for k, _ in pairs]
            takes += [source for _, source in pairs]
        operand = [source[0] if isinstance(source, tuple) else source for source in branch.takes]
        targets = [k for k, x in enumerate(inputs) if operand[k] + 1 in plain + tapes and _has_cotangent(x)]
        cotangents, found = _pulled(results, given, inputs, targets)
        found = {k: in_order(x) if isinstance(branch.takes[k], tuple) else x for k, x in found.items()}
        again = {k for k, source in enumerate(branch.takes) if not isinstance(source, tuple)}
        read, kept, columns, outputs = _kept(branch.graph, list(found.values()), again)
        graph, captured = subgraph.close([*cotangents, *read.values(), *columns], outputs)
        takes += [self._first + operand[k] for k in read]
        takes += [(self._own, column) for column in range(len(kept))]
        next_one = self._own + 1 + len(self._captured)
        takes += range(next_one, next_one + len(captured))
        self._captured += captured
        branch.keep(kept)
        place = {branch.takes[k]: position for position, k in enumerate(found)}
        gives = [place.get(k - 1, -1) for k in plain]
        taken = [source for source in branch.takes if isinstance(source, tuple)]
        count = {k: 1 + max((column for operand, column in taken if operand == k - 1), default=-1) for k in tapes}
        groups = [tuple([place.get((k - 1, column), -1) for column in range(count[k])]) for k in tapes]
        return branch_exec.Branch(graph, takes, gives, groups)

    def __call__(self, g, node, operands):
        """Return the cotangents of the operands of a call of the branch."""
        arrays = [in_order(g[number]) if number < self._count else g[number] for number in self._given]
        own = subgraph.result_of(node, self._tape, *TAPE)
        results = self._back.called("the derivative of a switch",
                                    [operands[0], *arrays, *operands[1:], own, *self._captured])
        out: list = [None] * len(operands)
        for k, x in zip(self._plain + self._tapes, results, strict=True):
            out[k] = x
        return out
