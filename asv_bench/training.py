"""Training with lazyarr.nn next to PyTorch's eager mode, NumPy and the same operations one by one.

    python asv_bench/training.py [CASE...] [--rounds 5]

Three cases: `network`, 60 iterations of a convolutional network (x / 256, convolution with 5 x 5 taps to 32 channels, 2
x 2 max-pooling, dropout of 0.1, dense layers of 1024 and 10, 100 images of 28 x 28 per batch); `characters`, a step of
an LSTM of 128 units over windows of 50 characters, 32 at a time; `perceptron`, a step of two dense layers on 32 digits.
All train by gradient descent with momentum.

Before a case is timed, weights and batches are made equal and losses are compared. Then all take turns in one process,
with as many threads; a cell is the median of the rounds. lazyarr's times include rebuilding the graph and its
derivative in each step; those of traced steps do not, after the first (`traced` of `nn.training_step`).

Two more train the network with handwritten forward and backward passes. "NumPy" calls NumPy's functions one after
another, each in the fastest way found: one product of all patches and the taps, max-pooling by three calls of
`maximum`. "one by one" shows the benefit of the graph: each of lazyarr's operations is evaluated before the next (a
budget of one pending operation), with the same kernels but without fusion.

Peak memory is the peak resident set of a fresh process, less that before the first iteration, when weights and batches
exist. It includes the velocity, which the first iteration creates and the others keep.

PyTorch is loaded before lazyarr, for the reason given in peers.py.
"""


import argparse
import functools
import statistics
import subprocess
import sys
import time
from pathlib import Path

try:
    import torch
except ImportError:
    print("torch is not installed and left out.\n")
    torch = None

import numpy as np

import lazyarr as la
from lazyarr import nn

RATE, MOMENTUM = 0.01, 0.9
ITERATIONS, BATCH, DRAWS = 60, 100, 2
WINDOW, SEQUENCES, CHARACTERS, EMBEDDING, HIDDEN = 50, 32, 65, 32, 128
SECONDS, PAUSE = 0.3, 0.05


def weights(seed, **shapes):
    """Return weights by name: a matrix's elements have a variance of 1 over its number of rows."""
    rng = np.random.default_rng(seed)
    return {name: (rng.standard_normal(shape) / np.sqrt(np.prod(shape[:-1], dtype=int))).astype("f4")
            for name, shape in shapes.items()}


def fill(layer, weight, bias):
    layer.update({"weight": weight, "bias": bias})
    la.evaluate(layer.weight, layer.bias)


def torch_parameter(array):
    return torch.nn.Parameter(torch.from_numpy(np.ascontiguousarray(array).copy()))


def descent(loss, parameters):
    """Return a training step of PyTorch: a function of a batch that returns the loss."""
    optimiser = torch.optim.SGD(parameters, RATE, momentum=MOMENTUM)

    def step(x, y):
        optimiser.zero_grad()
        value = loss(x, y)
        value.backward()
        optimiser.step()
        return float(value.detach())

    return step


def lazy_descent(model, traced=False):
    step = nn.training_step(model, nn.cross_entropy, nn.Momentum(RATE, MOMENTUM), traced=traced)
    return lambda x, y: float(step(x, y)["loss"])


# ---- the network ----------------------------------------------------------------------------------------


def network_weights():
    return weights(0, taps=(5, 5, 1, 32), taps_bias=(32,), hidden=(14 * 14 * 32, 1024), hidden_bias=(1024,),
                   last=(1024, 10), last_bias=(10,))


def network_batches():
    rng = np.random.default_rng(1)
    return [(rng.integers(0, 256, (BATCH, 28, 28, 1)).astype("f4"), rng.integers(0, 10, BATCH))
            for _ in range(ITERATIONS)]


def network_draws():
    """Return random numbers: those below 0.1 are dropped out."""
    rng = np.random.default_rng(DRAWS)
    while True:
        yield rng.random((BATCH, 14, 14, 32), "f4")


def lazy_network():
    model = nn.Sequential(lambda x: x / 256, nn.Conv2d(1, 32, 5, padding="same"), nn.relu, nn.MaxPool2d(2),
                          nn.Dropout(0.1, rng=DRAWS), nn.Flatten(), nn.Linear(14 * 14 * 32, 1024), nn.relu,
                          nn.Linear(1024, 10))
    w = network_weights()
    fill(model.layers[1], w["taps"], w["taps_bias"])
    fill(model.layers[6], w["hidden"], w["hidden_bias"])
    fill(model.layers[8], w["last"], w["last_bias"])
    return lazy_descent(model)


