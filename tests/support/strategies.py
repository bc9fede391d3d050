"""Hypothesis strategies: dtypes, shapes, arrays with special values, views, broadcasting operands, whole programs."""

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np

from support import sample_values
from support.program_grammar import statements

SEEDS = st.integers(0, 999)


def dtypes(names=sample_values.DTYPES):
    """Draw the name of a numeric dtype, bool included."""
    return st.sampled_from(names)


def shapes(max_dims=5, max_side=4):
    """Draw a shape of zero to `max_dims` axes, among them empty axes and axes of length one."""
    return hnp.array_shapes(min_dims=0, max_dims=max_dims, min_side=0, max_side=max_side)


def arrays(dtype=None, shape=None):
    """Draw a C-contiguous array; special values (NaN, infinities, signed zeros, extremes) are frequent."""
    return st.builds(sample_values.make, dtypes() if dtype is None else st.just(dtype),
                     shapes() if shape is None else st.just(shape), SEEDS)


def basic_keys(shape):
    """Draw a basic index for an array of this shape: integers, slices with any step, an ellipsis, None."""
    return hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True)


@st.composite
def layouts(draw, shape=None, dtype=None):
    """Draw an array whose memory is C- or Fortran-ordered, reversed, strided with gaps, or broadcast."""
    if shape is None:
        shape = draw(shapes())
    name = dtype or draw(dtypes())
    kind = draw(st.sampled_from(["C", "F", "reversed", "gaps", "broadcast", "permuted"]))
    seed = draw(SEEDS)
    if kind == "F":
        return np.asfortranarray(sample_values.make(name, shape, seed))
    if kind == "reversed":
        return sample_values.make(name, shape, seed)[(..., *[slice(None, None, -1)] * len(shape))]
    if kind == "gaps":
        return sample_values.make(name, tuple(2 * n for n in shape), seed)[(..., *[slice(None, None, 2)] * len(shape))]
    if kind == "broadcast":
        kept = draw(st.tuples(*[st.booleans() for _ in shape]))
        small = tuple(n if keep else min(n, 1) for n, keep in zip(shape, kept, strict=True))
        return np.broadcast_to(sample_values.make(name, small, seed), shape)
    if kind == "permuted":
        axes = draw(st.permutations(range(len(shape))))
        return sample_values.make(name, tuple(shape[a] for a in axes), seed).transpose(np.argsort(axes).astype(int))
    return sample_values.make(name, shape, seed)


@st.composite
def broadcasting_pairs(draw):
    """Draw two arrays of any dtypes and layouts whose shapes broadcast together."""
    drawn = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=0, max_dims=5, min_side=0, max_side=4))
    return tuple(draw(layouts(shape=shape)) for shape in drawn.input_shapes)


@st.composite
def programs(draw, length=12, kinds=None):
    """Draw a random program, a list of lines of Python (see :mod:`.program_grammar`)."""
    random = draw(st.randoms(use_true_random=False))
    return statements.write(random, length, kinds)
