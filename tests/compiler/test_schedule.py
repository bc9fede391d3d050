"""Schedules of random graphs obey the grammar of plans; each rule of the grammar detects violations."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.ir.graph_ir import Graph, NodeInfo
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Instruction, TileProgram
from lazyarr.compiler import verify as verifying
from lazyarr.compiler.pipeline import compile_graph
from lazyarr.compiler.schedule import (
    BESIDE,
    CHANGES,
    CONSUMABLE,
    EMPTY,
    ESCAPES,
    HANDS_OVER,
    LEAF,
    MAP,
    OPAQUE,
    REDUCE,
    RESULT,
    UPDATE,
    VIEW,
    schedule,
)
from lazyarr.compiler.simplify import simplify
from lazyarr.compiler.verify import RULES, PlanError, verify
from lazyarr.compiler.view_rewrites import beside

ADD, MULTIPLY, SUBTRACT = (loop_number(name, "ddd") for name in ("add", "multiply", "subtract"))
DIVMOD = loop_number("divmod", "dddd")


def random_graph(rng, size):
    """A graph of all kinds of nodes in two shape classes, right by construction."""
    graph = [NodeInfo(LEAF, (), int(rng.integers(2)), 8, int(rng.choice([0, CONSUMABLE])), 0, (), 0) for _ in range(3)]
    several = set()  # nodes with several results, which only RESULTs read
    while len(graph) < size:
        i = int(rng.choice([k for k in range(len(graph)) if k not in several]))
        node, flags = graph[i], int(rng.choice([0, 0, ESCAPES]))
        alike = [k for k, other in enumerate(graph) if other.shape == node.shape and k not in several]
        j = int(rng.choice(alike))
        kind = rng.choice(["map", "map", "map", "view", "reduce", "update", "opaque", "empty", "several"])
        if kind == "map":
            loop = (ADD, MULTIPLY, SUBTRACT)[rng.integers(3)]
            made = NodeInfo(MAP, (i, j), node.shape, 8, flags, loop, (8,), 0, cheap=8 * (loop != ADD))
        elif kind == "view":
            made = NodeInfo(VIEW, (i if node.kind != VIEW else node.inputs[0],), int(rng.integers(2)), 8, 0, 0, (), 0)
        elif kind == "reduce":
            made = NodeInfo(REDUCE, (i,), 1, 8, flags, ADD, (), int(rng.integers(1, 3)))
        elif kind == "update" and node.kind != VIEW:
            made = NodeInfo(UPDATE, (i, j), node.shape, 8, flags, 0, (), int(rng.choice([0, BESIDE, BESIDE])))
        elif kind == "opaque":
            attr = int(rng.choice([0, CHANGES, HANDS_OVER, HANDS_OVER] if node.kind != VIEW else [0, HANDS_OVER]))
            made = NodeInfo(OPAQUE, (i, j), node.shape, 8, flags, 0, (), attr)
        elif kind == "several":
            several.add(len(graph))
            source = len(graph)
            graph.append(NodeInfo(MAP, (i, j), node.shape, 8, 0, DIVMOD, (8, 8), 0) if rng.integers(2) else
                         NodeInfo(OPAQUE, (i, j), node.shape, 8, 0, 0, (), 0))
            graph.append(NodeInfo(RESULT, (source,), node.shape, 8, flags, DIVMOD, (), 0))
            made = NodeInfo(RESULT, (source,), node.shape, 8, int(rng.choice([0, ESCAPES])), DIVMOD, (), 1)
        else:
            made = NodeInfo(EMPTY, (), 0, 8, flags, 0, (), 0)
        graph.append(made)
    return Graph(graph)


def planned(nodes):
    """Steps for a graph, which obey the grammar."""
    graph = Graph(nodes)
    steps = schedule(graph)
    verify(graph, steps)
    return steps


@pytest.mark.parametrize("seed", range(200))
def test_random_graphs_obey_the_grammar(seed):
    rng = np.random.default_rng(seed)
    graph, _, _ = simplify(random_graph(rng, int(rng.integers(4, 120))))
    planned(beside(graph))


def windows():
    """Three windows of one storage that two operations fill, the second operation first."""
    operation = NodeInfo(MAP, (0, 0), 0, 8, 0, ADD, (8,), 0)
    graph = [LEAF_AND_SUM[0], NodeInfo(EMPTY, (), 1, 8, 0, 0, (), 0), operation, operation._replace(inputs=(2, 2))]
    for value in (3, 2, 3):
        old = 1 if len(graph) == 4 else len(graph) - 1
        graph.append(NodeInfo(UPDATE, (old, value), 1, 8, 0, 0, (), BESIDE))
    graph[-1] = graph[-1]._replace(flags=ESCAPES)
    return beside(Graph(graph))


def test_windows_beside_each_other_are_one_step():
    graph = windows()
    empty, step = planned(graph)
    assert (empty.kind, step.kind, step.in_place, step.frees) == ("empty", "tile", (4, 5, 6), (1, 4, 5))
    nodes = [*graph]
    for seen, count in [(nodes[5]._replace(attr=0), 3), (nodes[5]._replace(inputs=(4, 0)), 4)]:
        assert len(planned(beside(Graph([*nodes[:5], seen, *nodes[6:]])))) == count


def test_chains_that_end_in_folds_over_different_axes_do_not_wait_for_each_other():
    leaf = NodeInfo(LEAF, (), 0, 8, 0, 0, (), 0)
    one, two = (NodeInfo(MAP, (0, 0), 0, 8, 0, loop, (8,), 0) for loop in (MULTIPLY, SUBTRACT))
    folds = [NodeInfo(REDUCE, (i,), 1, 8, ESCAPES, ADD, (), i) for i in (1, 2)]
    readers = [NodeInfo(MAP, inputs, 0, 8, ESCAPES, ADD, (8,), 0) for inputs in ((1, 2), (2, 1))]
    planned([leaf, one, two, *folds, *readers])
    x, y = np.arange(6.0).reshape(2, 3), la.asarray(np.arange(6.0).reshape(2, 3))
    a, b = -y, abs(y)
    results = [a.sum(0), b.sum(1), a - b, b - a]
    la.evaluate(*results)
    for got, expected in zip(results, [-x.sum(0), x.sum(1), -2 * x, 2 * x], strict=True):
        np.testing.assert_array_equal(got, expected)


LEAF_AND_SUM = [
    NodeInfo(LEAF, (), 0, 8, CONSUMABLE, 0, (), 0),
    NodeInfo(MAP, (0, 0), 0, 8, ESCAPES, ADD, (8,), 0),
    NodeInfo(OPAQUE, (0,), 0, 8, ESCAPES, 0, (), 0),
]


PRODUCT_AND_SUM = [
    *[NodeInfo(LEAF, (), 0, 8, CONSUMABLE, 0, (), 0) for _ in range(2)],
    NodeInfo(OPAQUE, (0, 0), 0, 8, 0, 0, (), HANDS_OVER),
    NodeInfo(MAP, (1, 2), 0, 8, ESCAPES, ADD, (8,), 0),
]


def broken(rule):
    """A graph and steps that break one rule."""
    graph = LEAF_AND_SUM
    tile, opaque = planned(graph)
    if rule == "inputs_come_first":
        return [NodeInfo(MAP, (1, 1), 0, 8, 0, ADD, (8,), 0), graph[0]], []
    if rule == "views_show_storage":
        return [graph[0], NodeInfo(VIEW, (0,), 0, 8, 0, 0, (), 0), NodeInfo(VIEW, (1,), 0, 8, 0, 0, (), 0)], []
    if rule == "wanted_values_are_computed_once":
        return graph, [tile, tile, opaque]
    if rule == "loads_have_data":
        return [*graph, NodeInfo(OPAQUE, (2,), 0, 8, 0, 0, (), 0)], [tile, opaque.replace(node=3), opaque]
    if rule == "registers_are_written_before_they_are_read":
        program = TileProgram(1, (0,), (8,), (1,), (Instruction(ADD, 1, (0, 1, 2)),), ())
        return graph, [tile.replace(program=program), opaque]
    if rule == "programs_know_whether_they_update":
        program = TileProgram(1, (0,), (), (1,), tile.program.instructions, (), updates=True)
        return graph, [tile.replace(program=program), opaque]
    if rule == "windows_are_handed_on_in_order":
        graph = windows()
        empty, step = planned(graph)
        was = step.program
        program = TileProgram(was.space, was.loads, was.registers, was.stores[::-1], was.instructions, was.folds, True)
        return graph, [empty, step.replace(program=program)]
    if rule == "epilogues_overwrite_what_is_done_with":
        graph = PRODUCT_AND_SUM
        [epilogue] = planned(graph)
        return graph, [epilogue.replace(donors=((0, 1),))]
    if rule == "concurrent_steps_leave_each_other_alone":
        return graph, [tile.replace(concurrent=2), opaque]
    if rule == "steps_by_rows_fold_alike_and_overwrite_no_windows":
        return graph, [tile.replace(rows=2), opaque]
    if rule == "values_are_computed_again_behind_their_home":
        return graph, [tile.replace(recomputed=(1,)), opaque]
    return graph, [tile.replace(donors=((0, 0),)), opaque]


@pytest.mark.parametrize("rule", [rule.__name__ for rule in RULES])
def test_a_broken_plan_is_found(rule):
    graph, steps = broken(rule)
    graph = Graph(graph)
    with pytest.raises(PlanError, match=rule):
        verify(graph, steps)


def concurrent(*nodes):
    """How many steps can run side by side, from each on, of programs that are each told as (inputs, shape, flags)."""
    leaves = [NodeInfo(LEAF, (), k, 8, CONSUMABLE, 0, (), k) for k in range(3)]
    maps = [NodeInfo(MAP, inputs, shape, 8, flags, ADD, (8,), 3 + k) for k, (inputs, shape, flags) in enumerate(nodes)]
    return [step.concurrent for step in planned([*leaves, *maps])]


def test_programs_run_side_by_side_that_leave_each_other_alone():
    assert concurrent(((0, 0), 0, ESCAPES), ((1, 1), 1, ESCAPES), ((2, 2), 2, ESCAPES)) == [3, 2, 1]


def test_no_program_runs_beside_one_whose_result_it_reads():
    # the third reads what the first makes, and may run beside the second
    assert concurrent(((0, 0), 0, ESCAPES), ((1, 1), 1, ESCAPES), ((3, 3), 2, ESCAPES)) == [2, 2, 1]


def test_no_program_takes_memory_over_that_one_beside_it_reads():
    # the first reads an array in another space; the second is its last reader, and overwrites it
    assert concurrent(((0, 1), 1, ESCAPES), ((0, 0), 0, ESCAPES)) == [1, 1]


def test_few_programs_run_side_by_side():
    leaves = [NodeInfo(LEAF, (), k, 8, 0, 0, (), k) for k in range(200)]
    steps = planned([*leaves, *[NodeInfo(MAP, (k, k), k, 8, ESCAPES, ADD, (8,), 200 + k) for k in range(200)]])
    assert [step.concurrent for step in steps] == [min(200 - k, 128) for k in range(200)]


def by_rows(*nodes):
    """How many steps can go through rows together, from each on, of an array's operations, told as (kind, inputs, ...).

    A fold goes over the axes that are told, an operation has the shape that is told; all are wanted.
    """
    graph = [NodeInfo(LEAF, (), 0, 8, 0, 0, (), 0)]
    for kind, inputs, number in nodes:
        graph.append(NodeInfo(REDUCE, inputs, 1, 8, ESCAPES, ADD, (), number) if kind == REDUCE else
                     NodeInfo(kind, inputs, number, 8, ESCAPES, ADD, (8,), 0))
    return [step.rows for step in planned(graph)]


def test_programs_go_through_rows_together_that_read_what_others_of_them_do():
    assert by_rows((REDUCE, (0,), 2), (MAP, (0, 1), 0), (REDUCE, (2,), 2), (MAP, (2, 3), 0)) == [3, 2, 1]


def test_programs_that_fold_other_axes_do_not_go_through_rows_together():
    assert by_rows((REDUCE, (0,), 2), (MAP, (0, 1), 0), (REDUCE, (2,), 4), (MAP, (2, 3), 0)) == [1, 2, 1]


def test_programs_without_folds_go_by_themselves():
    assert by_rows((MAP, (0, 0), 1), (MAP, (1, 0), 2)) == [1, 1]


def test_what_overwrites_a_window_goes_by_itself():
    assert by_rows((REDUCE, (0,), 2), (MAP, (0, 1), 0), (UPDATE, (0, 2), 0)) == [1, 1]


def test_a_program_runs_behind_the_kernel_that_it_alone_reads():
    [step] = planned(PRODUCT_AND_SUM)
    assert (step.kind, step.node, step.donors, step.frees) == ("epilogue", 2, ((0, 2),), (2,))
    leaf, other, kernel, reader = PRODUCT_AND_SUM
    kinds = {
        "escapes": [leaf, other, kernel._replace(flags=ESCAPES), reader],
        "hands nothing over": [leaf, other, kernel._replace(attr=2), reader],
        "is read in another shape": [leaf, other._replace(shape=1), kernel, reader._replace(shape=1)],
        "is read through a view": [leaf, other, kernel, NodeInfo(VIEW, (2,), 0, 8, 0, 0, (), 0),
                                   reader._replace(inputs=(2, 3))],
        "is updated from": [leaf, other, kernel, reader._replace(flags=0),
                            NodeInfo(UPDATE, (0, 3), 0, 8, ESCAPES, 0, (), 0)],
    }
    for what, graph in kinds.items():
        steps = planned(graph)
        assert [step.kind for step in steps] == ["opaque", "tile"], what


def test_a_kernel_waits_for_the_other_operands_of_its_reader():
    sort = NodeInfo(OPAQUE, (1,), 0, 8, 0, 0, (), 2)
    graph = [*PRODUCT_AND_SUM[:3], sort, NodeInfo(MAP, (2, 3), 0, 8, ESCAPES, ADD, (8,), 0)]
    steps = planned(graph)
    assert [(step.kind, step.node) for step in steps] == [("opaque", 3), ("epilogue", 2)]


def test_debug_builds_verify_every_plan(monkeypatch):
    seen = []
    monkeypatch.setattr(verifying, "verify", lambda graph, steps: seen.append(len(steps)))
    monkeypatch.setattr(api, "DEBUG", True)
    assert [len(step) for step, _, _ in [compile_graph(Graph(LEAF_AND_SUM))]] == seen == [2]


def test_a_donor_is_taken_where_it_dies():
    [step] = planned(LEAF_AND_SUM[:2])
    assert step.donors == ((0, 0),)
    x = la.array([1.0, 2.0])
    x = x + x
    assert x.tolist() == [2.0, 4.0]


def test_results_of_a_call_feed_a_chain():
    x, mask = np.linspace(0.5, 3, 16).reshape(4, 4), np.eye(4, dtype=bool)
    fraction, _ = la.modf(la.asarray(x), where=mask, out=(la.zeros((4, 4)), la.zeros((4, 4))))
    expected, _ = np.modf(x, where=mask, out=(np.zeros((4, 4)), np.zeros((4, 4))))
    np.testing.assert_array_equal(fraction * 2 + 1, expected * 2 + 1)