def network_one_by_one():
    """Return the step with a handwritten backward pass."""
    p = {name: la.array(array) for name, array in network_weights().items()}
    draws = network_draws()
    optimiser = nn.Momentum(RATE, MOMENTUM)

    def step(x, y):
        with la.config(budget_nodes=1):
            x0 = x / 256
            x1 = nn.conv2d(x0, p["taps"], padding="same") + p["taps_bias"]
            x2 = la.maximum(x1, 0)
            stays = la.asarray(next(draws)) >= 0.1
            x3 = la.where(stays, nn.max_pool2d(x2, 2) / 0.9, 0).reshape(len(x), -1)
            x4 = x3 @ p["hidden"] + p["hidden_bias"]
            x5 = la.maximum(x4, 0)
            logits = x5 @ p["last"] + p["last_bias"]
            shifted = logits - logits.max(1, keepdims=True)
            e = la.exp(shifted)
            total = e.sum(1, keepdims=True)
            hot = nn.one_hot(y, 10)
            loss = ((la.log(total) - shifted) * hot).sum() / len(x)

            g = (e / total - hot) / len(x)
            grads = {"last": x5.T @ g, "last_bias": g.sum(0)}
            g = (g @ p["last"].T) * (x4 > 0)
            grads |= {"hidden": x3.T @ g, "hidden_bias": g.sum(0)}
            g = la.where(stays, (g @ p["hidden"].T).reshape(stays.shape), 0) / 0.9
            g = nn.grad.max_pool2d(x2, g, 2) * (x1 > 0)
            taps = nn.grad.conv2d_weight(x0, (5, 5, 1, 32), g, padding="same")
            grads |= {"taps": taps, "taps_bias": g.sum((0, 1, 2))}
            optimiser.update(p, grads)
            la.evaluate(loss, *p.values(), *optimiser.arrays())
            return float(loss)

    return step


def network_numpy():
    """Return the same step in NumPy."""
    p = network_weights()
    velocity = {name: np.zeros_like(array) for name, array in p.items()}
    draws = network_draws()

    def step(x, y):
        n = len(x)
        x0 = np.pad((x / 256)[..., 0], ((0, 0), (2, 2), (2, 2)))
        # tap by pixel: BLAS takes 15 times as long for the product of pixel by tap
        patches = np.lib.stride_tricks.sliding_window_view(x0, (5, 5), (1, 2)).transpose(3, 4, 0, 1, 2).reshape(25, -1)
        x1 = (patches.T @ p["taps"].reshape(25, 32)).reshape(n, 28, 28, 32)
        x1 += p["taps_bias"]
        x2 = np.maximum(x1, 0)
        rows = np.maximum(x2[:, ::2], x2[:, 1::2])
        pooled = np.maximum(rows[:, :, ::2], rows[:, :, 1::2])
        scale = (next(draws) >= 0.1) / np.float32(0.9)
        x3 = (pooled * scale).reshape(n, -1)
        x4 = x3 @ p["hidden"]
        x4 += p["hidden_bias"]
        x5 = np.maximum(x4, 0)
        logits = x5 @ p["last"] + p["last_bias"]
        shifted = logits - logits.max(1, keepdims=True)
        e = np.exp(shifted)
        total = e.sum(1, keepdims=True)
        loss = (np.log(total[:, 0]) - shifted[np.arange(n), y]).mean()

        g = e / total
        g[np.arange(n), y] -= 1
        g /= n
        grads = {"last": x5.T @ g, "last_bias": g.sum(0)}
        g = (g @ p["last"].T) * (x4 > 0)
        grads |= {"hidden": x3.T @ g, "hidden_bias": g.sum(0)}
        g = (g @ p["hidden"].T).reshape(scale.shape) * scale
        largest = x2.reshape(n, 14, 2, 14, 2, 32) == pooled[:, :, None, :, None]
        g = (largest * g[:, :, None, :, None]).reshape(x1.shape)
        g *= x1 > 0
        grads |= {"taps": (patches @ g.reshape(-1, 32)).reshape(5, 5, 1, 32), "taps_bias": g.sum((0, 1, 2))}
        for name, v in velocity.items():
            v *= MOMENTUM
            v += grads[name]
            p[name] -= RATE * v
        return float(loss)

    return step


