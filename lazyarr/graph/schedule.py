"""The schedule: which nodes run together, in what order, in whose memory.

Input is the description of a graph as plain tuples (`NodeInfo`), output a list of `Step`; nothing here touches a
node or depends on extents. The stages:

1. `levels`    each node gets the earliest wave in which it can run. An edge along which values can stay in
               registers (elementwise producer, same shape) costs nothing, any other starts a new wave.
2. `groups`    nodes of one wave connected by such edges become one tile program. A group that another of its wave
               depends on takes no more members, so groups cannot depend on each other in a circle.
3. `order`     steps in dependency order; a step that overwrites old storage comes as late as it can, so that the
               old values' readers are done and the update runs in place.
4. `emit`      registers by linear scan, stores, folds, and which dying inputs a step may overwrite.
5. `join`      a kernel and the program behind it, its only reader, become one step: an epilogue.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

LEAF, SCALAR, VIEW, MAP, MASKED, COMPRESS, PACKED, EXPAND, RESULT, UPDATE, REDUCE, EMPTY, OPAQUE, REPEAT = range(14)

ESCAPES, CONSUMABLE = 1, 2
CHANGES, HANDS_OVER = 1, 3
"""Opaque calls that change their first input's storage, and kernels that may hand parts of their result over."""
BESIDE = 1
"""An update whose window lies beside those of the updates below it, which nobody else reads."""
WHOLE, UNDER, FRONT = range(3)
"""Of a block's elements, which an instruction works on: all, those under a mask, as many at the front as it has."""
MODES = {MASKED: UNDER, PACKED: FRONT}
ONE_LOOP = frozenset({MAP, MASKED, COMPRESS, PACKED, EXPAND})
"""Kinds that are one call of an inner loop a block."""
SELECTION = frozenset({COMPRESS, PACKED})
"""Kinds whose values stand packed in a register, and spread out under their mask, their last input, in memory."""
ELEMENTWISE = ONE_LOOP | {RESULT}
FUSABLE = ELEMENTWISE | {UPDATE, REDUCE}
AT_THE_END = frozenset({UPDATE, REDUCE})
"""Kinds whose reads may happen after every instruction of a block."""
MAX_GROUP = 96
"""Nodes a tile program holds at most: enough to amortise its loads, few enough for its registers to stay in cache."""


class NodeInfo(NamedTuple):
    """What the scheduler knows of a node; `inputs` are positions in the same list, earlier than the node."""

    kind: int
    inputs: tuple[int, ...]
    shape: int
    """Shape class: equal numbers, equal shapes."""
    itemsize: int
    flags: int
    loop: int
    outs: tuple[int, ...]
    """Item sizes of the loop's outputs."""
    attr: int
    """RESULT: which output; REDUCE: the axes as bits; OPAQUE: CHANGES, HANDS_OVER or another number; UPDATE: BESIDE."""

    @property
    def overwrites(self) -> bool:
        """Whether it makes a new version of the storage of its first input."""
        return self.kind == UPDATE or (self.kind == OPAQUE and self.attr == CHANGES)


class Step(NamedTuple):
    """One step of a plan.

    ``kind`` is tile, opaque, empty, or epilogue: a kernel, which is ``node``, and the tile program that reads it.
    ``program`` is ``(space, loads, registers, stores, instructions, folds)`` where there is one, None otherwise.
    ``frees`` are intermediates whose last reader this is. ``donors`` maps a store's position to a dying input whose
    memory it may take over; ``in_place`` are the updates whose old storage dies here.
    """

    kind: str
    node: int
    program: tuple | None
    frees: tuple[int, ...]
    donors: tuple[tuple[int, int], ...]
    in_place: tuple[int, ...]


def schedule(graph: list[NodeInfo]) -> list[Step]:
    """Steps that evaluate every escaping node of `graph`.

    Examples
    --------
    >>> leaf = NodeInfo(LEAF, (), 0, 8, 0, 0, (), 0)
    >>> double = NodeInfo(MAP, (0, 0), 0, 8, ESCAPES, 7, (8,), 0)
    >>> [step] = schedule([leaf, double])
    >>> step.program
    (1, (0,), (), (1,), ((7, 1, 0, (0, 0, 1)),), ())
    """
    level = levels(graph)
    group = groups(graph, level)
    steps, step_of = _collect(graph, group)
    ordered = delay_kernels(graph, order(graph, level, steps, step_of))
    return join(graph, emit(graph, ordered, step_of))


