"""vmap: a function on a batch equals the stack of its results for each element."""
import numpy as np
import pytest

import lazyarr as la
from support.vmap_comparison import arrays, check


def write_in_place(x):
    x[1:3] = 0
    x += 1
    y = x * 2
    y[:, 0] += x[:, 1]
    return y


def fill(x):
    z = la.zeros((4, 3))
    z[1] = x[0]
    z[:, ::-1][:, :2] = x[:, 1:]
    return z


def under_a_mask(x):
    x[x > 0] = la.sin(x[x > 0]) * 2
    return x


def under_a_shared_mask(x):
    mask = la.asarray(np.arange(12).reshape(4, 3) % 3 == 0)
    weights = la.asarray(np.arange(12.0).reshape(4, 3))
    x[mask] = weights[mask] + x[mask] * 2
    return x


def mask_on_what_is_shared(x):
    z = la.asarray(np.linspace(-1, 1, 12).reshape(4, 3)) * 1
    z[x > 0] = la.exp(z[x > 0])
    return z


ELEMENTWISE = {
    "arithmetic": lambda x: la.sin(x) * 2 + x,
    "a transposed copy": lambda x: x.T.copy() + 1,
    "views": lambda x: x[::-1, 1:] * x[:, :2].T[1, 2],
    "a broadcast view": lambda x: np.broadcast_to(x[:, :1], (4, 3)) + x[0],
    "an operand of fewer axes": lambda x: x * x[0] + x[1, 2],
    "the argument itself": lambda x: x,
    "a view of it": lambda x: x[1:, ::2],
    "reshape": lambda x: x.reshape(2, 6)[:, 1] + x.ravel()[:2],
    "a diagonal": lambda x: np.diagonal(x) * 2,
    "writing": write_in_place,
    "filling": fill,
    "under a mask": under_a_mask,
    "under a shared mask": under_a_shared_mask,
    "a mask on what is shared": mask_on_what_is_shared,
    "where": lambda x: np.where(x > 0, x, -x),
    "where=": lambda x: la.add(x, 1, out=x.copy(), where=x > 0),
    "several results": lambda x: la.modf(x),
    "parts of complex numbers": lambda x: (x + 1j * x).imag * 2,
    "other types": lambda x: x.astype(np.int8) + np.float32(2),
    "bytes": lambda x: x.copy().view(np.uint8)[:, ::3],
    "numbers out of bytes": lambda x: (x.astype(np.int8).ravel()[:8].view(np.int64) >> 3),
    "concatenate": lambda x: np.concatenate([x, x[::-1]]),
    "stack": lambda x: np.stack([x[0], x[1]], 1),
    "padding": lambda x: np.pad(x, 1),
    "rolling": lambda x: np.roll(x, 1, 0),
    "repeat": lambda x: np.repeat(x, 2, 0),
    "tile": lambda x: np.tile(x, (2, 1)),
    "outer": lambda x: np.outer(x[0], x[:, 0]),
    "what is shared alone": lambda x: la.ones((2, 2)) * 3,
}
FOLDS = {
    "sum": lambda x: x.sum(0),
    "sum of all": lambda x: x.sum() * x,
    "kept": lambda x: x.sum(1, keepdims=True) + x.max(0, keepdims=True),
    "product": lambda x: x.prod(1),
    "any": lambda x: (x > 0).any(0),
    "places": lambda x: x.argmax(1),
    "the place among all": lambda x: x.argmin(),
    "the place among all, kept": lambda x: x.T.argmin(keepdims=True),
    "running sums": lambda x: np.cumsum(x, 0),
    "running sums of all": lambda x: x.T.cumsum(),
    "running products": lambda x: np.cumprod(x, 1),
    "variance": lambda x: x.var(0),
    "median": lambda x: np.median(x, 0),
    "logsumexp": lambda x: la.logsumexp(x),
}
CALLS = {
    "largest of windows": lambda x: la.nn.max_pool1d(x[None], 2),
    "means of windows": lambda x: la.nn.avg_pool1d(x[None], 3, stride=1),
    "upsampling": lambda x: la.nn.upsample(x[None], 2, mode="linear"),
    "largest of overlapping windows": lambda x: la.nn.max_pool2d(x.reshape(1, 2, 3, 2), (2, 2), stride=1),
    "symmetry": lambda x: la.is_symmetric(x[:3]),
    "sort": lambda x: np.sort(x, 0),
    "argsort": lambda x: np.argsort(x, 1),
    "partition": lambda x: np.partition(x, 1, 0),
    "take": lambda x: np.take(x, [0, 2], 1),
    "take along an axis": lambda x: np.take_along_axis(x, np.argsort(x, 0), 0),
    "index arrays": lambda x: x[np.array([0, 2, 1]), np.array([1, 1, 0])],
    "index arrays and slices": lambda x: x[1:, np.array([1, 0])],
    "indices of the element": lambda x: la.asarray(np.arange(7.0))[x.argmax(1)],
    "both of the element": lambda x: x[x.argmax(0)],
    "writing through index arrays": lambda x: (x.__setitem__(np.array([0, 2]), 0), x)[1],
    "writing through the element's": lambda x: (x.__setitem__(x.argmax(0), x[0]), x)[1],
    "inverse": lambda x: np.linalg.inv(x.T @ x + np.eye(3)),
    "determinant": lambda x: np.linalg.det(x[:3]),
    "sign and logarithm": lambda x: np.linalg.slogdet(x[:3])[1],
    "singular values": lambda x: np.linalg.svd(x)[1],
    "eigenvalues": lambda x: np.linalg.eigh(x.T @ x)[0],
    "factors": lambda x: np.linalg.cholesky(x.T @ x + np.eye(3)),
    "qr": lambda x: tuple(np.linalg.qr(x)),
    "norm": lambda x: np.linalg.norm(x),
    "transform": lambda x: np.fft.fft(x, axis=0).real,
    "transform of several axes": lambda x: np.fft.rfft2(x).imag,
    "einsum": lambda x: np.einsum("ij,ik->jk", x, x),
    "insertion points": lambda x: np.searchsorted(la.asarray(np.linspace(-1, 1, 5)), x),
    "interpolation": lambda x: np.interp(x[0], la.asarray(np.linspace(-1, 1, 5)), la.asarray(np.arange(5.0))),
    "percentiles": lambda x: np.percentile(x, 30, axis=1),
    "ldexp": lambda x: la.ldexp(x, 3),
}
PAIRS = {
    "matrices": (lambda x, y: x @ y, (4, 3), (3, 2)),
    "matrix and vector": (lambda x, y: x @ y, (4, 3), (3,)),
    "vector and matrix": (lambda x, y: x @ y, (4,), (4, 3)),
    "vectors": (lambda x, y: x @ y, (4,), (4,)),
    "stacks": (lambda x, y: x @ y, (2, 1, 4, 3), (5, 3, 2)),
    "stack and vector": (lambda x, y: x @ y, (2, 4, 3), (3,)),
    "dot": (np.dot, (4, 3), (3, 2)),
    "dot of more axes": (np.dot, (2, 4, 3), (5, 3, 2)),
    "inner": (np.inner, (4, 3), (2, 3)),
    "tensordot": (lambda x, y: np.tensordot(x, y, ((1, 0), (0, 1))), (4, 3, 2), (3, 4)),
    "vecdot": (np.vecdot, (4, 3), (3,)),
    "vecdot along an axis": (lambda x, y: np.vecdot(x, y, axis=0), (4, 3), (4, 3)),
    "einsum": (lambda x, y: np.einsum("ij,kj->ki", x, y), (4, 3), (2, 3)),
    "einsum of stacks": (lambda x, y: np.einsum("...ij,j->...i", x, y), (2, 4, 3), (3,)),
    "solve": (np.linalg.solve, (3, 3), (3, 2)),
    "solve for a vector": (np.linalg.solve, (3, 3), (3,)),
    "solve for a stack": (np.linalg.solve, (2, 3, 3), (3, 2)),
    "arithmetic of unlike ranks": (lambda x, y: x * y, (4, 3), (3,)),
    "numbers": (lambda x, y: x * y + 1, (), ()),
    "convolve": (np.convolve, (6,), (3,)),
    "writing one into the other": (lambda x, y: (x.__setitem__(slice(0, 2), y), x)[1], (4, 3), (3,)),
    "correlation": (lambda x, y: la.nn.conv1d(x, y), (2, 6, 3), (2, 3, 4)),
    "correlation in groups": (lambda x, y: la.nn.conv1d(x, y, groups=2), (2, 6, 4), (3, 2, 6)),
    "correlation by channels": (lambda x, y: la.nn.conv2d(x, y, groups=3), (2, 6, 5, 3), (2, 2, 1, 3)),
    "transposed correlation": (lambda x, y: la.nn.conv_transpose2d(x, y, stride=2), (1, 4, 3, 4), (3, 2, 5, 4)),
    "gradient of weights": (lambda x, y: la.nn.grad.conv1d_weight(x, (3, 2, 6), y, groups=2), (2, 6, 4), (2, 4, 6)),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    check(ELEMENTWISE[name], *arrays((4, 3)), exact=True)


@pytest.mark.parametrize("name", FOLDS)
def test_folds(name):
    check(FOLDS[name], *arrays((4, 3)))


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    check(CALLS[name], *arrays((4, 3)))


@pytest.mark.parametrize("name", PAIRS)
def test_calls_of_two_operands(name):
    f, *shapes = PAIRS[name]
    check(f, *arrays(*shapes))
