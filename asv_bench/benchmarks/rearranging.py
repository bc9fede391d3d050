"""Sorts, scans, gathers, scatters, copies between layouts, matrix checks: evaluated within each call."""

import numpy as np

import lazyarr as la


class Sort:
    """A million elements as lines along either axis, or as one line."""

    params = (["sort", "argsort", "argmax", "cumsum", "partition", "argpartition"], ["float32", "float64", "int64"],
              [((1000, 1000), 1), ((1000, 1000), 0), ((1000000,), 0)])
    param_names = ("function", "dtype", "shape_axis")

    def setup(self, function, dtype, shape_axis):
        shape, self.axis = shape_axis
        self.array = (np.random.default_rng(0).random(shape) * 1e9).astype(dtype)
        self.lazy = la.asarray(self.array)

        self.given = (shape[self.axis] // 2,) if "partition" in function else ()

    def time_lazyarr(self, function, dtype, shape_axis):
        getattr(la, function)(self.lazy, *self.given, self.axis).numpy()

    def time_numpy(self, function, dtype, shape_axis):
        getattr(np, function)(self.array, *self.given, self.axis)


class Gather:
    """A million elements at random indices."""

    params = (["x[i]", "m[:, k]", "take", "take_along_axis"], ["float32", "float64"])
    param_names = ("function", "dtype")

    def setup(self, function, dtype):
        rng = np.random.default_rng(0)
        shape = (1000000,) if function == "x[i]" else (1000, 1000)
        self.array = rng.random(shape).astype(dtype)
        self.index = rng.integers(0, shape[-1], shape if function in ("x[i]", "take_along_axis") else shape[-1])
        self.lazy, self.lazy_index = la.asarray(self.array), la.asarray(self.index)
        self.gather = {"x[i]": lambda np, x, i: x[i], "m[:, k]": lambda np, x, i: x[:, i],
                       "take": lambda np, x, i: np.take(x, i, 1),
                       "take_along_axis": lambda np, x, i: np.take_along_axis(x, i, 0)}[function]

    def time_lazyarr(self, function, dtype):
        self.gather(la, self.lazy, self.lazy_index).numpy()

    def time_numpy(self, function, dtype):
        self.gather(np, self.array, self.index)


class Scatter:
    """A million elements written to random positions, copied or added."""

    params = (["x[i] = v", "m[k] = v", "m[:, k] = v", "m[j, k] = v", "put", "put_along_axis", "add.at(x, i)",
               "add.at(m, k)", "add.at(m, (j, k))"], ["float32", "float64"])
    param_names = ("function", "dtype")

    def setup(self, function, dtype):
        rng = np.random.default_rng(0)
        shape = (1000000,) if function in ("x[i] = v", "put", "add.at(x, i)") else (1000, 1000)
        rows = function in ("m[k] = v", "m[:, k] = v", "add.at(m, k)")
        self.array, values = rng.random(shape).astype(dtype), rng.random(shape).astype(dtype)
        i, j = rng.integers(0, shape[-1], (2, *(shape[:1] if rows else shape)))
        self.operands = {np: (i, j, values), la: tuple(map(la.asarray, (i, j, values)))}
        self.lazy = la.array(self.array)
        la.evaluate(self.lazy)
        self.scatter = {
            "m[:, k] = v": lambda np, x, i, j, v: x.__setitem__((slice(None), i), v),
            "m[j, k] = v": lambda np, x, i, j, v: x.__setitem__((i, j), v),
            "put": lambda np, x, i, j, v: np.put(x, i, v),
            "put_along_axis": lambda np, x, i, j, v: np.put_along_axis(x, i, v, 0),
            "add.at(x, i)": lambda np, x, i, j, v: np.add.at(x, i, v),
            "add.at(m, k)": lambda np, x, i, j, v: np.add.at(x, i, v),
            "add.at(m, (j, k))": lambda np, x, i, j, v: np.add.at(x, (i, j), v),
        }.get(function, lambda np, x, i, j, v: x.__setitem__(i, v))

    def time_lazyarr(self, function, dtype):
        self.scatter(la, self.lazy, *self.operands[la])
        self.lazy.numpy()

    def time_numpy(self, function, dtype):
        self.scatter(np, self.array, *self.operands[np])


class Copy:
    """Copies with permuted axes."""

    params = ([((256, 256), (1, 0)), ((4096, 4096), (1, 0)), ((64, 128, 256), (2, 0, 1)), ((64, 128, 256), (1, 0, 2))],
              ["int8", "float32", "float64", "complex128"])
    param_names = ("shape_axes", "dtype")

    def setup(self, shape_axes, dtype):
        shape, axes = shape_axes
        self.array = np.ones(shape, dtype).transpose(axes)
        self.lazy = la.asarray(np.ones(shape, dtype)).transpose(axes)

    def time_lazyarr(self, shape_axes, dtype):
        self.lazy.copy().numpy()

    def time_numpy(self, shape_axes, dtype):
        self.array.copy()


class Check:
    """Matrices that pass the check, so that all of their elements are read."""

    params = (["is_symmetric", "is_triangular"],)
    param_names = ("function",)

    def setup(self, function):
        self.lazy = la.eye(2000)
        la.evaluate(self.lazy)

    def time_check(self, function):
        bool(getattr(la, function)(self.lazy))


class LogSumExp:
    """Along either axis of a matrix."""

    params = (["float32", "float64"], [0, 1])
    param_names = ("dtype", "axis")

    def setup(self, dtype, axis):
        self.lazy = la.asarray(np.random.default_rng(0).random((1000, 1000)).astype(dtype))

    def time_logsumexp(self, dtype, axis):
        la.logsumexp(self.lazy, axis).numpy()


class OneHot:
    """Ten thousand classes of a hundred."""

    def setup(self):
        self.lazy = la.asarray(np.random.default_rng(0).integers(0, 100, 10000))

    def time_one_hot(self):
        la.nn.one_hot(self.lazy, 100).numpy()