def base(graph: list[NodeInfo], i: int) -> int:
    """The node whose storage node `i` reads."""
    return graph[i].inputs[0] if graph[i].kind == VIEW else i


def fuses(graph: list[NodeInfo], producer: int, consumer: int) -> bool:
    """Whether the edge can be a register: an elementwise producer walked in the consumer's own space.

    Or whether it need not be one: windows beside each other can be written in turns.
    """
    p, c = graph[producer], graph[consumer]
    if p.kind == UPDATE:
        return (c.kind == UPDATE and c.attr == BESIDE and producer != c.inputs[1]
                and graph[p.inputs[1]].shape == graph[c.inputs[1]].shape)
    if p.kind == RESULT and graph[p.inputs[0]].kind == OPAQUE:
        return False  # the call hands it over in memory
    if p.kind not in ELEMENTWISE and not (c.kind == RESULT and p.kind == MAP):
        return False
    if c.kind in ELEMENTWISE:
        return p.shape == c.shape
    if c.kind == REDUCE:
        return True
    return c.kind == UPDATE and producer == c.inputs[1] and producer != c.inputs[0]


def hands_over(node: NodeInfo) -> bool:
    """Whether a node is computed by a kernel that may hand parts of its result over."""
    return node.kind == OPAQUE and node.attr == HANDS_OVER


def packed_inputs(node: NodeInfo) -> range:
    """The positions of the inputs that a node reads packed."""
    return range(len(node.inputs) - 1 if node.kind == PACKED else node.kind == EXPAND)


def levels(graph: list[NodeInfo]) -> list[int]:
    """The wave of each node: as early as its inputs allow, then as late as its readers allow.

    What reads storage that the graph updates stays early: moved behind the update it would need a copy.
    """
    level = [0] * len(graph)
    for i, node in enumerate(graph):
        for j in node.inputs:
            if fuses(graph, j, i):
                level[i] = max(level[i], level[j])
            elif node.kind == VIEW:
                level[i] = max(level[i], level[j])
            else:
                computed = graph[base(graph, j)].kind not in (LEAF, SCALAR)
                level[i] = max(level[i], level[base(graph, j)] + computed)

    updated = {node.inputs[0] for node in graph if node.overwrites}
    pinned = [False] * len(graph)
    for i, node in enumerate(graph):
        pinned[i] = any(base(graph, j) in updated or (pinned[j] and fuses(graph, j, i)) for j in node.inputs)
    never = len(graph) + 1
    latest = [never] * len(graph)
    for i in range(len(graph) - 1, -1, -1):
        node = graph[i]
        if node.kind in ONE_LOOP and len(node.outs) == 1 and not pinned[i] and latest[i] < never:
            level[i] = max(level[i], latest[i])
        for j in node.inputs:
            bound = latest[i] if node.kind == VIEW else level[i] if fuses(graph, j, i) else level[i] - 1
            latest[j] = min(latest[j], bound)
    return level


def groups(graph: list[NodeInfo], level: list[int]) -> list[int]:
    """Union-find over fused edges; the representative of each node's group (itself where it runs alone)."""
    parent = list(range(len(graph)))
    size = [1] * len(graph)
    axes = [node.attr if node.kind == REDUCE else None for node in graph]
    closed = [False] * len(graph)

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, node in enumerate(graph):
        if node.kind not in FUSABLE:
            continue
        for j in node.inputs:
            if not fuses(graph, j, i) or level[i] != level[j]:
                continue
            a, b = find(j), find(i)
            if a == b:
                continue
            forced = node.kind == RESULT
            clash = axes[a] is not None and axes[b] is not None and axes[a] != axes[b]
            if not forced and (closed[a] or closed[b] or clash or size[a] + size[b] > MAX_GROUP):
                # A group that refused a member once takes no more: its readers may come to depend on others. A fold
                # of its own has none in this wave.
                if not (node.kind == REDUCE and size[b] == 1):
                    closed[a] = True
                continue
            parent[b] = a
            size[a] += size[b]
            closed[a] = closed[a] or closed[b]
            axes[a] = axes[a] if axes[a] is not None else axes[b]
    return [find(i) for i in range(len(graph))]


def _collect(graph, group):
    """Steps as lists of nodes, and the step of each computed node (None for leaves and views)."""
    steps: dict[int, list[int]] = {}
    step_of: list[int | None] = [None] * len(graph)
    for i, node in enumerate(graph):
        if node.kind in (LEAF, SCALAR, VIEW):
            continue
        key = group[i]
        steps.setdefault(key, []).append(i)
        step_of[i] = key
    return steps, step_of


