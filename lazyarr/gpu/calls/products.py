"""Matrix products, and other sums of products except convolutions, as contractions."""

from collections.abc import Sequence
from math import prod

from lazyarr._core.runtime.device_call import Operand
from lazyarr.gpu.calls.contractions import Axis, Contraction
from lazyarr.ops.call import core_dimensions


def labels_of(signature: str, ndims: Sequence[int]) -> tuple[str, str, str]:
    """Return a label for each axis of a ufunc's operands and of its result.

    Parameters
    ----------
    signature : str
        Signature of a gufunc such as matmul; operands with one axis lack optional dimensions.
    ndims : sequence of int

    Examples
    --------
    >>> labels_of("(n?,k),(k,m?)->(n?,m?)", (2, 1))
    ('nk', 'k', 'n')
    """
    inputs, result = core_dimensions(signature)
    missing: set[str] = set()
    terms, stacks = [], [""]
    for names, ndim in zip(inputs, ndims, strict=True):
        missing.update([name for name in names if name.endswith("?")][: max(len(names) - ndim, 0)])
        kept = [name.rstrip("?") for name in names if name not in missing]
        stacks.append("".join(chr(0x1000 + i) for i in range(ndim - len(kept), 0, -1)))  # last axis first
        terms.append(stacks[-1] + "".join(kept))
    made = [name.rstrip("?") for name in result if name not in missing]
    return terms[0], terms[1], max(stacks, key=len) + "".join(made)


def contraction(labels: Sequence[str], a: Operand, b: Operand, c: Operand, conjugates: bool = False) -> Contraction:
    """Return a sum of products.

    Parameters
    ----------
    labels : sequence of str
        A label for each axis of a, of b and of c. Labels missing from c are summed over. Along an axis of
        extent 1 elements are broadcast. A repeated label of an operand takes its diagonal.
    a, b, c : Operand
        If the shape of c differs from the extents of its labels, c is in C order.
    conjugates : bool, optional
        Whether a is conjugated.
    """
    *terms, output = labels
    extents: dict[str, int] = {}
    for labels, operand in zip(terms, (a, b), strict=True):
        for label, extent in zip(labels, operand.shape, strict=True):
            if extents.setdefault(label, extent) == 1:
                extents[label] = extent
    strides = [_strides(labels, operand) for labels, operand in zip(terms, (a, b), strict=True)]
    strides.append(dict(zip(output, _strides_in(c, [extents[label] for label in output]), strict=True)))
    batch: list[Axis] = []
    rows: list[Axis] = []
    columns: list[Axis] = []
    summed: list[Axis] = []
    for label in dict.fromkeys(output + "".join(terms)):
        in_a, in_b = label in terms[0], label in terms[1]
        group = summed if label not in output else batch if in_a and in_b else rows if in_a else columns
        moves = [along.get(label, 0) for along in strides]
        group.append(Axis(extents[label], moves[0], moves[1], moves[2]))
    return Contraction((a, b, c), batch, rows, columns, summed, conjugates=conjugates)


def _strides(labels: str, operand: Operand) -> dict[str, int]:
    """Return the strides of an operand by label."""
    found: dict[str, int] = dict.fromkeys(labels, 0)
    for label, extent, stride in zip(labels, operand.shape, operand.strides, strict=True):
        found[label] += stride if extent > 1 else 0
    return found


def _strides_in(c: Operand, extents: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a result along axes of these extents."""
    if c.shape == tuple(extents):
        return c.strides
    itemsize = c.dtype.itemsize
    return tuple([itemsize * prod(extents[axis + 1 :]) for axis in range(len(extents))])
