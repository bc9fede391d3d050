"""Comparison of vmap with a loop over the elements."""
import numpy as np

import lazyarr as la

SIZE = 5


def arrays(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((SIZE, *shape)) for shape in shapes]


def in_a_loop(f, *batches):
    """Apply f to each element and stack the results."""
    found = [f(*[la.asarray(x[i].copy() if x.ndim > 1 else x[i]) for x in batches]) for i in range(len(batches[0]))]
    if isinstance(found[0], tuple):
        return tuple(np.stack([np.asarray(y) for y in several]) for several in zip(*found, strict=True))
    return np.stack([np.asarray(y) for y in found])


def check(f, *batches, exact=False):
    """Compare vmap(f) with a loop, with batches along each axis and with some operands unbatched."""
    expected = in_a_loop(f, *batches)
    compare(la.vmap(f)(*map(la.asarray, batches)), expected, exact)
    last = [la.asarray(np.moveaxis(x, 0, -1).copy()) for x in batches]
    compare(la.vmap(f, in_axes=-1)(*last), expected, exact)
    for k in range(len(batches) if len(batches) > 1 else 0):
        axes = [None if i == k else 0 for i in range(len(batches))]
        fixed = [np.broadcast_to(x[0], x.shape) if i == k else x for i, x in enumerate(batches)]
        given = [la.asarray(x[0] if i == k else x) for i, x in enumerate(batches)]
        compare(la.vmap(f, in_axes=axes)(*given), in_a_loop(f, *fixed), exact)


def compare(found, expected, exact=False):
    if isinstance(expected, tuple):
        for one, wanted in zip(found, expected, strict=True):
            compare(one, wanted, exact)
        return
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    if exact:
        np.testing.assert_array_equal(found.numpy(), expected)
    else:
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9, atol=1e-12)