def order(graph, level, steps, step_of):
    """Steps in dependency order; among those ready, by wave, overwriting ones last."""
    needs: dict[int, set[int]] = {key: set() for key in steps}
    feeds: dict[int, set[int]] = {key: set() for key in steps}
    for key, nodes in steps.items():
        for i in nodes:
            for j in graph[i].inputs:
                source = step_of[base(graph, j)]
                if source is not None and source != key:
                    needs[key].add(source)
                    feeds[source].add(key)
    overwrites = {key: any(graph[i].overwrites for i in nodes) for key, nodes in steps.items()}
    ready = [(overwrites[key], level[key], key) for key in steps if not needs[key]]
    heapq.heapify(ready)
    ordered = []
    while ready:
        *_, key = heapq.heappop(ready)
        ordered.append(steps[key])
        for other in feeds[key]:
            needs[other].discard(key)
            if not needs[other]:
                heapq.heappush(ready, (overwrites[other], level[other], other))
    assert len(ordered) == len(steps), "steps depend on each other in a circle"
    return ordered


def delay_kernels(graph, ordered):
    """Put kernels that may hand their result over right before its only reader, where nothing between overwrites.

    Of several with one reader the last one: only one can run together with it.
    """
    at = {nodes[0]: number for number, nodes in enumerate(ordered) if hands_over(graph[nodes[0]])}
    readers: dict[int, list[int]] = {}
    for number, nodes in enumerate(ordered):
        for j in {base(graph, j) for i in nodes for j in graph[i].inputs} & at.keys():
            readers.setdefault(j, []).append(number)
    overwriting = [any(graph[i].overwrites for i in nodes) for nodes in ordered]
    delayed = {readers[kernel][0]: kernel for kernel in at
               if len(readers.get(kernel, ())) == 1 and not any(overwriting[at[kernel] + 1:readers[kernel][0]])}
    out = []
    for number, nodes in enumerate(ordered):
        if number in delayed:
            out.append([delayed[number]])
        if nodes[0] not in delayed.values():
            out.append(nodes)
    return out


def emit(graph, ordered, step_of):
    """Tile programs, with lifetimes of what they read and write."""
    last_use: dict[int, int] = {}
    read_elsewhere = set()
    for position, nodes in enumerate(ordered):
        members = set(nodes)
        for i in nodes:
            for j in graph[i].inputs:
                if j not in members:
                    last_use[base(graph, j)] = position
                    read_elsewhere.add(base(graph, j))
    dies: list[set[int]] = [set() for _ in ordered]
    for i, position in last_use.items():
        node = graph[i]
        if node.flags & CONSUMABLE if node.kind in (LEAF, SCALAR) else not node.flags & ESCAPES:
            dies[position].add(i)
    out = []
    for nodes, dying in zip(ordered, dies, strict=True):
        handed_on = {graph[i].inputs[0] for i in nodes if graph[i].kind == UPDATE}.intersection(nodes)
        frees = tuple(sorted(i for i in dying | handed_on if graph[i].kind not in (LEAF, SCALAR)))
        first = graph[nodes[0]]
        if first.kind == OPAQUE:
            changed = first.inputs[0] if first.overwrites else None
            alone = changed in dying and [base(graph, j) for j in first.inputs].count(changed) == 1
            out.append(Step("opaque", nodes[0], None, frees, (), (nodes[0],) if alone else ()))
        elif first.kind == EMPTY:
            out.append(Step("empty", nodes[0], None, frees, (), ()))
        elif first.kind == RESULT and graph[first.inputs[0]].kind == OPAQUE:
            continue  # the call that computes it hands it over
        else:
            before = out[-1].node if out else None
            out.append(_Emitter(graph, nodes, read_elsewhere, dying, before).step(frees))
    return out


