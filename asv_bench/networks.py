"""Memory and time of networks evaluated as one graph, next to PyTorch's eager mode.

    python asv_bench/networks.py [NETWORK...] [--rounds 3]

Networks with the shapes of ResNet50 (He et al., 2016), Inception v3 (Szegedy et al., 2016, without its asymmetric
blocks) and U-Net (Ronneberger et al., 2015), with random weights, process one image each. A line per network has the
number of nodes; the bytes of all values; the peak of the plan; the lower bound for its order of steps; the peak in use,
including the kernels' workspaces; and the peak allocated from the system, including free blocks in the pool; then the
time, with the graph rebuilt each time, next to PyTorch's for the same operations, in one process and with as many
threads. Results are compared.

One more, `lenet`, is a training step (5 x 5 x 32 taps, 2 x 2 max-pooling, dense layers of 1024 and 10; gradient
descent) on 100 images of 28 x 28; its line also says how many leaves and steps remain of its nodes.
"""

import argparse
import statistics
import time

try:
    import torch
    from torch.nn import functional
except ImportError:
    print("torch is not installed and left out.\n")
    torch = None

import numpy as np

import lazyarr as la
from lazyarr import nn
from lazyarr._core.host import allocator

MB = 1e6


class Lazy:
    """Network operations on arrays (batch, height, width, channels)."""

    def __init__(self, weights):
        self.weights = {name: la.array(array) for name, array in weights.items()}

    def image(self, x):
        return la.array(x)

    def conv(self, x, name, stride, padding):
        return nn.conv2d(x, self.weights[name], stride=stride, padding=padding)

    def norm(self, x, name):
        return nn.batch_norm(x, *[self.weights[f"{name}.{part}"] for part in ("mean", "variance", "weight", "bias")])

    def relu(self, x):
        return nn.relu(x)

    def max_pool(self, x, window, stride, padding=0):
        return nn.max_pool2d(x, window, stride=stride, padding=padding)

    def mean_pool(self, x, window, stride, padding):
        return nn.avg_pool2d(x, window, stride=stride, padding=padding)

    def whole_mean(self, x):
        return x.mean((1, 2))

    def join(self, arrays):
        return np.concatenate(arrays, axis=-1)

    def upsample(self, x):
        return nn.upsample(x, 2)

    def dense(self, x, name):
        return x @ self.weights[name]

    def result(self, x):
        return x.numpy()


class Torch:
    """The same on tensors (batch, channels, height, width)."""

    def __init__(self, weights):
        self.weights = {name: torch.from_numpy(np.ascontiguousarray(
            array.transpose(3, 2, 0, 1) if array.ndim == 4 else array)) for name, array in weights.items()}

    def image(self, x):
        return torch.from_numpy(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))

    def conv(self, x, name, stride, padding):
        return functional.conv2d(x, self.weights[name], stride=stride, padding=padding)

    def norm(self, x, name):
        return functional.batch_norm(x, *[self.weights[f"{name}.{part}"]
                                          for part in ("mean", "variance", "weight", "bias")])

    def relu(self, x):
        return torch.relu(x)

    def max_pool(self, x, window, stride, padding=0):
        return functional.max_pool2d(x, window, stride, padding)

    def mean_pool(self, x, window, stride, padding):
        return functional.avg_pool2d(x, window, stride, padding)

    def whole_mean(self, x):
        return x.mean((2, 3))

    def join(self, arrays):
        return torch.cat(arrays, 1)

    def upsample(self, x):
        return functional.interpolate(x, scale_factor=2)

    def dense(self, x, name):
        return x @ self.weights[name]

    def result(self, x):
        x = x.numpy()
        return x.transpose(0, 2, 3, 1) if x.ndim == 4 else x


class Shapes:
    """Replaces the operations to find the weights of a network."""

    def __init__(self, seed):
        self.rng, self.weights, self.extents = np.random.default_rng(seed), {}, {}

    def made(self, name, shape):
        scale = np.sqrt(2 / np.prod(shape[:-1]))
        self.weights[name] = (scale * self.rng.standard_normal(shape)).astype("f4")

    def conv(self, channels, name, outputs, window):
        self.made(name, (window, window, channels, outputs))
        for part, low, high in (("mean", -0.1, 0.1), ("variance", 0.5, 2), ("weight", 0.5, 1.5), ("bias", -0.1, 0.1)):
            self.weights[f"{name}.{part}"] = self.rng.uniform(low, high, outputs).astype("f4")