def torch_network(draws=False):
    """Return the same step in PyTorch, with channels second; dropout uses the given numbers or its own."""
    w = network_weights()
    dense = w["hidden"].reshape(14, 14, 32, 1024).transpose(2, 0, 1, 3).reshape(-1, 1024)
    p = {name: torch_parameter(array) for name, array in
         dict(w, taps=w["taps"].transpose(3, 2, 0, 1), hidden=dense.T, last=w["last"].T).items()}
    given = network_draws()
    f = torch.nn.functional

    def loss(x, y):
        x = f.relu(f.conv2d((x / 256).permute(0, 3, 1, 2), p["taps"], p["taps_bias"], padding="same"))
        x = f.max_pool2d(x, 2)
        if draws:
            x = f.dropout(x, 0.1)
        else:
            x = torch.where(torch.from_numpy(next(given)).permute(0, 3, 1, 2) >= 0.1, x / 0.9, 0)
        x = f.relu(f.linear(x.flatten(1), p["hidden"], p["hidden_bias"]))
        return f.cross_entropy(f.linear(x, p["last"], p["last_bias"]), y)

    return descent(loss, p.values())


# ---- characters -----------------------------------------------------------------------------------------


def characters_weights():
    return weights(0, table=(CHARACTERS, EMBEDDING), inputs=(EMBEDDING, 4 * HIDDEN), states=(HIDDEN, 4 * HIDDEN),
                   bias=(4 * HIDDEN,), last=(HIDDEN, CHARACTERS), last_bias=(CHARACTERS,))


def characters_batches():
    text = np.random.default_rng(1).integers(0, CHARACTERS, (20, SEQUENCES, WINDOW + 1))
    return [(rows[:, :-1], rows[:, 1:]) for rows in text]


class Characters(nn.Layer):
    """An LSTM between an embedding and a dense layer."""

    def __init__(self):
        self.table = nn.Embedding(CHARACTERS, EMBEDDING)
        self.lstm = nn.LSTM(EMBEDDING, HIDDEN)
        self.last = nn.Linear(HIDDEN, CHARACTERS)
        w = characters_weights()
        order = np.r_[:2 * HIDDEN, 3 * HIDDEN:4 * HIDDEN, 2 * HIDDEN:3 * HIDDEN]    # PyTorch's order is i, f, g, o
        self.table.weight[...] = w["table"]
        self.last.update({"weight": w["last"], "bias": w["last_bias"]})
        self.lstm.update({"cells": [{"weight": w["inputs"][:, order], "recurrent": w["states"][:, order],
                                     "bias": w["bias"][order]}]})

    def __call__(self, x):
        return self.last(self.lstm(self.table(x))[0])


def lazy_characters(traced=False):
    return lazy_descent(Characters(), traced)


def torch_characters():
    w = characters_weights()
    table = torch.nn.Embedding(CHARACTERS, EMBEDDING)
    lstm = torch.nn.LSTM(EMBEDDING, HIDDEN, batch_first=True)
    last = torch.nn.Linear(HIDDEN, CHARACTERS)
    for own, array in [(table.weight, w["table"]), (lstm.weight_ih_l0, w["inputs"].T), (lstm.bias_ih_l0, w["bias"]),
                       (lstm.weight_hh_l0, w["states"].T), (lstm.bias_hh_l0, 0 * w["bias"]), (last.weight, w["last"].T),
                       (last.bias, w["last_bias"])]:
        own.data.copy_(torch.from_numpy(np.ascontiguousarray(array)))
    lstm.bias_hh_l0.requires_grad_(False)    # lazyarr has a single bias

    def loss(x, y):
        return torch.nn.functional.cross_entropy(last(lstm(table(x))[0]).reshape(-1, CHARACTERS), y.reshape(-1))

    return descent(loss, [p for part in (table, lstm, last) for p in part.parameters() if p.requires_grad])


# ---- perceptron -----------------------------------------------------------------------------------------


def perceptron_weights():
    return weights(0, hidden=(64, 128), hidden_bias=(128,), last=(128, 10), last_bias=(10,))


def perceptron_batches():
    rng = np.random.default_rng(1)
    return [(rng.random((32, 64), "f4"), rng.integers(0, 10, 32)) for _ in range(20)]


def lazy_perceptron(traced=False):
    model, w = nn.Sequential(nn.Linear(64, 128), nn.relu, nn.Linear(128, 10)), perceptron_weights()
    fill(model.layers[0], w["hidden"], w["hidden_bias"])
    fill(model.layers[2], w["last"], w["last_bias"])
    return lazy_descent(model, traced)


def torch_perceptron():
    f = torch.nn.functional
    p = {name: torch_parameter(array.T) for name, array in perceptron_weights().items()}

    def loss(x, y):
        hidden = f.relu(f.linear(x, p["hidden"], p["hidden_bias"]))
        return f.cross_entropy(f.linear(hidden, p["last"], p["last_bias"]), y)

    return descent(loss, p.values())


