"""Writes to shared memory: loops that update in place, and writes through views of all kinds."""

import numpy as np

import lazyarr as la


def heat(x, iterations):
    """Explicit diffusion: interior points move towards the mean of their neighbours."""
    for _ in range(iterations):
        x[1:-1, 1:-1] += 0.2 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4.0 * x[1:-1, 1:-1])


def decay(x, iterations):
    """Multiply by a scalar that differs in each iteration."""
    for i in range(iterations):
        x *= 1.0 - 1.0 / (i + 2)
        x += i


def eliminate(x, iterations):
    """Use a different slice bound and index in each iteration, as in Gaussian elimination."""
    for i in range(iterations):
        x[i + 1 :] -= x[i + 1 :, i : i + 1] * (x[i] / x[i, i])


def window(x, iterations):
    """Move a window by one row at a time."""
    for i in range(iterations):
        x[i : i + 8] = x[i : i + 8] * 0.5 + x[i + 1 : i + 9]


def edges(x, iterations):
    """Copy rows and columns from their neighbours."""
    for _ in range(iterations):
        x[:, -1] = x[:, -2]
        x[0, :] = x[1, :]


def escape(x, iterations):
    """Advance the elements that a mask still selects."""
    for _ in range(iterations):
        m = np.abs(x) <= 2
        x[m] = x[m] ** 2 + 0.1


def momentum(x, iterations):
    """Update two arrays in one step."""
    v = np.ones_like(x)
    for _ in range(iterations):
        v *= 0.9
        v += x
        x -= v * 0.01


# name: (function, shape, iterations)
LOOPS = {
    "heat small": (heat, (64, 64), 200),
    "heat large": (heat, (2000, 2000), 10),
    "decay": (decay, (1000,), 2000),
    "eliminate": (eliminate, (200, 200), 199),
    "window": (window, (500, 100), 490),
    "momentum": (momentum, (4_000_000,), 10),
    "edges": (edges, (41, 41), 2000),
    "escape": (escape, (1000, 1000), 20),
}


def start(shape):
    x = np.random.default_rng(0).random(shape)
    if len(shape) == 2:
        rows = np.arange(min(shape))
        x[rows, rows] += sum(shape)  # elimination needs no pivoting
    return x


class InPlace:
    """Copy the array, run a loop on it, and read the result."""

    params = tuple(LOOPS)
    param_names = ("loop",)
    timeout = 300

    def setup(self, loop):
        self.function, shape, self.iterations = LOOPS[loop]
        self.array = start(shape)

    def time_lazyarr(self, loop):
        x = la.array(self.array)
        self.function(x, self.iterations)
        x.numpy()

    def time_numpy(self, loop):
        x = self.array.copy()
        self.function(x, self.iterations)


# Writes to an array x, whose source and target may overlap. `rows` reverses the order.
WRITES = (
    "x[1:] = x[:-1]",
    "x[:] = x[::-1]",
    "x[:, 1:] += x[:, :-1]",
    "x += x.T",
    "np.exp(x, out=x)",
    "np.sqrt(x, out=x, where=x > 0.5)",
    "x[x > 0.5] = 0.5",
    "x[rows] = x",
    "x[2:].T[3:, ::2][:, 5] = 1.0",
    "x.reshape(-1)[::301] += 1.0",
    "old = x + 0.0; x[1:] = 1.0; x += old",
)


class Write:
    """Copy a 300 by 300 array, write to it once, and read the result."""

    params = WRITES
    param_names = ("statement",)

    def setup(self, statement):
        found = {"np": np, "rows": np.arange(300)[::-1]}
        exec(f"def write(x): {statement}", found)
        self.write = found["write"]
        self.array = np.random.default_rng(0).random((300, 300))

    def time_lazyarr(self, statement):
        x = la.array(self.array)
        self.write(x)
        x.numpy()

    def time_numpy(self, statement):
        self.write(self.array.copy())