class _Emitter:
    """Builds one tile program; operands are named symbolically until their counts are known."""

    def __init__(self, graph, nodes, read_elsewhere, dying, before):
        self.graph = graph
        self.before = before
        self.nodes = nodes
        self.members = set(nodes)
        self.dying = dying
        self.stored = {
            i
            for i in nodes
            if graph[i].kind in ELEMENTWISE
            and len(graph[i].outs) <= 1
            and (graph[i].flags & ESCAPES or i in read_elsewhere)
        }
        self.loads: dict[int, int] = {}
        self.registers: list[int] = []
        self.free_registers: dict[int, list[int]] = {}
        self.stores: list[int] = []
        self.instrs: list[tuple] = []
        self.folds: list[tuple] = []
        self.place: dict[int, tuple[str, int]] = {}
        self.packed: dict[tuple[int, int], tuple[str, int]] = {}
        self.updates = [i for i in nodes if graph[i].kind == UPDATE]
        self.last_read = {}
        for i in nodes:
            for j in graph[i].inputs:
                if j in self.members:
                    self.last_read[j] = i
        for i in self.updates:  # values of updates are written out at the end
            value = graph[i].inputs[1]
            if value in self.members:
                self.last_read[value] = len(graph)
        for i in nodes:
            if graph[i].kind == REDUCE and graph[i].inputs[0] in self.members:
                self.last_read[graph[i].inputs[0]] = len(graph)

    def step(self, frees):
        graph = self.graph
        direct = self._direct_updates()
        for i in self.updates:  # in order: one may have the memory of another
            self.place[i] = self._store(i)
        for i in self.nodes:
            node = graph[i]
            if node.kind in ONE_LOOP:
                self._instruction(i, direct)
        for i in self.updates:
            if graph[i].inputs[1] in direct:
                continue
            value = graph[i].inputs[1]
            self.instrs.append((("copy", value), i, WHOLE, (self._operand(value), self.place[i])))
        for i in self.nodes:
            if graph[i].kind == REDUCE:
                self.folds.append((graph[i].loop, self._operand(graph[i].inputs[0]), i))
        program = self._number()
        return Step("tile", self.nodes[0], program, frees, self._donors(), self._in_place())

    def _direct_updates(self):
        """Values that one update alone takes, computed into its window at once: {value: update}.

        Not where a later instruction reads the storage that the update may overwrite.
        """
        graph = self.graph
        direct = {}
        for i in self.updates:
            old, value = graph[i].inputs
            takers = [u for u in self.updates if graph[u].inputs[1] == value]
            if value not in self.members or value in self.stored or len(takers) != 1:
                continue
            if graph[value].kind == RESULT:
                continue
            if any(k > value and base(graph, j) == old for k in self.nodes if k != i for j in graph[k].inputs):
                continue
            direct[value] = i
        return direct

    def _instruction(self, i, direct):
        graph = self.graph
        node = graph[i]
        operands = [self._packed(j, i) if k in packed_inputs(node) else self._operand(j)
                    for k, j in enumerate(node.inputs)]
        results = [i]
        if len(node.outs) > 1:
            which = {graph[k].attr: k for k in self.nodes if graph[k].kind == RESULT and graph[k].inputs[0] == i}
            results = [which.get(n) for n in range(len(node.outs))]
        unwanted = []
        for result, size in zip(results, node.outs, strict=True):
            if result is None:
                place = self._register(size)
                unwanted.append((place, size))
            elif result in direct:
                place = self.place[direct[result]]
            elif result in self.stored and node.kind not in SELECTION:
                place = self._store(result)
            else:
                place = self._register(size)
            if result is not None:
                self.place[result] = place
            operands.append(place)
        self.instrs.append((node.loop, i, MODES.get(node.kind, WHOLE), tuple(operands)))
        if node.kind in SELECTION and i in self.stored:
            spread = self._store(i)
            mask = self._operand(node.inputs[-1])
            self.instrs.append((("expand", i), i, WHOLE, (self.place[i], mask, spread, spread)))
        for place, size in unwanted:
            self._release(place, size)
        for j in set(node.inputs):
            if self.last_read.get(j) == i and self.place.get(j, ("",))[0] == "register":
                self._release(self.place[j], graph[j].itemsize)
        for result in results:
            if result is not None and result not in self.last_read and self.place[result][0] == "register":
                self._release(self.place[result], graph[result].itemsize)

    def _packed(self, j, reader):
        """Operand j of a reader that wants it packed: values from memory are, one value for all need not be."""
        graph = self.graph
        if (j in self.members and graph[j].kind in SELECTION) or graph[j].shape != graph[reader].shape:
            return self._operand(j)
        mask = graph[reader].inputs[1 if graph[reader].kind == EXPAND else -1]
        if (j, mask) not in self.packed:
            self.packed[j, mask] = self._register(graph[j].itemsize)
            self.instrs.append((("compress", j), j, WHOLE,
                                (self._operand(j), self._operand(mask), self.packed[j, mask])))
        return self.packed[j, mask]

    def _operand(self, j):
        if j in self.members:
            return self.place[j]
        return ("load", self.loads.setdefault(j, len(self.loads)))

    def _register(self, size):
        free = self.free_registers.setdefault(size, [])
        if free:
            return ("register", free.pop())
        self.registers.append(size)
        return ("register", len(self.registers) - 1)

    def _release(self, place, size):
        self.free_registers.setdefault(size, []).append(place[1])

    def _store(self, i):
        self.stores.append(i)
        return ("store", len(self.stores) - 1)

    def _number(self):
        first = {"load": 0, "register": len(self.loads), "store": len(self.loads) + len(self.registers)}
        instrs = tuple(
            (loop, node, mode, tuple(first[kind] + k for kind, k in operands))
            for loop, node, mode, operands in self.instrs
        )
        folds = tuple((loop, first[place[0]] + place[1], node) for loop, place, node in self.folds)
        # every member walks the same space: an elementwise member has it as its shape, an update's value and a
        # fold's input do
        i = self.nodes[0]
        kind = self.graph[i].kind
        space = i if kind in ELEMENTWISE else self.graph[i].inputs[1] if kind == UPDATE else self.graph[i].inputs[0]
        return (space, tuple(self.loads), tuple(self.registers), tuple(self.stores), instrs, folds)

    def _donors(self):
        """Stores that may take the memory of an input that dies here and is read in step with them."""
        graph = self.graph
        spaces = {j for j in self.loads if graph[j].kind != VIEW}
        through_views = {base(graph, j) for j in self.loads if graph[j].kind == VIEW}
        olds = {graph[i].inputs[0] for i in self.updates}
        free = [d for d in self.loads if d in self.dying and d in spaces and d not in through_views and d not in olds]
        # An epilogue may overwrite its kernel's result, and nothing else. But leaves live to the evaluation's end if
        # nobody takes their memory: where several arrays are stored, as by an optimiser, that counts for more.
        several = sum(graph[i].kind != UPDATE for i in self.stores) > 1
        free.sort(key=lambda d: (several and graph[d].kind != LEAF, d != self.before, graph[d].kind != LEAF))
        donors = []
        for k, i in enumerate(self.stores):
            if graph[i].kind == UPDATE:
                continue
            for d in free:
                writer = graph[i].inputs[0] if graph[i].kind == RESULT else i
                late = any(
                    d in graph[n].inputs and (n > writer or graph[n].kind in AT_THE_END) for n in self.nodes
                )
                if graph[d].shape == graph[i].shape and graph[d].itemsize == graph[i].itemsize and not late:
                    donors.append((k, d))
                    free.remove(d)
                    break
        return tuple(donors)

    def _in_place(self):
        """Updates whose old storage dies here and is read by nothing else that runs at the end of a block."""
        graph = self.graph
        readers = {(base(graph, j), i) for i in self.nodes if graph[i].kind in AT_THE_END for j in graph[i].inputs}
        ours = self.dying | self.members
        return tuple(
            i for i in self.updates
            if graph[i].inputs[0] in ours and not any(old == graph[i].inputs[0] and i != k for old, k in readers)
        )