# ---- measuring ------------------------------------------------------------------------------------------


# By case: batches, how many of them are timed together, and factories of the steps. A factory with the name of a
# compared one is timed in its place: PyTorch then draws its own numbers.
CASES = {
    "network": (network_batches, ITERATIONS, {
        "lazyarr": lazy_network, "one by one": network_one_by_one, "NumPy": network_numpy,
        "PyTorch": torch_network}),
    "characters": (characters_batches, 1, {
        "lazyarr": lazy_characters, "lazyarr, traced": functools.partial(lazy_characters, True),
        "PyTorch": torch_characters}),
    "perceptron": (perceptron_batches, 1, {
        "lazyarr": lazy_perceptron, "lazyarr, traced": functools.partial(lazy_perceptron, True),
        "PyTorch": torch_perceptron}),
}


def converted(name, batches):
    convert = {"PyTorch": torch and torch.from_numpy, "NumPy": np.asarray}.get(name, la.asarray)
    return [(convert(x), convert(y)) for x, y in batches]


def check(case, steps=5):
    """Fail unless losses agree over some steps; return their relative difference."""
    batches, _, makers = CASES[case]
    losses = {name: [step(x, y) for x, y in converted(name, batches()[:steps])]
              for name, step in ((name, make()) for name, make in makers.items() if torch or name != "PyTorch")}
    want = losses.pop("lazyarr")
    apart = max((abs(a - b) / abs(b) for found in losses.values() for a, b in zip(found, want, strict=True)), default=0)
    if apart > 1e-4:
        raise AssertionError(f"{case}: losses are {want} with lazyarr, and {losses}")
    return apart


def turns(case):
    """Return by name a function that runs one turn and returns its seconds per unit."""
    batches, unit, makers = CASES[case]
    found = {}
    for name, make in makers.items():
        if name == "PyTorch":
            if not torch:
                continue
            make = functools.partial(make, draws=True) if case == "network" else make
        found[name] = functools.partial(turn, make(), converted(name, batches()), unit)
    return found


def turn(step, batches, unit):
    count, began = 0, time.perf_counter()
    while True:
        for x, y in batches:
            step(x, y)
        count += len(batches)
        if unit == len(batches) or time.perf_counter() - began > SECONDS:
            return (time.perf_counter() - began) / count * unit


def measure(case, rounds):
    """Print a case's table."""
    apart = check(case)
    functions = turns(case)
    samples = {name: [] for name in functions}
    for k in range(rounds + 1):
        for name, function in functions.items():
            time.sleep(PAUSE)
            seconds = function()
            if k:    # the first turn is for warm-up
                samples[name].append(seconds)
    velocity = sum(array.nbytes for array in network_weights().values()) / 2**20
    times = {name: statistics.median(found) for name, found in samples.items()}
    columns = ["", "ms", "over lazyarr's"] + ["peak memory, MB", "without velocity"] * (case == "network")
    print(f"### {case}\n\nlosses apart by {apart:.0e}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name, seconds in times.items():
        memory = ""
        if case == "network":
            found = peak(name)
            memory = f" {found:.0f} | {found - velocity:.0f} |"
        print(f"| {name} | {1e3 * seconds:.3g} | {seconds / times['lazyarr']:.2f} |{memory}")
    print(flush=True)


def peak(name):
    """Return the peak memory in MB of a process that trains the network."""
    return float(subprocess.run([sys.executable, __file__, "--peak", name], check=True, capture_output=True,
                                text=True).stdout.split()[-1])


def print_peak(name):
    batches = converted(name, network_batches()[:10])
    step = CASES["network"][2][name]()
    peak_so_far = Path("/proc/self/clear_refs")
    if peak_so_far.exists():
        peak_so_far.write_text("5")    # resets the peak, to exclude making weights
    before = resident("VmRSS")
    for x, y in batches:
        step(x, y)
    print(resident("VmHWM") - before)


def resident(field):
    """Return one of the kernel's figures on this process, in MB; Linux only."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(field)), float("nan"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"some of {', '.join(CASES)}; all if none")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peak", metavar="NAME", help="print the peak memory of one way to train the network")
    options = parser.parse_args()
    if unknown := set(options.cases) - CASES.keys():
        parser.error(f"no case {', '.join(sorted(unknown))}")
    if torch:
        torch.set_num_threads(la.config.num_threads)
    if options.peak:
        print_peak(options.peak)
        return
    for case in options.cases or CASES:
        measure(case, options.rounds)


if __name__ == "__main__":
    main()