class Network:
    """Layers by name. With `Shapes` for operations, an array is just its number of channels."""

    def __init__(self, ops):
        self.ops, self.shapes = ops, isinstance(ops, Shapes)

    def conv(self, x, name, outputs, window, stride=1, relu=True):
        """Convolution, normalisation and ReLU."""
        if self.shapes:
            self.ops.conv(x, name, outputs, window)
            return outputs
        x = self.ops.norm(self.ops.conv(x, name, stride, window // 2), name)
        return self.ops.relu(x) if relu else x

    def keep(self, operation, x, *args):
        """Apply an operation that preserves the number of channels."""
        return x if self.shapes else getattr(self.ops, operation)(x, *args)

    def added(self, x, y):
        return x if self.shapes else self.ops.relu(x + y)

    def join(self, arrays):
        return sum(arrays) if self.shapes else self.ops.join(arrays)

    def dense(self, x, name, outputs):
        if self.shapes:
            self.ops.made(name, (x, outputs))
            return outputs
        return self.ops.dense(x, name)


def resnet50(net, x, narrowest=64):
    x = net.keep("max_pool", net.conv(x, "stem", narrowest, 7, 2), 3, 2, 1)
    for stage, blocks in enumerate([3, 4, 6, 3]):
        width = narrowest << stage
        for block in range(blocks):
            name, stride = f"{stage}.{block}", 2 if stage and not block else 1
            y = net.conv(x, name + ".a", width, 1)
            y = net.conv(y, name + ".b", width, 3, stride)
            y = net.conv(y, name + ".c", 4 * width, 1, relu=False)
            x = net.added(y, x if block else net.conv(x, name + ".d", 4 * width, 1, stride, relu=False))
    return net.dense(net.keep("whole_mean", x), "classes", 1000)


def inception(net, x):
    x = net.conv(net.conv(net.conv(x, "0", 32, 3, 2), "1", 32, 3), "2", 64, 3)
    x = net.conv(net.conv(net.keep("max_pool", x, 3, 2), "3", 80, 1), "4", 192, 3)
    x = net.keep("max_pool", x, 3, 2)
    for stage, (blocks, widths) in enumerate([(3, (64, 48, 64, 96, 64)), (4, (192, 128, 192, 160, 192)),
                                              (2, (320, 192, 320, 192, 192))]):
        x = net.keep("max_pool", x, 3, 2) if stage else x
        for block in range(blocks):
            name, (a, b, c, d, e) = f"{stage}.{block}", widths
            x = net.join([
                net.conv(x, name + ".1x1", a, 1),
                net.conv(net.conv(x, name + ".3x3a", b, 1), name + ".3x3b", c, 3),
                net.conv(net.conv(net.conv(x, name + ".5x5a", d // 2, 1), name + ".5x5b", d, 3), name + ".5x5c", d, 3),
                net.conv(net.keep("mean_pool", x, 3, 1, 1), name + ".pool", e, 1)])
    return net.dense(net.keep("whole_mean", x), "classes", 1000)


def unet(net, x, widths=(32, 64, 128, 256, 512)):
    across = []
    for depth, width in enumerate(widths):
        x = net.keep("max_pool", x, 2, 2) if depth else x
        x = net.conv(net.conv(x, f"down{depth}a", width, 3), f"down{depth}b", width, 3)
        across.append(x)
    across.pop()
    for depth, width in reversed([*enumerate(widths[:-1])]):
        x = net.conv(net.keep("upsample", x), f"up{depth}", width, 3)
        x = net.join([across.pop(), x])
        x = net.conv(net.conv(x, f"up{depth}a", width, 3), f"up{depth}b", width, 3)
    return net.conv(x, "last", 2, 1, relu=False)


NETWORKS = {"resnet50": (resnet50, 224), "inception": (inception, 299), "unet": (unet, 256)}


def measure(name, rounds):
    function, extent = NETWORKS[name]
    found = Shapes(0)
    function(Network(found), 3)
    image = np.random.default_rng(1).random((1, extent, extent, 3), "f4")
    backends = {"lazyarr": Lazy(found.weights)} | ({"torch": Torch(found.weights)} if torch else {})
    nets = {kind: (Network(ops), ops.image(image)) for kind, ops in backends.items()}
    results = {kind: backends[kind].result(function(net, x)) for kind, (net, x) in nets.items()}
    if torch:
        np.testing.assert_allclose(results["lazyarr"], results["torch"], rtol=1e-3,
                                   atol=1e-3 * np.abs(results["torch"]).max())

    result = function(*nets["lazyarr"])
    explained = la.explain(result)
    allocator.trim()
    before = allocator.stats()
    allocator.reset_peak()
    result.numpy()
    after = allocator.stats()
    peak = after["peak_bytes"] - before["live_bytes"]
    taken = after["live_bytes"] + after["pooled_bytes"] - before["live_bytes"]
    del result

    times = {kind: [] for kind in backends}
    for _ in range(rounds):
        for kind, (net, x) in nets.items():
            time.sleep(0.05)
            began = time.perf_counter()
            backends[kind].result(function(net, x))
            times[kind].append(time.perf_counter() - began)
    memory = explained.memory
    print(f"{name}: {len(explained.nodes)} nodes, {len(explained.steps)} steps, naive {memory.naive / MB:.1f} MB, "
          f"planned {memory.planned / MB:.1f} MB, lower bound {memory.lower_bound / MB:.1f} MB, "
          f"measured peak {peak / MB:.1f} MB, taken {taken / MB:.1f} MB, "
          + ", ".join(f"{kind} {1e3 * statistics.median(taken):.0f} ms" for kind, taken in times.items()), flush=True)


def lenet_step(images=100, hidden=1024):
    """Return a function that runs a training step and returns the loss and the parameters, for fixed arrays."""
    rng = np.random.default_rng(0)
    p = {name: la.array((rng.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype("f4"))
         for name, shape in {"taps": (5, 5, 1, 32), "hidden": (14 * 14 * 32, hidden), "last": (hidden, 10)}.items()}
    p |= {name: la.array(np.zeros(size, "f4")) for name, size in [("taps_bias", 32), ("hidden_bias", hidden),
                                                                  ("last_bias", 10)]}
    x, y = la.array(rng.random((images, 28, 28, 1), "f4")), la.array(rng.integers(0, 10, images))
    la.evaluate(*p.values(), x, y)

    def loss(p):
        z = nn.relu(nn.conv2d(x, p["taps"], padding="same") + p["taps_bias"])
        z = nn.relu(nn.max_pool2d(z, 2).reshape(len(x), -1) @ p["hidden"] + p["hidden_bias"])
        return nn.cross_entropy(z @ p["last"] + p["last_bias"], y)

    def step():
        value, gradients = la.value_and_grad(loss)(p)
        return [value, *[p[name] - 0.1 * gradient for name, gradient in gradients.items()]]

    return step


def lenet():
    step = lenet_step()
    la.evaluate(*step())
    results = step()
    explained, before = la.explain(*results), allocator.stats()["live_bytes"]
    allocator.reset_peak()
    la.evaluate(*results)
    peak = allocator.stats()["peak_bytes"] - before
    memory = explained.memory
    left = len(explained.steps) + sum(node.name in ("array", "constant") for node in explained.nodes)
    print(f"lenet: {len(explained.nodes)} nodes -> {left} nodes, naive {memory.naive / MB:.1f} MB, "
          f"planned {memory.planned / MB:.1f} MB, lower bound {memory.lower_bound / MB:.1f} MB, "
          f"measured peak {peak / MB:.1f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=", ".join([*NETWORKS, "lenet"]))
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    if torch:
        torch.set_num_threads(la.config.num_threads)
        torch.set_grad_enabled(False)
    for name in arguments.networks or [*NETWORKS, "lenet"]:
        with la.config(budget_nodes=10**6, budget_bytes=10**12):  # one graph each
            if name == "lenet":
                lenet()
            else:
                measure(name, arguments.rounds)


if __name__ == "__main__":
    main()
