"""How much of the time of transfers between devices is hidden behind computation.

    python asv_bench/devices.py

Two programs on virtual devices, with a transfer bandwidth chosen so that transfers take about as long as the
arithmetic:

blocks      eight blocks are copied to a device and reduced there, overlapped and one after the other
training    data-parallel training of a two-layer network: half of each batch on the host, half on a device;
            gradients are transferred from the device, weights to it

For training: the share of the transfer time during which the host computes, from the trace, and whether the losses
equal those with instant transfers.
"""
import statistics
import time

import numpy as np

import lazyarr as la
from lazyarr.runtime import add_virtual_device

BLOCKS, SIZE = 8, 1_000_000
BATCH, WIDTH, HIDDEN, STEPS, RATE = 2048, 1024, 1024, 6, 1e-3


def timed(function):
    """Call a function; return its seconds and its result."""
    began = time.perf_counter()
    result = function()
    return time.perf_counter() - began, result


def reduced(x):
    """Compute on a block for a few milliseconds."""
    for _ in range(3):
        x = np.sin(x) * np.cos(x) + np.exp(-x)
    return x.sum()


def one_after_the_other(blocks, device):
    """Copy a block, compute with it, copy the next."""
    found = []
    for block in blocks:
        there = block.to_device(device)
        la.evaluate(there)
        found.append(reduced(there))
        la.evaluate(found[-1])
    return found


def together(blocks, device):
    """Build everything, then evaluate."""
    found = [reduced(block.to_device(device)) for block in blocks]
    la.evaluate(*found)
    return found


def measure_blocks():
    """Return the seconds of computation, of transfers, of both in turn and of both overlapped."""
    rng = np.random.default_rng(0)
    blocks = [la.asarray(rng.random(SIZE)) for _ in range(BLOCKS)]
    for block in blocks:
        la.evaluate(reduced(block))
    computing, _ = timed(lambda: [la.evaluate(reduced(block)) for block in blocks])
    device = add_virtual_device(bandwidth=BLOCKS * SIZE * 8 / computing)
    copying, _ = timed(lambda: la.evaluate(*[block.to_device(device) for block in blocks]))
    serial, expected = timed(lambda: one_after_the_other(blocks, device))
    beside, found = timed(lambda: together(blocks, device))
    assert [float(x) for x in found] == [float(x) for x in expected]
    return computing, copying, serial, beside


def gradients(x, y, first, second):
    """Return the loss of a two-layer network, and the gradients of its weights."""
    hidden = x @ first
    active = np.maximum(hidden, 0)
    error = active @ second - y
    of_second = active.T @ error
    of_first = x.T @ ((error @ second.T) * (hidden > 0))
    return (error * error).sum(), of_first, of_second


def train(devices):
    """Train on the devices, each with its share of the batch; return the loss of each step."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((BATCH, WIDTH)).astype(np.float32)
    y = rng.standard_normal((BATCH, WIDTH)).astype(np.float32)
    first, second = (la.asarray(rng.standard_normal(shape).astype(np.float32) / 32)
                     for shape in ((WIDTH, HIDDEN), (HIDDEN, WIDTH)))
    shares = [(la.asarray(a).to_device(d), la.asarray(b).to_device(d), d)
              for a, b, d in zip(np.split(x, 2), np.split(y, 2), devices, strict=True)]
    losses = []
    for _ in range(STEPS):
        found = [gradients(a, b, first.to_device(d), second.to_device(d)) for a, b, d in shares]
        loss, of_first, of_second = ([part.to_device("cpu") for part in parts] for parts in zip(*found, strict=True))
        first = first - RATE / BATCH * (of_first[0] + of_first[1])
        second = second - RATE / BATCH * (of_second[0] + of_second[1])
        losses.append(loss[0] + loss[1])
        la.evaluate(first, second, losses[-1])
    return [float(loss) for loss in losses]


def hidden_share(trace):
    """Return the seconds of transfers in a trace, and the share of them during which steps ran."""
    copies = [(e["ts"], e["ts"] + e["dur"]) for e in trace if e["cat"] == "copy"]
    steps = sorted((e["ts"], e["ts"] + e["dur"]) for e in trace if e["cat"] not in ("copy", "share", "evaluation"))
    covered = sum(max(0, min(end, stop) - max(start, begin)) for start, end in copies for begin, stop in steps)
    total = sum(end - start for start, end in copies)
    return total / 1e6, covered / total


def measure_training():
    """Return the seconds of transfers, their hidden share, the losses, and the losses with instant transfers."""
    train(["cpu", "cpu"])
    seconds, _ = timed(lambda: train(["cpu", "cpu"]))
    expected = train(["cpu", "cpu:1"])
    nbytes = 4 * (WIDTH * HIDDEN + HIDDEN * WIDTH)
    device = add_virtual_device(bandwidth=4 * STEPS * nbytes / seconds)
    with la.profile(trace=True) as collected:
        losses = train(["cpu", device])
    return *hidden_share(collected.trace), losses, expected


def main():
    """Print the figures of both programs."""
    rows = [measure_blocks() for _ in range(5)]
    for computing, copying, serial, beside in rows:
        print(f"blocks: computing {computing:.3f} s, copying {copying:.3f}, one after the other {serial:.3f}, "
              f"together {beside:.3f}: {serial / beside:.2f} times as fast")
    print(f"median {statistics.median(serial / beside for *_, serial, beside in rows):.2f}")
    for _ in range(3):
        seconds, share, losses, expected = measure_training()
        print(f"training: {seconds:.3f} s of copies, {share:.0%} of it beside computing; "
              f"losses as with instant copies: {losses == expected}")


if __name__ == "__main__":
    main()
