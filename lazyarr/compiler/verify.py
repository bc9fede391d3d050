"""The grammar of plans, checked after scheduling in debug builds.

Each rule is a small function of (graph, steps) that yields violations. `verify` runs all of them and raises at the
first violation, which is always a defect of the passes, never of a user's program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lazyarr._core.ir.graph_ir import Graph, NodeInfo
from lazyarr._core.ir.step import Step
from lazyarr.compiler.schedule import (
    ESCAPES,
    FINISHES,
    HANDS_OVER,
    LEAF,
    OPAQUE,
    RESULT,
    SCALAR,
    SELECTION,
    UPDATE,
    VIEW,
)


class PlanError(AssertionError):
    """A plan that breaks the grammar."""


def base(graph: list[NodeInfo], i: int) -> int:
    """Return the node whose storage node `i` reads."""
    return graph[i].inputs[0] if graph[i].kind == VIEW else i


def hands_over(node: NodeInfo) -> bool:
    """Return whether a node's kernel may hand over parts of its result."""
    return node.kind == OPAQUE and node.attr in (HANDS_OVER, FINISHES)


def inputs_come_first(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """Nodes are numbered so that every input precedes its readers."""
    for i, node in enumerate(graph):
        if any(j >= i for j in node.inputs):
            yield f"node {i} reads {node.inputs}"


def views_show_storage(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """A view's input is never a view."""
    for i, node in enumerate(graph):
        if node.kind == VIEW and graph[node.inputs[0]].kind == VIEW:
            yield f"view {i} of view {node.inputs[0]}"


def results_of(graph: list[NodeInfo], step: Step) -> list[int]:
    """Return the nodes that have data after a step."""
    if step.program is not None:
        kernel = [step.node] if step.kind == "epilogue" else []
        return [*kernel, *step.program.stores, *[fold.node for fold in step.program.folds]]
    handed_over = [i for i, node in enumerate(graph) if node.kind == RESULT and node.inputs[0] == step.node]
    return [step.node, *handed_over]


def reads_of(graph: list[NodeInfo], step: Step) -> set[int]:
    """Return the nodes whose storage a step reads."""
    if step.program is None:
        return {base(graph, j) for j in graph[step.node].inputs}
    stores = step.program.stores
    olds = {graph[i].inputs[0] for i in stores if graph[i].kind == UPDATE}.difference(stores)
    read = {base(graph, j) for j in (*step.program.loads, *olds)}
    if step.kind == "epilogue":
        return (read | {base(graph, j) for j in graph[step.node].inputs}) - {step.node}
    return read


def wanted_values_are_computed_once(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """Every escaping node with a value of its own is the result of exactly one step."""
    made = Counter(i for step in steps for i in results_of(graph, step))
    for i, times in made.items():
        if times > 1:
            yield f"node {i} is computed {times} times"
    for i, node in enumerate(graph):
        several = len(node.outs) > 1 or (node.kind == OPAQUE and i not in made)
        if node.flags & ESCAPES and node.kind not in (LEAF, SCALAR, VIEW) and not several and i not in made:
            yield f"node {i} escapes and is not computed"


def loads_have_data(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """A step reads only leaves and results of earlier steps that have not been freed."""
    ready = {i for i, node in enumerate(graph) if node.kind in (LEAF, SCALAR)}
    for number, step in enumerate(steps):
        for j in reads_of(graph, step):
            if j not in ready:
                yield f"step {number} reads node {j} before it is there, or after it is gone"
        ready.update(results_of(graph, step))
        ready.difference_update(step.frees)


def registers_are_written_before_they_are_read(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """Within a program operands exist, and registers and stores are read only after they are written."""
    for number, step in enumerate(steps):
        if step.program is None:
            continue
        loads = len(step.program.loads)
        known = set(range(loads))
        count = loads + len(step.program.registers) + len(step.program.stores)
        for instruction in step.program.instructions:
            node, operands = instruction.node, instruction.operands
            outputs = max(len(graph[node].outs), 1)
            # elements outside a selection's mask stay undefined
            undefined = {operands[-1]} if graph[node].kind in SELECTION else set()
            for operand in operands[:-outputs]:
                if operand not in known | undefined:
                    yield f"step {number}, node {node}: operand {operand} is read before it is written"
            if any(operand >= count or operand < loads for operand in operands[-outputs:]):
                yield f"step {number}, node {node}: no such result operand in {operands}"
            known.update(operands[-outputs:])
        for fold in step.program.folds:
            if fold.source not in known:
                yield f"step {number}, fold {fold.node}: operand {fold.source} is never written"


def only_the_dying_are_overwritten(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """Memory is taken over only from what no later step reads and what does not escape."""
    read_later: set[int] = set()
    for number, step in reversed([*enumerate(steps)]):
        taken = [donor for _, donor in step.donors] + [graph[i].inputs[0] for i in step.in_place]
        for i in taken:
            if i in read_later:
                yield f"step {number} overwrites node {i}, which a later step reads"
            if graph[i].flags & ESCAPES and graph[i].kind not in (LEAF, SCALAR):
                yield f"step {number} overwrites node {i}, which escapes"
        if len(set(taken)) != len(taken):
            yield f"step {number} gives the memory of one node to two"
        read_later |= reads_of(graph, step)


def programs_know_whether_they_update(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """`updates` is set where a program stores into a window."""
    for number, step in enumerate(steps):
        if step.program and step.program.updates != any(graph[i].kind == UPDATE for i in step.program.stores):
            yield f"the program of step {number} says {step.program.updates} of its updates"


def windows_are_handed_on_in_order(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """Within a program, updates of the same storage are stored in order."""
    for number, step in enumerate(steps):
        stores = step.program.stores if step.program else ()
        for k, i in enumerate(stores):
            if graph[i].kind == UPDATE and graph[i].inputs[0] in stores[k:]:
                yield f"step {number} places update {i} before node {graph[i].inputs[0]}"


def epilogues_overwrite_what_is_done_with(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """A program runs behind a kernel whose result it reads in its own space, and which dies there.

    It overwrites that, and leaves which a kernel that does not fail does not read.
    """
    for number, step in enumerate(steps):
        if step.kind != "epilogue" or step.program is None:
            continue
        program = step.program
        if not hands_over(graph[step.node]):
            yield f"step {number} runs behind node {step.node}, which hands nothing over"
        if [j for j in program.loads if base(graph, j) == step.node] != [step.node] or step.node not in step.frees:
            yield f"step {number} does not read node {step.node} as its only reader"
        if program.folds or program.updates or graph[program.space].shape != graph[step.node].shape:
            yield f"step {number} does not traverse node {step.node} element by element"
        others = {donor for _, donor in step.donors} - {step.node}
        if step.in_place or any(graph[i].kind != LEAF for i in others):
            yield f"step {number} overwrites more than node {step.node} and leaves"
        if others and (graph[step.node].attr != FINISHES or others & {base(graph, j) for j in graph[step.node].inputs}):
            yield f"step {number} overwrites leaves that its kernel may need again"


def concurrent_steps_leave_each_other_alone(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """Steps that can run side by side are all programs or all calls; none reads what another makes, or overwrites what
    another reads.
    """
    for number, step in enumerate(steps):
        read: set[int] = set()
        made: set[int] = set()
        for other in steps[number:number + step.concurrent] if step.concurrent > 1 else ():
            taken = {donor for _, donor in other.donors} | {graph[i].inputs[0] for i in other.in_place}
            reads = reads_of(graph, other)
            if other.kind != step.kind or other.kind not in ("tile", "opaque") or reads & made or taken & read:
                yield f"of the {step.concurrent} steps from {number} on one disturbs another"
            read |= reads
            made.update(results_of(graph, other))


def steps_by_rows_fold_alike_and_overwrite_no_windows(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """Steps that can be fused by rows are programs that store no windows, and fold the same axes."""
    for number, step in enumerate(steps):
        axes: set[tuple[int, int]] = set()
        for other in steps[number:number + step.rows] if step.rows > 1 else ():
            if other.kind != "tile" or other.program is None or other.program.updates:
                yield f"of the {step.rows} steps from {number} on one does not traverse rows"
                continue
            axes |= {(graph[graph[fold.node].inputs[0]].shape, graph[fold.node].attr) for fold in other.program.folds}
        if len(axes) > 1:
            yield f"of the {step.rows} steps from {number} on some fold other axes"


def values_are_computed_again_behind_their_home(graph: list[NodeInfo], steps: list[Step]) -> Iterator[str]:
    """A recomputed value is cheap, was computed by an earlier step, and is never stored; all others are new."""
    before: set[int] = set()
    stored = {i for step in steps for i in results_of(graph, step)}
    for number, step in enumerate(steps):
        instructions = step.program.instructions if step.program else ()
        made = {instruction.node for instruction in instructions if not instruction.moves}
        if made & before != {*step.recomputed}:
            yield f"step {number} computes {sorted(made & before)} again and says {sorted(step.recomputed)}"
        for i in step.recomputed:
            if i in stored or not graph[i].cheap:
                yield f"step {number} computes node {i} again, which is {'stored' if i in stored else 'not cheap'}"
        before |= made


RULES = (
    inputs_come_first,
    views_show_storage,
    wanted_values_are_computed_once,
    loads_have_data,
    registers_are_written_before_they_are_read,
    only_the_dying_are_overwritten,
    programs_know_whether_they_update,
    windows_are_handed_on_in_order,
    epilogues_overwrite_what_is_done_with,
    concurrent_steps_leave_each_other_alone,
    steps_by_rows_fold_alike_and_overwrite_no_windows,
    values_are_computed_again_behind_their_home,
)


def verify(graph: Graph, steps: list[Step]) -> None:
    """Raise `PlanError` if the steps are no right plan for the graph.

    Examples
    --------
    >>> from lazyarr._core.ir.inner_loops import loop_number
    >>> from lazyarr.compiler.schedule import MAP, schedule
    >>> add = loop_number("add", "ddd")
    >>> graph = Graph([(LEAF, (), 0, 8, 0, 0, (), 0), (MAP, (0, 0), 0, 8, ESCAPES, add, (8,), 0)])
    >>> verify(graph, schedule(graph))
    >>> verify(graph, [])
    Traceback (most recent call last):
    lazyarr.compiler.verify.PlanError: wanted_values_are_computed_once: node 1 escapes and is not computed
    """
    infos = [*graph]
    for rule in RULES:
        for finding in rule(infos, steps):
            raise PlanError(f"{rule.__name__}: {finding}")
