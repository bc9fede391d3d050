"""Scatter: writes at index arrays, x[i, 2:] = v.

Three kernels traverse the indices: the first checks bounds, the second records the last index of each element, and the
third writes those. Nothing is written before all indices are known to be valid.
"""

import functools
import math
from typing import Any

from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr.gpu.calls.gathers import RAISE, find_places, spread_strides, write_places
from lazyarr.gpu.calls.text import UNITS, CallText, Row, Text, check, launch, words_of
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import address
from lazyarr.ops.scattering import in_c_order

CHECK, CLAIM, WRITE = "check", "claim", "scatter"
MOST_PLACES = 1 << 32


@functools.cache
def scatter_text(stage: str, unit: str, joined: int, block: int, kinds: tuple[str, ...]) -> Text:
    """Return the kernel of a stage, for index arrays of these types and elements moved in this unit."""
    pointers = ["x", "values", "claims", *[f"index{k}" for k in range(len(kinds))]]
    text = CallText(stage, pointers, int(stage == CHECK))
    items, run, first, *strides = text.numbers(3 + joined + block)
    text.write("u32 outside = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    if stage == WRITE:
        text.write(f"const i64 p = quotient(e, {run}), b = e - p * {run};")
    else:
        text.write("const i64 p = e, b = 0;")
    written = write_places(text, joined, block, kinds, RAISE)
    if stage == CHECK:
        text.write("atomic_set_u32((GLOBAL u32 *)claims + number, 0u);")    # several indices may select one element
    elif stage == CLAIM:
        text.write("atomic_max_u32((GLOBAL u32 *)claims + number, (u32)p);")
    else:
        text.open("if (((GLOBAL u32 *)claims)[number] == (u32)p)")
        place = [*written.place, *written.within]
        text.write(f"*(GLOBAL {unit} *)({written.address}) = "
                   f"*(GLOBAL {unit} *)({address(f'values + {first}', place, strides)});")  # fmt: skip
        text.close()
    text.close()
    if stage == CHECK:
        text.write("if (outside) atomic_or_u32(status, 1u);")
    return text.finish()


def _key(call: Call) -> tuple[Any, ...] | None:
    """Return the key of a call, with operands in place of index arrays, or None if it is unknown."""
    keywords = getattr(call.function, "keywords", None) or {}
    return keywords["fill"](call.operands[1:]) if "fill" in keywords else None


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    if call.operands[0].dtype != call.result.dtype:
        return f"a write of {call.operands[0].dtype.char} to {call.result.dtype.char}"
    return refusal_of_key(call)


def refusal_of_key(call: Call) -> str | None:
    """Return why the key of a call has no kernel, or None."""
    key = _key(call)
    if not call.changes or key is None:
        return "a write that is not described"
    indices = [item for item in key if isinstance(item, Operand)]
    if None in key or not indices or any(index.dtype.kind not in "iu" or index.dtype.char not in TYPES or
                                         index.dtype.char in "LQ" for index in indices):  # fmt: skip
        return "a key with other items than slices, integers and integer arrays"
    places = Places(call, key)
    if math.prod(places.joined) >= MOST_PLACES:
        return "too many places"
    if math.prod(places.shape) == math.prod(places.joined):     # whose order depends on strides
        value = places.value._replace(shape=places.joined, strides=tuple(places.value_strides[: len(places.joined)]))
        if not in_c_order(places.joined, [*indices, value], len(indices)):
            return "indices that NumPy traverses in another order"
    return None


class Places:
    """The positions of a key: the array after its integers and slices are applied, and how the value is broadcast."""

    def __init__(self, call: Call, key: tuple[Any, ...]):
        window, value = call.result, call.operands[0]
        shape: list[int] = []
        strides: list[int] = []
        indexed: list[int] = []
        offset = window.offset
        for item, extent, stride in zip(key, window.shape, window.strides, strict=True):
            if isinstance(item, int):
                offset += (item + extent if item < 0 else item) * stride
                continue
            if isinstance(item, Operand):
                indexed.append(len(shape))
            else:
                start, _, step = item.indices(extent)
                extent = len(range(*item.indices(extent)))
                offset, stride = offset + start * stride, stride * step
            shape.append(extent)
            strides.append(stride)
        self.x = window._replace(offset=offset, shape=tuple(shape), strides=tuple(strides))
        self.indices = [item for item in key if isinstance(item, Operand)]
        self.indexed = tuple(indexed)
        self.block = tuple([axis for axis in range(len(shape)) if axis not in indexed])
        self.joined = _broadcast([index.shape for index in self.indices])
        advanced = [k for k, item in enumerate(key) if not isinstance(item, slice)]
        before = advanced[0] if advanced[-1] - advanced[0] == len(advanced) - 1 else 0
        kept = [shape[axis] for axis in self.block]
        self.shape = (*kept[:before], *self.joined, *kept[before:])
        lead = max(len(value.shape) - len(self.shape), 0)       # leading axes of length 1
        self.value = value._replace(shape=value.shape[lead:], strides=value.strides[lead:])
        moves = spread_strides(self.value, self.shape)
        behind = before + len(self.joined)
        self.value_strides = [*moves[before:behind], *moves[:before], *moves[behind:]]


    @property
    def plan(self) -> dict[str, Any]:
        """The arguments of `find_places`."""
        return {"joined": self.joined, "walked": (-1,) * len(self.joined), "indexed": self.indexed, "block": self.block}


def places_of(call: Call) -> Places:
    """Return the positions of an accepted call."""
    key = _key(call)
    assert key is not None
    return Places(call, key)


def _broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    ndim = max(map(len, shapes))
    padded = [(1,) * (ndim - len(shape)) + shape for shape in shapes]
    return tuple([next((n for n in extents if n != 1), 1) for extents in zip(*padded, strict=True)])


def scatter(driver: Any, call: Call) -> None:
    """Write the value; the last of repeated indices wins, as in NumPy."""
    found = places_of(call)
    places = find_places(found.x, found.indices, found.plan, merges=False)
    strides = [*found.value_strides, *[stride for _, stride in words_of(found.x.dtype.itemsize)]]
    if not places.size * places.run:
        return
    claims = driver.workspace(4 * max(math.prod(found.x.shape[axis] for axis in found.indexed), 1))
    kinds = tuple([TYPES[index.dtype.char] for index in found.indices])
    unit = UNITS.get(found.x.dtype.itemsize, "u64")
    blocks = [call.result.block, found.value.block, claims, *[index.block for index in found.indices]]
    for stage in (CHECK, CLAIM, WRITE):
        text = scatter_text(stage, unit, places.joined, places.block, kinds)
        items = places.size * places.run if stage == WRITE else places.size
        numbers = [items, places.run, found.value.offset, *strides, *places.numbers]
        if stage != CHECK:
            launch(driver, call, text, items, numbers, blocks, changes=stage == WRITE)
        elif check(driver, call, text, items, numbers, blocks):
            raise NoKernel("an index is out of bounds")


ROW = Row(refusal, scatter)
