"""The cost of a large graph: a training step of an LSTM language model, with nodes for every time step.

    python asv_bench/lstm_graph.py [--rounds 5]

A window of 100 characters is embedded in 40 dimensions, processed by an LSTM of 128 units, and read out by dense layers
of 512 units and of one per character; softmax, cross-entropy, Adagrad; 100 windows per batch. It is written with plain
operations, time step by time step, and lazyarr computes the gradient.

One line has the numbers of nodes and edges as written, including derivative and optimiser, and how many remain: leaves
and steps, with what each reads; and the time to build, rewrite and plan the graph, in milliseconds (medians over fresh
plans). Another has the time of a second evaluation, whose plan is cached.
"""

import argparse
import statistics
import time

import numpy as np

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.runtime import plan_cache
from lazyarr.compiler import schedule
from lazyarr.compiler.pipeline import rewritten

WINDOW, EMBEDDING, HIDDEN, DENSE, CHARACTERS, BATCH, RATE = 100, 40, 128, 512, 80, 100, 0.01
GATES = "ifoc"


def parameters(rng):
    shapes = {"table": (CHARACTERS, EMBEDDING), "dense": (HIDDEN, DENSE), "dense_bias": (DENSE,),
              "last": (DENSE, CHARACTERS), "last_bias": (CHARACTERS,)}
    for gate in GATES:
        shapes |= {f"w{gate}": (EMBEDDING, HIDDEN), f"u{gate}": (HIDDEN, HIDDEN), f"b{gate}": (HIDDEN,)}
    return {name: la.array((rng.standard_normal(shape) / np.sqrt(shape[0])).astype("f4"))
            for name, shape in shapes.items()}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def loss(p, x, y):
    h = c = la.zeros((BATCH, HIDDEN), "f4")
    for t in range(WINDOW):
        e = p["table"][x[:, t]]
        i, f, o, g = [e @ p["w" + gate] + h @ p["u" + gate] + p["b" + gate] for gate in GATES]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    z = np.maximum(h @ p["dense"] + p["dense_bias"], 0) @ p["last"] + p["last_bias"]
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return -np.log((e / e.sum(axis=1, keepdims=True))[np.arange(BATCH), y]).mean()


def train(p, squares, x, y):
    """Run a step of Adagrad without evaluating: return the loss, new parameters, new sums of squares."""
    value, gradients = la.value_and_grad(loss)(p, x, y)
    squares = {name: squares[name] + g * g for name, g in gradients.items()}
    return value, {name: p[name] - RATE * g / np.sqrt(squares[name] + 1e-8) for name, g in gradients.items()}, squares


def edges(described):
    return sum(len(node.inputs) for node in described)


class Passes:
    """Replaces the passes to count them, and to time rewriting and the total."""

    def __call__(self, described):
        began = time.perf_counter()
        graph, aliases, _ = rewritten(described)
        self.optimise = time.perf_counter() - began
        steps = schedule.schedule(graph)
        self.described, self.steps = described, steps
        return steps, aliases, []

    def left(self):
        """Count the nodes to evaluate or read, and their edges."""
        read = [{*step.program.loads} if step.program else {*self.described[step.node].inputs} for step in self.steps]
        given = {i for i in set().union(*read) if self.described[i].kind in (schedule.LEAF, schedule.SCALAR)}
        return len(self.steps) + len(given), sum(map(len, read))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, CHARACTERS, (BATCH, WINDOW)), rng.integers(0, CHARACTERS, BATCH)
    samples = {what: [] for what in ("build", "optimise", "plan", "again")}
    with la.config(budget_nodes=10**6):
        for _ in range(rounds):
            p = parameters(rng)
            squares = {name: la.full(weight.shape, 0.1, "f4") for name, weight in p.items()}
            la.evaluate(*p.values(), *squares.values())
            plan_cache.clear()
            passes, taken = Passes(), []
            api.set_hook("schedule", passes)
            for _ in range(3):
                began = time.perf_counter()
                value, new, new_squares = train(p, squares, x, y)
                built = time.perf_counter()
                la.evaluate(value, *new.values(), *new_squares.values())
                taken.append((built - began, time.perf_counter() - built))
            again = min(evaluating for _, evaluating in taken[1:])
            samples["build"].append(taken[0][0])
            samples["optimise"].append(passes.optimise)
            samples["plan"].append(taken[0][1] - again - passes.optimise)
            samples["again"].append(again)
    build, optimise, planned, again = [1e3 * statistics.median(samples[what])
                                       for what in ("build", "optimise", "plan", "again")]
    nodes, links = passes.left()
    print(f"lstm graph: {len(passes.described)} nodes {edges(passes.described)} edges -> {nodes} nodes {links} edges, "
          f"build {build:.1f} ms optimise {optimise:.1f} ms plan {planned:.1f} ms")
    print(f"a second evaluation, whose plan is found: {again:.1f} ms")


if __name__ == "__main__":
    main()
