"""Products: of matrices, transposed ones, batches of small ones, with epilogues, and contractions."""

import numpy as np

import lazyarr as la


class Product:
    """a @ b for m, k, n."""

    params = (
        ["float32", "float64", "complex64"],
        [(64, 64, 64), (256, 256, 256), (1024, 1024, 1024), (1, 1024, 1024), (32, 1024, 512), (4096, 64, 64)],
    )
    param_names = ("dtype", "extents")

    def setup(self, dtype, extents):
        m, k, n = extents
        rng = np.random.default_rng(0)
        self.a, self.b = rng.random((m, k)).astype(dtype), rng.random((k, n)).astype(dtype)
        self.lazy = la.asarray(self.a), la.asarray(self.b)

    def time_lazyarr(self, dtype, extents):
        (self.lazy[0] @ self.lazy[1]).numpy()

    def time_numpy(self, dtype, extents):
        self.a @ self.b


def transposed_left(xp, a, b, c):
    return a.T @ b


def transposed_right(xp, a, b, c):
    return a @ b.T


def bias(xp, a, b, c):
    return a @ b + c[0]


def layer(xp, a, b, c):
    return xp.tanh(a @ b + c[0])


def stack(xp, a, b, c):
    return a.reshape(-1, 16, 16) @ b.reshape(-1, 16, 16)


def einsum_stack(xp, a, b, c):
    return xp.einsum("nij,njk->nik", a.reshape(-1, 16, 16), b.reshape(-1, 16, 16))


def einsum_chain(xp, a, b, c):
    return xp.einsum("ij,jk,kl->il", a, b, c, optimize=True)


FORMS = {form.__name__: form
         for form in (transposed_left, transposed_right, bias, layer, stack, einsum_stack, einsum_chain)}


class Epilogue:
    """A product of few terms with subsequent operations, whose result exceeds the caches."""

    params = (["float32", "float64"], ["row", "relu", "matrix"])
    param_names = ("dtype", "followed_by")

    def setup(self, dtype, followed_by):
        rng = np.random.default_rng(0)
        shapes = (200_000, 32), (32, 64), (200_000, 64) if followed_by == "matrix" else (64,)
        self.arrays = [rng.random(shape).astype(dtype) for shape in shapes]
        self.lazy = [la.asarray(array) for array in self.arrays]
        self.relu = followed_by == "relu"

    def result(self, xp, a, b, c):
        """Return relu(a @ b + c), or the same without relu."""
        result = a @ b + c
        return xp.maximum(result, 0) if self.relu else result

    def time_lazyarr(self, dtype, followed_by):
        self.result(la, *self.lazy).numpy()

    def time_numpy(self, dtype, followed_by):
        self.result(np, *self.arrays)


class Form:
    """Products of 256 by 256 float32 matrices in forms other than a @ b."""

    params = tuple(FORMS)
    param_names = ("form",)

    def setup(self, form):
        rng = np.random.default_rng(0)
        self.form = FORMS[form]
        self.arrays = [rng.random((256, 256), "float32") for _ in range(3)]
        self.lazy = [la.asarray(array) for array in self.arrays]

    def time_lazyarr(self, form):
        self.form(la, *self.lazy).numpy()

    def time_numpy(self, form):
        self.form(np, *self.arrays)