def join(graph, steps):
    """Kernels that may hand parts of their result over, with the programs behind them, as steps that run both."""
    out: list[Step] = []
    for step in steps:
        if out and runs_behind(graph, out[-1], step):
            kernel = out.pop()
            donors = tuple((store, donor) for store, donor in step.donors if donor == kernel.node)
            frees = tuple(sorted({*kernel.frees, *step.frees}))
            step = Step("epilogue", kernel.node, step.program, frees, donors, ())
        out.append(step)
    return out


def runs_behind(graph, kernel, step):
    """Whether a step is a program that can run on parts of the result of the kernel before it.

    It reads each element of the result once, where it stands, nobody else wants it, and it overwrites nothing but the
    result: both can then run again after a failure. What the kernel frees lives until the program ends, so it must not
    need more memory than the result has, nor give up that of leaves.
    """
    result = kernel.node
    if kernel.kind != "opaque" or step.kind != "tile" or not hands_over(graph[result]) or result not in step.frees:
        return False
    space, loads, _, stores, _, folds = step.program
    if folds or any(graph[i].kind == UPDATE for i in stores) or graph[space].shape != graph[result].shape:
        return False
    if [j for j in loads if base(graph, j) == result] != [result]:
        return False
    if any(graph[donor].kind == LEAF for _, donor in step.donors):
        return False
    return not kernel.frees or (len(stores) == 1 and any(donor == result for _, donor in step.donors))
